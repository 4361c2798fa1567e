"""capacity-separation: only pods that ask for it land on Spot or on GPUs."""

from collections.abc import Iterator

import pulumi_policy as policy

from .support.kinds import KARPENTER, Item, objects
from .support.pools import CAPACITY_TYPE, accelerated, may_have, tainted
from .support.reading import CannotJudgeError, judged
from .support.wrapping import About, Config, Resource, resource_policy

TAINT = "add a taint with effect NoSchedule under spec.template.spec.taints"
ABOUT = About(
    name="capacity-separation",
    description="A NodePool that may launch Spot or GPU instances is tainted",
    steps="Add a NoSchedule taint that only the intended pods tolerate, or exclude the capacity by a requirement.",
    severity=policy.Severity.MEDIUM,
)


def check(resource: Resource, _config: Config) -> Iterator[str]:
    """Yield untainted NodePools with Spot or GPU capacity.

    Args:
        resource: Any resource.
        _config: Has no parameters.
    """
    for pool in objects(resource, KARPENTER, "NodePool"):
        if not pool.partial or _speaks_of_it(pool):
            yield from judged(_separate, pool)


def _speaks_of_it(patch: Item) -> bool:
    """Whether a patch changes taints or requirements: both are lists, which it replaces, and so it must say both."""
    try:
        spec = patch.spec.at("template.spec")
        return not (spec["taints"].absent and spec["requirements"].absent)
    except CannotJudgeError:
        return True


def _separate(pool: Item) -> Iterator[str]:
    if tainted(pool.spec):
        return
    taints = pool.spec.at("template.spec.taints")
    if may_have(pool.spec, CAPACITY_TYPE, "spot"):
        yield taints.problem(
            "a pool that may launch Spot must be tainted",
            f"{TAINT}, or require karpenter.sh/capacity-type In [on-demand]",
        )
    if accelerated(pool.spec):
        yield taints.problem(
            "a pool that may launch GPU instances must be tainted",
            f"{TAINT}, or require instance-category In [c, m, r]",
        )


POLICIES = [resource_policy(ABOUT, check)]
