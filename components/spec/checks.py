"""Everything that is wrong with the NodePools and EC2NodeClasses of a configuration, at once.

Beyond the CRDs this knows what they let through and Karpenter or EC2 refuses or misreads later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.spec.model_problems import join, parse
from components.spec.node_class import NodeClassSpec
from components.spec.node_pool import NodePoolSpec
from components.spec.patterns import OBJECT_NAME
from components.spec.presets import expand_node_pool
from components.spec.problems import Problem

NAME_RULE = "must be at most 63 lower-case letters, digits, '-' and '.', with a letter or digit at both ends"


def _check_name(path: str, name: str) -> list[Problem]:
    if OBJECT_NAME.search(name):
        return []
    return [
        Problem(path, name, NAME_RULE, "rename it: the name is that of a Kubernetes object and the value of a label")
    ]


def check_node_pool(name: str, spec: Mapping[str, Any]) -> list[Problem]:
    """Problems of one entry of `nodePools`, looked at by itself."""
    path = join("nodePools", name)
    _, problems, _ = parse(NodePoolSpec, path, expand_node_pool(name, spec))
    return [*_check_name(path, name), *problems]


def check_node_class(name: str, spec: Mapping[str, Any], kubernetes_version: str) -> list[Problem]:
    """Problems of one entry of `nodeClasses`, looked at by itself."""
    del kubernetes_version
    path = join("nodeClasses", name)
    _, problems, _ = parse(NodeClassSpec, path, spec)
    return [*_check_name(path, name), *problems]


def check_fleet(
    node_pools: Mapping[str, Mapping[str, Any]],
    node_classes: Mapping[str, Mapping[str, Any]],
    *,
    kubernetes_version: str,
    node_overlays: Mapping[str, Mapping[str, Any]] | None = None,
    capacity_buffers: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Problem]:
    """Problems of a whole configuration, errors and warnings, each with its path below `nodePools` and so on."""
    del node_overlays, capacity_buffers
    problems: list[Problem] = []
    for name, entry in node_classes.items():
        problems += check_node_class(name, entry, kubernetes_version)
    for name, entry in node_pools.items():
        problems += check_node_pool(name, entry)
    return problems
