"""What AWS's IAM enforces and ministack does not: passing roles, lengths, sizes, attachments, managed policies."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from ministack.core.iam_actions import access_denied_response
from ministack.core.responses import new_uuid
from ministack.core.router import extract_access_key_id
from ministack.services import iam

from lab.emulator import access, profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lab.emulator.ec2 import Answer, Handler
    from lab.emulator.state import Lab

ROLE_NAME, POLICY_NAME, PROFILE_NAME = 64, 128, 128
POLICY_CHARACTERS, INLINE_CHARACTERS, TRUST_CHARACTERS = 6144, 10240, 2048
"""Characters without white space. Source: IAM user guide, "IAM and AWS STS quotas"."""

ATTACHED_POLICIES = 10
_NAME_LIMITS = {"RoleName": ROLE_NAME, "PolicyName": POLICY_NAME, "InstanceProfileName": PROFILE_NAME}
_SERVICE_LINKED_ROLES = {
    "spot.amazonaws.com": "AWSServiceRoleForEC2Spot",
    "spotfleet.amazonaws.com": "AWSServiceRoleForEC2SpotFleet",
    "eks.amazonaws.com": "AWSServiceRoleForAmazonEKS",
    "eks-nodegroup.amazonaws.com": "AWSServiceRoleForAmazonEKSNodegroup",
}
_NAMING_ACTIONS = frozenset({"CreateRole", "CreatePolicy", "CreateInstanceProfile", "PutRolePolicy"})


def wrap(lab: Lab, plain: Handler) -> Handler:
    """Put these rules before ministack's IAM."""

    async def handle(method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]) -> Answer:
        asked = {name: values[0] for name, values in {**parse_qs(body.decode("utf-8", "replace")), **query}.items()}
        refused = _pass_role(lab, headers, query, asked) or _limits(asked)
        return refused or await plain(method, path, headers, body, query)

    return handle


def pass_role_denied(lab: Lab, access_key: str, region: str, role_arn: str, service: str) -> access.Denial | None:
    """Whether the caller may hand a role to a service; None when it may."""
    check = access.Check("iam:PassRole", role_arn, keys={"iam:PassedToService": service})
    return access.first_denial(lab, access_key, region, [check])


def _pass_role(
    lab: Lab, headers: Mapping[str, str], query: Mapping[str, Any], asked: Mapping[str, str]
) -> Answer | None:
    if asked.get("Action") != "AddRoleToInstanceProfile":
        return None
    role = profiles.role_named(asked.get("RoleName", ""))
    if role is None:
        return None
    key = extract_access_key_id(headers, query)
    denial = pass_role_denied(lab, key, "us-east-1", role["Arn"], "ec2.amazonaws.com")
    if denial is None:
        return None
    answer: Answer = access_denied_response(
        "iam", "iam:PassRole", denial.principal, new_uuid(), message=denial.text, headers=dict(headers)
    )
    return answer


def _limits(asked: Mapping[str, str]) -> Answer | None:
    action = asked.get("Action", "")
    if action == "CreateServiceLinkedRole":
        return _service_linked_role(asked.get("AWSServiceName", ""))
    if action in _NAMING_ACTIONS:
        for field, limit in _NAME_LIMITS.items():
            value = asked.get(field, "")
            if len(value) > limit:
                member = field[0].lower() + field[1:]
                return _refuse(
                    400,
                    "ValidationError",
                    f"1 validation error detected: Value at '{member}' failed to satisfy constraint: "
                    f"Member must have length less than or equal to {limit}",
                )
    rule = _SIZE_RULES.get(action)
    return rule(asked) if rule else None


def _refuse(status: int, code: str, text: str) -> Answer:
    answer: Answer = iam._error(status, code, text, ns="iam")  # noqa: SLF001
    return answer


def _service_linked_role(service: str) -> Answer | None:
    """AWS's own name for the role; None where ministack may make up one."""
    name = _SERVICE_LINKED_ROLES.get(service)
    if name is None:
        return None
    if name in iam._roles:  # noqa: SLF001
        text = f"Service role name {name} has been taken in this account, please try a different suffix."
        return _refuse(400, "InvalidInput", text)
    answer: Answer = iam._create_service_linked_role({"AWSServiceName": [service]})  # noqa: SLF001
    made = iam._roles.pop(f"AWSServiceRoleFor{service.partition('.')[0].capitalize()}")  # noqa: SLF001
    arn = made["Arn"].rpartition("/")[0] + f"/{name}"
    iam._roles[name] = {**made, "RoleName": name, "Arn": arn}  # noqa: SLF001
    return answer[0], answer[1], answer[2].replace(made["RoleName"].encode(), name.encode())


def _size(document: str) -> int:
    return len(re.sub(r"\s", "", document))


def _managed(asked: Mapping[str, str]) -> Answer | None:
    if _size(asked.get("PolicyDocument", "")) > POLICY_CHARACTERS:
        return _refuse(409, "LimitExceeded", f"Cannot exceed quota for PolicySize: {POLICY_CHARACTERS}")
    return None


def _trust(asked: Mapping[str, str]) -> Answer | None:
    document = asked.get("AssumeRolePolicyDocument") or asked.get("PolicyDocument") or ""
    if _size(document) > TRUST_CHARACTERS:
        return _refuse(409, "LimitExceeded", f"Cannot exceed quota for ACLSizePerRole: {TRUST_CHARACTERS}")
    return None


def _inline(asked: Mapping[str, str]) -> Answer | None:
    role = profiles.role_named(asked.get("RoleName", ""))
    others = (role or {}).get("InlinePolicies") or {}
    total = sum(_size(text) for name, text in others.items() if name != asked.get("PolicyName"))
    if total + _size(asked.get("PolicyDocument", "")) > INLINE_CHARACTERS:
        text = f"Maximum policy size of {INLINE_CHARACTERS} bytes exceeded for role {asked.get('RoleName')}"
        return _refuse(409, "LimitExceeded", text)
    return None


def _attached(asked: Mapping[str, str]) -> Answer | None:
    role = profiles.role_named(asked.get("RoleName", ""))
    attached = (role or {}).get("AttachedPolicies") or []
    if not iam._policy_exists(asked.get("PolicyArn", "")):  # noqa: SLF001
        return _refuse(404, "NoSuchEntity", f"Policy {asked.get('PolicyArn')} does not exist or is not attachable.")
    if asked.get("PolicyArn") not in attached and len(attached) >= ATTACHED_POLICIES:
        return _refuse(409, "LimitExceeded", f"Cannot exceed quota for PoliciesPerRole: {ATTACHED_POLICIES}")
    return None


_SIZE_RULES: dict[str, Callable[[Mapping[str, str]], Answer | None]] = {
    "CreatePolicy": _managed,
    "CreatePolicyVersion": _managed,
    "CreateRole": _trust,
    "UpdateAssumeRolePolicy": _trust,
    "PutRolePolicy": _inline,
    "AttachRolePolicy": _attached,
}

_MANAGED_POLICIES: dict[str, list[str]] = {
    "AmazonEKSClusterPolicy": ["ec2:Describe*", "elasticloadbalancing:*", "autoscaling:Describe*", "kms:DescribeKey"],
    "AmazonEKSVPCResourceController": ["ec2:*NetworkInterface*", "ec2:Describe*"],
    "AmazonEKSWorkerNodePolicy": ["ec2:Describe*", "eks:DescribeCluster", "eks-auth:AssumeRoleForPodIdentity"],
    "AmazonEKSWorkerNodeMinimalPolicy": ["ec2:DescribeInstances", "eks-auth:AssumeRoleForPodIdentity"],
    "AmazonEKS_CNI_Policy": ["ec2:*NetworkInterface*", "ec2:*PrivateIpAddresses", "ec2:Describe*", "ec2:CreateTags"],
    "AmazonEC2ContainerRegistryReadOnly": ["ecr:Get*", "ecr:BatchGet*", "ecr:Describe*", "ecr:List*"],
    "AmazonEC2ContainerRegistryPullOnly": ["ecr:GetAuthorizationToken", "ecr:BatchGetImage", "ecr:GetDownloadUrl*"],
    "AmazonSSMManagedInstanceCore": ["ssm:UpdateInstanceInformation", "ssmmessages:*", "ec2messages:*"],
    "service-role/AmazonEBSCSIDriverPolicy": ["ec2:*Volume*", "ec2:*Snapshot*", "ec2:Describe*", "ec2:CreateTags"],
    "service-role/AmazonEC2ContainerServiceforEC2Role": ["ecs:*", "ecr:Get*"],
    "aws-service-role/AWSEC2SpotServiceRolePolicy": ["ec2:*Instances", "ec2:CreateTags", "iam:PassRole"],
}
"""AWS's own policies that a cluster's roles carry: name -> actions, enough for what runs in the lab."""


def seed_managed_policies() -> None:
    """Make AWS's managed policies attachable, where ministack does not have them already."""
    for name, actions in _MANAGED_POLICIES.items():
        arn = f"arn:aws:iam::aws:policy/{name}"
        if arn not in iam._aws_managed_policies:  # noqa: SLF001
            statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
            document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
            iam._aws_managed_policies[arn] = iam._make_aws_managed_record(name, document)  # noqa: SLF001
