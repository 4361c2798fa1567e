"""Clusters: the real control plane behind them, the security group that EKS makes, updates, protection."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from ministack.services import eks

from lab.emulator import ec2_resources, ec2_rules, eks_catalogue
from lab.emulator.eks_request import (
    EksError,
    Request,
    answer,
    forget_updates,
    invalid,
    random_digits,
    record_update,
    updates_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.emulator.ec2 import Answer
    from lab.emulator.options import Options

_GROUP_DESCRIPTION = (
    "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
    "as well as any managed workloads."
)
_MIN_ZONES = 2
_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
_PLAIN_UPDATES = {
    "upgradePolicy": "UpgradePolicyUpdate",
    "zonalShiftConfig": "ZonalShiftConfigUpdate",
    "accessConfig": "AccessConfigUpdate",
    "deletionProtection": "DeletionProtectionUpdate",
}


def create(request: Request) -> Answer:
    """CreateCluster."""
    body = request.body
    eks_catalogue.check_version(body.get("version") or eks_catalogue.DEFAULT_VERSION)
    request.pass_role(str(body.get("roleArn", "")), "eks.amazonaws.com")
    with request.lab.ec2_lock:
        vpc_id = _vpc_of(request, body.get("resourcesVpcConfig", {}).get("subnetIds", []))
    status, headers, payload = request.plain()
    if status != 200:
        return status, headers, payload
    cluster = request.cluster(body["name"])
    with request.lab.ec2_lock:
        group = _make_group(request, cluster["name"], vpc_id)
        _make_interfaces(request, cluster["name"], body["resourcesVpcConfig"]["subnetIds"], group)
    _complete(cluster, body, request.lab.options, vpc_id, group)
    shown = {k: v for k, v in cluster.items() if not k.startswith("_")}
    return answer({"cluster": {**shown, "status": "CREATING"}})


def delete(request: Request, name: str) -> Answer:
    """DeleteCluster."""
    cluster = request.cluster(name)
    if cluster.get("deletionProtection"):
        text = f"Cluster {name} cannot be deleted because deletion protection is enabled. Disable it first."
        raise EksError(400, "InvalidRequestException", text)
    if any(key.startswith(f"{name}/") for key in eks._nodegroups):  # noqa: SLF001
        raise EksError(409, "ResourceInUseException", "Cluster has nodegroups attached")
    for key in [key for key in eks._addons if key.startswith(f"{name}/")]:  # noqa: SLF001
        eks._addons.pop(key, None)  # noqa: SLF001
    group = cluster["resourcesVpcConfig"].get("clusterSecurityGroupId")
    result = request.plain()
    forget_updates(name)
    with request.lab.ec2_lock:
        for interface in [eni for eni in request.ec2.enis.values() if eni.description == _interface_name(name)]:
            request.ec2.enis.pop(interface.id)
        found = request.ec2.get_security_group_from_id(group)
        # EKS leaves its group behind while instances or load balancers still use it.
        if found is not None and not ec2_rules.group_in_use(request.ec2, found):
            request.ec2.delete_security_group(group_id=group)
    return result


def update_config(request: Request, name: str) -> Answer:
    """UpdateClusterConfig: one kind of change at a time, as EKS wants it."""
    cluster, body = request.cluster(name), request.body
    if body.get("resourcesVpcConfig"):
        cluster["resourcesVpcConfig"].update(body["resourcesVpcConfig"])
        kind = "VpcConfigUpdate" if "subnetIds" in body["resourcesVpcConfig"] else "EndpointAccessUpdate"
        return record_update(name, kind, body["resourcesVpcConfig"])
    if body.get("logging"):
        cluster["logging"] = _logging({**cluster, **body})
        return record_update(name, "LoggingUpdate", body["logging"])
    for field, kind in _PLAIN_UPDATES.items():
        if field in body:
            value = body[field]
            if value == cluster.get(field):
                text = "No changes needed for the cluster"
                raise invalid(text)
            cluster[field] = {**cluster.get(field, {}), **value} if isinstance(value, dict) else value
            return record_update(name, kind, {field: value})
    text = "The type for cluster update was not provided."
    raise invalid(text)


def update_version(request: Request, name: str) -> Answer:
    """UpdateClusterVersion: one minor version up at a time."""
    cluster = request.cluster(name)
    wanted, now = str(request.body.get("version", "")), str(cluster["version"])
    eks_catalogue.check_version(wanted)
    step = int(wanted.split(".")[1]) - int(now.split(".")[1])
    if step != 1:
        text = f"Unsupported Kubernetes minor version update from {now} to {wanted}"
        raise invalid(text)
    cluster["version"] = wanted
    return record_update(name, "VersionUpdate", {"Version": wanted})


def list_updates(request: Request, name: str) -> Answer:
    """ListUpdates."""
    request.cluster(name)
    return answer({"updateIds": list(updates_of(name))})


def describe_update(_request: Request, name: str, update_id: str) -> Answer:
    """DescribeUpdate."""
    found = updates_of(name).get(update_id)
    if found is None:
        raise EksError(404, "ResourceNotFoundException", f"No update found for ID: {update_id}.")
    return answer({"update": {k: v for k, v in found.items() if k != "owner"}})


def _vpc_of(request: Request, subnet_ids: list[str]) -> str:
    subnets = [(subnet_id, ec2_resources.find_subnet(request.ec2, subnet_id)) for subnet_id in subnet_ids]
    missing = [subnet_id for subnet_id, subnet in subnets if subnet is None]
    if missing:
        text = f"The subnet ID '{missing[0]}' does not exist"
        raise invalid(text)
    if len({subnet.availability_zone for _, subnet in subnets}) < _MIN_ZONES:
        text = "Subnets specified must be in at least two different AZs"
        raise invalid(text)
    return str(subnets[0][1].vpc_id)


def _make_group(request: Request, name: str, vpc_id: str) -> str:
    group_name = f"eks-cluster-sg-{name}-{random_digits(9)}"
    tags = {"Name": group_name, "aws:eks:cluster-name": name, f"kubernetes.io/cluster/{name}": "owned"}
    group = request.ec2.create_security_group(group_name, _GROUP_DESCRIPTION, vpc_id, tags=tags)
    request.ec2.authorize_security_group_ingress(
        group.id, "-1", "-1", "-1", [], source_groups=[{"GroupId": group.id}], vpc_id=vpc_id
    )
    return str(group.id)


def _interface_name(cluster: str) -> str:
    return f"Amazon EKS {cluster}"


def _make_interfaces(request: Request, name: str, subnet_ids: list[str], group: str) -> None:
    """The control plane's interfaces: as long as they are there, no subnet can be deleted."""
    for subnet_id in subnet_ids[:_MIN_ZONES]:
        interface = request.ec2.create_network_interface(
            request.ec2.get_subnet(subnet_id), None, group_ids=[group], description=_interface_name(name)
        )
        interface.requester_managed, interface.status = True, "in-use"


def _complete(cluster: dict[str, Any], body: Mapping[str, Any], options: Options, vpc_id: str, group: str) -> None:
    cluster["resourcesVpcConfig"].update({"vpcId": vpc_id, "clusterSecurityGroupId": group})
    cluster["version"] = body.get("version") or eks_catalogue.DEFAULT_VERSION
    cluster["platformVersion"] = "eks.9"
    cluster["status"] = "ACTIVE"
    cluster["logging"] = _logging(body)
    cluster["accessConfig"] = {
        "authenticationMode": "CONFIG_MAP",
        "bootstrapClusterCreatorAdminPermissions": True,
        **body.get("accessConfig", {}),
    }
    cluster["upgradePolicy"] = {"supportType": "EXTENDED", **body.get("upgradePolicy", {})}
    cluster["deletionProtection"] = bool(body.get("deletionProtection"))
    cluster["zonalShiftConfig"] = {"enabled": False, **body.get("zonalShiftConfig", {})}
    cluster["health"] = {"issues": []}
    if options.kubernetes_endpoint:
        cluster["endpoint"] = options.kubernetes_endpoint
    if options.kubernetes_ca_file:
        cluster["certificateAuthority"] = {
            "data": base64.b64encode(options.kubernetes_ca_file.read_bytes()).decode("ascii")
        }
    elif not cluster["certificateAuthority"].get("data"):
        cluster["certificateAuthority"] = {"data": base64.b64encode(b"no control plane runs").decode("ascii")}
    region = cluster["arn"].split(":")[3]
    oidc_id = cluster["identity"]["oidc"]["issuer"].rpartition("/")[2]
    issuer = options.oidc_issuer or f"https://oidc.eks.{region}.amazonaws.com/id/{oidc_id}"
    cluster["identity"]["oidc"]["issuer"] = issuer


def _logging(body: Mapping[str, Any]) -> dict[str, Any]:
    entries = (body.get("logging") or {}).get("clusterLogging") or []
    on = [kind for entry in entries if entry.get("enabled") for kind in entry.get("types", [])]
    off = [kind for kind in _LOG_TYPES if kind not in on]
    shown = [{"types": on, "enabled": True}] if on else []
    return {"clusterLogging": [*shown, {"types": off, "enabled": False}] if off else shown}
