"""What must hold between node pools, node classes and the rest of the stack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from components.spec import defaults, labels
from components.spec.model_problems import join
from components.spec.problems import ABSENT, Problem
from settings.draft import Draft
from settings.identities import ControllerRoleSettings
from settings.karpenter import FeatureGates
from settings.model import Entry
from settings.pools import CAPACITY_TYPES, is_static, possible, requirements_of

GATES: Final = {
    "staticCapacity": "nodePools with replicas",
    "nodeOverlay": "nodeOverlays",
    "capacityBuffer": "capacityBuffers",
}


REGION: Final = "topology.kubernetes.io/region"


def needed_gates(
    node_pools: Mapping[str, Entry], node_overlays: Mapping[str, Entry], capacity_buffers: Mapping[str, Entry]
) -> frozenset[str]:
    """Feature gates that the configuration cannot work without.

    Args:
        node_pools: Entries of `nodePools`.
        node_overlays: Entries of `nodeOverlays`.
        capacity_buffers: Entries of `capacityBuffers`.
    """
    used = {
        "staticCapacity": any(is_static(name, pool) for name, pool in node_pools.items()),
        "nodeOverlay": bool(node_overlays),
        "capacityBuffer": bool(capacity_buffers),
    }
    return frozenset(gate for gate, is_used in used.items() if is_used)


def check_gates(draft: Draft) -> Iterator[Problem]:
    """Feature gates that are switched off although something needs them."""
    gates = draft.part(FeatureGates, "karpenter", "featureGates")
    if gates is None:
        return
    chosen = gates.model_dump(by_alias=True)
    needed = needed_gates(draft.entries("nodePools"), draft.entries("nodeOverlays"), draft.entries("capacityBuffers"))
    for gate in sorted(needed):
        if chosen[gate] is False:
            yield Problem(
                f"karpenter.featureGates.{gate}",
                False,
                f"must be on: the configuration has {GATES[gate]}",
                "remove the line (the stack switches the gate on), or remove what needs it",
            )


def check_spot(draft: Draft) -> Iterator[Problem]:
    """A hint where Spot is used and the stack does not make the role that Spot needs."""
    if draft.value("spotServiceLinkedRole") is True:
        return
    pools = [
        name
        for name, pool in draft.entries("nodePools").items()
        if "spot" in possible(requirements_of(name, pool), defaults.CAPACITY_TYPE, CAPACITY_TYPES)
    ]
    if pools:
        yield Problem(
            "spotServiceLinkedRole",
            False,
            f"Spot (in {', '.join(pools)}) needs the role AWSServiceRoleForEC2Spot in the account; "
            "without it Karpenter takes every launch for lack of capacity",
            "if `aws iam get-role --role-name AWSServiceRoleForEC2Spot` finds none, set this to true",
            "warning",
        )


def check_zones(draft: Draft, region: str | None) -> Iterator[Problem]:
    """Pools that ask for zones of another region, or for the region itself as a zone.

    Args:
        draft: The configuration.
        region: AWS region of the stack, or None while it is unknown.
    """
    if region is None:
        return
    for name, entry in draft.entries("nodePools").items():
        requirements = entry.get("requirements")
        for index, requirement in enumerate(requirements if isinstance(requirements, list | tuple) else ()):
            values = _named(requirement)
            wrong = [value for value in values if not _is_in_region(_place(requirement), value, region)]
            if wrong:
                rest = "the pool never launches a node" if len(wrong) == len(values) else "they never match"
                yield Problem(
                    join("nodePools", name, "requirements", index, "values"),
                    wrong,
                    f"must lie in the stack's region, {region}: {rest}",
                    f"for example {region}a" if _place(requirement) == defaults.ZONE else f"write {region}",
                    "error" if len(wrong) == len(values) else "warning",
                )


def _place(requirement: Mapping[str, object]) -> str:
    return labels.normalized(str(requirement.get("key")))


def _named(requirement: object) -> list[str]:
    """Places that a requirement names with In."""
    if not isinstance(requirement, Mapping) or requirement.get("operator") != "In":
        return []
    values = requirement.get("values")
    return [value for value in values if isinstance(value, str)] if isinstance(values, list | tuple) else []


def _is_in_region(key: str, value: str, region: str) -> bool:
    """Whether a zone or region is of the stack's region; local zones carry its name too, as in us-west-2-lax-1a."""
    if key == REGION:
        return value == region
    return key != defaults.ZONE or re.match(rf"{re.escape(region)}([a-z]\Z|-)", value) is not None


def check_roles(draft: Draft, own_role: str | None) -> Iterator[Problem]:
    """Node classes with roles that the controller could not hand over.

    Args:
        draft: The configuration.
        own_role: Name of the stack's node role, or None while the cluster's name is wrong.
    """
    controller = draft.part(ControllerRoleSettings, "controllerRole")
    if controller is None or own_role is None:
        return
    extra = [arn.rsplit("/", 1)[-1] for arn in controller.extra_node_role_arns]
    for name, entry in draft.entries("nodeClasses").items():
        role = entry.get("role")
        if isinstance(role, str) and "/" not in role and role not in {own_role, *extra}:
            yield Problem(
                f"nodeClasses.{name}.role",
                role,
                f"must be a role that the controller may pass: {', '.join([own_role, *extra])}",
                "remove it to use the stack's role, or add its ARN to controllerRole.extraNodeRoleArns",
            )
        if entry.get("instanceProfile") and not extra:
            yield Problem(
                f"nodeClasses.{name}.instanceProfile",
                entry["instanceProfile"],
                f"the role in it must be {own_role}, the only one that the controller may pass",
                "if it holds another role, add that role's ARN to controllerRole.extraNodeRoleArns",
                "warning",
            )


def check_presence(draft: Draft) -> Iterator[Problem]:
    """A hint where Karpenter would have nothing to do."""
    if not draft.has_own("nodePools") or draft.value("nodePools") == {}:
        yield Problem(
            "nodePools",
            ABSENT,
            "without a pool Karpenter launches no node",
            "add one, such as {default: {nodeClass: default}}",
            "warning",
        )


def check_pod_density(draft: Draft) -> Iterator[Problem]:
    """Hints where the number of pods on a node and the addresses that the CNI can give do not fit."""
    env = draft.value("cluster", "addons", "vpc-cni", "configuration", "env")
    prefixes = isinstance(env, Mapping) and str(env.get("ENABLE_PREFIX_DELEGATION", "")).lower() == "true"
    for name, entry in draft.entries("nodeClasses").items():
        kubelet = entry.get("kubelet")
        max_pods = kubelet.get("maxPods") if isinstance(kubelet, Mapping) else None
        if prefixes and max_pods is None:
            yield Problem(
                f"nodeClasses.{name}.kubelet.maxPods",
                ABSENT,
                "with prefix delegation in vpc-cni Karpenter still counts the pods of plain addresses",
                "write 110",
                "warning",
            )
        elif max_pods is not None and not prefixes:
            yield Problem(
                f"nodeClasses.{name}.kubelet.maxPods",
                max_pods,
                "pods beyond the addresses of an instance stay without network while vpc-cni has no prefix delegation",
                'set ENABLE_PREFIX_DELEGATION: "true" in cluster.addons.vpc-cni.configuration.env, or remove it',
                "warning",
            )
