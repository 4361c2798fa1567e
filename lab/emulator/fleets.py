"""CreateFleet of type instant: the cheapest offered override wins, and the answer says which."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

from lab.emulator import ec2_resources, launch
from lab.emulator.ec2_checks import fleet_plans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.emulator.prices import Prices
    from lab.emulator.state import Lab

_NO_CAPACITY = (
    "InsufficientInstanceCapacity",
    "We currently do not have sufficient {kind} capacity in the Availability Zone you requested ({zone}).",
)
_NOT_OFFERED = (
    "InvalidFleetConfiguration",
    "Your requested instance type ({kind}) is not supported in your requested Availability Zone ({zone}).",
)


def offered(region: str, zone: str) -> set[str]:
    """The instance types that a zone has."""
    rows = INSTANCE_TYPE_OFFERINGS["availability-zone"].get(region, [])
    return {row["InstanceType"] for row in rows if row["Location"] == zone}


def create(lab: Lab, prices: Prices, ec2: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Launch what a CreateFleet request asks for and describe it as EC2 does.

    Raises:
        EC2ClientError: a request without overrides, or with something that does not exist.
    """
    choices = _choices(ec2, params)
    for wanted, _ in choices:
        launch.check(ec2, wanted)
    spot = choices[0][0].spot
    fleet_id = f"fleet-{uuid.uuid4()}"
    count = int((params.get("TargetCapacitySpecification") or {}).get("TotalTargetCapacity") or 1)
    errors: list[dict[str, Any]] = []
    open_choices = []
    for wanted, override in choices:
        zone, problem = _problem(lab, ec2, wanted)
        if problem:
            errors.append(_error(wanted, override, problem, zone))
        else:
            price = prices.of(wanted.data["InstanceType"], zone if spot else "")
            open_choices.append((float(override.get("Priority") or 0), price, wanted, override, zone))
    answer: dict[str, Any] = {"FleetId": fleet_id, "Errors": errors, "Instances": []}
    if open_choices:
        prioritized = "prioritized" in _strategy(params, spot=spot)
        best = min(open_choices, key=lambda c: (c[0], c[1]) if prioritized else (c[1], c[0]))
        made = launch.launch(ec2, best[2], count, {"aws:ec2:fleet-id": fleet_id})
        answer["Instances"] = [_described(best[2], best[3], [instance.id for instance in made], best[4])]
    return answer


def _strategy(params: Mapping[str, Any], *, spot: bool) -> str:
    options = params.get("SpotOptions" if spot else "OnDemandOptions") or {}
    return str(options.get("AllocationStrategy") or "lowest-price")


def _choices(ec2: Any, params: Mapping[str, Any]) -> list[tuple[launch.Plan, dict[str, Any]]]:
    plans = list(fleet_plans(ec2, params))
    overrides = [
        dict(override)
        for config in params.get("LaunchTemplateConfigs", [])
        for override in config.get("Overrides") or [{}]
    ]
    if not plans:
        code, text = "MissingParameter", "The request must contain the parameter LaunchTemplateConfigs"
        raise EC2ClientError(code, text)
    return list(zip(plans, overrides, strict=True))


def _problem(lab: Lab, ec2: Any, wanted: launch.Plan) -> tuple[str, tuple[str, str] | None]:
    subnet = ec2_resources.find_subnet(ec2, wanted.subnet_id)
    zone = subnet.availability_zone if subnet else f"{ec2.region_name}a"
    kind = wanted.data["InstanceType"]
    capacity = "spot" if wanted.spot else "on-demand"
    if kind not in offered(ec2.region_name, zone):
        return zone, _NOT_OFFERED
    for short_kind, short_zone, short_capacity in lab.shortages:
        if short_kind in {"*", kind} and short_zone in {"*", zone} and short_capacity in {"*", capacity}:
            return zone, _NO_CAPACITY
    return zone, None


def _template(wanted: launch.Plan, override: Mapping[str, Any], zone: str) -> dict[str, Any]:
    if wanted.template is None:
        return {"Overrides": {**override, "AvailabilityZone": zone}}
    template, version = wanted.template
    return {
        "LaunchTemplateSpecification": {"LaunchTemplateId": template.id, "Version": str(version.number)},
        "Overrides": {**override, "AvailabilityZone": zone},
    }


def _error(wanted: launch.Plan, override: Mapping[str, Any], problem: tuple[str, str], zone: str) -> dict[str, Any]:
    code, text = problem
    return {
        "LaunchTemplateAndOverrides": _template(wanted, override, zone),
        "Lifecycle": "spot" if wanted.spot else "on-demand",
        "ErrorCode": code,
        "ErrorMessage": text.format(kind=wanted.data["InstanceType"], zone=zone),
    }


def _described(wanted: launch.Plan, override: Mapping[str, Any], ids: list[str], zone: str) -> dict[str, Any]:
    return {
        "LaunchTemplateAndOverrides": _template(wanted, override, zone),
        "Lifecycle": "spot" if wanted.spot else "on-demand",
        "InstanceIds": ids,
        "InstanceType": wanted.data["InstanceType"],
    }
