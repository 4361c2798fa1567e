"""What only shows when pools and classes are looked at together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from components.spec.ami_fit import architectures
from components.spec.defaults import ARCH, CAPACITY_TYPE, OS, ZONE
from components.spec.instance_types import table
from components.spec.labels import KNOWN_VALUES
from components.spec.model_problems import join
from components.spec.node_class import NodeClassSpec
from components.spec.node_pool import NodePoolSpec
from components.spec.problems import ABSENT, Problem
from components.spec.requirements import ANY, ValueSet, beyond_table, instance_types, of_pool

_GPU_COUNT: Final = "karpenter.k8s.aws/instance-gpu-count"
_ZONE_ID: Final = "topology.k8s.aws/zone-id"


@dataclass(frozen=True)
class Pool:
    """A pool, its path and what it can launch."""

    name: str
    path: str
    spec: NodePoolSpec
    sets: Mapping[str, ValueSet]
    types: int


@dataclass(frozen=True)
class Class:
    """A class and the AMI family that it has in the end."""

    spec: NodeClassSpec
    family: str | None


def pool_of(name: str, path: str, spec: NodePoolSpec) -> Pool:
    """What a pool can launch."""
    sets = of_pool(spec)
    return Pool(name, path, spec, sets, instance_types(sets))


def _missing_class(pool: Pool, names: Mapping[str, object]) -> Problem:
    close = get_close_matches(pool.spec.node_class, list(names), n=1)
    known = ", ".join(sorted(names)) or "none"
    remedy = f"did you mean {close[0]}?" if close else f"add it to nodeClasses; there are {known}"
    return Problem(join(pool.path, "nodeClass"), pool.spec.node_class, "there is no such node class", remedy)


def _arch_problems(pool: Pool, node_class: Class) -> Iterator[Problem]:
    served = architectures(node_class.spec, node_class.family)
    asked = pool.sets.get(ARCH, ANY)
    wanted = {arch for arch in KNOWN_VALUES[ARCH] if asked.allows(arch)}
    if pool.types and not beyond_table(pool.sets):
        wanted = {arch for arch in wanted if table().values(ARCH).get(arch, 0) & pool.types}
    where = join(pool.path, "requirements")
    name = pool.spec.node_class
    if ARCH not in pool.sets and len(wanted if served is None else wanted & served) > 1:
        rule = f"nothing says {ARCH}: a pod with an image of one architecture may land on a node of the other"
        remedy = f"add {{key: {ARCH}, operator: In, values: [amd64]}}, or [amd64, arm64] if every image is for both"
        yield Problem(where, ABSENT, rule, remedy, "warning")
    if served is None:
        return
    if wanted and not wanted & served:
        rule = f"class {name} has AMIs for {', '.join(sorted(served))} only, so the pool never launches a node"
        yield Problem(where, sorted(wanted), rule, f"add an AMI to nodeClasses.{name}.amis, or use another class")
    elif asked.included is not None and wanted - served:
        rule = f"class {name} has no AMI for {', '.join(sorted(wanted - served))}: the pool never launches one"
        yield Problem(where, sorted(wanted), rule, f"add it to nodeClasses.{name}.amis", "warning")


def _os_problems(pool: Pool, node_class: Class) -> Iterator[Problem]:
    if node_class.family in {None, "Custom"}:
        return
    system = "windows" if (node_class.family or "").startswith("Windows") else "linux"
    asked = pool.sets.get(OS, ANY)
    if not asked.is_empty() and not asked.allows(system):
        wanted = sorted(value for value in KNOWN_VALUES[OS] if asked.allows(value))
        rule = f"class {pool.spec.node_class} starts {system} ({node_class.family})"
        yield Problem(join(pool.path, "requirements"), wanted, rule, f"ask for {system}, or use another class")


def _reservation_problems(pool: Pool, node_class: Class) -> Iterator[Problem]:
    kinds = {kind for kind in KNOWN_VALUES[CAPACITY_TYPE] if pool.sets.get(CAPACITY_TYPE, ANY).allows(kind)}
    named = CAPACITY_TYPE in pool.sets and "reserved" in kinds
    if not named or node_class.spec.capacity_reservation_selector_terms:
        return
    rule = f"class {pool.spec.node_class} selects no capacity reservation, so there is no reserved capacity"
    remedy = f"add capacityReservationSelectorTerms to nodeClasses.{pool.spec.node_class}"
    where = join(pool.path, "requirements")
    yield Problem(where, sorted(kinds), rule, remedy, "error" if kinds == {"reserved"} else "warning")


def _gpu_types() -> int:
    bits = 0
    for types in table().values(_GPU_COUNT).values():
        bits |= types
    return bits


def _variant_problems(pools: list[Pool], classes: Mapping[str, Class]) -> Iterator[Problem]:
    """One pinned AMI for pools with and without GPUs: the NVIDIA variant and the standard one are different AMIs."""
    gpus = _gpu_types()
    users: dict[str, list[Pool]] = defaultdict(list)
    for pool in pools:
        node_class = classes.get(pool.spec.node_class)
        if pool.types and node_class is not None and node_class.spec.amis is not None:
            users[pool.spec.node_class].append(pool)
    for name, sharing in users.items():
        with_gpu = [pool.name for pool in sharing if not pool.types & ~gpus]
        without = [pool.name for pool in sharing if pool.types & ~gpus]
        if with_gpu and without:
            rule = (
                f"pool {with_gpu[0]} launches only GPU instances, pool {without[0]} others, and a pinned AMI is either "
                "the nvidia variant or the standard one"
            )
            remedy = "give the GPU pools a class of their own with the nvidia AMIs"
            yield Problem(join("nodeClasses", name, "amis"), sorted(with_gpu + without), rule, remedy, "warning")


def _only_subnet(node_class: NodeClassSpec) -> str | None:
    """The one subnet that a class names, where its capacity could lie in several zones."""
    ids = {term.id for term in node_class.subnet_selector_terms or ()}
    is_zonal = node_class.placement_group_selector or node_class.capacity_reservation_selector_terms
    return next(iter(ids)) if len(ids) == 1 and not is_zonal else None


def _names_one_zone(pool: Pool) -> bool:
    return any(len(pool.sets.get(key, ANY).included or ()) == 1 for key in (ZONE, _ZONE_ID))


def _zone_problems(pools: list[Pool], classes: Mapping[str, Class]) -> Iterator[Problem]:
    """One subnet is one zone: fine for pools that say so, a surprise for the others."""
    subnets = {name: subnet for name, each in classes.items() if (subnet := _only_subnet(each.spec)) is not None}
    told: set[str] = set()
    for pool in pools:
        name = pool.spec.node_class
        if name in subnets and name not in told and not _names_one_zone(pool):
            told.add(name)
            rule = f"one subnet is one zone: pool {pool.name} has no node elsewhere when that zone fails or is full"
            remedy = f"add a subnet of each zone, or require one {ZONE} in the pool if that is meant"
            yield Problem(join("nodeClasses", name, "subnetSelectorTerms"), subnets[name], rule, remedy, "warning")


def _covers(outer: ValueSet, inner: ValueSet) -> bool:
    """Whether every value that the inner set allows is allowed by the outer one; only certain answers are yes."""
    if outer in {inner, ANY}:
        return True
    return inner.included is not None and all(outer.allows(value) for value in inner.included if inner.allows(value))


def _shadows(outer: Pool, inner: Pool) -> bool:
    if not inner.types or inner.types & ~outer.types:
        return False
    known = table()
    keys = {key for key in outer.sets.keys() | inner.sets.keys() if not known.values(key)}
    return all(_covers(outer.sets.get(key, ANY), inner.sets.get(key, ANY)) for key in keys)


def _kind(pool: Pool) -> tuple[object, ...]:
    """Pools of the same kind compete for the same pods."""
    own = sorted((key, value) for key, value in (pool.spec.labels or {}).items())
    taints = sorted((taint.key, taint.value or "", taint.effect) for taint in pool.spec.taints or ())
    return pool.spec.weight or 0, tuple(own), tuple(taints)


def _shadow_problems(pools: list[Pool]) -> Iterator[Problem]:
    kinds: dict[tuple[object, ...], list[Pool]] = defaultdict(list)
    for pool in pools:
        if pool.spec.replicas is None:
            kinds[_kind(pool)].append(pool)
    for rivals in kinds.values():
        for index, inner in enumerate(rivals):
            outer = next((other for other in rivals if other is not inner and _shadows(other, inner)), None)
            if outer is None or (_shadows(inner, outer) and rivals.index(outer) > index):
                continue
            rule = (
                f"everything that this pool can launch, pool {outer.name} can launch too, at the same weight and for "
                "the same pods: chance decides between them"
            )
            remedy = "give them different weights, or taints and labels that tell pods apart"
            yield Problem(join(inner.path, "weight"), inner.spec.weight or ABSENT, rule, remedy, "warning")


def check_together(pools: list[Pool], classes: Mapping[str, Class], names: Mapping[str, object]) -> Iterator[Problem]:
    """Problems between pools and classes.

    Args:
        pools: Pools that could be read.
        classes: Classes that could be read.
        names: All classes, whether or not they could be read.
    """
    for pool in pools:
        if pool.spec.node_class not in names:
            yield _missing_class(pool, names)
        node_class = classes.get(pool.spec.node_class)
        if node_class is not None:
            yield from _arch_problems(pool, node_class)
            yield from _os_problems(pool, node_class)
            yield from _reservation_problems(pool, node_class)
    yield from _variant_problems(pools, classes)
    yield from _zone_problems(pools, classes)
    yield from _shadow_problems(pools)
