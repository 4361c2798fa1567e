"""A pod's status follows its process: Helm's wait and people with kubectl see what a cluster would show."""

from datetime import UTC, datetime
from typing import Any

from lab.pod_status import Container, status

STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def pod(**found: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "controller", "image": "karpenter:1"}]}, "status": found}


def told(container: Container, **found: Any) -> dict[str, Any]:
    return status(pod(**found), container, "10.0.0.4")


def condition(of: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(found for found in of["conditions"] if found["type"] == kind)


def test_a_process_that_does_not_answer_its_probe_is_running_and_not_ready() -> None:
    made = told(Container(ready=False, started=STARTED, restarts=0, last_exit=None, last_words=""))
    assert made["phase"] == "Running"
    assert condition(made, "Ready")["status"] == "False", "`pulumi up` would end before the controller works"
    assert made["containerStatuses"][0]["state"] == {"running": {"startedAt": "2026-01-02T03:04:05Z"}}
    assert "lastState" not in made["containerStatuses"][0]


def test_a_process_that_answers_is_ready() -> None:
    made = told(Container(ready=True, started=STARTED, restarts=0, last_exit=None, last_words=""))
    assert condition(made, "Ready")["status"] == "True"
    assert condition(made, "ContainersReady")["status"] == "True"


def test_a_process_that_ended_says_why() -> None:
    made = told(Container(ready=False, started=None, restarts=3, last_exit=1, last_words="panic: no region"))
    found = made["containerStatuses"][0]
    assert found["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert found["lastState"]["terminated"] == {"exitCode": 1, "reason": "Error", "message": "panic: no region"}, (
        "people would have to search in logs for the cause"
    )
    assert found["restartCount"] == 3


def test_a_pod_that_could_not_be_started_is_not_in_a_crash_loop() -> None:
    made = told(Container(ready=False, started=None, restarts=0, last_exit=None, last_words="TOKEN: cannot resolve"))
    waiting = made["containerStatuses"][0]["state"]["waiting"]
    assert waiting == {"reason": "CreateContainerConfigError", "message": "TOKEN: cannot resolve"}


def test_conditions_change_their_time_only_when_they_change() -> None:
    old = [{"type": "Ready", "status": "True", "lastTransitionTime": "2025-01-01T00:00:00Z"}]
    ready = Container(ready=True, started=STARTED, restarts=0, last_exit=None, last_words="")
    assert condition(told(ready, conditions=old), "Ready")["lastTransitionTime"] == "2025-01-01T00:00:00Z", (
        "a Deployment's minReadySeconds would begin again with every restart of the lab"
    )
