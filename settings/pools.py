"""What NodePools ask for, as far as other settings depend on it. Reads entries that nobody has checked yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.spec import defaults, labels
from components.spec.presets import expand_node_pool, node_class_of
from settings.model import Entry

CAPACITY_TYPES = frozenset({"on-demand", "reserved", "spot"})
ARCHITECTURES = frozenset({"amd64", "arm64"})


def requirements_of(name: str, pool: Entry) -> list[Mapping[str, Any]]:
    """The requirements of a pool, its preset's or the default ones included.

    Args:
        name: Name of the pool.
        pool: Its entry.
    """
    found = expand_node_pool(name, pool).get("requirements")
    requirements = defaults.default_requirements() if found is None else found
    return [r for r in requirements if isinstance(r, Mapping)] if isinstance(requirements, list | tuple) else []


def possible(requirements: list[Mapping[str, Any]], key: str, known: frozenset[str]) -> set[str]:
    """Values of a label that the requirements leave possible.

    Args:
        requirements: Requirements of a pool.
        key: The label.
        known: All values that the label can have.
    """
    left = set(known)
    for requirement in requirements:
        values = requirement.get("values")
        if labels.normalized(str(requirement.get("key"))) != key or not isinstance(values, list | tuple):
            continue
        named = {value for value in values if isinstance(value, str)}
        left = left - named if requirement.get("operator") == "NotIn" else left & named
    return left


def users_of(node_class: str, pools: Mapping[str, Entry]) -> dict[str, Entry]:
    """The pools that take their nodes from a class.

    Args:
        node_class: Name of the class.
        pools: Entries of `nodePools`.
    """
    return {name: pool for name, pool in pools.items() if node_class_of(name, pool) == node_class}


def architectures(node_class: str, pools: Mapping[str, Entry]) -> list[str]:
    """Architectures that the pools of a class ask for, sorted; amd64 where no pool uses it.

    Args:
        node_class: Name of the class.
        pools: Entries of `nodePools`.
    """
    wanted: set[str] = set()
    for name, pool in users_of(node_class, pools).items():
        wanted |= possible(requirements_of(name, pool), defaults.ARCH, ARCHITECTURES)
    return sorted(wanted) or ["amd64"]


def have_gpus(node_class: str, pools: Mapping[str, Entry]) -> bool:
    """Tell whether every pool of a class asks for GPUs, so that the class needs an AMI with their driver.

    Args:
        node_class: Name of the class.
        pools: Entries of `nodePools`.
    """
    users = users_of(node_class, pools)
    keys = {defaults.GPU_COUNT, defaults.GPU_MANUFACTURER}
    return bool(users) and all(
        any(r.get("key") in keys and r.get("operator") != "DoesNotExist" for r in requirements_of(name, pool))
        for name, pool in users.items()
    )


def is_static(name: str, pool: Entry) -> bool:
    """Tell whether a pool keeps a fixed number of nodes.

    Args:
        name: Name of the pool.
        pool: Its entry.
    """
    return expand_node_pool(name, pool).get("replicas") is not None
