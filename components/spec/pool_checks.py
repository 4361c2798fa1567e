"""Everything about one NodePool by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final
from zoneinfo import available_timezones

from components.spec import business_hours, durations, quantities
from components.spec.budgets import check_disruption
from components.spec.defaults import CAPACITY_TYPE
from components.spec.instance_types import table
from components.spec.labels import check_labels
from components.spec.model_problems import join
from components.spec.node_pool import BusinessHours, NodePoolSpec, Taint
from components.spec.presets import TAINT_KEYS
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

GPU_LIMITS: Final = ("nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi")
NEURON_LIMITS: Final = ("aws.amazon.com/neuron", "aws.amazon.com/neuroncore")
_HOURS: Final = {"timezone": "Europe/Berlin", "from": "08:00", "to": "18:00"}
_GPU_COUNT: Final = "karpenter.k8s.aws/instance-gpu-count"
_ACCELERATOR_COUNT: Final = "karpenter.k8s.aws/instance-accelerator-count"


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
    try:
        business_hours.offsets(hours.timezone or "UTC")
    except ValueError:
        close = get_close_matches(str(hours.timezone), sorted(available_timezones()), n=1, cutoff=0.6)
        remedy = f"did you mean {close[0]}?" if close else "for example Europe/Berlin"
        yield Problem(join(where, "timezone"), hours.timezone, "is no time zone of the IANA list", remedy)


def _taint_problems(path: str, spec: NodePoolSpec) -> Iterator[Problem]:
    taints: dict[str, tuple[Taint, ...]] = {"taints": spec.taints or (), "startupTaints": spec.startup_taints or ()}
    seen: dict[tuple[str, str], str] = {}
    for field, entries in taints.items():
        for index, taint in enumerate(entries):
            where = join(path, field, index)
            if taint.key.split("/")[0].endswith("karpenter.sh"):
                yield Problem(
                    join(where, "key"), taint.key, "Karpenter sets its own taints itself", ("use a key of your own")
                )
            if (taint.key, taint.effect) in seen:
                rule = f"{taint.key} with {taint.effect} stands in {seen[taint.key, taint.effect]} already"
                yield Problem(where, taint.key, rule, "remove one of them")
            seen[taint.key, taint.effect] = field
    both = {taint.key for taint in taints["taints"]} & {taint.key for taint in taints["startupTaints"]}
    for key in sorted(both):
        rule = "a key stands in taints or in startupTaints, not in both: what removes the one leaves the other"
        yield Problem(join(path, "startupTaints"), key, rule, "keep it in one of them")
    unknown = [taint.key for taint in taints["taints"] if taint.effect != "PreferNoSchedule"]
    for key in sorted(set(unknown) - TAINT_KEYS - both):
        rule = "no preset's sample workload tolerates this taint"
        remedy = "make sure that your pods do, or the pool stays empty"
        yield Problem(join(path, "taints"), key, rule, remedy, "warning")


def _limit_problems(path: str, spec: NodePoolSpec) -> Iterator[Problem]:
    where = join(path, "limits")
    for resource, amount in (spec.limits or {}).items():
        number = quantities.value(amount)
        if number < 0:
            yield Problem(join(where, resource), amount, "must not be negative", "write 0 to stop the pool")
        elif resource == "nodes" and number.denominator != 1:
            yield Problem(join(where, resource), amount, "must be a whole number of nodes", "for example 10")
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


def _accelerator_problems(path: str, spec: NodePoolSpec, sets: Mapping[str, ValueSet], types: int) -> Iterator[Problem]:
    """Pools that launch only accelerated instances, without a limit on their number."""
    if spec.replicas is not None or not types:
        return
    known = table()
    limited = set(spec.limits or ())
    for key, resources, what in (
        (_GPU_COUNT, GPU_LIMITS, "GPUs"),
        (_ACCELERATOR_COUNT, NEURON_LIMITS, "Neuron devices"),
    ):
        with_device = 0
        for bits in known.values(key).values():
            with_device |= bits
        if not types & ~with_device and not limited & set(resources):
            rule = f"the pool launches only instances with {what}, and nothing limits their number"
            yield Problem(
                join(path, ("limits")), spec.limits or ABSENT, rule, f'add {resources[0]}: "8", or what you can pay for'
            )


def _spot_problems(path: str, sets: Mapping[str, ValueSet], types: int) -> Iterator[Problem]:
    if not sets.get(CAPACITY_TYPE, ANY).allows("spot"):
        return
    count = (types & table().spot).bit_count()
    if count < LEAST_SPOT_TYPES:
        rule = f"Spot from fewer than {LEAST_SPOT_TYPES} instance types is interrupted often and never consolidated"
        yield Problem(
            join(path, "requirements"), f"{count} instance types", rule, "allow more families or sizes", ("warning")
        )


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
    yield from check_disruption(path, spec)
    sets = of_pool(spec)
    if not beyond_table(sets):
        types = instance_types(sets)
        yield from _accelerator_problems(path, spec, sets, types)
        if types:
            yield from _spot_problems(path, sets, types)
    if durations.seconds(spec.expire_after) == 0:
        yield Problem(
            join(path, "expireAfter"), spec.expire_after, "every node would be replaced at once", ('write "Never"')
        )
