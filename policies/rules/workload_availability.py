"""workload-availability: nodes come and go under Karpenter, and services stay."""

import re
from collections.abc import Iterator
from math import ceil

import pulumi_policy as policy

from .support.kinds import Item, objects
from .support.reading import CannotJudgeError, Node, judged
from .support.workloads import Workload, exempt, namespace, workloads
from .support.wrapping import About, Config, Finding, Resource, findings, stack_policy

REPLICATED = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"})
ALL = 100
PERCENT = re.compile(r"(?P<part>[0-9]+)%")
ABOUT = About(
    name="workload-availability",
    description="Replicated workloads are spread and have a PodDisruptionBudget, which allows some disruption",
    steps="Add topologySpreadConstraints and a PodDisruptionBudget with maxUnavailable 1.",
    severity=policy.Severity.LOW,
    level=policy.EnforcementLevel.ADVISORY,
    parameters={
        "exemptNamespaces": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": "Namespaces that are not judged.",
        }
    },
)


def check(resources: list[Resource], config: Config) -> Iterator[Finding]:
    """Yield workloads that a node's end would hurt, and budgets under which no node can end.

    Args:
        resources: The resources of a stack.
        config: `exemptNamespaces`.
    """
    budgets = [(resource, item) for resource in resources for item in _budgets(resource)]
    replicated = [(resource, workload) for resource in resources for workload in _replicated(resource)]
    for resource in resources:
        yield from findings(resource, _unreadable(resource))
    for resource, workload in replicated:
        yield from findings(resource, _workload(workload, [item for _, item in budgets], config))
    for resource, item in budgets:
        yield from findings(resource, judged(_budget, item, [workload for _, workload in replicated], config))


def _unreadable(resource: Resource) -> Iterator[str]:
    for _ in objects(resource, frozenset({"policy"}), "PodDisruptionBudget"):
        yield from ()
    for _ in workloads(resource):
        yield from ()


def _budgets(resource: Resource) -> list[Item]:
    try:
        return [item for item in objects(resource, frozenset({"policy"}), "PodDisruptionBudget") if not item.partial]
    except CannotJudgeError:
        return []


def _replicated(resource: Resource) -> list[Workload]:
    try:
        return [workload for workload in workloads(resource) if workload.item.kind in REPLICATED]
    except CannotJudgeError:
        return []


def _workload(workload: Workload, budgets: list[Item], config: Config) -> Iterator[str]:
    replicas = workload.item.spec["replicas"]
    if exempt(workload.item, config["exemptNamespaces"]) or (replicas.number() or 1) <= 1:
        return
    yield from judged(_spread, workload, replicas)
    labels = {name: node.text() or "" for name, node in workload.pod.at("metadata.labels").entries().items()}
    for budget in budgets:
        if namespace(budget) == namespace(workload.item) and _selects(budget.spec["selector"], labels):
            return
    yield replicas.problem("more than one replica must have a PodDisruptionBudget", "add one with maxUnavailable 1")


def _spread(workload: Workload, replicas: Node) -> Iterator[str]:
    if not workload.pod.at("spec.topologySpreadConstraints").items():
        yield replicas.problem("more than one replica must be spread", "add topologySpreadConstraints over zones")


def _selects(selector: Node, labels: dict[str, str]) -> bool:
    if selector.absent:
        return False
    for name, node in selector["matchLabels"].entries().items():
        if labels.get(name) != node.text():
            return False
    return all(_matches(expression, labels) for expression in selector["matchExpressions"].items())


def _matches(expression: Node, labels: dict[str, str]) -> bool:
    found = labels.get(expression["key"].text() or "")
    listed = [value.text() for value in expression["values"].items()]
    return {
        "In": found is not None and found in listed,
        "NotIn": found not in listed,
        "Exists": found is not None,
        "DoesNotExist": found is None,
    }.get(expression["operator"].text() or "", False)


def _budget(budget: Item, replicated: list[Workload], config: Config) -> Iterator[str]:
    if exempt(budget, config["exemptNamespaces"]):
        return
    most = budget.spec["maxUnavailable"]
    least = budget.spec["minAvailable"]
    if not most.absent and _of(most, 1) == 0:
        yield most.problem("allows no disruption, so that no node with its pods ever goes", "set it to 1")
    if least.absent:
        return
    if (_percent(least) or 0) >= ALL:
        yield least.problem("allows no disruption, so that no node with its pods ever goes", "use maxUnavailable 1")
    else:
        yield from _too_many(budget, least, replicated)


def _percent(node: Node) -> int | None:
    value = node.known()
    match = PERCENT.fullmatch(value) if isinstance(value, str) else None
    return int(match["part"]) if match else None


def _of(node: Node, replicas: float) -> float:
    """How many pods a number or a percentage is, of some replicas; Kubernetes rounds percentages up."""
    percent = _percent(node)
    return ceil(percent * replicas / ALL) if percent is not None else node.number() or 0


def _too_many(budget: Item, least: Node, replicated: list[Workload]) -> Iterator[str]:
    for workload in replicated:
        labels = {name: node.text() or "" for name, node in workload.pod.at("metadata.labels").entries().items()}
        stated = workload.item.spec["replicas"].number()
        replicas = 1 if stated is None else stated
        same = namespace(budget) == namespace(workload.item)
        if same and _selects(budget.spec["selector"], labels) and _of(least, replicas) >= replicas > 0:
            yield least.problem(
                f"allows no disruption of {workload.item.name}, which has {replicas:g} replicas", "use maxUnavailable 1"
            )


POLICIES = [stack_policy(ABOUT, check)]
