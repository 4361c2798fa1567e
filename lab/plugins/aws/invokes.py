"""The functions that programs call while they run."""

from collections.abc import Callable, Mapping
from typing import Any

from lab.plugins.aws.kind import Aws, PluginError, Props, or_gone


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
    filters = [{"Name": f["name"], "Values": f["values"]} for f in given.get("filters") or []]
    found = aws.client("ec2").describe_availability_zones(Filters=filters)["AvailabilityZones"]
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


INVOKES: Mapping[str, tuple[frozenset[str], Callable[[Aws, Props], Props]]] = {
    "aws:index/getCallerIdentity:getCallerIdentity": (frozenset(), _caller),
    "aws:index/getPartition:getPartition": (frozenset(), _partition),
    "aws:index/getRegion:getRegion": (frozenset(), _region),
    "aws:index/getAvailabilityZones:getAvailabilityZones": (frozenset({"state", "filters", "excludeZoneIds"}), _zones),
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
