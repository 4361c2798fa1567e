"""The hooks in ministack: services it does not know, ARNs and tags it lacks, denials it should remember."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import ministack.app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import iam, tagging

from lab.emulator import ec2_resources

if TYPE_CHECKING:
    from lab.emulator.state import Lab

_ARNS_IN_PATH = ("eks", "arc-zonal-shift")
_ARN = re.compile(r"arn:aws[a-z-]*:[^?]*?(?=/access-policies|$)")
_SCOPE = re.compile(r"Credential=[^/]+/[^/]+/[^/]+/([^/]+)/")
_ADDED_SERVICES = ("pricing", "arc-zonal-shift")
_ZONAL_SHIFT_KEY = "arc-zonal-shift:ResourceIdentifier"


def install(lab: Lab) -> None:
    """Put every hook in place; once, before the server starts."""
    for service in _ADDED_SERVICES:
        iam_actions.SERVICE_TO_IAM_NAMESPACE[service] = service
        iam_actions._BOTOCORE_SERVICE_MAP[service] = [service]  # noqa: SLF001
    _route_added_services()
    _leave_ec2_to_us()
    _complete_arns()
    _complete_tags(lab)
    _remember_denials(lab)
    # The lab's loopback stands for HTTPS: policies that deny plain HTTP must not see it.
    pin = iam_evaluator.pin_request_origin
    ministack.app.pin_request_origin = lambda address, _secure: pin(address, True)


def _route_added_services() -> None:
    plain = ministack.app.detect_service

    def detect(method: str, path: str, headers: dict[str, str], query: dict[str, Any]) -> str:
        scope = _SCOPE.search(headers.get("authorization", ""))
        if scope and scope[1] in _ADDED_SERVICES:
            return scope[1]
        return str(plain(method, path, headers, query))

    ministack.app.detect_service = detect


def _leave_ec2_to_us() -> None:
    plain = iam_actions.extract_iam_action

    def action(service: str, method: str, path: str, *rest: Any) -> str | None:
        # Credentials are still verified; who may do what is asked with EC2's own resources and tags.
        if service == "ec2":
            return None
        found: str | None = plain(service, method, _without_arns(path) if service in _ARNS_IN_PATH else path, *rest)
        return found

    iam_actions.extract_iam_action = action


def _without_arns(path: str) -> str:
    """A path whose ARNs, decoded slashes and all, are one segment again, as the service model's routes want it."""
    return _ARN.sub("arn", path)


def _complete_arns() -> None:
    plain = iam_actions.extract_resource_arn

    def resource(service: str, *rest: Any) -> str:
        _method, path, _headers, _body, query, _region, account = rest
        if service == "iam":
            found = _iam_arn(query, account)
            if found:
                return found
        if service == "arc-zonal-shift":
            return unquote(path.partition("/managedresources/")[2]) or "*"
        arn = str(plain(service, *rest))
        if service == "ssm":
            # Public parameters belong to no account.
            return arn.replace(f":{account}:parameter/aws/service/", "::parameter/aws/service/")
        return arn

    iam_actions.extract_resource_arn = resource


def _iam_arn(query: dict[str, Any], account: str) -> str:
    profile = _first(query, "InstanceProfileName")
    if profile:
        known = iam._instance_profiles.get(profile)  # noqa: SLF001
        path = _first(query, "Path") or "/"
        return str(known["Arn"]) if known else f"arn:aws:iam::{account}:instance-profile{path}{profile}"
    role = _first(query, "RoleName")
    if role:
        known = iam._roles.get(role)  # noqa: SLF001
        path = _first(query, "Path") or "/"
        return str(known["Arn"]) if known else f"arn:aws:iam::{account}:role{path}{role}"
    return ""


def _first(query: dict[str, Any], name: str) -> str:
    value = query.get(name) or ""
    return str(value[0]) if isinstance(value, list) else str(value)


def _complete_tags(lab: Lab) -> None:
    plain = tagging.resource_tags

    def tags(arn: str) -> dict[str, str] | None:
        if ":instance-profile/" in arn:
            profile = iam._instance_profiles.get(arn.rpartition("/")[2])  # noqa: SLF001
            return {tag["Key"]: tag["Value"] for tag in (profile or {}).get("Tags") or []}
        if arn.startswith("arn:aws:ec2:"):
            with lab.ec2_lock:
                return ec2_resources.tags_of_arn(arn, lab.options.account_id)
        found: dict[str, str] | None = plain(arn)
        return found

    tagging.resource_tags = tags


def _remember_denials(lab: Lab) -> None:
    plain = iam_evaluator.enforce

    def enforce(access_key: str, action: str, service: str, region: str, **more: Any) -> Any:
        resource = more.get("resource_arn", "*")
        if service == "arc-zonal-shift":
            keys = {**(more.get("service_context") or {}), _ZONAL_SHIFT_KEY: resource}
            more = {"resource_arn": "*", "service_context": keys}
        refused = plain(access_key, action, service, region, **more)
        if refused is not None and not isinstance(refused, iam_evaluator.AuthError):
            lab.deny(refused.principal_arn, action, resource, refused.reason)
        return refused

    iam_evaluator.enforce = enforce
