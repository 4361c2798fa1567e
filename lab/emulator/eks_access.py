"""Access entries, pod identity associations and add-ons: EKS's own checks and defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ministack.services import eks

from lab.emulator import eks_catalogue, profiles
from lab.emulator.eks_request import EksError, Request, answer, invalid

if TYPE_CHECKING:
    from lab.emulator.ec2 import Answer

NODE_TYPES = ("EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "EC2", "HYBRID_LINUX", "HYPERPOD_LINUX")
_NODE_USER = "system:node:{{EC2PrivateDNSName}}"
_NODE_GROUP = "system:nodes"


def create_entry(request: Request, name: str) -> Answer:
    """CreateAccessEntry."""
    cluster, body = request.cluster(name), request.body
    if cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        modes = "[API, API_AND_CONFIG_MAP]"
        text = f"The cluster's authentication mode must be set to one of {modes} to perform this operation."
        raise EksError(400, "InvalidRequestException", text)
    principal, kind = str(body.get("principalArn", "")), str(body.get("type") or "STANDARD")
    _check_principal(principal)
    groups = body.get("kubernetesGroups") or []
    if kind in NODE_TYPES and (groups or body.get("username")):
        text = f"Access entries of type {kind} take neither a username nor kubernetesGroups"
        raise invalid(text)
    for group in groups:
        if group.startswith("system:"):
            text = f"The kubernetes group name {group} is invalid, it cannot start with system:"
            raise invalid(text)
    status, headers, payload = request.plain()
    if status != 200:
        return status, headers, payload
    entry = find_entry(name, principal)
    if entry is None:
        return status, headers, payload
    _fill(entry, kind)
    return answer({"accessEntry": entry})


def find_entry(cluster: str, principal: str) -> dict[str, Any] | None:
    """The access entry of a principal on a cluster."""
    found: dict[str, Any] | None = eks._access_entries.get(eks._ae_key(cluster, principal))  # noqa: SLF001
    return found


def ensure_node_entry(cluster: str, role_arn: str) -> None:
    """What EKS does by itself for a node group's role."""
    if find_entry(cluster, role_arn) is None:
        entry = eks._build_access_entry(cluster, role_arn, {"type": "EC2_LINUX"})  # noqa: SLF001
        _fill(entry, "EC2_LINUX")
        eks._access_entries[eks._ae_key(cluster, role_arn)] = entry  # noqa: SLF001


def _fill(entry: dict[str, Any], kind: str) -> None:
    if kind in NODE_TYPES:
        entry.update({"username": _NODE_USER, "kubernetesGroups": [_NODE_GROUP]})
        return
    principal = entry["principalArn"]
    if not entry.get("username") and ":role/" in principal:
        account, role = principal.split(":")[4], principal.rpartition("/")[2]
        entry["username"] = f"arn:aws:sts::{account}:assumed-role/{role}/{{{{SessionName}}}}"
    elif not entry.get("username"):
        entry["username"] = principal


def _check_principal(principal: str) -> None:
    if ":role/" in principal and profiles.role_by_arn(principal) is None:
        text = "The specified principalArn is invalid: invalid principal."
        raise invalid(text)


def associate_policy(request: Request, name: str, principal: str) -> Answer:
    """AssociateAccessPolicy; an unknown policy is refused."""
    request.cluster(name)
    policy = str(request.body.get("policyArn", ""))
    if policy.removeprefix(eks_catalogue.ACCESS_POLICY_PREFIX) not in eks_catalogue.ACCESS_POLICIES:
        text = f"The policyArn parameter format is not valid: {policy} for {principal}"
        raise invalid(text)
    return request.plain()


def create_association(request: Request, name: str) -> Answer:
    """CreatePodIdentityAssociation; the role has to be there and the caller has to be allowed to pass it."""
    request.cluster(name)
    role = str(request.body.get("roleArn", ""))
    if role:
        request.pass_role(role, "pods.eks.amazonaws.com")
    return request.plain()


def create_addon(request: Request, name: str) -> Answer:
    """CreateAddon; the default version when none is given."""
    cluster, body = request.cluster(name), request.body
    addon = str(body.get("addonName", ""))
    versions = eks_catalogue.addon_versions(addon, str(cluster["version"]))
    if not versions:
        text = f"Addon {addon} is not supported in {cluster['version']} kubernetes version"
        raise invalid(text)
    _check_addon_version(body.get("addonVersion"), versions)
    status, headers, payload = request.plain()
    if status != 200:
        return status, headers, payload
    record: dict[str, Any] = eks._addons[f"{name}/{addon}"]  # noqa: SLF001
    record["addonVersion"] = body.get("addonVersion") or versions[0]
    for field in ("serviceAccountRoleArn", "configurationValues"):
        if not record.get(field):
            record.pop(field, None)
    return answer({"addon": {**record, "status": "CREATING"}})


def update_addon(request: Request, name: str, addon: str) -> Answer:
    """UpdateAddon; only to a version that exists."""
    cluster = request.cluster(name)
    versions = eks_catalogue.addon_versions(addon, str(cluster["version"]))
    _check_addon_version(request.body.get("addonVersion"), versions)
    return request.plain()


def _check_addon_version(asked: str | None, versions: tuple[str, ...]) -> None:
    if asked and asked not in versions:
        text = "Addon version specified is not supported"
        raise invalid(text)
