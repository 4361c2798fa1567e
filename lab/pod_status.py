"""What a pod's status says while a real process plays its container."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class Container:
    """How the process of a container is.

    Attributes:
        ready: Whether its readiness probe passes.
        started: When it was started last, or None while it waits to be started again.
        restarts: How often it was started again.
        last_exit: Exit code of its last end, or None.
        last_words: The last line of its log before it ended.
    """

    ready: bool
    started: datetime | None
    restarts: int
    last_exit: int | None
    last_words: str


def now() -> datetime:
    """The time, in whole seconds, as Kubernetes keeps it."""
    return datetime.now(UTC).replace(microsecond=0)


def status(pod: Mapping[str, Any], container: Container, address: str) -> dict[str, Any]:
    """The status to write.

    Args:
        pod: The pod, as the API server gives it in JSON.
        container: How its one container is.
        address: An address of the pod; loopback would be refused in endpoints.
    """
    spec = pod["spec"]["containers"][0]
    old = {found["type"]: found for found in pod["status"].get("conditions", [])}
    wanted = {"Initialized": True, "ContainersReady": container.ready, "Ready": container.ready}
    last = {}
    if container.last_exit is not None:
        ended = {"exitCode": container.last_exit, "reason": "Error", "message": container.last_words}
        last = {"lastState": {"terminated": ended}}
    reason = "CreateContainerConfigError" if container.last_exit is None else "CrashLoopBackOff"
    waiting = {"waiting": {"reason": reason, "message": container.last_words}}
    running = {"running": {"startedAt": text(container.started)}} if container.started else waiting
    return {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": pod["status"].get("startTime") or text(now()),
        "conditions": [_condition(kind, is_true, old.get(kind)) for kind, is_true in wanted.items()],
        "containerStatuses": [
            {
                "name": spec["name"],
                "image": spec["image"],
                "imageID": "",
                "ready": container.ready,
                "started": container.started is not None,
                "restartCount": container.restarts,
                "state": running,
                **last,
            }
        ],
    }


def _condition(kind: str, is_true: bool, old: Mapping[str, Any] | None) -> dict[str, Any]:
    value = "True" if is_true else "False"
    changed = text(now()) if old is None or old["status"] != value else old["lastTransitionTime"]
    return {"type": kind, "status": value, "lastTransitionTime": changed}


def text(moment: datetime | None) -> str | None:
    """A time as Kubernetes writes it."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
