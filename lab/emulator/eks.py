"""The EKS front: our routes first, ministack's for the rest."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ministack.core.router import extract_access_key_id
from ministack.services import eks
from moto.ec2.exceptions import EC2ClientError

from lab.emulator import eks_access, eks_catalogue, eks_clusters, eks_nodegroups, eks_tags
from lab.emulator.eks_request import EksError, Request, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.emulator.ec2 import Answer, Handler
    from lab.emulator.instance_events import InstanceEvents
    from lab.emulator.state import Lab

_NAME = r"([A-Za-z0-9_-]+)"
_CLUSTER = rf"/clusters/{_NAME}"
_ASSOCIATION_TAGS = "/tags/(arn:[^/]*:podidentityassociation/.+)"
_GROUP = rf"{_CLUSTER}/node-groups/{_NAME}"

_ROUTES: list[tuple[str, re.Pattern[str], Callable[..., Answer]]] = [
    (method, re.compile(pattern), function)
    for method, pattern, function in (
        ("POST", "/clusters", eks_clusters.create),
        ("DELETE", _CLUSTER, eks_clusters.delete),
        ("POST", rf"{_CLUSTER}/update-config", eks_clusters.update_config),
        ("POST", rf"{_CLUSTER}/updates", eks_clusters.update_version),
        ("GET", rf"{_CLUSTER}/updates", eks_clusters.list_updates),
        ("GET", rf"{_CLUSTER}/updates/{_NAME}", eks_clusters.describe_update),
        ("POST", rf"{_CLUSTER}/node-groups", eks_nodegroups.create),
        ("DELETE", _GROUP, eks_nodegroups.delete),
        ("POST", rf"{_GROUP}/update-config", eks_nodegroups.update_config),
        ("POST", rf"{_GROUP}/update-version", eks_nodegroups.update_version),
        ("POST", rf"{_CLUSTER}/access-entries", eks_access.create_entry),
        ("POST", rf"{_CLUSTER}/access-entries/(.+?)/access-policies", eks_access.associate_policy),
        ("POST", rf"{_CLUSTER}/pod-identity-associations", eks_access.create_association),
        ("POST", rf"{_CLUSTER}/addons", eks_access.create_addon),
        ("POST", rf"{_CLUSTER}/addons/{_NAME}/update", eks_access.update_addon),
        ("POST", _ASSOCIATION_TAGS, eks_tags.tag_association),
        ("DELETE", _ASSOCIATION_TAGS, eks_tags.untag_association),
        ("GET", _ASSOCIATION_TAGS, eks_tags.list_association),
        ("GET", "/cluster-versions", eks_catalogue.describe_cluster_versions),
        ("GET", "/addons/supported-versions", eks_catalogue.describe_addon_versions),
        ("GET", "/access-policies", eks_catalogue.list_access_policies),
    )
]


def make_handler(lab: Lab, events: InstanceEvents) -> Handler:
    """The coroutine that ministack calls for EKS."""
    # A Docker daemon on the user's machine must not be given a cluster to run.
    eks._get_docker = lambda: None  # noqa: SLF001

    def call(method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]) -> Answer:
        def plain() -> Answer:
            answer: Answer = eks._handle_request_sync(method, path, headers, body, query)  # noqa: SLF001
            return answer

        request = Request(
            lab=lab,
            events=events,
            body=json.loads(body) if body else {},
            query={k: ",".join(v) if isinstance(v, list) else str(v) for k, v in query.items()},
            access_key=extract_access_key_id(headers, query),
            plain=plain,
        )
        try:
            with lab.ec2_lock:
                return _route(request, method, path)
        except EksError as error:
            return refusal(error)
        except EC2ClientError as error:
            return refusal(EksError(400, "InvalidRequestException", f"{error.message} ({error.code})"))

    async def handle(method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]) -> Answer:
        return await asyncio.to_thread(call, method, path, headers, body, query)

    return handle


def _route(request: Request, method: str, path: str) -> Answer:
    for wanted, pattern, function in _ROUTES:
        match = pattern.fullmatch(path) if wanted == method else None
        if match:
            return function(request, *(unquote(part) for part in match.groups()))
    answer = request.plain()
    if path.startswith("/tags/") and method in {"POST", "DELETE"}:
        eks_tags.sync(unquote(path.removeprefix("/tags/")))
    return answer
