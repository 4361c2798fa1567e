"""Who calls, and whether IAM lets them: ministack's evaluator, asked for one resource at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.emulator.state import Lab


@dataclass(frozen=True)
class Check:
    """One question to IAM.

    Attributes:
        action: such as `ec2:RunInstances`.
        resource: ARN, or `*` for an action without resources.
        request_tags: tags that the call sets on this resource.
        tag_keys: keys that the call sets or removes; the keys of request_tags when empty.
        resource_tags: tags that the resource has already.
        keys: further condition keys, such as `iam:PassedToService`.
    """

    action: str
    resource: str
    request_tags: Mapping[str, str] = field(default_factory=dict)
    tag_keys: tuple[str, ...] = ()
    resource_tags: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Denial:
    """A refused check, in AWS's own words."""

    check: Check
    principal: str
    text: str


def denial_text(principal: str, action: str, resource: str, *, explicit: bool) -> str:
    """The sentence that AWS's services share for a refused call."""
    where = "" if resource == "*" else f" on resource: {resource}"
    why = (
        "with an explicit deny in an identity-based policy"
        if explicit
        else f"because no identity-based policy allows the {action} action"
    )
    return f"User: {principal} is not authorized to perform: {action}{where} {why}"


def first_denial(lab: Lab, access_key: str, region: str, checks: list[Check]) -> Denial | None:
    """Ask every check for the caller of this request; None when all are allowed or root calls."""
    principal = iam_evaluator.resolve_principal(access_key, get_account_id())
    if isinstance(principal, iam_evaluator.AuthError):
        check = checks[0]
        return Denial(check, access_key, principal.message)
    if principal.policies is None:
        return None
    for check in checks:
        result = iam_evaluator.evaluate(_context(principal, check, region), principal.policies, *principal.limits)
        if result.decision != "Allow":
            text = denial_text(principal.arn, check.action, check.resource, explicit=result.decision == "Deny")
            lab.deny(principal.arn, check.action, check.resource, text)
            return Denial(check, principal.arn, text)
    return None


def _context(principal: Any, check: Check, region: str) -> Any:
    keys: dict[str, Any] = {name.lower(): value for name, value in check.keys.items()}
    service = check.action.partition(":")[0]
    for name, value in check.resource_tags.items():
        keys[f"aws:resourcetag/{name}".lower()] = value
        keys[f"{service}:resourcetag/{name}".lower()] = value
    tag_keys = list(check.tag_keys or check.request_tags)
    if not tag_keys:
        # A call without tags has no aws:TagKeys at all, which `Null` conditions can see.
        keys["aws:tagkeys"] = None
    return iam_evaluator.EvalContext(
        principal_arn=principal.arn,
        principal_type=principal.type,
        principal_account=principal.account,
        action=check.action,
        resource_arn=check.resource,
        region=region,
        request_tags=dict(check.request_tags),
        tag_keys=tag_keys,
        service_context=keys,
        principal_keys=principal.keys,
        secure_transport=True,
    )
