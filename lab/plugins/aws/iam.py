"""Roles, policies, and identity providers."""

import hashlib
import json
from typing import Any
from urllib.parse import unquote

from lab.plugins.aws.kind import Aws, Kind, Props, given, or_gone, tag_list, tag_map, until_free

MOST_VERSIONS = 5


def document(value: Any) -> str:
    """A policy document as text, however boto3 gives it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")) if isinstance(value, dict) else unquote(str(value))


def changed_tags(old: Props, new: Props) -> tuple[list[str], dict[str, str]]:
    """Keys to take away and tags to set."""
    before, after = old.get("tagsAll", {}), new.get("tagsAll", {})
    return [key for key in before if key not in after], {k: v for k, v in after.items() if before.get(k) != v}


class Role(Kind):
    """aws.iam.Role."""

    token = "aws:iam/role:Role"
    inputs = frozenset({"name", "path", "assumeRolePolicy", "permissionsBoundary", "description", "maxSessionDuration"})
    replaces = frozenset({"name", "path"})
    defaults = {"path": "/", "maxSessionDuration": 3600}
    autoname = "name"
    taggable = True
    documents = frozenset({"assumeRolePolicy"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("iam").create_role(
            RoleName=new["name"],
            Path=new["path"],
            AssumeRolePolicyDocument=new["assumeRolePolicy"],
            MaxSessionDuration=int(new["maxSessionDuration"]),
            Tags=tag_list(new["tagsAll"]),
            **given(PermissionsBoundary=new.get("permissionsBoundary"), Description=new.get("description")),
        )
        return str(new["name"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("iam").get_role(RoleName=resource_id))
        if answer is None:
            return None
        role = answer["Role"]
        return {
            "arn": role["Arn"],
            "name": role["RoleName"],
            "path": role["Path"],
            "assumeRolePolicy": document(role["AssumeRolePolicyDocument"]),
            "permissionsBoundary": role.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
            "description": role.get("Description"),
            "maxSessionDuration": role.get("MaxSessionDuration", 3600),
            "uniqueId": role["RoleId"],
            "createDate": str(role["CreateDate"]),
            "tagsAll": tag_map(role.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        iam = aws.client("iam")
        if not self.same("assumeRolePolicy", old.get("assumeRolePolicy"), new["assumeRolePolicy"]):
            iam.update_assume_role_policy(RoleName=resource_id, PolicyDocument=new["assumeRolePolicy"])
        iam.update_role(
            RoleName=resource_id,
            Description=new.get("description") or "",
            MaxSessionDuration=int(new["maxSessionDuration"]),
        )
        if old.get("permissionsBoundary") != new.get("permissionsBoundary"):
            if new.get("permissionsBoundary"):
                boundary = new["permissionsBoundary"]
                iam.put_role_permissions_boundary(RoleName=resource_id, PermissionsBoundary=boundary)
            else:
                iam.delete_role_permissions_boundary(RoleName=resource_id)
        gone, set_ = changed_tags(old, new)
        if gone:
            iam.untag_role(RoleName=resource_id, TagKeys=gone)
        if set_:
            iam.tag_role(RoleName=resource_id, Tags=tag_list(set_))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("iam").delete_role(RoleName=resource_id))


class RolePolicy(Kind):
    """aws.iam.RolePolicy."""

    token = "aws:iam/rolePolicy:RolePolicy"
    inputs = frozenset({"name", "role", "policy"})
    replaces = frozenset({"name", "role"})
    autoname = "name"
    documents = frozenset({"policy"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("iam").put_role_policy(RoleName=new["role"], PolicyName=new["name"], PolicyDocument=new["policy"])
        return f"{new['role']}:{new['name']}"

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        role, name = resource_id.split(":", 1)
        answer = or_gone(lambda: aws.client("iam").get_role_policy(RoleName=role, PolicyName=name))
        if answer is None:
            return None
        return {"role": role, "name": name, "policy": document(answer["PolicyDocument"])}

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        self.create(aws, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        role, name = resource_id.split(":", 1)
        until_free(lambda: aws.client("iam").delete_role_policy(RoleName=role, PolicyName=name))


class RolePolicyAttachment(Kind):
    """aws.iam.RolePolicyAttachment."""

    token = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
    inputs = frozenset({"role", "policyArn"})
    replaces = inputs

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("iam").attach_role_policy(RoleName=new["role"], PolicyArn=new["policyArn"])
        return self._id(new["role"], new["policyArn"])

    @staticmethod
    def _id(role: str, policy: str) -> str:
        return f"{role}-{hashlib.sha256(policy.encode()).hexdigest()[:16]}"

    def imported(self, resource_id: str) -> tuple[str, Props]:
        role, policy = resource_id.split("/", 1)
        return self._id(role, policy), {"role": role, "policyArn": policy}

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        pages = or_gone(
            lambda: list(
                aws.client("iam").get_paginator("list_attached_role_policies").paginate(RoleName=known["role"])
            )
        )
        attached = {policy["PolicyArn"] for page in pages or [] for policy in page["AttachedPolicies"]}
        return {key: known[key] for key in self.inputs} if known["policyArn"] in attached else None

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("iam").detach_role_policy(RoleName=known["role"], PolicyArn=known["policyArn"]))


class Policy(Kind):
    """aws.iam.Policy; a change is a new version."""

    token = "aws:iam/policy:Policy"
    inputs = frozenset({"name", "path", "policy", "description"})
    replaces = frozenset({"name", "path", "description"})
    defaults = {"path": "/"}
    autoname = "name"
    taggable = True
    documents = frozenset({"policy"})

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("iam").create_policy(
            PolicyName=new["name"],
            Path=new["path"],
            PolicyDocument=new["policy"],
            Tags=tag_list(new["tagsAll"]),
            **given(Description=new.get("description")),
        )
        return str(made["Policy"]["Arn"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        iam = aws.client("iam")
        answer = or_gone(lambda: iam.get_policy(PolicyArn=resource_id))
        if answer is None:
            return None
        policy = answer["Policy"]
        version = iam.get_policy_version(PolicyArn=resource_id, VersionId=policy["DefaultVersionId"])
        return {
            "arn": policy["Arn"],
            "name": policy["PolicyName"],
            "path": policy["Path"],
            "policy": document(version["PolicyVersion"]["Document"]),
            "description": policy.get("Description") or None,
            "policyId": policy["PolicyId"],
            "attachmentCount": policy.get("AttachmentCount", 0),
            "tagsAll": tag_map(policy.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        iam = aws.client("iam")
        if not self.same("policy", old.get("policy"), new["policy"]):
            versions = iam.list_policy_versions(PolicyArn=resource_id)["Versions"]
            spare = [version["VersionId"] for version in versions if not version["IsDefaultVersion"]]
            if len(versions) >= MOST_VERSIONS:
                iam.delete_policy_version(PolicyArn=resource_id, VersionId=spare[-1])
            iam.create_policy_version(PolicyArn=resource_id, PolicyDocument=new["policy"], SetAsDefault=True)
        gone, set_ = changed_tags(old, new)
        if gone:
            iam.untag_policy(PolicyArn=resource_id, TagKeys=gone)
        if set_:
            iam.tag_policy(PolicyArn=resource_id, Tags=tag_list(set_))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        iam = aws.client("iam")
        versions = or_gone(lambda: iam.list_policy_versions(PolicyArn=resource_id)) or {"Versions": []}
        for version in versions["Versions"]:
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=resource_id, VersionId=version["VersionId"])
        until_free(lambda: iam.delete_policy(PolicyArn=resource_id))
