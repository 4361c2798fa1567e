"""The lab's own routes under `/_lab/`, in front of the emulated AWS.

All answer JSON; `?region=` chooses another region than the lab's own. A body is JSON in a POST.

- `health`: 200 once everything works.
- `leftovers`: what somebody made, by kind, over all regions.
- `instances`: what a kubelet's stand-in needs, user data and the role's access entry included.
- `denials`: refused calls, oldest first; `denials/clear` forgets them.
- `pod-identity` {clusterName, namespace, serviceAccount, podName, podUid}: EKS Auth's answer.
- `pod-identity/credentials?cluster=NAME` with a pod's token as Authorization: the Pod Identity Agent's answer, which
  an SDK reads from AWS_CONTAINER_CREDENTIALS_FULL_URI and renews by itself.
- `token-review?cluster=NAME`: Kubernetes' webhook token authenticator.
- `events/NAME` {instanceId}: a service event on the bus; NAME is spot-interruption, rebalance-recommendation,
  capacity-reservation-interruption or scheduled-change.
- `images/publish` {release}, `images/withdraw` {imageId}, `images/deprecate` {imageId, deprecationTime}.
- `shortages` {shortages: [{instanceType, zone, capacityType}]}: what has no capacity; a field left out means any.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from ministack.core.responses import request_scope

from lab.emulator import image_store, images, inventory, pod_identity, token_review

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lab.emulator.instance_events import InstanceEvents
    from lab.emulator.state import Lab

    Asgi = Callable[[Any, Any, Any], Awaitable[None]]
    Reply = tuple[int, Any]


class Routes:
    """ASGI application: `/_lab/...` here, everything else to ministack.

    Args:
        lab: the running emulator.
        events: puts notices about instances onto the bus.
        inner: ministack's application.
    """

    def __init__(self, lab: Lab, events: InstanceEvents, inner: Asgi) -> None:
        self._lab, self._events, self._inner = lab, events, inner

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        self._lab.loop = asyncio.get_running_loop()
        if scope["type"] != "http" or not scope["path"].startswith("/_lab/"):
            await self._inner(scope, receive, send)
            return
        body = await _body(receive)
        query = {k: v[0] for k, v in parse_qs(scope.get("query_string", b"").decode()).items()}
        headers = {k.decode().lower(): v.decode() for k, v in scope.get("headers", [])}
        path = scope["path"].removeprefix("/_lab/")
        status, answer = await asyncio.to_thread(self._answer, path, query, headers, body)
        text = json.dumps(answer).encode()
        start = {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]}
        await send(start)
        await send({"type": "http.response.body", "body": text})

    def _answer(self, path: str, query: dict[str, str], headers: dict[str, str], body: bytes) -> Reply:
        region = query.get("region") or self._lab.options.region
        try:
            document = json.loads(body) if body else {}
        except json.JSONDecodeError as error:
            return 400, {"code": "InvalidJson", "message": str(error)}
        if path == "health":
            return 200, {"status": "ok", "region": self._lab.options.region}
        with self._lab.ec2_lock, request_scope(self._lab.options.account_id, region):
            if path.startswith("events/"):
                return self._event(path.removeprefix("events/"), document, region)
            if path.startswith("pod-identity"):
                return self._pod_identity(path, query, headers, document, region)
            return self._simple(path, query, document, region)

    def _simple(self, path: str, query: dict[str, str], document: dict[str, Any], region: str) -> Reply:
        answers: dict[str, Callable[[], Any]] = {
            "leftovers": lambda: inventory.leftovers(self._lab),
            "instances": lambda: inventory.instances(self._lab, region),
            "denials": lambda: list(self._lab.denials),
            "denials/clear": self._clear_denials,
            "token-review": lambda: token_review.review(self._lab, document, query.get("cluster", "")),
            "images/publish": lambda: self._publish(document),
            "images/withdraw": lambda: self._withdraw(document),
            "images/deprecate": lambda: self._deprecate(document),
            "shortages": lambda: self._shortages(document),
        }
        if path not in answers:
            return 404, {"code": "NoRoute", "message": f"/_lab/{path}: there are {', '.join(sorted(answers))}"}
        try:
            return 200, answers[path]()
        except KeyError as error:
            return 400, {"code": "MissingField", "message": f"/_lab/{path}: the body needs {error}"}
        except ValueError as error:
            return 400, {"code": "InvalidField", "message": f"/_lab/{path}: {error}"}

    def _clear_denials(self) -> dict[str, int]:
        count = len(self._lab.denials)
        self._lab.denials.clear()
        return {"cleared": count}

    def _publish(self, document: dict[str, Any]) -> dict[str, Any]:
        """Let a release appear, `YYYYMMDD`; the newer one of the lab's own two when none is named."""
        release = str(document.get("release") or images.NEWER)
        images.date_of(release)
        return {"release": release, "imageIds": image_store.publish(self._lab, release)}

    def _withdraw(self, document: dict[str, Any]) -> dict[str, Any]:
        """Deregister an AMI everywhere, as its owner may."""
        self._lab.withdrawn.add(str(document["imageId"]))
        image_store.settle_everywhere(self._lab)
        return {"withdrawn": sorted(self._lab.withdrawn)}

    def _deprecate(self, document: dict[str, Any]) -> dict[str, Any]:
        """Set the moment from which an AMI is deprecated."""
        self._lab.deprecated[str(document["imageId"])] = str(document["deprecationTime"])
        image_store.settle_everywhere(self._lab)
        return {"deprecated": self._lab.deprecated}

    def _shortages(self, document: dict[str, Any]) -> dict[str, Any]:
        """Replace the list of what has no capacity, or show it."""
        if "shortages" in document:
            self._lab.shortages = {
                (s.get("instanceType", "*"), s.get("zone", "*"), s.get("capacityType", "*"))
                for s in document["shortages"]
            }
        shown = [dict(zip(("instanceType", "zone", "capacityType"), s, strict=True)) for s in self._lab.shortages]
        return {"shortages": shown}

    def _event(self, name: str, document: dict[str, Any], region: str) -> Reply:
        senders = self._events.by_name()
        instance_id = str(document.get("instanceId") or "")
        if name not in senders or not instance_id:
            text = f'POST /_lab/events/<{"|".join(senders)}> with {{"instanceId": "i-..."}}'
            return 400, {"code": "InvalidEvent", "message": text}
        known = {one["instanceId"] for one in inventory.instances(self._lab, region)}
        if instance_id not in known:
            return 404, {"code": "InvalidInstanceID.NotFound", "message": f"no instance {instance_id} in {region}"}
        senders[name](instance_id, region)
        return 200, {"sent": name, "instanceId": instance_id}

    def _pod_identity(
        self, path: str, query: dict[str, str], headers: dict[str, str], document: dict[str, Any], region: str
    ) -> Reply:
        try:
            if path == "pod-identity/credentials":
                pod = pod_identity.claims_of(headers.get("authorization", ""), query.get("cluster", ""))
                return 200, pod_identity.agent_document(pod_identity.assume(self._lab, pod, region))
            return 200, pod_identity.assume(self._lab, document, region)
        except pod_identity.PodIdentityError as error:
            return error.status, {"code": error.code, "message": error.text}


async def _body(receive: Any) -> bytes:
    parts: bytes = b""
    while True:
        message = await receive()
        parts += message.get("body", b"")
        if not message.get("more_body"):
            return parts
