"""ARNs, tags and launch templates of moto's EC2 resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KINDS = {
    "acl": "network-acl",
    "ami": "image",
    "cr": "capacity-reservation",
    "dopt": "dhcp-options",
    "eipalloc": "elastic-ip",
    "eni": "network-interface",
    "fl": "vpc-flow-log",
    "fleet": "fleet",
    "i": "instance",
    "igw": "internet-gateway",
    "lt": "launch-template",
    "nat": "natgateway",
    "pg": "placement-group",
    "rtb": "route-table",
    "sg": "security-group",
    "sgr": "security-group-rule",
    "sir": "spot-instances-request",
    "snap": "snapshot",
    "subnet": "subnet",
    "vol": "volume",
    "vpc": "vpc",
    "vpce": "vpc-endpoint",
}
"""Prefix of an id -> resource type in ARNs and tag specifications."""

_WITHOUT_ACCOUNT = frozenset({"image", "snapshot"})


def backend(account_id: str, region: str) -> Any:
    """The EC2 of one region, in moto."""
    return ec2_backends[account_id][region]


def kind_of(resource_id: str) -> str:
    """The resource type of an id; empty when its prefix is unknown."""
    return KINDS.get(resource_id.rpartition("-")[0], "")


def arn(kind: str, name: str, *, region: str, account_id: str) -> str:
    """An EC2 ARN; images and snapshots name no account, since they may be anybody's."""
    owner = "" if kind in _WITHOUT_ACCOUNT else account_id
    return f"arn:aws:ec2:{region}:{owner}:{kind}/{name}"


def tags_of(ec2: Any, resource_id: str) -> dict[str, str]:
    """The tags of a resource by its id."""
    return dict(ec2.tags.get(resource_id, {}))


def tags_of_arn(resource_arn: str, account_id: str) -> dict[str, str]:
    """The tags of the resource that an ARN names; empty when it names none."""
    region = resource_arn.split(":")[3]
    return tags_of(backend(account_id, region), resource_arn.rpartition("/")[2])


def tag_map(specifications: Iterable[Mapping[str, Any]], kind: str) -> dict[str, str]:
    """The tags that tag specifications set on one resource type."""
    return {
        tag["Key"]: tag.get("Value", "")
        for specification in specifications
        if specification.get("ResourceType") == kind
        for tag in specification.get("Tags", [])
    }


def find_template(ec2: Any, reference: Mapping[str, Any]) -> tuple[Any, Any]:
    """A launch template and the version that a reference asks for.

    Raises:
        EC2ClientError: no such template, as EC2 names it.
    """
    template_id = reference.get("LaunchTemplateId")
    if not template_id:
        name = reference.get("LaunchTemplateName", "")
        template_id = ec2.launch_template_name_to_ids.get(name)
        if template_id is None:
            code = "InvalidLaunchTemplateName.NotFoundException"
            text = f"The specified launch template, with template name {name}, does not exist."
            raise EC2ClientError(code, text)
    if template_id not in ec2.launch_templates:
        code = "InvalidLaunchTemplateId.NotFound"
        text = f"The specified launch template, with template ID {template_id}, does not exist."
        raise EC2ClientError(code, text)
    template = ec2.launch_templates[template_id]
    return template, template.get_version(reference.get("Version") or "$Default")


def find_subnet(ec2: Any, subnet_id: str) -> Any:
    """A subnet by its id; None when there is none."""
    for by_zone in ec2.subnets.values():
        if subnet_id in by_zone:
            return by_zone[subnet_id]
    return None
