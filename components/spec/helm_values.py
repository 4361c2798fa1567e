"""Values of Karpenter's chart.

Source of the keys: charts/karpenter/values.yaml of karpenter-provider-aws at v1.14.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from components.spec.model_problems import join
from components.spec.names import SERVICE_ACCOUNT
from components.spec.problems import Problem

Values = dict[str, Any]

SYSTEM_NODE_TAINT: Final = {"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}
"""Keeps ordinary pods off the system nodes, in EKS's spelling of the effect. CoreDNS tolerates it as EKS ships it."""
SYSTEM_NODE_LABEL: Final = {"karpenter.sh/controller": "true"}
"""Where the controller runs: on nodes that Karpenter does not manage itself."""

OWNED: Final[Mapping[tuple[str, ...], str]] = {
    ("settings", "clusterName"): "cluster.name",
    ("settings", "clusterEndpoint"): "nothing: it comes from the cluster",
    ("settings", "interruptionQueue"): "interruptionQueue.enabled",
    ("settings", "featureGates"): "karpenter.featureGates",
    ("settings", "enableZonalShift"): "cluster.zonalShift",
    ("serviceAccount",): "nothing: the pod identity association names it",
    ("replicas",): "karpenter.replicas",
    ("logLevel",): "karpenter.logLevel",
    ("controller", "resources"): "karpenter.resources",
    ("nameOverride",): "nothing: the release is found by its name",
    ("fullnameOverride",): "nothing: the release is found by its name",
    ("nodeSelector", "karpenter.sh/controller"): "nothing: it keeps the controller off its own nodes",
}
"""Chart value that the stack sets itself -> the configuration key to use in its place."""

REMOVED: Final[Mapping[tuple[str, ...], str]] = {
    ("webhook",): "the CRDs of 1.14 have no webhook",
    ("settings", "aws"): "since 0.33 these settings stand directly under settings",
    ("settings", "featureGates", "drift"): "drift is always on since 1.0",
    ("settings", "interruptionQueueName"): "the chart reads interruptionQueue",
    ("settings", "assumeRoleARN"): "the controller gets its role from its pod identity association",
}
"""Chart value of older versions -> why it is refused."""

_AFFINITY: Final = ("affinity",)
_NODE_TERMS: Final = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def values(
    *,
    cluster_name: str,
    queue_name: str | None,
    replicas: int,
    cpu: str,
    memory: str,
    log_level: str,
    feature_gates: Mapping[str, bool],
    zonal_shift: bool,
    cluster_endpoint: str,
    overrides: Mapping[str, Any],
) -> Values:
    """The controller chart's values.

    Args:
        cluster_name: Name of the cluster.
        queue_name: Name of the interruption queue (not its ARN or URL), or None.
        replicas: Number of controllers.
        cpu: CPU request and limit of each.
        memory: Memory request and limit of each.
        log_level: ``error``, ``info`` or ``debug``.
        feature_gates: Gates that are not left at the chart's own value.
        zonal_shift: Whether the controller follows zonal shifts of the cluster.
        cluster_endpoint: URL of the API server, so that nodes and controller need not ask EKS for it.
        overrides: Further values, merged last.
    """
    resources = {"cpu": cpu, "memory": memory}
    settings: Values = {
        "clusterName": cluster_name,
        "clusterEndpoint": cluster_endpoint,
        "interruptionQueue": queue_name or "",
        "enableZonalShift": zonal_shift,
    }
    if feature_gates:
        settings["featureGates"] = dict(feature_gates)
    own: Values = {
        "settings": settings,
        "serviceAccount": {"name": SERVICE_ACCOUNT},
        "replicas": replicas,
        "logLevel": log_level,
        "nodeSelector": {"kubernetes.io/os": "linux", **SYSTEM_NODE_LABEL},
        "controller": {"resources": {"requests": dict(resources), "limits": dict(resources)}},
    }
    return merge(own, overrides)


def merge(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> Values:
    """Merge maps as Helm does: maps key by key, everything else as a whole."""
    merged = dict(base)
    for key, value in overrides.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def check_overrides(overrides: Mapping[str, Any], path: str = "karpenter.values") -> list[Problem]:
    """Overrides that the stack refuses: what it sets itself, and what the chart no longer knows.

    Args:
        overrides: The free-form values.
        path: Where they stand.
    """
    problems = []
    for keys, why in REMOVED.items():
        if (found := _at(overrides, keys)) is not None:
            place = join(path, *keys)
            problems.append(Problem(place, found, f"must not be set: {why}", "remove it"))
    for keys, instead in OWNED.items():
        found = _at(overrides, keys)
        if found is not None and not (keys == ("settings", "featureGates") and problems):
            remedy = "remove it" if instead.startswith("nothing") else f"use {instead}"
            place = join(path, *keys)
            problems.append(Problem(place, found, f"must not be set: the stack sets it ({instead})", remedy))
    return [*problems, *_check_affinity(overrides, path)]


def _check_affinity(overrides: Mapping[str, Any], path: str) -> list[Problem]:
    """An affinity that would let the controller run on nodes that it may take away itself."""
    terms = _at(overrides, (*_AFFINITY, *_NODE_TERMS))
    if terms is None:
        return []
    kept = isinstance(terms, list) and all(
        any(
            isinstance(e, Mapping) and e.get("key") == "karpenter.sh/nodepool" and e.get("operator") == "DoesNotExist"
            for e in (term.get("matchExpressions") or [] if isinstance(term, Mapping) else [])
        )
        for term in terms
    )
    if kept:
        return []
    return [
        Problem(
            join(path, *_AFFINITY, *_NODE_TERMS),
            terms,
            "must keep karpenter.sh/nodepool DoesNotExist in every term: on a node of its own it could remove itself",
            "add {key: karpenter.sh/nodepool, operator: DoesNotExist} to the matchExpressions of each term",
        )
    ]


def _at(tree: object, keys: tuple[str, ...]) -> object | None:
    for key in keys:
        if not isinstance(tree, Mapping) or key not in tree:
            return None
        tree = tree[key]
    return tree
