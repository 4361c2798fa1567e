"""Which questions IAM is asked for an EC2 call: actions, resource ARNs, tags and condition keys.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.emulator import ec2_resources, launch, profiles
from lab.emulator.access import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_ID = re.compile(r"^[a-z]+-[0-9a-z]+$")
_READS = ("Describe", "Get", "List", "Search")


@dataclass(frozen=True)
class Call:
    """One EC2 request.

    Attributes:
        action: API name, such as `RunInstances`.
        params: parsed by moto with botocore's model.
        ec2: moto's backend of the region.
    """

    action: str
    params: Mapping[str, Any]
    ec2: Any

    def arn(self, kind: str, name: str = "*") -> str:
        """The ARN of a resource in the call's region."""
        return ec2_resources.arn(kind, name, region=self.ec2.region_name, account_id=self.ec2.account_id)

    def existing(self, action: str, resource_id: str, **more: Any) -> Check:
        """A question about a resource that is there, with its tags."""
        kind = ec2_resources.kind_of(resource_id)
        return Check(
            f"ec2:{action}",
            self.arn(kind, resource_id) if kind else "*",
            resource_tags=ec2_resources.tags_of(self.ec2, resource_id),
            **more,
        )

    def made(self, action: str, kind: str, tags: Mapping[str, str], **keys: str) -> Check:
        """A question about a resource that the call would make."""
        return Check(f"ec2:{action}", self.arn(kind), request_tags=tags, keys=_condition_keys(keys))


def checks(call: Call) -> list[Check]:
    """Every question for one call, in the order in which they are asked."""
    special = _SPECIAL.get(call.action)
    return list(special(call) if special else _ordinary(call))


def _condition_keys(keys: Mapping[str, str]) -> dict[str, str]:
    return {f"ec2:{name}": value for name, value in keys.items() if value}


def _run_instances(call: Call) -> Iterator[Check]:
    wanted = launch.plan(call.ec2, call.params)
    yield from _launch_checks(call, "RunInstances", [wanted], "RunInstances")


def _create_fleet(call: Call) -> Iterator[Check]:
    wanted = list(fleet_plans(call.ec2, call.params))
    specifications = call.params.get("TagSpecifications", [])
    fleet_tags = ec2_resources.tag_map(specifications, "fleet")
    yield call.made("CreateFleet", "fleet", fleet_tags)
    if fleet_tags:
        yield call.made("CreateTags", "fleet", fleet_tags, CreateAction="CreateFleet")
    yield from _launch_checks(call, "CreateFleet", wanted, "CreateFleet")
    # A fleet launches with RunInstances in the caller's name.
    yield from _launch_checks(call, "RunInstances", wanted, "")


def fleet_plans(ec2: Any, params: Mapping[str, Any]) -> Iterator[launch.Plan]:
    """One plan for each override of each launch template of a CreateFleet request."""
    specifications = params.get("TagSpecifications", [])
    capacity = (params.get("TargetCapacitySpecification") or {}).get("DefaultTargetCapacityType") or "on-demand"
    for config in params.get("LaunchTemplateConfigs", []):
        for override in config.get("Overrides") or [{}]:
            fields = {k: override[k] for k in ("InstanceType", "SubnetId", "ImageId") if override.get(k)}
            request = {
                "LaunchTemplate": config["LaunchTemplateSpecification"],
                "TagSpecifications": specifications,
                **fields,
            }
            yield launch.plan(ec2, request, spot=capacity == "spot")


def _launch_checks(call: Call, action: str, wanted: list[launch.Plan], tagged_by: str) -> Iterator[Check]:
    first = wanted[0]
    keys = {
        "InstanceType": str(first.data.get("InstanceType") or ""),
        "MetadataHttpTokens": str((first.data.get("MetadataOptions") or {}).get("HttpTokens") or "optional"),
        "InstanceMarketType": "spot" if first.spot else "on-demand",
    }
    for resource_id in _named(wanted):
        yield call.existing(action, resource_id)
    kinds = [kind for kind in launch.TAGGED_AT_LAUNCH if kind != "spot-instances-request" or first.tags(kind)]
    for kind in kinds:
        yield call.made(action, kind, first.tags(kind), **keys)
    for kind in kinds:
        if tagged_by and first.tags(kind):
            yield call.made("CreateTags", kind, first.tags(kind), CreateAction=tagged_by)
    if action == "RunInstances":
        yield from _pass_role(first)


def _named(wanted: Iterable[launch.Plan]) -> list[str]:
    names: list[str] = []
    for one in wanted:
        if one.template:
            names.append(one.template[0].id)
        names += [str(one.data.get("ImageId") or ""), one.subnet_id, *one.security_groups]
        names += [str((d.get("Ebs") or {}).get("SnapshotId") or "") for d in one.data.get("BlockDeviceMappings", [])]
    return list(dict.fromkeys(name for name in names if name))


def _pass_role(wanted: launch.Plan) -> Iterator[Check]:
    for role in profiles.roles_of(wanted.profile):
        yield Check("iam:PassRole", role, keys={"iam:PassedToService": "ec2.amazonaws.com"})


def _create_launch_template(call: Call) -> Iterator[Check]:
    tags = ec2_resources.tag_map(call.params.get("TagSpecifications", []), "launch-template")
    yield call.made("CreateLaunchTemplate", "launch-template", tags)
    if tags:
        yield call.made("CreateTags", "launch-template", tags, CreateAction="CreateLaunchTemplate")


def _on_template(call: Call) -> Iterator[Check]:
    template, _ = ec2_resources.find_template(call.ec2, {**call.params, "Version": "$Default"})
    yield call.existing(call.action, template.id)


def _tagging(call: Call) -> Iterator[Check]:
    tags = call.params.get("Tags", [])
    keys = tuple(tag["Key"] for tag in tags)
    values = {tag["Key"]: tag.get("Value", "") for tag in tags} if call.action == "CreateTags" else {}
    for resource_id in call.params.get("Resources", []):
        yield call.existing(call.action, resource_id, request_tags=values, tag_keys=keys)


def _ordinary(call: Call) -> Iterator[Check]:
    if call.action.startswith(_READS):
        yield Check(f"ec2:{call.action}", "*")
        return
    named = [value for value in _values(call.params) if _ID.match(value) and ec2_resources.kind_of(value)]
    made = False
    for specification in call.params.get("TagSpecifications", []):
        kind = specification.get("ResourceType", "*")
        tags = ec2_resources.tag_map([specification], kind)
        made = True
        yield call.made(call.action, kind, tags)
        yield call.made("CreateTags", kind, tags, CreateAction=call.action)
    for resource_id in dict.fromkeys(named):
        yield call.existing(call.action, resource_id)
    if not named and not made:
        yield Check(f"ec2:{call.action}", "*")


def _values(params: Mapping[str, Any]) -> Iterator[str]:
    for name, value in params.items():
        if name.endswith(("Id", "Ids")):
            yield from [value] if isinstance(value, str) else [item for item in value if isinstance(item, str)]


_SPECIAL = {
    "RunInstances": _run_instances,
    "CreateFleet": _create_fleet,
    "CreateLaunchTemplate": _create_launch_template,
    "CreateLaunchTemplateVersion": _on_template,
    "ModifyLaunchTemplate": _on_template,
    "DeleteLaunchTemplate": _on_template,
    "CreateTags": _tagging,
    "DeleteTags": _tagging,
}
