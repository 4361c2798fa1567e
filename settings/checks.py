"""Every check of the configuration as a whole, in the order in which people read the file."""

from __future__ import annotations

from collections.abc import Iterator

from components.spec.checks import check_fleet
from components.spec.names import node_role_name
from components.spec.problems import Problem
from components.spec.versions import DEFAULT_KUBERNETES_VERSION
from settings.access_checks import check_administrators, check_public_access
from settings.account_checks import (
    check_accounts,
    check_controller_role,
    check_node_role,
    check_region,
    check_tags,
)
from settings.cluster_checks import check_controller, check_system_nodes, check_version_pair
from settings.draft import Draft
from settings.fleet_checks import check_gates, check_pod_density, check_presence, check_roles, check_spot, check_zones
from settings.network_checks import check_network
from settings.pins import missing_pins, with_placeholders


def check(draft: Draft, region: str | None) -> list[Problem]:
    """Problems of a configuration beyond the form of its values.

    Args:
        draft: The configuration.
        region: AWS region, or None.
    """
    problems = [
        *check_region(region),
        *check_tags(draft),
        *check_accounts(draft),
        *check_network(draft),
        *check_public_access(draft),
        *check_administrators(draft),
        *check_version_pair(draft),
        *check_system_nodes(draft),
        *check_node_role(draft),
        *check_controller_role(draft),
        *check_controller(draft),
        *check_gates(draft),
        *check_presence(draft),
        *check_roles(draft, _node_role(draft)),
        *check_spot(draft),
        *check_zones(draft, region),
        *check_pod_density(draft),
        *_fleet(draft),
    ]
    pins = missing_pins(draft, region or "<region>")
    return problems if pins is None else [*problems, pins]


def _node_role(draft: Draft) -> str | None:
    """Name of the stack's node role, or None while it cannot be known."""
    existing = draft.value("nodeRole", "existing")
    name = draft.value("cluster", "name")
    if isinstance(existing, str):
        return existing
    return node_role_name(name) if isinstance(name, str) else None


def _fleet(draft: Draft) -> Iterator[Problem]:
    yield from check_fleet(
        draft.entries("nodePools"),
        with_placeholders(draft),
        kubernetes_version=draft.kubernetes_version or DEFAULT_KUBERNETES_VERSION,
        node_overlays=draft.entries("nodeOverlays"),
        capacity_buffers=draft.entries("capacityBuffers"),
    )
