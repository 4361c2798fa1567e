"""Everything about one NodePool by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from components.spec import business_hours, cron, durations, quantities
from components.spec.budgets import check_disruption
from components.spec.defaults import CAPACITY_TYPE, GPU_MANUFACTURER
from components.spec.instance_types import table
from components.spec.labels import check_labels
from components.spec.model_problems import join
from components.spec.node_pool import BusinessHours, NodePoolSpec, Taint
from components.spec.presets import GPU_TAINT, PRESETS, WORKLOAD
from components.spec.problems import ABSENT, Problem
from components.spec.requirements import (
    ANY,
    ValueSet,
    beyond_table,
    check_requirements,
    check_together,
    instance_types,
    of_pool,
)

LEAST_SPOT_TYPES: Final = 15
"""Below it Karpenter does not consolidate Spot nodes to cheaper ones, and interruptions become likely."""

GPU_LIMITS: Final = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu", "habana": "habana.ai/gaudi"}
"""The resource that counts the GPUs of each manufacturer."""

NEURON_LIMITS: Final = ("aws.amazon.com/neuron", "aws.amazon.com/neuroncore")
PLAIN_LIMITS: Final = ("cpu", "memory", "ephemeral-storage", "pods", "nodes")
"""Limits without a domain; every other resource of a node has one, and so have all hugepages a prefix."""

_LEAST: Final = {"cpu": 1, "memory": quantities.GIB // 2}
"""What the smallest instance type has."""

_NOT_ZONES: Final = frozenset({"localtime", "Factory", "posixrules"})
"""Files beside the zones: they say something else on every machine, or nothing."""

_HOURS: Final = {"timezone": "Europe/Berlin", "from": "08:00", "to": "18:00"}
_GPU_COUNT: Final = "karpenter.k8s.aws/instance-gpu-count"
_ACCELERATOR_COUNT: Final = "karpenter.k8s.aws/instance-accelerator-count"


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(available_timezones()) - _NOT_ZONES


def check_business_hours(path: str, hours: BusinessHours) -> Iterator[Problem]:
    """Problems of business hours."""
    where = join(path, "businessHours")
    for field, value in (("timezone", hours.timezone), ("from", hours.from_), ("to", hours.to)):
        if value is None:
            rule = "is required, since no preset gives it"
            yield Problem(join(where, field), ABSENT, rule, f"for example {_HOURS[field]}")
    repeated = [day for day, times in Counter(hours.days).items() if times > 1]
    if repeated:
        yield Problem(join(where, "days"), list(hours.days), "each day stands once", f"remove a {repeated[0]}")
    if hours.to is not None and hours.from_ == hours.to:
        yield Problem(join(where, "to"), hours.to, "must differ from `from`", "write when the hours end")
    yield from _hours_that_never_end(where, hours)
    if hours.timezone is not None and hours.timezone not in _time_zones():
        close = get_close_matches(hours.timezone, sorted(_time_zones()), n=1, cutoff=0.6)
        remedy = f"did you mean {close[0]}?" if close else "for example Europe/Berlin"
        yield Problem(join(where, "timezone"), hours.timezone, "is no time zone of the IANA list", remedy)


_TAINTS_OF_KARPENTER: Final = frozenset({"karpenter.sh/disrupted", "karpenter.sh/unregistered"})
"""Other keys of its domain are free, such as karpenter.sh/capacity-type (source: pkg/apis/v1/taints.go at 1.14.3)."""


def _taint_problems(path: str, spec: NodePoolSpec) -> Iterator[Problem]:
    taints: dict[str, tuple[Taint, ...]] = {"taints": spec.taints or (), "startupTaints": spec.startup_taints or ()}
    seen: dict[tuple[str, str], str] = {}
    for field, entries in taints.items():
        for index, taint in enumerate(entries):
            where = join(path, field, index)
            if taint.key in _TAINTS_OF_KARPENTER:
                rule = "Karpenter sets and removes this taint itself"
                yield Problem(join(where, "key"), taint.key, rule, "use a key of your own")
            if (taint.key, taint.effect) in seen:
                rule = f"{taint.key} with {taint.effect} stands in {seen[taint.key, taint.effect]} already"
                yield Problem(where, taint.key, rule, "remove one of them")
            seen[taint.key, taint.effect] = field
    both = {taint.key for taint in taints["taints"]} & {taint.key for taint in taints["startupTaints"]}
    for key in sorted(both):
        rule = "a key stands in taints or in startupTaints, not in both: what removes the one leaves the other"
        yield Problem(join(path, "startupTaints"), key, rule, "keep it in one of them")
    unknown = {taint.key for taint in taints["taints"] if not _is_tolerated(taint)}
    for key in sorted(unknown - both):
        rule = "no preset's sample workload tolerates this taint"
        remedy = "make sure that your pods do, or the pool stays empty"
        yield Problem(join(path, "taints"), key, rule, remedy, "warning")


def _window(hours: BusinessHours) -> dict[str, str] | None:
    """The budget that the hours become; None for hours that make no sense."""
    if hours.timezone is None or hours.from_ is None or hours.to is None:
        return None
    try:
        [window] = business_hours.budgets(hours.timezone, hours.days, hours.from_, hours.to)
    except ValueError:
        return None
    return window


def _hours_that_never_end(where: str, hours: BusinessHours) -> Iterator[Problem]:
    """Hours that, with both offsets of their zone, leave no time of the week free."""
    window = _window(hours)
    if window is None:
        return
    least, greatest = business_hours.offsets(str(hours.timezone))
    minutes = (durations.seconds(window["duration"]) or 0) // 60
    if cron.cover_week(cron.week_windows(window["schedule"], minutes) or []):
        change = f" and the {durations.spell((greatest - least) * 60)} of daylight saving" if greatest > least else ""
        rule = f"the window never lifts: these hours{change} leave no minute of the week in which a node may go"
        found = hours.model_dump(by_alias=True, exclude_none=True)
        yield Problem(where, found, rule, "leave an hour free, or name fewer days")


def _without_hours(
    path: str, spec: NodePoolSpec, written: NodePoolSpec, problems: Iterator[Problem]
) -> Iterator[Problem]:
    """The problems, without those of the budget that business hours became: they are told where they were written."""
    hours = written.business_hours
    last = join(path, "disruption", "budgets", len(spec.disruption.budgets or ()) - 1)
    is_last = hours is not None and _window(hours) is not None
    for problem in problems:
        if not is_last or not problem.path.startswith(last):
            yield problem


def _is_tolerated(taint: Taint) -> bool:
    """Whether a pod may stay away from the taint, or the sample workload of a preset tolerates it."""
    if taint.effect == "PreferNoSchedule":
        return True
    known = taint.key == GPU_TAINT or (taint.key == WORKLOAD and taint.value in PRESETS)
    return known and taint.effect == "NoSchedule"


def _limit_problem(where: str, resource: str, amount: str) -> Problem | None:
    number = quantities.value(amount)
    if number < 0:
        return Problem(join(where, resource), amount, "must not be negative", "write 0 to stop the pool")
    if "/" not in resource and resource not in PLAIN_LIMITS and not resource.startswith("hugepages-"):
        devices = [name for name in GPU_LIMITS.values() if name.endswith(f"/{resource.lower()}")]
        close = devices or get_close_matches(resource.lower(), PLAIN_LIMITS, n=1, cutoff=0.5)
        remedy = f"did you mean {close[0]}?" if close else f"write one of {', '.join(PLAIN_LIMITS)}, or domain/name"
        return Problem(join(where, resource), amount, "no node has such a resource, so nothing is limited", remedy)
    if resource == "nodes" and number.denominator != 1:
        return Problem(join(where, resource), amount, "must be a whole number of nodes", "for example 10")
    if 0 < number < _LEAST.get(resource, 0):
        rule = "is less than the smallest instance has, so the pool never launches a node"
        return Problem(join(where, resource), amount, rule, "write 0 to stop the pool, or check the unit", "warning")
    return None


def _limit_problems(path: str, spec: NodePoolSpec) -> Iterator[Problem]:
    where = join(path, "limits")
    for resource, amount in (spec.limits or {}).items():
        problem = _limit_problem(where, resource, amount)
        if problem is not None:
            yield problem
    if spec.replicas is None:
        return
    others = sorted(set(spec.limits or ()) - {"nodes"})
    if others:
        yield Problem(where, others, "a static pool (replicas) knows only the limit `nodes`", "remove the others")
    if spec.weight is not None:
        yield Problem(join(path, "weight"), spec.weight, "a static pool (replicas) has no weight", "remove it")
    most = (spec.limits or {}).get("nodes")
    if most is not None and not others and quantities.value(most) < spec.replicas:
        rule = f"must be at least replicas ({spec.replicas})"
        yield Problem(join(where, "nodes"), most, rule, "raise it: replacing a node needs room for one more")
    elif most is not None and not others and quantities.value(most) == spec.replicas > 0:
        rule = "leaves no room above replicas, so a drifted node is never replaced and keeps its old AMI"
        yield Problem(join(where, "nodes"), most, rule, f"write {spec.replicas + 1} or more", "warning")


def _accelerator_problems(path: str, spec: NodePoolSpec, sets: Mapping[str, ValueSet], types: int) -> Iterator[Problem]:
    """Pools that launch only accelerated instances, without a limit on their number."""
    if spec.replicas is not None or not types:
        return
    known = table()
    limited = set(spec.limits or ())
    makers = known.values(GPU_MANUFACTURER)
    gpus = tuple(resource for maker, resource in GPU_LIMITS.items() if makers.get(maker, 0) & types)
    for key, resources, what in (
        (_GPU_COUNT, gpus or tuple(GPU_LIMITS.values()), "GPUs"),
        (_ACCELERATOR_COUNT, NEURON_LIMITS, "Neuron devices"),
    ):
        with_device = 0
        for bits in known.values(key).values():
            with_device |= bits
        if not types & ~with_device and not limited & set(resources):
            rule = f"the pool launches only instances with {what}, and nothing limits their number"
            yield Problem(
                join(path, "limits"), spec.limits or ABSENT, rule, f'add {resources[0]}: "8", or what you can pay for'
            )


def _spot_problems(path: str, sets: Mapping[str, ValueSet], types: int) -> Iterator[Problem]:
    if not sets.get(CAPACITY_TYPE, ANY).allows("spot"):
        return
    count = (types & table().spot).bit_count()
    if count < LEAST_SPOT_TYPES:
        found = f"{count} instance type{'' if count == 1 else 's'}"
        rule = (
            f"Spot from fewer than {LEAST_SPOT_TYPES} instance types is interrupted often, and Karpenter replaces it "
            "by no cheaper Spot instance"
        )
        yield Problem(join(path, "requirements"), found, rule, "allow more families or sizes", "warning")


def _unsaid_capacity_type(path: str, sets: Mapping[str, ValueSet]) -> Iterator[Problem]:
    """A list of requirements without a preset that forgot what the defaults said."""
    if CAPACITY_TYPE not in sets:
        rule = f"nothing says {CAPACITY_TYPE}, so Karpenter launches Spot: this list replaces the default, on-demand"
        remedy = (
            f"add {{key: {CAPACITY_TYPE}, operator: In, values: [on-demand]}}, or [spot, on-demand] if you mean both"
        )
        yield Problem(join(path, "requirements"), ABSENT, rule, remedy, "warning")


def check_pool(path: str, spec: NodePoolSpec, written: NodePoolSpec) -> Iterator[Problem]:
    """Problems of one pool, errors and warnings.

    Args:
        path: Path of the pool.
        spec: The pool with preset and business hours written out.
        written: The pool as its author wrote it, for messages that point into its lists.
    """
    if written.business_hours is not None:
        yield from check_business_hours(path, written.business_hours)
    yield from check_requirements(join(path, "requirements"), written.requirements or ())
    yield from check_labels(join(path, "labels"), written.labels or {})
    yield from check_together(path, spec)
    yield from _taint_problems(path, spec)
    yield from _limit_problems(path, spec)
    yield from _without_hours(path, spec, written, check_disruption(path, spec))
    sets = of_pool(spec)
    yield from _unsaid_capacity_type(path, sets)
    if not beyond_table(sets):
        types = instance_types(sets)
        yield from _accelerator_problems(path, spec, sets, types)
        if types:
            yield from _spot_problems(path, sets, types)
    if durations.seconds(spec.expire_after) == 0:
        yield Problem(
            join(path, "expireAfter"), spec.expire_after, "every node would be replaced at once", ('write "Never"')
        )
