"""Says in plain words what is wrong in a lab, by pure functions over what `lab.facts` collected."""

import re
import urllib.error
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from kubernetes.client import ApiException
from urllib3.exceptions import HTTPError

from lab.facts import DISCOVERY, Facts, collect
from lab.state import State

AGAIN = "`pulumi up --refresh` makes it again"
POLICIES = "compare the controller role's policies with the ones that the stack makes"
RECENT = timedelta(minutes=5)
"""How old a refused call may be and still say something about now."""
PODS_SHOWN = 3


def diagnose(state: State) -> list[str]:
    """What is wrong in a running lab, a line for each finding, each with its remedy.

    Args:
        state: The lab.
    """
    try:
        facts = collect(state)
    except (ApiException, BotoCoreError, ClientError, HTTPError, urllib.error.URLError, OSError) as error:
        told = " ".join(str(error).split())
        return [f"the lab does not answer ({told}): see {state.folder}/logs, then `make lab-down` and `make lab-up`"]
    return list(dict.fromkeys(findings(facts, datetime.now(UTC))))


def findings(facts: Facts, now: datetime) -> Iterator[str]:
    """Judge the facts; the first finding is the likeliest cause of the others.

    Args:
        facts: What was collected.
        now: The time, to tell old refusals from those that matter.
    """
    if facts.cluster is None:
        yield "there is no EKS cluster: run `pulumi up`"
        return
    yield from _identity(facts)
    yield from _environment(facts)
    yield from _queue(facts)
    yield from _discovery(facts)
    yield from _node_roles(facts)
    yield from _denied(facts, now)
    yield from _joining(facts)
    yield from _controller(facts)
    yield from _conditions(facts)
    yield from _pending(facts)


def _identity(facts: Facts) -> Iterator[str]:
    for pod in facts.controllers:
        pair = (pod["metadata"]["namespace"], pod["spec"].get("serviceAccountName", ""))
        role = facts.associations.get(pair)
        if role is None:
            yield (
                f"no pod identity association for the service account {pair[0]}/{pair[1]} on {facts.cluster}: the "
                f"controller has no AWS credentials; {AGAIN}"
            )
            return
        if role.rsplit("/", 1)[-1] not in facts.roles:
            yield (
                f"the pod identity association of {pair[0]}/{pair[1]} names the role {role}, which does not exist; "
                f"{AGAIN}"
            )
            return


def _variables(facts: Facts) -> dict[str, str]:
    """The variables of the newest pod: older ones may still go away after a change."""
    newest = max(facts.controllers, key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")), default=None)
    env = newest["spec"]["containers"][0].get("env", []) if newest else []
    return {entry["name"]: entry.get("value") or "" for entry in env}


def _environment(facts: Facts) -> Iterator[str]:
    if not facts.controllers:
        yield "no pod of the Karpenter Deployment exists: is the chart installed? `pulumi up` installs it"
        return
    name = _variables(facts).get("CLUSTER_NAME", "")
    if not name:
        yield (
            "the controller has no CLUSTER_NAME: the chart's value settings.clusterName is missing; "
            "`pulumi up --refresh` sets it"
        )
    elif name != facts.cluster:
        yield (
            f"the controller's CLUSTER_NAME is {name}, the cluster is {facts.cluster}: the chart's value "
            "settings.clusterName is wrong; `pulumi up --refresh` sets it"
        )


def _queue(facts: Facts) -> Iterator[str]:
    queue = _variables(facts).get("INTERRUPTION_QUEUE", "")
    if queue and queue not in facts.queues:
        found = ", ".join(facts.queues) or "none"
        yield (
            f"the controller reads the queue {queue}, which does not exist (found: {found}): the chart's value "
            "settings.interruptionQueue is wrong, or the queue is gone; `pulumi up --refresh` puts both right"
        )


def _discovery(facts: Facts) -> Iterator[str]:
    tag = f"{DISCOVERY}={facts.cluster}"
    for kind, name in (("subnets", "subnet"), ("securityGroups", "security group")):
        if facts.tagged.get(kind, 0) == 0:
            yield f"no {name} has the tag {tag}, so Karpenter finds none; `pulumi up --refresh` puts it back"
    if facts.tagged.get("securityGroups", 0) > 1:
        yield f"{facts.tagged['securityGroups']} security groups have the tag {tag}: exactly one may; remove the others"


def _node_roles(facts: Facts) -> Iterator[str]:
    for node_class in facts.classes:
        role = node_class["spec"].get("role")
        name = node_class["metadata"]["name"]
        if role is None:
            continue
        if role not in facts.roles:
            yield (
                f"the EC2NodeClass {name} names the role {role}, which does not exist: name one that does, or leave "
                "role out to get the stack's own"
            )
            continue
        entry = next((kind for arn, kind in facts.entries.items() if arn.rsplit("/", 1)[-1] == role), None)
        if entry != "EC2_LINUX":
            yield (
                f"the role {role} of the EC2NodeClass {name} has no access entry of type EC2_LINUX on {facts.cluster} "
                f"(found: {entry or 'none'}): its nodes can't join; {AGAIN}"
            )


def _denied(facts: Facts, now: datetime) -> Iterator[str]:
    seen = set()
    for denial in reversed(facts.denials):
        if denial["action"] in seen or now - datetime.fromisoformat(denial["time"]) > RECENT:
            continue
        seen.add(denial["action"])
        remedy = POLICIES
        if denial["action"] in {"sts:AssumeRole", "sts:TagSession"}:
            remedy = "compare the role's trust policy, conditions included, with the one that the stack makes"
        yield f"AWS refused {denial['action']} on {denial['resource']} to {denial['principal']}: {remedy}"
    for node_class in facts.classes:
        for condition in node_class.get("status", {}).get("conditions", []):
            for action in re.findall(r"(?:not|isn't) authorized to call ([\w-]+:\w+)", condition.get("message", "")):
                if action not in seen:
                    seen.add(action)
                    name = node_class["metadata"]["name"]
                    yield f"the controller's policies do not allow {action} (EC2NodeClass {name}): {POLICIES}"


def _joining(facts: Facts) -> Iterator[str]:
    for instance, why in facts.refused.items():
        yield f"{instance} runs but did not become a node: {why}"


def _controller(facts: Facts) -> Iterator[str]:
    for pod in facts.controllers:
        name = pod["metadata"]["name"]
        if not pod["spec"].get("nodeName"):
            yield f"the controller's pod {name} has no node: {_unscheduled(pod)}"
            continue
        for found in pod.get("status", {}).get("containerStatuses", []):
            ended = found.get("lastState", {}).get("terminated", {}).get("message")
            waiting = found.get("state", {}).get("waiting", {}).get("message")
            if found["ready"] or not (ended or waiting):
                continue
            what = "keeps ending; its last words" if ended else "could not be started"
            yield f"the controller's pod {name} {what}: {ended or waiting}"


def _unscheduled(pod: dict[str, Any]) -> str:
    for condition in pod.get("status", {}).get("conditions", []):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return str(condition.get("message") or condition.get("reason"))
    return "does the scheduler run? see its log"


def _conditions(facts: Facts) -> Iterator[str]:
    for kind, objects in (("EC2NodeClass", facts.classes), ("NodePool", facts.pools)):
        for name, condition in _each_condition(objects):
            # Ready only sums up the others.
            if condition["status"] == "False" and condition["type"] != "Ready":
                words = condition.get("message") or condition.get("reason", "")
                yield f"{kind} {name}: {condition['type']} is False: {words}"
    for name, condition in _each_condition(facts.claims):
        # The others are not True for a while in every NodeClaim's life.
        if condition["type"] == "Launched" and condition["status"] != "True" and condition.get("message"):
            yield f"NodeClaim {name}: Launched is {condition['status']}: {condition['message']}"


def _each_condition(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in objects:
        for condition in item.get("status", {}).get("conditions", []):
            yield item["metadata"]["name"], condition


def _pending(facts: Facts) -> Iterator[str]:
    """Pods with the same trouble are named together."""
    same: dict[str, list[str]] = {}
    for pod, words in facts.pending.items():
        same.setdefault(words, []).append(pod)
    for words, pods in same.items():
        more = f" and {len(pods) - PODS_SHOWN} more" if len(pods) > PODS_SHOWN else ""
        yield f"waiting for a node: {', '.join(sorted(pods)[:PODS_SHOWN])}{more}: {words}"
