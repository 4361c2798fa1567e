"""The functions that programs call while they run."""

from collections.abc import Callable, Mapping
from typing import Any

from lab.plugins.aws.kind import Aws, PluginError, Props, or_gone, tag_map


def _caller(aws: Aws, _given: Props) -> Props:
    found = aws.client("sts").get_caller_identity()
    return {"accountId": found["Account"], "arn": found["Arn"], "userId": found["UserId"], "id": found["Account"]}


def _partition(aws: Aws, _given: Props) -> Props:
    name = "aws-cn" if aws.region.startswith("cn-") else "aws-us-gov" if aws.region.startswith("us-gov-") else "aws"
    suffix = "amazonaws.com.cn" if name == "aws-cn" else "amazonaws.com"
    return {
        "partition": name,
        "dnsSuffix": suffix,
        "reverseDnsPrefix": ".".join(reversed(suffix.split("."))),
        "id": name,
    }


def _region(aws: Aws, _given: Props) -> Props:
    return {"id": aws.region, "name": aws.region, "region": aws.region, "description": aws.region, "endpoint": ""}


def _zones(aws: Aws, given: Props) -> Props:
    found = aws.client("ec2").describe_availability_zones(Filters=_filters(given))["AvailabilityZones"]
    state = given.get("state")
    left_out = set(given.get("excludeZoneIds") or [])
    zones = sorted(
        (zone["ZoneName"], zone["ZoneId"])
        for zone in found
        if (state is None or zone["State"] == state) and zone["ZoneId"] not in left_out
    )
    return {
        "names": [name for name, _ in zones],
        "zoneIds": [zone_id for _, zone_id in zones],
        "groupNames": [aws.region],
        "id": aws.region,
    }


def _role(aws: Aws, given: Props) -> Props:
    answer = or_gone(lambda: aws.client("iam").get_role(RoleName=given["name"]))
    if answer is None:
        message = f"reading IAM Role ({given['name']}): couldn't find resource"
        raise PluginError(message)
    role = answer["Role"]
    return {
        "arn": role["Arn"],
        "name": role["RoleName"],
        "path": role["Path"],
        "uniqueId": role["RoleId"],
        "id": role["RoleName"],
        "assumeRolePolicy": "",
        "createDate": str(role["CreateDate"]),
        "description": role.get("Description", ""),
        "maxSessionDuration": role.get("MaxSessionDuration", 3600),
        "permissionsBoundary": role.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn", ""),
        "roleLastUseds": [],
        "tags": {},
    }


def _parameter(aws: Aws, given: Props) -> Props:
    answer = or_gone(lambda: aws.client("ssm").get_parameter(Name=given["name"]))
    if answer is None:
        message = f"reading SSM Parameter ({given['name']}): couldn't find resource"
        raise PluginError(message)
    found = answer["Parameter"]
    return {"name": found["Name"], "value": found["Value"], "arn": found.get("ARN", ""), "id": found["Name"]}


def _vpc(aws: Aws, given: Props) -> Props:
    ids = {"VpcIds": [given["id"]]} if given.get("id") else {}
    wanted = _filters(given)
    if given.get("default") is not None:
        wanted.append({"Name": "is-default", "Values": [str(given["default"]).lower()]})
    if given.get("cidrBlock"):
        wanted.append({"Name": "cidr", "Values": [given["cidrBlock"]]})
    found = _only("EC2 VPC", or_gone(lambda: aws.client("ec2").describe_vpcs(**ids, Filters=wanted)), "Vpcs")
    return {
        "id": found["VpcId"],
        "arn": f"arn:aws:ec2:{aws.region}:{aws.account_id}:vpc/{found['VpcId']}",
        "cidrBlock": found["CidrBlock"],
        "default": found.get("IsDefault", False),
        "ownerId": aws.account_id,
        "state": found.get("State", "available"),
        "tags": tag_map(found.get("Tags")),
    }


def _subnet(aws: Aws, given: Props) -> Props:
    ids = {"SubnetIds": [given["id"]]} if given.get("id") else {}
    wanted = _filters(given)
    for ours, theirs in (("vpcId", "vpc-id"), ("availabilityZone", "availability-zone"), ("cidrBlock", "cidr-block")):
        if given.get(ours):
            wanted.append({"Name": theirs, "Values": [given[ours]]})
    found = _only("EC2 Subnet", or_gone(lambda: aws.client("ec2").describe_subnets(**ids, Filters=wanted)), "Subnets")
    return {
        "id": found["SubnetId"],
        "arn": f"arn:aws:ec2:{aws.region}:{aws.account_id}:subnet/{found['SubnetId']}",
        "vpcId": found["VpcId"],
        "availabilityZone": found["AvailabilityZone"],
        "availabilityZoneId": found.get("AvailabilityZoneId", ""),
        "cidrBlock": found["CidrBlock"],
        "mapPublicIpOnLaunch": found.get("MapPublicIpOnLaunch", False),
        "ownerId": aws.account_id,
        "state": found.get("State", "available"),
        "tags": tag_map(found.get("Tags")),
    }


def _subnets(aws: Aws, given: Props) -> Props:
    pages = aws.client("ec2").get_paginator("describe_subnets").paginate(Filters=_filters(given))
    return {"id": aws.region, "ids": sorted(subnet["SubnetId"] for page in pages for subnet in page["Subnets"])}


def _filters(given: Props) -> list[dict[str, Any]]:
    named = [{"Name": entry["name"], "Values": entry["values"]} for entry in given.get("filters") or []]
    return named + [{"Name": f"tag:{key}", "Values": [value]} for key, value in (given.get("tags") or {}).items()]


def _only(what: str, answer: Any, key: str) -> Any:
    found = (answer or {}).get(key, [])
    if len(found) != 1:
        few = "no matching" if not found else "multiple"
        message = f"reading {what}: {few} {what}s found"
        raise PluginError(message)
    return found[0]


def _addon_version(aws: Aws, given: Props) -> Props:
    addon, kubernetes = given["addonName"], given["kubernetesVersion"]
    answer = aws.client("eks").describe_addon_versions(addonName=addon, kubernetesVersion=kubernetes)
    versions = [version for entry in answer["addons"] for version in entry["addonVersions"]]
    if not versions:
        message = f"reading EKS Add-On version ({addon}, {kubernetes}): couldn't find resource"
        raise PluginError(message)
    default = next((v for v in versions if any(c["defaultVersion"] for c in v["compatibilities"])), versions[0])
    # EKS lists the newest version first.
    chosen = versions[0] if given.get("mostRecent") else default
    return {"addonName": addon, "kubernetesVersion": kubernetes, "version": chosen["addonVersion"], "id": addon}


INVOKES: Mapping[str, tuple[frozenset[str], Callable[[Aws, Props], Props]]] = {
    "aws:index/getCallerIdentity:getCallerIdentity": (frozenset(), _caller),
    "aws:index/getPartition:getPartition": (frozenset(), _partition),
    "aws:index/getRegion:getRegion": (frozenset(), _region),
    "aws:index/getAvailabilityZones:getAvailabilityZones": (frozenset({"state", "filters", "excludeZoneIds"}), _zones),
    "aws:ec2/getVpc:getVpc": (frozenset({"id", "default", "cidrBlock", "filters", "tags"}), _vpc),
    "aws:ec2/getSubnet:getSubnet": (
        frozenset({"id", "vpcId", "availabilityZone", "cidrBlock", "filters", "tags"}),
        _subnet,
    ),
    "aws:ec2/getSubnets:getSubnets": (frozenset({"filters", "tags"}), _subnets),
    "aws:eks/getAddonVersion:getAddonVersion": (
        frozenset({"addonName", "kubernetesVersion", "mostRecent"}),
        _addon_version,
    ),
    "aws:iam/getRole:getRole": (frozenset({"name"}), _role),
    "aws:ssm/getParameter:getParameter": (frozenset({"name"}), _parameter),
}
"""Token -> the arguments that are known, and the function."""


def invoke(aws: Aws, token: str, arguments: Mapping[str, Any]) -> Props:
    """Answer one call.

    Raises:
        PluginError: For a function or an argument that is not known, or where AWS has no answer.
    """
    if token not in INVOKES:
        message = f"the lab's stand-in for the aws plugin does not know the function {token}"
        raise PluginError(message)
    known, function = INVOKES[token]
    unknown = sorted(name for name, value in arguments.items() if name not in known and value is not None)
    if unknown:
        message = f"the lab's stand-in for the aws plugin does not know the argument {unknown[0]} of {token}"
        raise PluginError(message)
    return function(aws, dict(arguments))
