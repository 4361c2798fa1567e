"""NodePools without control or limits."""

from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.hostile.case import Case

BUDGETS = "spec.disruption.budgets"
TRY = "try it in a lower environment first, then name it under provenInLowerEnvironment"

QUICK = f"must not be under 5m where nodes in use are consolidated; {TRY}"


def _pool(rule: str, label: str, message: str, **changes: Any) -> Case:
    return Case(rule, label, b.POOL_TYPE, b.node_pool(**changes), message)


REQUIREMENTS = b.node_pool()["spec"]["template"]["spec"]["requirements"]
SPOT = [REQUIREMENTS[0], {**REQUIREMENTS[1], "values": ["spot"]}, REQUIREMENTS[2]]
NO_GPU_LIMIT = (
    'spec.limits: found {"cpu": "1000"}; must limit GPUs, since the pool may launch instances with them; '
    'state nvidia.com/gpu: "4" for example, or exclude them by instance-category In [c, m, r]'
)
SPOT_TAINT = (
    "a pool that may launch Spot must be tainted; "
    "add a taint with effect NoSchedule under spec.template.spec.taints, "
    "or require karpenter.sh/capacity-type In [on-demand]"
)
GPU = [*REQUIREMENTS[:2], {**REQUIREMENTS[2], "values": ["m", "g"]}]
NOT_G_AND_P = [*REQUIREMENTS[:2], {**REQUIREMENTS[2], "operator": "NotIn", "values": ["g", "p"]}]
NO_ACCELERATOR = [
    *REQUIREMENTS[:2],
    {"key": "karpenter.k8s.aws/instance-accelerator-count", "operator": "DoesNotExist"},
]
POOL_CASES = [
    _pool(
        "disruption-controls",
        "budget-of-one-reason",
        f'{BUDGETS}: found [{{"nodes": "10%", "reasons": ["Empty"]}}]; '
        "must have a budget under 100% that is always on for Drifted and Underutilized, too; "
        'add one without reasons, such as nodes: "10%"',
        **{"spec/disruption/budgets": [{"nodes": "10%", "reasons": ["Empty"]}]},
    ),
    _pool(
        "disruption-controls",
        "budget-of-no-reason",
        f'{BUDGETS}: found [{{"nodes": "10%", "reasons": []}}]; must have a budget under 100% that is always on; '
        'add one without a schedule, such as nodes: "10%"',
        **{"spec/disruption/budgets": [{"nodes": "10%", "reasons": []}]},
    ),
    _pool(
        "disruption-controls",
        "budget-of-a-million",
        f'{BUDGETS}[0].nodes: found "1000000"; must not be over 50 nodes; name a percentage, or raise mostNodesAtOnce',
        **{"spec/disruption/budgets": [{"nodes": "1000000"}]},
    ),
    _pool(
        "disruption-controls",
        "unknown-budget",
        f"not checked yet: {BUDGETS}[0].nodes is unknown until update",
        **{"spec/disruption/budgets": [{"nodes": UNKNOWN_STRING_VALUE}]},
    ),
    _pool(
        "disruption-controls",
        "quick-where-replicas-are-unknown",
        "not checked yet: spec.replicas is unknown until update",
        **{"spec/replicas": UNKNOWN_STRING_VALUE, "spec/disruption/consolidateAfter": "0s"},
    ),
    _pool("nodepool-limits", "gpus-of-category-gr", NO_GPU_LIMIT, **{"spec/template/spec/requirements": NOT_G_AND_P}),
    _pool(
        "nodepool-limits",
        "accelerators-excluded-but-no-gpus",
        NO_GPU_LIMIT,
        **{"spec/template/spec/requirements": NO_ACCELERATOR},
    ),
    _pool(
        "nodepool-limits",
        "limit-of-another-maker",
        'spec.limits: found {"amd.com/gpu": "1", "cpu": "9"}; '
        "must limit nvidia.com/gpu, since the pool may launch GPUs of NVIDIA; "
        'state nvidia.com/gpu: "4" for example, or exclude them by instance-gpu-manufacturer',
        **{"spec/limits": {"cpu": "9", "amd.com/gpu": "1"}, "spec/template/spec/requirements": GPU},
    ),
    Case(
        "nodepool-limits",
        "claim-without-a-pool",
        "kubernetes:karpenter.sh/v1:NodeClaim",
        {"kind": "NodeClaim", "metadata": {"name": "big"}, "spec": {"requirements": REQUIREMENTS}},
        'kind: found "NodeClaim"; a NodeClaim outside of a NodePool is held by no limit and no budget; '
        "make a NodePool, with replicas where nodes are to stay",
    ),
    Case(
        "nodepool-limits",
        "patch-that-limits-nothing",
        f"{b.POOL_TYPE}Patch",
        {"metadata": {"name": "default"}, "spec": {"limits": {"cpu": "0"}}},
        'spec.limits.cpu: found "0"; must be more than 0; state the most that this pool may launch',
    ),
    Case(
        "capacity-separation",
        "patch-to-spot",
        f"{b.POOL_TYPE}Patch",
        {"metadata": {"name": "default"}, "spec": {"template": {"spec": {"requirements": SPOT}}}},
        f"spec.template.spec.taints: found nothing; {SPOT_TAINT}",
    ),
    _pool(
        "capacity-separation",
        "taint-that-goes-away",
        f'spec.template.spec.taints: found [{{"effect": "NoExecute", "key": "node.kubernetes.io/not-r...; {SPOT_TAINT}',
        **{
            "spec/template/spec/requirements": SPOT,
            "spec/template/spec/taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}],
        },
    ),
    _pool(
        "disruption-controls",
        "no-budgets",
        f'{BUDGETS}: found nothing; must have at least one budget; state one, such as nodes: "10%"',
        **{"spec/disruption/budgets": ABSENT},
    ),
    _pool(
        "disruption-controls",
        "empty-budgets",
        f'{BUDGETS}: found []; must have at least one budget; state one, such as nodes: "10%"',
        **{"spec/disruption/budgets": []},
    ),
    Case(
        "disruption-controls",
        "patch-that-empties-budgets",
        f"{b.POOL_TYPE}Patch",
        {"metadata": {"name": "default"}, "spec": {"disruption": {"budgets": []}}},
        f'{BUDGETS}: found []; must have at least one budget; state one, such as nodes: "10%"',
    ),
    _pool(
        "disruption-controls",
        "budget-of-all",
        f'{BUDGETS}: found [{{"nodes": "100%"}}]; must have a budget under 100% that is always on; '
        'add one without a schedule, such as nodes: "10%"',
        **{"spec/disruption/budgets": [{"nodes": "100%"}]},
    ),
    _pool(
        "disruption-controls",
        "quick-consolidation",
        f'spec.disruption.consolidateAfter: found "1m"; {QUICK}',
        **{"spec/disruption/consolidateAfter": "1m"},
    ),
    _pool(
        "disruption-controls",
        "quick-without-a-policy",
        f'spec.disruption.consolidateAfter: found "299s"; {QUICK}',
        **{"spec/disruption/consolidateAfter": "299s", "spec/disruption/consolidationPolicy": ABSENT},
    ),
    _pool(
        "disruption-controls",
        "no-consolidate-after",
        "spec.disruption.consolidateAfter: found nothing; must be stated, since Karpenter's default is 0s; "
        "state it, such as 15m",
        **{"spec/disruption/consolidateAfter": ABSENT},
    ),
    _pool(
        "disruption-controls",
        "quick-expiry",
        'spec.template.spec.expireAfter: found "23h59m"; must not be under 24h, since budgets do not hold expiry back; '
        f"{TRY}",
        **{"spec/template/spec/expireAfter": "23h59m"},
    ),
    _pool(
        "disruption-controls",
        "unknown-expiry",
        "not checked yet: spec.template.spec.expireAfter is unknown until update",
        **{"spec/template/spec/expireAfter": UNKNOWN_STRING_VALUE},
    ),
    _pool(
        "nodepool-limits",
        "no-limits",
        'spec.limits: found nothing; must limit cpu or memory; state one, such as cpu: "1000"',
        **{"spec/limits": ABSENT},
    ),
    _pool(
        "nodepool-limits",
        "nodes-only",
        'spec.limits: found {"nodes": "5"}; must limit cpu or memory; state one, such as cpu: "1000"',
        **{"spec/limits": {"nodes": "5"}},
    ),
    _pool(
        "nodepool-limits",
        "zero-limit",
        'spec.limits.cpu: found "0"; must be more than 0; state the most that this pool may launch',
        **{"spec/limits": {"cpu": "0"}},
    ),
    _pool(
        "nodepool-limits",
        "gpu-without-limit",
        'spec.limits: found {"cpu": "1000"}; must limit GPUs, since the pool may launch instances with them; '
        'state nvidia.com/gpu: "4" for example, or exclude them by instance-category In [c, m, r]',
        **{"spec/template/spec/requirements": GPU},
    ),
    _pool(
        "capacity-separation",
        "untainted-spot",
        "spec.template.spec.taints: found []; a pool that may launch Spot must be tainted; "
        "add a taint with effect NoSchedule under spec.template.spec.taints, "
        "or require karpenter.sh/capacity-type In [on-demand]",
        **{"spec/template/spec/requirements": SPOT},
    ),
    _pool(
        "capacity-separation",
        "any-capacity",
        "spec.template.spec.taints: found []; a pool that may launch Spot must be tainted; "
        "add a taint with effect NoSchedule under spec.template.spec.taints, "
        "or require karpenter.sh/capacity-type In [on-demand]",
        **{"spec/template/spec/requirements": [REQUIREMENTS[0], REQUIREMENTS[2]]},
    ),
    _pool(
        "capacity-separation",
        "soft-taint",
        'spec.template.spec.taints: found [{"effect": "PreferNoSchedule", "key": "a"}]; '
        "a pool that may launch Spot must be tainted; "
        "add a taint with effect NoSchedule under spec.template.spec.taints, "
        "or require karpenter.sh/capacity-type In [on-demand]",
        **{
            "spec/template/spec/requirements": SPOT,
            "spec/template/spec/taints": [{"key": "a", "effect": "PreferNoSchedule"}],
        },
    ),
    _pool(
        "disruption-controls-in-stack",
        "spot-without-sibling",
        "spec.template.spec.requirements: found "
        '[{"key": "kubernetes.io/arch", "operator": "In", "values"...; '
        "a pool of Spot only must have an on-demand sibling that takes the same pods; "
        f"add one, or {TRY}",
        **{
            "metadata/name": "lonely",
            "spec/template/spec/requirements": [
                {**REQUIREMENTS[0], "values": ["s390x"]},
                {**REQUIREMENTS[1], "values": ["spot"]},
                REQUIREMENTS[2],
            ],
            "spec/template/spec/taints": [{"key": "a", "effect": "NoSchedule"}],
        },
    ),
]
