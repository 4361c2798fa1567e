"""NodeOverlays and CapacityBuffers: what the API server and Karpenter refuse in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from components.spec import labels, quantities
from components.spec.capacity_buffer import CapacityBufferEntry
from components.spec.model_problems import join, parse
from components.spec.node_overlay import NodeOverlaySpec
from components.spec.problems import ABSENT, Problem

NODE_POOL_LABEL: Final = "karpenter.sh/nodepool"
KNOWN_RESOURCES: Final = frozenset(
    {
        "cpu",
        "memory",
        "ephemeral-storage",
        "pods",
        "vpc.amazonaws.com/pod-eni",
        "aws.amazon.com/neuron",
        "aws.amazon.com/neuroncore",
        "habana.ai/gaudi",
        "vpc.amazonaws.com/efa",
    }
)
"""Resources that an overlay may not redefine."""

_NOT_IN_OVERLAYS: Final = frozenset(
    f"karpenter.k8s.aws/{name}"
    for name in (
        "instance-tenancy",
        "capacity-reservation-type",
        "capacity-reservation-id",
        "capacity-reservation-interruptible",
        "placement-group-id",
        "placement-group-partition",
    )
)
_COMPARISONS: Final = frozenset({"Gt", "Lt", "Gte", "Lte"})
_INT64: Final = 2**63 - 1


def _values_problem(path: str, operator: str, values: tuple[str, ...]) -> Problem | None:
    where = join(path, "values")
    if operator in _COMPARISONS:
        sound = len(values) == 1 and values[0].isascii() and values[0].isdecimal() and int(values[0]) <= _INT64
        rule = f"{operator} needs exactly one whole number from 0"
        return None if sound else Problem(where, list(values) or ABSENT, rule, 'for example ["2"]')
    if operator in {"In", "NotIn"} and not values:
        return Problem(where, ABSENT, f"{operator} needs at least one value", "add values")
    if operator in {"Exists", "DoesNotExist"} and values:
        return Problem(where, list(values), f"{operator} takes no values", "remove them, or use In")
    return None


def _requirement_problems(path: str, spec: NodeOverlaySpec, node_pools: Mapping[str, object]) -> Iterator[Problem]:
    for index, requirement in enumerate(spec.requirements):
        where = join(path, "requirements", index)
        reason = labels.restriction(requirement.key, allow_node_pool=True)
        if requirement.key in _NOT_IN_OVERLAYS:
            reason = f"overlays cannot ask for {requirement.key}"
        if reason is not None:
            yield Problem(join(where, "key"), requirement.key, reason, "use another label")
        values = requirement.values or ()
        problem = _values_problem(where, requirement.operator, values)
        if problem is not None:
            yield problem
        elif requirement.key == NODE_POOL_LABEL and requirement.operator == "In":
            for missing in sorted(set(values) - node_pools.keys()):
                rule = f"there is no such NodePool; there are {', '.join(sorted(node_pools)) or 'none'}"
                yield Problem(join(where, "values"), missing, rule, "correct the name")


def _change_problems(path: str, spec: NodeOverlaySpec) -> Iterator[Problem]:
    if spec.price is not None and spec.price_adjustment is not None:
        rule = "is refused together with price"
        yield Problem(join(path, "priceAdjustment"), spec.price_adjustment, rule, "keep one of them")
    for resource, amount in (spec.capacity or {}).items():
        where = join(path, "capacity", resource)
        if resource in KNOWN_RESOURCES:
            yield Problem(where, amount, f"Karpenter knows {resource} itself", "an overlay adds other resources only")
        elif quantities.value(amount) < 0:
            yield Problem(where, amount, "must not be negative", "for example 1")
    if spec.price is None and spec.price_adjustment is None and not spec.capacity:
        rule = "changes nothing: it has neither price, priceAdjustment nor capacity"
        yield Problem(path, ABSENT, rule, "add one of them", "warning")


def _buffer_problems(path: str, entry: CapacityBufferEntry) -> Iterator[Problem]:
    spec, where = entry.spec, join(path, "spec")
    refs = [ref for ref in (spec.pod_template_ref, spec.scalable_ref) if ref is not None]
    if len(refs) != 1:
        rule = "must have exactly one of podTemplateRef and scalableRef"
        yield Problem(where, len(refs), rule, "name the workload, or a PodTemplate")
    if spec.percentage is not None and spec.scalable_ref is None:
        rule = "is a share of the workload in scalableRef, and there is none"
        yield Problem(join(where, "percentage"), spec.percentage, rule, "use replicas")
    if spec.replicas is None and spec.percentage is None and not spec.limits:
        rule = "nothing tells how large the buffer is"
        yield Problem(join(where, "replicas"), ABSENT, rule, "add replicas, percentage or limits")
    elif spec.pod_template_ref is not None and spec.replicas is None and not spec.limits:
        rule = "is required with podTemplateRef, unless there are limits"
        yield Problem(join(where, "replicas"), ABSENT, rule, "add replicas")
    for resource, amount in (spec.limits or {}).items():
        if quantities.value(amount) < 0:
            yield Problem(join(where, "limits", resource), amount, "must not be negative", "for example 20")


def check_overlay(name: str, spec: Mapping[str, Any], node_pools: Mapping[str, object]) -> list[Problem]:
    """Problems of one entry of `nodeOverlays`."""
    path = join("nodeOverlays", name)
    model, problems, broken = parse(NodeOverlaySpec, path, spec)
    if model is not None and not broken:
        problems += [*_requirement_problems(path, model, node_pools), *_change_problems(path, model)]
    return problems


def check_buffer(name: str, entry: Mapping[str, Any]) -> list[Problem]:
    """Problems of one entry of `capacityBuffers`."""
    path = join("capacityBuffers", name)
    model, problems, broken = parse(CapacityBufferEntry, path, entry)
    if model is not None and not broken:
        problems += _buffer_problems(path, model)
    return problems
