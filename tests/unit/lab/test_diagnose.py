"""Each thing that can be wrong in a lab is named, with what to do about it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lab import diagnose as diagnosis
from lab.diagnose import findings
from lab.facts import Facts
from lab.state import State

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ROLE = "KarpenterNodeRole-demo"


def pod(*, cluster: str = "demo", queue: str = "demo", **changed: Any) -> dict[str, Any]:
    env = [{"name": "CLUSTER_NAME", "value": cluster}, {"name": "INTERRUPTION_QUEUE", "value": queue}]
    return {
        "metadata": {"name": "karpenter-1", "namespace": "kube-system", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"nodeName": "n", "serviceAccountName": "karpenter", "containers": [{"env": env}]},
        "status": {"containerStatuses": [{"ready": True}]},
        **changed,
    }


def thing(name: str, *conditions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": spec, "status": {"conditions": list(conditions)}}


def facts(**changed: Any) -> Facts:
    healthy: dict[str, Any] = {
        "cluster": "demo",
        "controllers": [pod()],
        "classes": [thing("default", {"type": "Ready", "status": "True"}, role=ROLE)],
        "pools": [thing("default", {"type": "Ready", "status": "True"})],
        "associations": {("kube-system", "karpenter"): "arn:aws:iam::123456789012:role/demo-karpenter"},
        "tagged": {"subnets": 3, "securityGroups": 1},
        "queues": ["demo"],
        "roles": [ROLE, "demo-karpenter"],
        "entries": {f"arn:aws:iam::123456789012:role/{ROLE}": "EC2_LINUX"},
    }
    return Facts(**{**healthy, **changed})


def denial(action: str, time: str = "2026-01-02T03:04:00.000+00:00") -> dict[str, Any]:
    return {"action": action, "resource": "arn:x", "principal": "arn:p", "time": time, "reason": "no"}


CLASS_DENIED = {
    "type": "ValidationSucceeded",
    "status": "False",
    "message": "Controller isn't authorized to call ec2:RunInstances: You are not authorized",
}
WAITING = {
    "ready": False,
    "state": {"waiting": {"reason": "CreateContainerConfigError", "message": "TOKEN: cannot resolve"}},
}
ENDED = {"ready": False, "lastState": {"terminated": {"message": "panic: no region"}}}
BROKEN: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "no cluster": ({"cluster": None}, ("no EKS cluster", "pulumi up")),
    "no association": (
        {"associations": {}},
        ("no pod identity association", "kube-system/karpenter", "demo", "pulumi up --refresh"),
    ),
    "association without its role": ({"roles": [ROLE]}, ("demo-karpenter", "does not exist")),
    "no controller": ({"controllers": []}, ("no pod of the Karpenter Deployment", "chart")),
    "no cluster name": ({"controllers": [pod(cluster="")]}, ("CLUSTER_NAME", "settings.clusterName", "missing")),
    "another cluster name": ({"controllers": [pod(cluster="other")]}, ("other", "demo", "settings.clusterName")),
    "wrong queue": (
        {"controllers": [pod(queue="no-such")]},
        ("no-such", "found: demo", "settings.interruptionQueue"),
    ),
    "no subnet": ({"tagged": {"securityGroups": 1}}, ("no subnet", "karpenter.sh/discovery=demo")),
    "no group": ({"tagged": {"subnets": 1}}, ("no security group", "karpenter.sh/discovery=demo")),
    "two groups": ({"tagged": {"subnets": 1, "securityGroups": 2}}, ("2 security groups", "exactly one")),
    "no node role": ({"classes": [thing("gpu", role="none-such")]}, ("EC2NodeClass gpu", "none-such", "not exist")),
    "no access entry": ({"entries": {}}, (ROLE, "EC2_LINUX", "found: none", "can't join", "pulumi up --refresh")),
    "an access entry of another type": (
        {"entries": {f"arn:aws:iam::123456789012:role/{ROLE}": "STANDARD"}},
        (ROLE, "found: STANDARD"),
    ),
    "denied call": ({"denials": [denial("ec2:CreateFleet")]}, ("ec2:CreateFleet", "arn:x", "arn:p", "policies")),
    "trust refused": ({"denials": [denial("sts:AssumeRole")]}, ("sts:AssumeRole", "trust policy")),
    "denied dry run": ({"classes": [thing("default", CLASS_DENIED, role=ROLE)]}, ("ec2:RunInstances", "policies")),
    "refused instance": ({"refused": {"i-1": "Unauthorized"}}, ("i-1", "did not become a node", "Unauthorized")),
    "crash loop": (
        {"controllers": [pod(status={"containerStatuses": [ENDED]})]},
        ("karpenter-1", "keeps ending", "panic: no region"),
    ),
    "never started": (
        {"controllers": [pod(status={"containerStatuses": [WAITING]})]},
        ("karpenter-1", "could not be started", "TOKEN"),
    ),
    "no node for the controller": (
        {
            "controllers": [
                pod(
                    spec={**pod()["spec"], "nodeName": None},
                    status={"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/2 nodes"}]},
                )
            ]
        },
        ("karpenter-1", "no node", "0/2 nodes"),
    ),
    "a condition of a class": (
        {"classes": [thing("c", {"type": "AMIsReady", "status": "False", "message": "none found"}, role=ROLE)]},
        ("EC2NodeClass c", "AMIsReady is False", "none found"),
    ),
    "a condition of a pool": (
        {"pools": [thing("p", {"type": "NodeClassReady", "status": "False", "reason": "NotFound"})]},
        ("NodePool p", "NodeClassReady is False", "NotFound"),
    ),
    "a claim that was not launched": (
        {"claims": [thing("x", {"type": "Launched", "status": "Unknown", "message": "no capacity"})]},
        ("NodeClaim x", "Launched is Unknown", "no capacity"),
    ),
    "waiting pods": (
        {"pending": {f"default/a-{number}": "no instance type fits" for number in range(5)}},
        ("default/a-0", "and 2 more", "no instance type fits"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named_in_one_line(name: str) -> None:
    changed, texts = BROKEN[name]
    found = list(findings(facts(**changed), NOW))
    assert any(all(text in line for text in texts) for line in found), f"{name} is not named with {texts}: {found}"
    assert all("\n" not in line for line in found), "a finding would be more than a line"


@pytest.mark.parametrize("name", [name for name in BROKEN if name != "denied dry run"])
def test_one_cause_gives_one_finding(name: str) -> None:
    found = list(findings(facts(**BROKEN[name][0]), NOW))
    assert len(found) == 1, f"with {name}, people would read of things that are in order: {found}"


def test_a_healthy_lab_has_no_finding() -> None:
    assert list(findings(facts(), NOW)) == [], "people would search for something that is not there"


def test_the_cause_comes_before_what_follows_from_it() -> None:
    crash = pod(status={"containerStatuses": [ENDED]})
    found = list(findings(facts(associations={}, controllers=[crash]), NOW))
    assert "pod identity" in found[0], "people would begin with the effect"


def test_a_refusal_of_long_ago_is_no_finding() -> None:
    old = denial("ec2:RunInstances", "2026-01-02T02:04:00.000+00:00")
    assert list(findings(facts(denials=[old]), NOW)) == [], "what was mended would be reported for ever"


def test_a_call_that_was_refused_often_is_named_once() -> None:
    assert len(list(findings(facts(denials=[denial("ec2:CreateTags")] * 50), NOW))) == 1


def test_a_queue_is_missing_only_where_one_is_wanted() -> None:
    assert list(findings(facts(controllers=[pod(queue="")], queues=[]), NOW)) == []


def test_a_pod_of_before_the_change_does_not_count() -> None:
    old = pod(queue="old")
    new = pod()
    new["metadata"] = {**new["metadata"], "creationTimestamp": "2026-01-01T00:01:00Z"}
    assert list(findings(facts(controllers=[old, new]), NOW)) == [], "a corrected value would still be reported"


def test_a_claim_on_its_way_is_no_finding() -> None:
    conditions = [{"type": kind, "status": "Unknown"} for kind in ("Launched", "Registered", "Initialized")]
    assert list(findings(facts(claims=[thing("x", *conditions)]), NOW)) == []


def test_a_lab_that_does_not_answer_is_a_finding_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: State) -> Facts:
        message = "refused"
        raise ConnectionRefusedError(message)

    monkeypatch.setattr(diagnosis, "collect", broken)
    state = State("/lab", "http://127.0.0.1:1", "https://127.0.0.1:2", "/k", "us-west-2", "1", {}, "/tools")
    (line,) = diagnosis.diagnose(state)
    assert "does not answer" in line, "the reason for a failed demo would be hidden by a traceback"
    assert "/lab/logs" in line
