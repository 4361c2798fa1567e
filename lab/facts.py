"""What a lab's cluster and emulated AWS say of themselves: collected here, judged in `lab.diagnose`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError
from kubernetes import client, config

from lab.emulated_aws import ask, root_client
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
        claims: NodeClaims.
        associations: (namespace, service account) of every pod identity association -> ARN of its role.
        tagged: Kinds of resources (``subnets``, ``securityGroups``) -> how many carry the discovery tag.
        queues: Names of the queues.
        roles: Names of the roles.
        entries: Type of access entry by the ARN of the principal.
        denials: Calls that were refused, the oldest first.
        refused: Why instances that run did not become nodes, by instance id.
        pending: What Karpenter or the scheduler said last of each pod that waits for a node, by its name.
    """

    cluster: str | None = None
    controllers: list[dict[str, Any]] = field(default_factory=list)
    classes: list[dict[str, Any]] = field(default_factory=list)
    pools: list[dict[str, Any]] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    associations: dict[tuple[str, str], str] = field(default_factory=dict)
    tagged: dict[str, int] = field(default_factory=dict)
    queues: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    entries: dict[str, str] = field(default_factory=dict)
    denials: list[dict[str, Any]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    pending: dict[str, str] = field(default_factory=dict)


def collect(state: State) -> Facts:
    """Ask the lab's cluster and its emulated AWS.

    Args:
        state: The lab.
    """

    def aws(service: str) -> Any:
        return root_client(state, service)

    eks, ec2 = aws("eks"), aws("ec2")
    clusters = eks.list_clusters()["clusters"]
    if not clusters:
        return Facts()
    cluster = clusters[0]
    api = config.new_client_from_config(state.admin_kubeconfig)  # type: ignore[no-untyped-call]  # not annotated
    custom: Any = client.CustomObjectsApi(api)
    core: Any = client.CoreV1Api(api)
    pods = core.list_pod_for_all_namespaces(label_selector=CONTROLLER).items
    tag = [{"Name": f"tag:{DISCOVERY}", "Values": [cluster]}]
    principals = eks.list_access_entries(clusterName=cluster)["accessEntries"]
    return Facts(
        cluster=cluster,
        controllers=[api.sanitize_for_serialization(pod) for pod in pods],
        classes=_objects(custom, "karpenter.k8s.aws", "ec2nodeclasses"),
        pools=_objects(custom, "karpenter.sh", "nodepools"),
        claims=_objects(custom, "karpenter.sh", "nodeclaims"),
        associations=_associations(eks, cluster),
        tagged={
            "subnets": len(ec2.describe_subnets(Filters=tag)["Subnets"]),
            "securityGroups": len(ec2.describe_security_groups(Filters=tag)["SecurityGroups"]),
        },
        queues=[url.rsplit("/", 1)[-1] for url in aws("sqs").list_queues().get("QueueUrls", [])],
        roles=[
            role["RoleName"] for page in aws("iam").get_paginator("list_roles").paginate() for role in page["Roles"]
        ],
        entries={arn: _entry_type(eks, cluster, arn) for arn in principals},
        denials=ask(state, "denials"),
        refused=_refused(state, ec2),
        pending=_pending(core),
    )


def _objects(custom: Any, group: str, plural: str) -> list[dict[str, Any]]:
    try:
        return list(custom.list_cluster_custom_object(group, "v1", plural)["items"])
    except client.ApiException:  # its CRD is not there yet
        return []


def _associations(eks: Any, cluster: str) -> dict[tuple[str, str], str]:
    found = {}
    for entry in eks.list_pod_identity_associations(clusterName=cluster)["associations"]:
        try:
            whole = eks.describe_pod_identity_association(clusterName=cluster, associationId=entry["associationId"])
        except ClientError:  # it went meanwhile
            continue
        found[(entry["namespace"], entry["serviceAccount"])] = str(whole["association"]["roleArn"])
    return found


def _entry_type(eks: Any, cluster: str, arn: str) -> str:
    try:
        return str(eks.describe_access_entry(clusterName=cluster, principalArn=arn)["accessEntry"]["type"])
    except ClientError:  # it went meanwhile
        return ""


def _refused(state: State, ec2: Any) -> dict[str, str]:
    """Refused instances that still run; the others have got their answer."""
    file = Path(state.folder) / "refused-nodes.json"
    found: Mapping[str, str] = json.loads(file.read_text()) if file.exists() else {}
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    alive = {i["InstanceId"] for r in ec2.describe_instances(Filters=running)["Reservations"] for i in r["Instances"]}
    return {instance: why for instance, why in found.items() if instance in alive}


def _told_at(event: Any) -> datetime:
    found: datetime = event.last_timestamp or event.event_time or event.metadata.creation_timestamp
    return found


def _pending(core: Any) -> dict[str, str]:
    """Karpenter's own word on a pod says more than the scheduler's, which sees the nodes of now only."""
    waiting = core.list_pod_for_all_namespaces(field_selector="status.phase=Pending").items
    names = {pod.metadata.uid: f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in waiting}
    found: dict[str, str] = {}
    told_by: dict[str, str] = {}
    events = core.list_event_for_all_namespaces(field_selector="reason=FailedScheduling").items
    for event in sorted(events, key=_told_at):
        name = names.get(event.involved_object.uid)
        source = event.reporting_component or (event.source.component if event.source else "") or ""
        if name is None or (told_by.get(name) == "karpenter" and source != "karpenter"):
            continue
        found[name], told_by[name] = str(event.message), source
    return found
