"""Says in plain words what is wrong in a lab: facts are collected first, then judged by pure functions."""

import json
import re
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import ClientError
from kubernetes import client, config

from lab.state import State

DISCOVERY = "karpenter.sh/discovery"
CONTROLLER = "app.kubernetes.io/name=karpenter"


@dataclass(frozen=True)
class Facts:
    """What a lab's cluster and emulated AWS say.

    Attributes:
        cluster: Name of the EKS cluster, or None where there is none.
        controllers: The controller's pods, as JSON.
        classes: EC2NodeClasses.
        pools: NodePools.
        associations: (namespace, service account) of every pod identity association.
        tagged: Kinds of resources (``subnets``, ``securityGroups``) -> how many carry the discovery tag.
        queues: Names of the queues.
        roles: Names of the roles.
        entries: Type of access entry by the ARN of the principal.
        denials: Calls that were refused lately.
        refused: Why instances did not become nodes, by instance id.
    """

    cluster: str | None = None
    controllers: list[dict[str, Any]] = field(default_factory=list)
    classes: list[dict[str, Any]] = field(default_factory=list)
    pools: list[dict[str, Any]] = field(default_factory=list)
    associations: list[tuple[str, str]] = field(default_factory=list)
    tagged: dict[str, int] = field(default_factory=dict)
    queues: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    entries: dict[str, str] = field(default_factory=dict)
    denials: list[dict[str, Any]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def diagnose(state: State) -> list[str]:
    """What is wrong in a running lab, a line for each finding, each with its remedy.

    Args:
        state: The lab.
    """
    return list(findings(collect(state)))


def findings(facts: Facts) -> Iterator[str]:
    """Judge the facts; the first finding is the likeliest cause of the others."""
    if facts.cluster is None:
        yield "there is no EKS cluster: run `pulumi up`"
        return
    for judge in (
        _identity,
        _environment,
        _queue,
        _discovery,
        _node_roles,
        _denied,
        _joining,
        _controller,
        _conditions,
    ):
        yield from judge(facts)


def _identity(facts: Facts) -> Iterator[str]:
    for pod in facts.controllers:
        pair = (pod["metadata"]["namespace"], pod["spec"].get("serviceAccountName", ""))
        if pair not in facts.associations:
            yield (
                f"no pod identity association for the service account {pair[0]}/{pair[1]} on {facts.cluster}: the "
                "controller has no AWS credentials; `pulumi up --refresh` makes it again"
            )
            return


def _variables(facts: Facts) -> dict[str, str]:
    for pod in facts.controllers:
        return {e["name"]: e.get("value") or "" for e in pod["spec"]["containers"][0].get("env", [])}
    return {}


def _environment(facts: Facts) -> Iterator[str]:
    if not facts.controllers:
        yield "no pod of the Karpenter Deployment exists: is the chart installed?"
        return
    name = _variables(facts).get("CLUSTER_NAME", "")
    if not name:
        yield "the controller has no CLUSTER_NAME: the chart's value settings.clusterName is missing"
    elif name != facts.cluster:
        yield (
            f"the controller's CLUSTER_NAME is {name}, the cluster is {facts.cluster}: the chart's value "
            "settings.clusterName is wrong"
        )


def _queue(facts: Facts) -> Iterator[str]:
    queue = _variables(facts).get("INTERRUPTION_QUEUE", "")
    if queue and queue not in facts.queues:
        found = ", ".join(facts.queues) or "none"
        yield (
            f"the controller reads the queue {queue}, which does not exist (found: {found}): the chart's value "
            "settings.interruptionQueue is wrong"
        )


def _discovery(facts: Facts) -> Iterator[str]:
    tag = f"{DISCOVERY}={facts.cluster}"
    for kind, name in (("subnets", "subnet"), ("securityGroups", "security group")):
        if facts.tagged.get(kind, 0) == 0:
            yield f"no {name} has the tag {tag}, so Karpenter finds none; `pulumi up --refresh` puts it back"
    if facts.tagged.get("securityGroups", 0) > 1:
        yield f"{facts.tagged['securityGroups']} security groups have the tag {tag}: exactly one may"


def _node_roles(facts: Facts) -> Iterator[str]:
    for node_class in facts.classes:
        role = node_class["spec"].get("role")
        name = node_class["metadata"]["name"]
        if role is None:
            continue
        if role not in facts.roles:
            yield f"the EC2NodeClass {name} names the role {role}, which does not exist"
            continue
        entry = next((kind for arn, kind in facts.entries.items() if arn.rsplit("/", 1)[-1] == role), None)
        if entry != "EC2_LINUX":
            yield (
                f"the role {role} of the EC2NodeClass {name} has no access entry of type EC2_LINUX on {facts.cluster} "
                f"(found: {entry or 'none'}): its nodes can't join; `pulumi up --refresh` makes it again"
            )


def _denied(facts: Facts) -> Iterator[str]:
    seen = set()
    for denial in reversed(facts.denials):
        if denial["action"] not in seen:
            seen.add(denial["action"])
            yield f"AWS refused {denial['action']} on {denial['resource']} to {denial['principal']}"
    for node_class in facts.classes:
        for condition in node_class.get("status", {}).get("conditions", []):
            for action in re.findall(r"not authorized to call ([\w-]+:\w+)", condition.get("message", "")):
                if action not in seen:
                    seen.add(action)
                    name = node_class["metadata"]["name"]
                    yield f"the controller's policies do not allow {action} (EC2NodeClass {name})"


def _joining(facts: Facts) -> Iterator[str]:
    for instance, why in facts.refused.items():
        yield f"{instance} runs but did not become a node: {why}"


def _controller(facts: Facts) -> Iterator[str]:
    for pod in facts.controllers:
        for found in pod.get("status", {}).get("containerStatuses", []):
            words = found.get("lastState", {}).get("terminated", {}).get("message")
            if not found["ready"] and words:
                yield f"the controller's pod {pod['metadata']['name']} keeps ending; its last words: {words}"


def _conditions(facts: Facts) -> Iterator[str]:
    for kind, objects in (("EC2NodeClass", facts.classes), ("NodePool", facts.pools)):
        for item in objects:
            for condition in item.get("status", {}).get("conditions", []):
                if condition["status"] == "False" and condition["type"] not in {"Ready", "Drifted"}:
                    name = item["metadata"]["name"]
                    words = condition.get("message") or condition.get("reason", "")
                    yield f"{kind} {name}: {condition['type']} is False: {words}"


def collect(state: State) -> Facts:
    """Ask the lab's cluster and its emulated AWS.

    Args:
        state: The lab.
    """

    def aws(service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=state.aws_endpoint,
            region_name=state.region,
            aws_access_key_id="test",
            aws_secret_access_key="test",  # noqa: S106 (the emulator's root key, known to everybody)
        )

    eks, ec2 = aws("eks"), aws("ec2")
    clusters = eks.list_clusters()["clusters"]
    if not clusters:
        return Facts()
    cluster = clusters[0]
    api = config.new_client_from_config(state.admin_kubeconfig)  # type: ignore[no-untyped-call]  # not annotated
    custom: Any = client.CustomObjectsApi(api)
    pods = client.CoreV1Api(api).list_pod_for_all_namespaces(label_selector=CONTROLLER).items
    tag = [{"Name": f"tag:{DISCOVERY}", "Values": [cluster]}]
    associations = eks.list_pod_identity_associations(clusterName=cluster)["associations"]
    principals = eks.list_access_entries(clusterName=cluster)["accessEntries"]
    return Facts(
        cluster=cluster,
        controllers=[api.sanitize_for_serialization(pod) for pod in pods],
        classes=_objects(custom, "karpenter.k8s.aws", "ec2nodeclasses"),
        pools=_objects(custom, "karpenter.sh", "nodepools"),
        associations=[(found["namespace"], found["serviceAccount"]) for found in associations],
        tagged={
            "subnets": len(ec2.describe_subnets(Filters=tag)["Subnets"]),
            "securityGroups": len(ec2.describe_security_groups(Filters=tag)["SecurityGroups"]),
        },
        queues=[url.rsplit("/", 1)[-1] for url in aws("sqs").list_queues().get("QueueUrls", [])],
        roles=[
            role["RoleName"] for page in aws("iam").get_paginator("list_roles").paginate() for role in page["Roles"]
        ],
        entries={arn: _entry_type(eks, cluster, arn) for arn in principals},
        denials=_denials(state),
        refused=_refused(state, ec2),
    )


def _objects(custom: Any, group: str, plural: str) -> list[dict[str, Any]]:
    try:
        return list(custom.list_cluster_custom_object(group, "v1", plural)["items"])
    except client.ApiException:  # its CRD is not there yet
        return []


def _entry_type(eks: Any, cluster: str, arn: str) -> str:
    try:
        return str(eks.describe_access_entry(clusterName=cluster, principalArn=arn)["accessEntry"]["type"])
    except ClientError:  # it went meanwhile
        return ""


def _denials(state: State) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{state.aws_endpoint}/_lab/denials", timeout=10) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def _refused(state: State, ec2: Any) -> dict[str, str]:
    """Refused instances that still run; the others have got their answer."""
    file = Path(state.folder) / "refused-nodes.json"
    found: Mapping[str, str] = json.loads(file.read_text()) if file.exists() else {}
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    alive = {i["InstanceId"] for r in ec2.describe_instances(Filters=running)["Reservations"] for i in r["Instances"]}
    return {instance: why for instance, why in found.items() if instance in alive}
