"""Requirements of a NodePool as sets: what they allow, whether they exclude each other, which instances are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from components.spec import labels
from components.spec.defaults import ARCH, CAPACITY_TYPE, INSTANCE_TYPE, OS, ZONE
from components.spec.instance_types import Table, table
from components.spec.model_problems import join
from components.spec.node_pool import NodePoolSpec, Requirement
from components.spec.problems import ABSENT, Problem

MOST_REQUIREMENTS: Final = 100
"""Labels count too: a NodeClaim takes no more, so a pool with more launches nothing."""

_COMPARISONS: Final = frozenset({"Gt", "Lt", "Gte", "Lte"})
_ON_EVERY_NODE: Final = frozenset({ARCH, OS, CAPACITY_TYPE, INSTANCE_TYPE, ZONE, "topology.kubernetes.io/region"})
_INT64: Final = 2**63 - 1


@dataclass(frozen=True)
class ValueSet:
    """The values that the requirements of one key leave.

    Attributes:
        included: Values that are allowed, or None for any.
        excluded: Values that are not.
        low: Least whole number that is allowed.
        high: Greatest whole number that is allowed.
        present: Whether the label must be there.
        absent: Whether it must not.
    """

    included: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()
    low: int | None = None
    high: int | None = None
    present: bool = False
    absent: bool = False

    def narrowed(self, operator: str, values: Sequence[str]) -> ValueSet:
        """The set with one more requirement."""
        if operator == "In":
            wanted = frozenset(values)
            return replace(self, included=wanted if self.included is None else self.included & wanted, present=True)
        if operator == "NotIn":
            return replace(self, excluded=self.excluded | frozenset(values))
        if operator == "Exists":
            return replace(self, present=True)
        if operator == "DoesNotExist":
            return replace(self, absent=True)
        number = int(values[0])
        if operator in {"Gt", "Gte"}:
            number += operator == "Gt"
            return replace(self, low=number if self.low is None else max(self.low, number), present=True)
        number -= operator == "Lt"
        return replace(self, high=number if self.high is None else min(self.high, number), present=True)

    def allows(self, value: str) -> bool:
        """Whether a node with this value fits."""
        if self.absent or value in self.excluded or (self.included is not None and value not in self.included):
            return False
        if self.low is None and self.high is None:
            return True
        if not value.isdecimal():
            return False
        number = int(value)
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def is_empty(self) -> bool:
        """Whether no node at all can fit."""
        if self.absent:
            return self.present
        if self.included is not None:
            return not any(self.allows(value) for value in self.included)
        return self.low is not None and self.high is not None and self.low > self.high


ANY: Final = ValueSet()


def _is_sound(requirement: Requirement) -> bool:
    values = requirement.values or ()
    if requirement.operator in _COMPARISONS:
        return len(values) == 1 and values[0].isdecimal() and values[0].isascii() and int(values[0]) <= _INT64
    return bool(values) or requirement.operator != "In"


def value_sets(requirements: Iterable[Requirement], node_labels: Mapping[str, str]) -> dict[str, ValueSet]:
    """What all requirements and labels of a pool leave, by key; requirements that make no sense are left out."""
    sets: dict[str, ValueSet] = {}
    for requirement in requirements:
        if _is_sound(requirement):
            key = labels.normalized(requirement.key)
            sets[key] = sets.get(key, ANY).narrowed(requirement.operator, requirement.values or ())
    for key, value in node_labels.items():
        sets[labels.normalized(key)] = sets.get(labels.normalized(key), ANY).narrowed("In", (value,))
    return sets


def of_pool(spec: NodePoolSpec) -> dict[str, ValueSet]:
    """What the requirements and labels of a pool leave, by key."""
    return value_sets(spec.requirements or (), spec.labels or {})


@lru_cache(maxsize=65536)
def _types_with(key: str, allowed: ValueSet) -> int:
    """Instance types that carry an allowed value, as bits; all of them for a label that the table does not hold."""
    known: Table = table()
    values = known.values(key)
    if not values:
        return known.everything
    carrying = 0
    fitting = 0
    for value, types in values.items():
        carrying |= types
        if allowed.allows(value):
            fitting |= types
    without = known.everything & ~carrying
    return fitting if allowed.present else fitting | without


def instance_types(sets: Mapping[str, ValueSet]) -> int:
    """Instance types that a pool may launch, as bits of the table."""
    known = table()
    types = known.everything
    for key, allowed in sets.items():
        types &= _types_with(key, allowed)
    capacity = sets.get(CAPACITY_TYPE)
    if capacity is not None and not any(capacity.allows(kind) for kind in ("on-demand", "reserved")):
        types &= known.spot
    return types


def beyond_table(sets: Mapping[str, ValueSet]) -> list[tuple[str, str]]:
    """Keys and values that the table does not know: mistakes, or instances newer than it."""
    found: list[tuple[str, str]] = []
    known = table()
    for key, allowed in sets.items():
        values = known.values(key)
        if not values or allowed.absent:
            continue
        found += [(key, value) for value in sorted(allowed.included or ()) if value not in values]
        numbers = [int(value) for value in values if value.isdecimal()]
        if allowed.low is not None and numbers and allowed.low > max(numbers):
            found.append((key, f"at least {allowed.low}"))
    return found


def _shape_problem(path: str, requirement: Requirement) -> Problem | None:
    operator, values = requirement.operator, requirement.values or ()
    where = join(path, "values")
    if operator in _COMPARISONS and not _is_sound(requirement):
        rule = f"{operator} needs exactly one whole number from 0"
        return Problem(where, list(values) if requirement.values is not None else ABSENT, rule, 'for example ["2"]')
    if operator in {"In", "NotIn"} and not values:
        return Problem(where, ABSENT, f"{operator} needs at least one value", "add values")
    if operator in {"Exists", "DoesNotExist"} and values:
        return Problem(where, list(values), f"{operator} takes no values", "remove them, or use In")
    if requirement.min_values is not None and operator == "In" and len(set(values)) < requirement.min_values:
        rule = f"must not be above the number of different values ({len(set(values))})"
        return Problem(join(path, "minValues"), requirement.min_values, rule, "add values, or lower it")
    return None


def _value_problem(path: str, requirement: Requirement) -> Problem | None:
    key = labels.normalized(requirement.key)
    values = requirement.values or ()
    known = labels.KNOWN_VALUES.get(key)
    lower = [value.lower() for value in values]
    if known is not None and requirement.operator in {"In", "NotIn"} and not set(values) <= known:
        rule = f"{key} knows only {', '.join(sorted(known - {''}))}"
        return Problem(join(path, "values"), list(values), rule, "correct the values: others never match")
    if key in labels.WELL_KNOWN and requirement.operator in {"In", "NotIn"} and list(values) != lower:
        rule = f"{key} knows only values in lower case: others never match"
        return Problem(join(path, "values"), list(values), rule, f"write {', '.join(lower)}")
    if requirement.operator in _COMPARISONS and key in labels.WELL_KNOWN and key not in labels.NUMERIC:
        rule = f"{key} holds no numbers, so {requirement.operator} never matches"
        return Problem(join(path, "operator"), requirement.operator, rule, "use In or NotIn")
    return None


def check_requirements(path: str, requirements: Sequence[Requirement]) -> Iterator[Problem]:
    """Problems of requirements, one by one."""
    seen: set[Requirement] = set()
    for index, requirement in enumerate(requirements):
        where = join(path, index)
        if (reason := labels.restriction(requirement.key)) is not None:
            yield Problem(join(where, "key"), requirement.key, reason, "use a well-known label or one of your own")
        problem = _shape_problem(where, requirement) or _value_problem(where, requirement)
        if problem is not None:
            yield problem
        if requirement in seen:
            yield Problem(where, requirement.key, "stands twice", "remove the repetition")
        seen.add(requirement)


def check_together(path: str, spec: NodePoolSpec) -> Iterator[Problem]:
    """Requirements and labels that exclude each other, or are too many."""
    count = len(spec.requirements or ()) + len(spec.labels or {})
    if count > MOST_REQUIREMENTS:
        rule = f"labels and requirements together must be at most {MOST_REQUIREMENTS}: a NodeClaim takes no more"
        yield Problem(join(path, "requirements"), count, rule, "remove some")
    sets = of_pool(spec)
    where = join(path, "requirements")
    empty = [key for key, allowed in sets.items() if _allows_no_node(key, allowed)]
    for key in empty:
        shown = [
            requirement.model_dump(by_alias=True, exclude_none=True)
            for requirement in spec.requirements or ()
            if labels.normalized(requirement.key) == key
        ]
        rule = f"the requirements and labels for {key} exclude each other, so the pool never launches a node"
        yield Problem(where, shown, rule, "keep values that satisfy all of them")
    if not empty:
        yield from _instance_problems(where, sets)
        yield from _variety_problems(path, spec, sets)


def _allows_no_node(key: str, allowed: ValueSet) -> bool:
    """Whether no node can fit, since each has this label, and one of the values that there are."""
    if allowed.is_empty() or (allowed.absent and key in _ON_EVERY_NODE):
        return True
    known = labels.KNOWN_VALUES.get(key, frozenset())
    spelt_right = allowed.included is None or allowed.included <= known
    return key in _ON_EVERY_NODE and bool(known) and spelt_right and not any(map(allowed.allows, known))


def _variety_problems(path: str, spec: NodePoolSpec, sets: Mapping[str, ValueSet]) -> Iterator[Problem]:
    """A minimum of different values that the requirements, taken together, cannot give."""
    types = 0 if beyond_table(sets) else instance_types(sets)
    for requirement in spec.requirements or ():
        key, least = labels.normalized(requirement.key), requirement.min_values
        if least is None or not _is_sound(requirement):
            continue
        allowed = sets[key]
        named = None if allowed.included is None else sum(map(allowed.allows, allowed.included))
        values = table().values(key)
        known = sum(bool(bits & types) for value, bits in values.items() if allowed.allows(value))
        where = join(path, "requirements")
        shown = {"key": requirement.key, "minValues": least}
        is_told = requirement.operator == "In" and len(set(requirement.values or ())) < least
        if named is not None and named < least and not is_told:
            rule = f"the requirements and labels for {key} exclude each other: they leave {named} of {least} values"
            yield Problem(where, shown, rule, "lower minValues, or allow more values")
        elif types and values and known < least and (named is None or named >= least):
            rule = (
                f"the instance types known to this version that satisfy everything have only {known} different values "
                f"of {key}: below minValues Karpenter launches nothing"
            )
            yield Problem(where, shown, rule, "lower minValues, or loosen the other requirements", "warning")


def _instance_problems(where: str, sets: Mapping[str, ValueSet]) -> Iterator[Problem]:
    unknown = beyond_table(sets)
    for key, value in unknown:
        if value != value.lower() or value not in labels.KNOWN_VALUES.get(key, {value}):
            continue  # told with the requirement itself
        rule = f"{key}: no instance type known to this version has {value}"
        remedy = "check the spelling; ignore this for instances newer than mid-2026, or that us-east-1 does not have"
        yield Problem(where, value, rule, remedy, "warning")
    if not unknown and not instance_types(sets):
        keys = [key for key in sets if table().values(key)]
        rule = f"no instance type satisfies all of {', '.join(keys)} at once, so the pool never launches a node"
        yield Problem(where, keys, rule, "loosen one of them")
