"""nodepool-limits: a pool cannot grow, or cost, without end."""

import re
from collections.abc import Iterator

import pulumi_policy as policy

from .support.kinds import KARPENTER, Item, objects
from .support.pools import accelerated, may_have_nvidia
from .support.quantities import quantity
from .support.reading import Node, judged
from .support.wrapping import About, Config, Resource, resource_policy

NVIDIA = "nvidia.com/gpu"
ACCELERATORS = re.compile(r"(?:nvidia\.com/gpu|amd\.com/gpu|habana\.ai/gaudi|aws\.amazon\.com/neuron[a-z]*)")
ABOUT = About(
    name="nodepool-limits",
    description="Dynamic NodePools have a limit of CPU or memory, and pools with GPUs a limit of those",
    steps="Set spec.limits: cpu or memory, and nvidia.com/gpu (or the accelerator's own resource) on GPU pools.",
    severity=policy.Severity.HIGH,
)


def check(resource: Resource, _config: Config) -> Iterator[str]:
    """Yield NodePools without the limits that they need.

    Args:
        resource: Any resource.
        _config: Has no parameters.
    """
    for pool in objects(resource, KARPENTER, "NodePool"):
        yield from judged(_general, pool)
        if not pool.partial or not pool.spec.at("template.spec.requirements").absent:
            yield from judged(_accelerators, pool)
    for claim in objects(resource, KARPENTER, "NodeClaim"):
        if not claim.partial:
            yield claim.object["kind"].problem(
                "a NodeClaim outside of a NodePool is held by no limit and no budget",
                "make a NodePool, with replicas where nodes are to stay",
            )


def _static(pool: Item) -> bool:
    return pool.spec["replicas"].number() is not None


def _general(pool: Item) -> Iterator[str]:
    if _static(pool):
        return
    limits = pool.spec["limits"]
    given = [limits["cpu"], limits["memory"]]
    for node in given:
        yield from judged(_positive, node)
    if all(node.absent for node in given) and not pool.partial:
        yield limits.problem("must limit cpu or memory", 'state one, such as cpu: "1000"')


def _positive(node: Node) -> Iterator[str]:
    found = quantity(node)
    if found is not None and not 0 < found < float("inf"):
        yield node.problem("must be more than 0", "state the most that this pool may launch")


def _accelerators(pool: Item) -> Iterator[str]:
    if _static(pool) or not accelerated(pool.spec):
        return
    limits = pool.spec["limits"]
    found = [node for name, node in limits.entries().items() if ACCELERATORS.fullmatch(name) and not node.absent]
    for node in found:
        yield from judged(_positive, node)
    if not found:
        yield limits.problem(
            "must limit GPUs, since the pool may launch instances with them",
            'state nvidia.com/gpu: "4" for example, or exclude them by instance-category In [c, m, r]',
        )
    elif limits[NVIDIA].absent and may_have_nvidia(pool.spec):
        yield limits.problem(
            f"must limit {NVIDIA}, since the pool may launch GPUs of NVIDIA",
            f'state {NVIDIA}: "4" for example, or exclude them by instance-gpu-manufacturer',
        )


POLICIES = [resource_policy(ABOUT, check)]
