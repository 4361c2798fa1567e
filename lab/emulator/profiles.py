"""Instance profiles and roles, as ministack's IAM keeps them, for EC2 and EKS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ministack.services import iam
from moto.ec2.exceptions import EC2ClientError

if TYPE_CHECKING:
    from collections.abc import Mapping


def find_profile(reference: Mapping[str, Any]) -> dict[str, Any] | None:
    """The profile that `{Name}` or `{Arn}` names; None for an empty reference.

    Raises:
        EC2ClientError: no such profile, or one without a role, as RunInstances says it.
    """
    name, arn = reference.get("Name"), reference.get("Arn")
    if not name and not arn:
        return None
    found: dict[str, Any] | None = iam._instance_profiles.get(name or str(arn).rpartition("/")[2])  # noqa: SLF001
    if found is None or (arn and found["Arn"] != arn):
        field, what = ("name", "name") if name else ("arn", "ARN")
        code = "InvalidParameterValue"
        parameter = f"Value ({name or arn}) for parameter iamInstanceProfile.{field} is invalid."
        text = f"{parameter} Invalid IAM Instance Profile {what}"
        raise EC2ClientError(code, text)
    if not found["Roles"]:
        code = "InvalidParameterValue"
        text = f'IAM Instance Profile "{found["Arn"]}" has no associated IAM Roles'
        raise EC2ClientError(code, text)
    return found


def role_named(name: str) -> dict[str, Any] | None:
    """A role of the account by its name."""
    found: dict[str, Any] | None = iam._roles.get(name)  # noqa: SLF001
    return found


def role_by_arn(arn: str) -> dict[str, Any] | None:
    """A role of the account by its whole ARN, path included."""
    found = role_named(arn.rpartition("/")[2])
    return found if found and found["Arn"] == arn else None


def roles_of(profile: Mapping[str, Any] | None) -> list[str]:
    """The ARNs of the roles that an instance with this profile gets."""
    if not profile:
        return []
    roles = (role_named(name) for name in profile["Roles"])
    return [role["Arn"] for role in roles if role]


def role_of_profile_arn(arn: str) -> str:
    """The ARN of the role behind an instance profile's ARN; empty when either is gone."""
    found = iam._instance_profiles.get(arn.rpartition("/")[2])  # noqa: SLF001
    return next(iter(roles_of(found)), "")
