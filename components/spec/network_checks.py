"""What is wrong with a network that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from components.spec.cidr import LEAST_ZONES, MOST_ZONES, check_cidr
from components.spec.problems import Problem

NAT_MODES: Final = ("none", "single", "perZone")


def check_network(args: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with the values of a network's arguments; keys that are not there are told elsewhere.

    Args:
        args: Arguments of Network: ``create`` or ``existing``, each with its own.
    """
    modes = [mode for mode in ("create", "existing") if mode in args]
    if len(modes) != 1:
        return [Problem("create", modes, "must be given, or existing, and not both", "pass exactly one of the two")]
    return _check_existing(args["existing"]) if modes == ["existing"] else _check_created(args["create"])


def _check_existing(existing: Mapping[str, Any]) -> list[Problem]:
    subnets = list(existing.get("private_subnet_ids", []))
    if "private_subnet_ids" not in existing or len(set(subnets)) >= LEAST_ZONES:
        return []
    rule = f"must name at least {LEAST_ZONES} subnets, in different zones"
    return [Problem("existing.private_subnet_ids", subnets, rule, "add a subnet in another zone")]


def _check_created(create: Mapping[str, Any]) -> list[Problem]:
    problems = check_cidr(create["cidr"], "create.cidr") if "cidr" in create else []
    zones = list(create.get("zone_names", []))
    wrong = not LEAST_ZONES <= len(set(zones)) <= MOST_ZONES or len(set(zones)) != len(zones)
    if "zone_names" in create and wrong:
        rule = f"must name {LEAST_ZONES} to {MOST_ZONES} different zones"
        problems.append(Problem("create.zone_names", zones, rule, "pass names such as us-west-2a"))
    if create.get("nat_gateways", "none") not in NAT_MODES:
        rule = "must be none, single or perZone"
        problems.append(Problem("create.nat_gateways", create["nat_gateways"], rule, "pass one of them"))
    return problems
