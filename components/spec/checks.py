"""Everything that is wrong with the NodePools and EC2NodeClasses of a configuration, at once.

Beyond the CRDs this knows what they let through and Karpenter or EC2 refuses or misreads later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from components.spec import defaults
from components.spec.extra_checks import check_buffer, check_overlay
from components.spec.fleet import Class, Pool, check_together, pool_of
from components.spec.manifests import family_of
from components.spec.model_problems import join, parse
from components.spec.node_class import NodeClassSpec
from components.spec.node_class_checks import check_class
from components.spec.node_pool import NodePoolSpec
from components.spec.patterns import OBJECT_NAME
from components.spec.pool_checks import check_pool
from components.spec.presets import expand_node_pool, with_preset_hours, without_nulls
from components.spec.problems import Problem

NAME_RULE: Final = "must be at most 63 lower-case letters, digits, '-' and '.', with a letter or digit at both ends"


def _check_name(path: str, name: str) -> list[Problem]:
    if OBJECT_NAME.search(name):
        return []
    remedy = "rename it: the name is that of a Kubernetes object and the value of a label"
    return [Problem(path, name, NAME_RULE, remedy)]


def _present(entry: object) -> object:
    """The entry without its empty fields: `weight:` with nothing after it is the same as no weight."""
    if not isinstance(entry, Mapping):
        return {} if entry is None else entry
    return {key: value for key, value in entry.items() if value is not None}


def _with_defaults(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A pool as the manifest will have it, default requirements and limits included."""
    filled = {"requirements": defaults.default_requirements(), **entry}
    if "limits" not in entry and "replicas" not in entry:
        filled["limits"] = {"cpu": defaults.DEFAULT_CPU_LIMIT}
    return filled


def _beside(problems: Iterable[Problem], path: str, broken: frozenset[str]) -> list[Problem]:
    """Problems that do not stem from fields which could not be read: those are told already."""
    prefixes = tuple(join(path, field) for field in broken)
    return [problem for problem in problems if not problem.path.startswith(prefixes)] if prefixes else list(problems)


def _read_pool(name: str, entry: Any) -> tuple[list[Problem], Pool | None]:
    path = join("nodePools", name)
    plain = _present(entry)
    hours = with_preset_hours(plain)
    written, problems, broken = parse(NodePoolSpec, path, without_nulls(hours) if isinstance(hours, Mapping) else hours)
    problems = [*_check_name(path, name), *problems]
    if written is None or not isinstance(plain, Mapping):
        return problems, None
    readable = {key: value for key, value in dict(entry or {}).items() if key not in broken}
    expanded = _with_defaults(expand_node_pool(name, readable))
    spec, together, _ = parse(NodePoolSpec, path, expanded)
    if spec is None or together:
        return problems + together, None
    problems += _beside(check_pool(path, spec, written), path, broken)
    return problems, None if broken else pool_of(name, path, spec)


def _read_class(name: str, entry: object, kubernetes_version: str) -> tuple[list[Problem], Class | None]:
    path = join("nodeClasses", name)
    plain = _present(entry)
    spec, problems, broken = parse(NodeClassSpec, path, plain)
    problems = [*_check_name(path, name), *problems]
    if spec is None or not isinstance(plain, Mapping):
        return problems, None
    family = family_of(plain) if "amiFamily" not in broken else None
    untold = broken | {"amis"} if "amiSelectorTerms" in broken else broken  # AMIs are named, only not readable
    problems += _beside(check_class(path, spec, family, kubernetes_version), path, untold)
    return problems, None if broken else Class(spec, family)


def check_node_pool(name: str, spec: Mapping[str, Any]) -> list[Problem]:
    """Problems of one entry of `nodePools`, looked at by itself."""
    return _read_pool(name, spec)[0]


def check_node_class(name: str, spec: Mapping[str, Any], kubernetes_version: str) -> list[Problem]:
    """Problems of one entry of `nodeClasses`, looked at by itself."""
    return _read_class(name, spec, kubernetes_version)[0]


def check_fleet(
    node_pools: Mapping[str, Mapping[str, Any]],
    node_classes: Mapping[str, Mapping[str, Any]],
    *,
    kubernetes_version: str,
    node_overlays: Mapping[str, Mapping[str, Any]] | None = None,
    capacity_buffers: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Problem]:
    """Problems of a whole configuration, errors and warnings, each with its path below `nodePools` and so on.

    Args:
        node_pools: Entries of `nodePools`, as written in the configuration.
        node_classes: Entries of `nodeClasses`.
        kubernetes_version: Version of the cluster, such as "1.36".
        node_overlays: Entries of `nodeOverlays`.
        capacity_buffers: Entries of `capacityBuffers`.
    """
    problems: list[Problem] = []
    classes: dict[str, Class] = {}
    pools: list[Pool] = []
    for name, entry in node_classes.items():
        found, node_class = _read_class(name, entry, kubernetes_version)
        problems += found
        if node_class is not None:
            classes[name] = node_class
    for name, entry in node_pools.items():
        found, pool = _read_pool(name, entry)
        problems += found
        if pool is not None:
            pools.append(pool)
    problems += check_together(pools, classes, node_classes)
    for name, entry in (node_overlays or {}).items():
        problems += [*_check_name(join("nodeOverlays", name), name), *check_overlay(name, entry, node_pools)]
    for name, entry in (capacity_buffers or {}).items():
        problems += [*_check_name(join("capacityBuffers", name), name), *check_buffer(name, entry)]
    return problems
