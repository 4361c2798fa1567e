"""disruption-controls: nodes go away at a pace that somebody chose, and that a lower environment has seen."""

from collections.abc import Iterator

import pulumi_policy as policy

from .support.kinds import KARPENTER, Item, objects
from .support.pools import ARCH, CAPACITY_TYPE, may_have, taint_keys
from .support.quantities import duration, seconds
from .support.reading import CannotJudgeError, Node, NotChecked, each, judged
from .support.wrapping import About, Config, Finding, Resource, findings, resource_policy, stack_policy

QUICK_CONSOLIDATION = 300
"""Seconds; nodes in use that go sooner are an aggressive setting."""
QUICK_EXPIRY = 24 * 3600
"""Seconds; nodes that expire sooner are an aggressive setting."""
REASONS = frozenset({"Drifted", "Empty", "Underutilized"})
"""Why Karpenter takes nodes away by itself; a budget with reasons holds back nothing else."""
TRY_FIRST = "try it in a lower environment first, then name it under provenInLowerEnvironment"
PROVEN = {
    "type": "object",
    "additionalProperties": {
        "type": "array",
        "items": {"type": "string", "enum": ["consolidation", "expiry", "spot-only"]},
    },
    "default": {},
    "description": "Aggressive settings by NodePool that a lower environment has run.",
}
ABOUT = About(
    name="disruption-controls",
    description="NodePools have explicit budgets, and aggressive disruption only where a lower environment has run it",
    steps="State budgets, lengthen expireAfter and consolidateAfter, or name the setting as proven.",
    severity=policy.Severity.HIGH,
    level=policy.EnforcementLevel.ADVISORY,
    parameters={
        "minExpireAfter": {
            "type": "string",
            "default": "1h",
            "description": "Shortest expireAfter, even where it is proven.",
        },
        "minConsolidateAfter": {
            "type": "string",
            "default": "0s",
            "description": "Shortest consolidateAfter, even where it is proven.",
        },
        "mostNodesAtOnce": {
            "type": "integer",
            "default": 50,
            "description": "Largest number of nodes in a budget that is always on and no percentage.",
        },
        "provenInLowerEnvironment": PROVEN,
    },
)
IN_STACK = About(
    name="disruption-controls-in-stack",
    description="A NodePool of Spot only has an on-demand sibling that takes the same pods",
    steps="Add an on-demand NodePool that takes the same pods, or name the pool as proven.",
    severity=policy.Severity.HIGH,
    level=policy.EnforcementLevel.ADVISORY,
    parameters={"provenInLowerEnvironment": PROVEN},
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what is wrong with the disruption settings of NodePools.

    Args:
        resource: Any resource.
        config: The floors, and what a lower environment has run.
    """
    for pool in objects(resource, KARPENTER, "NodePool"):
        yield from judged(_budgets, pool, int(config["mostNodesAtOnce"]))
        yield from judged(_expiry, pool, config)
        yield from judged(_consolidation, pool, config)


def _proven(pool: Item, config: Config) -> frozenset[str]:
    return frozenset(config["provenInLowerEnvironment"].get(pool.name, ()))


def _budgets(pool: Item, most: int) -> Iterator[str]:
    budgets = pool.spec.at("disruption.budgets")
    items = budgets.items()
    if not items:
        if not (pool.partial and budgets.absent):
            yield budgets.problem("must have at least one budget", 'state one, such as nodes: "10%"')
        return
    yield from each(_budget, items, most)
    try:
        held = {reason for item in items for reason in _held(item)}
        reasons = _reasons(pool)
    except CannotJudgeError:
        return
    unheld = sorted(reasons - held)
    if unheld == sorted(reasons):
        yield budgets.problem(
            "must have a budget under 100% that is always on", 'add one without a schedule, such as nodes: "10%"'
        )
    elif unheld:
        yield budgets.problem(
            f"must have a budget under 100% that is always on for {' and '.join(unheld)}, too",
            'add one without reasons, such as nodes: "10%"',
        )


def _budget(budget: Node, most: int) -> Iterator[str]:
    nodes = budget["nodes"]
    text = nodes.text()
    if text is None:
        yield nodes.problem("must say how many nodes may go at once", 'state it as text, such as "10%"')
    elif budget["schedule"].text() is None and text.isdecimal() and int(text) > most:
        yield nodes.problem(f"must not be over {most} nodes", "name a percentage, or raise mostNodesAtOnce")
    for reason in budget["reasons"].items():
        reason.text()


def _held(budget: Node) -> frozenset[str]:
    """The reasons that a budget always holds back; what cannot be read is reported by `_budget`."""
    nodes = budget["nodes"].text() or "100%"
    if budget["schedule"].text() is not None or nodes == "100%":
        return frozenset()
    if budget["reasons"].absent:
        return REASONS
    return frozenset(reason.text() or "" for reason in budget["reasons"].items())


def _reasons(pool: Item) -> frozenset[str]:
    """The reasons for which nodes of a pool go, by its settings; `_consolidation` reports those that cannot be read."""
    if pool.spec["replicas"].number() is not None or pool.spec.at("disruption.consolidateAfter").text() == "Never":
        return REASONS - {"Empty", "Underutilized"}
    if pool.spec.at("disruption.consolidationPolicy").text() == "WhenEmpty":
        return REASONS - {"Underutilized"}
    return REASONS


def _floor(node: Node, found: float, name: str, config: Config) -> Iterator[str]:
    floor = seconds(str(config[name]))
    if floor is None:
        yield f"{name}: found {config[name]!r}; must be a duration such as 1h; mend the configuration of the policy"
    elif found < floor:
        yield node.problem(f"must not be under {config[name]}", "lengthen it")


def _expiry(pool: Item, config: Config) -> Iterator[str]:
    node = pool.spec.at("template.spec.expireAfter")
    found = duration(node)
    if found is None:
        return
    yield from _floor(node, found, "minExpireAfter", config)
    if found < QUICK_EXPIRY and "expiry" not in _proven(pool, config):
        yield node.problem("must not be under 24h, since budgets do not hold expiry back", TRY_FIRST)


def _consolidation(pool: Item, config: Config) -> Iterator[str]:
    if pool.spec["replicas"].number() is not None:
        return
    after = pool.spec.at("disruption.consolidateAfter")
    found = duration(after)
    if found is None:
        if not pool.partial:
            yield after.problem("must be stated, since Karpenter's default is 0s", "state it, such as 15m")
        return
    yield from _floor(after, found, "minConsolidateAfter", config)
    of_empty_nodes = pool.spec.at("disruption.consolidationPolicy").text() == "WhenEmpty"
    if found < QUICK_CONSOLIDATION and not of_empty_nodes and "consolidation" not in _proven(pool, config):
        yield after.problem("must not be under 5m where nodes in use are consolidated", TRY_FIRST)


def check_stack(resources: list[Resource], config: Config) -> Iterator[Finding]:
    """Yield pools of Spot only that have no on-demand sibling.

    Args:
        resources: The resources of a stack.
        config: What a lower environment has run.
    """
    pools = [(resource, pool) for resource in resources for pool in _pools(resource)]
    for resource, pool in pools:
        yield from findings(resource, _spot_only(pool, [other for _, other in pools if other is not pool], config))


def _pools(resource: Resource) -> list[Item]:
    try:
        return list(objects(resource, KARPENTER, "NodePool"))
    except CannotJudgeError:
        return []


def _spot_only(pool: Item, others: list[Item], config: Config) -> Iterator[str]:
    if pool.partial or "spot-only" in _proven(pool, config):
        return
    if not may_have(pool.spec, CAPACITY_TYPE, "spot") or may_have(pool.spec, CAPACITY_TYPE, "on-demand"):
        return
    unread = []
    for other in others:
        try:
            if _takes_over(other, pool):
                return
        except CannotJudgeError as error:
            unread.append(error)
    if any(isinstance(error.message, NotChecked) for error in unread):
        yield NotChecked("not checked yet: whether another pool takes its pods is unknown until update")
    else:
        yield pool.spec.at("template.spec.requirements").problem(
            "a pool of Spot only must have an on-demand sibling that takes the same pods", f"add one, or {TRY_FIRST}"
        )


def _takes_over(other: Item, pool: Item) -> bool:
    return (
        not other.partial
        and may_have(other.spec, CAPACITY_TYPE, "on-demand")
        and taint_keys(other.spec) <= taint_keys(pool.spec)
        and any(may_have(other.spec, ARCH, arch) and may_have(pool.spec, ARCH, arch) for arch in ("amd64", "arm64"))
        and other.spec["replicas"].number() is None
    )


POLICIES = [resource_policy(ABOUT, check), stack_policy(IN_STACK, check_stack)]
