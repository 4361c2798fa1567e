"""What other people rightly deploy passes: a mandatory rule that is wrong blocks every preview of a stack."""

import json
from typing import Any

import pulumi_policy as policy
import pytest

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.running import BY_NAME, on_any, on_resource, on_stack
from tests.policies.test_shipped_configurations import config_of
from tests.unit.program import run, stack_configuration

REQUIREMENTS = b.node_pool()["spec"]["template"]["spec"]["requirements"]
BUDGETS = "spec/disruption/budgets"
WHERE = "spec/template/spec/requirements"


def _only(key: str, *values: str) -> list[dict[str, Any]]:
    return [*REQUIREMENTS[:2], {"key": f"karpenter.k8s.aws/{key}", "operator": "In", "values": list(values)}]


def _policy(*statements: dict[str, Any]) -> dict[str, Any]:
    return b.iam_policy(*({"Effect": "Allow", **each} for each in statements), name="other")


TAINTED = [{"key": "gpu", "effect": "NoSchedule"}]
VOLUMES = [{"deviceName": "/dev/sda1", "ebs": {"encrypted": True}}]
RIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "instances-of-one-version": (b.GROUP_OF_INSTANCES_TYPE, {"launchTemplate": {"id": "lt-1", "version": 3}}),
    "group-with-an-ami-of-its-template": (b.GROUP_TYPE, b.node_group(amiType=ABSENT, releaseVersion=ABSENT)),
    "instance-of-a-template": (b.INSTANCE_TYPE, {"launchTemplate": {"id": "lt-1", "version": "1"}}),
    "cluster-without-auto-mode": (b.CLUSTER_TYPE, b.cluster(computeConfig={"enabled": False})),
    "subnet-of-load-balancers": (
        "aws:ec2/subnet:Subnet",
        {"mapPublicIpOnLaunch": True, "tags": {"kubernetes.io/role/elb": "1"}},
    ),
    "class-of-windows": (
        b.CLASS_TYPE,
        b.node_class(**{"spec/amiFamily": "Windows2022", "spec/blockDeviceMappings": VOLUMES}),
    ),
    "class-without-volumes": (b.CLASS_TYPE, b.node_class(**{"spec/blockDeviceMappings": ABSENT})),
    "budgets-by-reason": (
        b.POOL_TYPE,
        b.node_pool(
            **{BUDGETS: [{"nodes": "5", "reasons": ["Empty"]}, {"nodes": "1", "reasons": ["Drifted", "Underutilized"]}]}
        ),
    ),
    "budgets-of-what-happens": (
        b.POOL_TYPE,
        b.node_pool(
            **{
                BUDGETS: [{"nodes": "5", "reasons": ["Empty", "Drifted"]}],
                "spec/disruption/consolidationPolicy": "WhenEmpty",
            }
        ),
    ),
    "pool-that-is-static": (
        b.POOL_TYPE,
        b.node_pool(
            **{"spec/replicas": 2, "spec/limits": {"nodes": "3"}, "spec/disruption": {"budgets": [{"nodes": "1"}]}}
        ),
    ),
    "pool-of-inferentia": (
        b.POOL_TYPE,
        b.node_pool(
            **{
                WHERE: _only("instance-category", "inf"),
                "spec/limits": {"cpu": "9", "aws.amazon.com/neuron": "1"},
                "spec/template/spec/taints": TAINTED,
            }
        ),
    ),
    "pool-of-radeon": (
        b.POOL_TYPE,
        b.node_pool(
            **{
                WHERE: _only("instance-family", "g4ad"),
                "spec/limits": {"cpu": "9", "amd.com/gpu": "1"},
                "spec/template/spec/taints": TAINTED,
            }
        ),
    ),
    "pool-of-families": (b.POOL_TYPE, b.node_pool(**{WHERE: _only("instance-family", "m5", "c6a")})),
    "patch-of-something-else": (f"{b.POOL_TYPE}Patch", {"metadata": {"name": "default"}, "spec": {"weight": 3}}),
    "queue-open-to-a-rule": (
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(
            policy=b.document(
                b.DENY_HTTP,
                {
                    "Effect": "Allow",
                    "Principal": "*",
                    "Action": "sqs:SendMessage",
                    "Resource": "*",
                    "Condition": {"ArnEquals": {"aws:SourceArn": "arn:aws:events:us-west-2:1:rule/a"}},
                },
            )
        ),
    ),
    "policy-of-a-volume-driver": (
        b.POLICY_TYPE,
        _policy(
            {"Action": ["ec2:AttachVolume", "ec2:DescribeVolumes"], "Resource": "*"},
            {
                "Action": "ec2:CreateTags",
                "Resource": "arn:aws:ec2:*:*:volume/*",
                "Condition": {"StringEquals": {"ec2:CreateAction": ["CreateVolume"]}},
            },
        ),
    ),
    "policy-of-a-load-balancer-controller": (
        b.POLICY_TYPE,
        _policy(
            {"Action": ["ec2:DescribeAddresses", "iam:CreateServiceLinkedRole"], "Resource": "*"},
            {
                "Action": ["ec2:CreateTags", "ec2:DeleteTags"],
                "Resource": "arn:aws:ec2:*:*:security-group/*",
                "Condition": {"Null": {"aws:RequestTag/a": "true", "aws:ResourceTag/a": "false"}},
            },
        ),
    ),
    "policy-of-a-pipeline": (
        b.POLICY_TYPE,
        _policy(
            {
                "Action": "iam:PassRole",
                "Resource": "arn:aws:iam::1:role/task",
                "Condition": {"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}},
            }
        ),
    ),
    "pod-with-limits-of-the-whole": (
        b.POD_TYPE,
        {"spec": {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}, "containers": [{"name": "app"}]}},
    ),
}


@pytest.mark.parametrize(("type_", "props"), RIGHT.values(), ids=RIGHT)
def test_what_others_rightly_deploy_passes(type_: str, props: dict[str, Any]) -> None:
    for rule, found in BY_NAME.items():
        if isinstance(found, policy.ResourceValidationPolicy) and rule != "ami-approved":
            outcome = on_resource(rule, type_, props)
            assert (outcome.violations, outcome.advice) == ([], ""), f"{rule} blocks every preview of that stack"


@pytest.mark.parametrize("environment", ["lab", "dev", "staging", "prod"])
def test_the_whole_stack_passes_the_mandatory_rules_of_its_environment(environment: str) -> None:
    resources = [
        (each.type, each.name, json.loads(json.dumps(each.inputs)))
        for each in run(stack_configuration(environment), stack=environment).resources
    ]
    for rule, values in config_of(environment).items():
        if values["enforcementLevel"] != "mandatory":
            continue
        config = {key: value for key, value in values.items() if key not in {"enforcementLevel", "environment"}}
        config |= {"environment": "lab"} if rule.startswith("ami-approved") else {}
        if isinstance(BY_NAME[rule], policy.StackValidationPolicy):
            outcomes = {rule: on_stack(rule, resources, config=config)}
        else:
            outcomes = {n: on_resource(rule, t, props, name=n, config=config) for t, n, props in resources}
        found = {name: outcome.violations for name, outcome in outcomes.items() if outcome.violations}
        assert found == {}, f"`pulumi preview` of {environment} is blocked by our own rule {rule}"


@pytest.mark.parametrize(
    ("replicas", "least", "blocks"),
    [
        (2, "51%", True),
        (2, "50%", False),
        (10, "99%", True),
        (100, "7%", False),
        (1, "1%", True),
        (2, 2, True),
        (0, 1, False),
    ],
)
def test_a_budget_s_percentages_are_rounded_as_kubernetes_does(replicas: int, least: str | int, blocks: bool) -> None:
    budget = b.disruption_budget(**{"spec/maxUnavailable": ABSENT, "spec/minAvailable": least})
    deployment = b.deployment(**{"spec/replicas": replicas})
    outcome = on_stack(
        "workload-availability", [(b.DEPLOYMENT_TYPE, "web", deployment), (b.BUDGET_TYPE, "budget", budget)]
    )
    assert bool(outcome.violations) is blocks, f"no node with such a pod can ever be replaced: {outcome.violations}"


def test_a_static_pool_is_no_sibling_of_a_spot_pool() -> None:
    spot = {**REQUIREMENTS[1], "values": ["spot"]}
    pools = [
        (b.POOL_TYPE, "spot", b.node_pool(**{f"{WHERE}/1": spot, "spec/template/spec/taints": TAINTED})),
        (b.POOL_TYPE, "static", b.node_pool(**{"spec/replicas": 0})),
    ]
    found = on_stack("disruption-controls-in-stack", pools).violations
    assert len(found) == 1, f"pods have nowhere to go when Spot runs out, as a static pool does not grow: {found}"


def test_a_budget_in_an_exempt_namespace_is_left_alone() -> None:
    props = b.disruption_budget(**{"spec/maxUnavailable": 0})
    assert on_any("workload-availability", b.BUDGET_TYPE, props, {"exemptNamespaces": ["shop"]}).violations == []
