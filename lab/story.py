"""What happens in a running lab: pools become ready, pods get nodes, nodes go when the pods are gone."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client, config
from rich.table import Table

from lab.console import step

POLL_SECONDS = 0.5
NODE_POOL_LABEL = "karpenter.sh/nodepool"


class StoryError(Exception):
    """Something that should have happened did not; the text says what was still missing."""


@dataclass(frozen=True)
class NodeRow:
    """One node that Karpenter launched, as people want to see it.

    Attributes:
        name: The node's name.
        pool: Its NodePool.
        instance_type: EC2's name of the type.
        zone: Its availability zone.
        capacity_type: ``on-demand``, ``spot`` or ``reserved``.
        price: US dollars an hour, or None where no price is known.
        pods: How many of the workload's pods run on it.
        seconds: From the first pod's creation to the last pod's start, in seconds.
    """

    name: str
    pool: str
    instance_type: str
    zone: str
    capacity_type: str
    price: float | None
    pods: int
    seconds: float


class Cluster:
    """The lab's cluster, seen with the lab's own rights.

    Args:
        kubeconfig: The lab's kubeconfig.
        aws: Makes a boto3 client of the emulated AWS from a service's name.
    """

    def __init__(self, kubeconfig: Path, aws: Callable[[str], Any]) -> None:
        api = config.new_client_from_config(str(kubeconfig))  # type: ignore[no-untyped-call]  # has no annotations
        self.core = client.CoreV1Api(api)
        self.apps = client.AppsV1Api(api)
        self.custom = client.CustomObjectsApi(api)
        self.aws = aws

    def node_classes(self) -> list[dict[str, Any]]:
        """Every EC2NodeClass."""
        return self._custom("karpenter.k8s.aws", "ec2nodeclasses")

    def node_pools(self) -> list[dict[str, Any]]:
        """Every NodePool."""
        return self._custom("karpenter.sh", "nodepools")

    def node_claims(self) -> list[dict[str, Any]]:
        """Every NodeClaim."""
        return self._custom("karpenter.sh", "nodeclaims")

    def _custom(self, group: str, plural: str) -> list[dict[str, Any]]:
        found: Any = self.custom.list_cluster_custom_object(group, "v1", plural)
        return list(found["items"])

    def pods(self, selector: str, namespace: str = "default") -> list[Any]:
        """The pods of a label selector that are not going away."""
        found: list[Any] = self.core.list_namespaced_pod(namespace, label_selector=selector).items
        return [pod for pod in found if pod.metadata.deletion_timestamp is None]

    def nodes(self) -> list[Any]:
        """The nodes that Karpenter launched."""
        return list(self.core.list_node(label_selector=NODE_POOL_LABEL).items)

    def apply_deployment(self, manifest: Path) -> str:
        """Create a file's Deployment where it is not there yet, and return its name."""
        body = yaml.safe_load(manifest.read_text())
        name = str(body["metadata"]["name"])
        try:
            self.apps.create_namespaced_deployment("default", body)
        except client.ApiException as error:
            if error.status != 409:  # it is there already
                raise
        return name

    def scale(self, deployment: str, replicas: int) -> None:
        """Set a Deployment's number of replicas."""
        self.apps.patch_namespaced_deployment_scale(deployment, "default", {"spec": {"replicas": replicas}})


def wait(what: str, missing: Callable[[], str | None], timeout: float) -> None:
    """Wait until nothing is missing any more.

    Args:
        what: What is waited for, shown while it lasts.
        missing: Says what is missing, or None.
        timeout: Seconds until it gives up.

    Raises:
        StoryError: If something is still missing at the end; the text says what.
    """
    with step(what):
        end = time.monotonic() + timeout
        while (left := missing()) is not None:
            if time.monotonic() > end:
                message = f"{what}: gave up after {timeout:.0f} s; {left}"
                raise StoryError(message)
            time.sleep(POLL_SECONDS)


def unready(kind: str, objects: list[dict[str, Any]]) -> str | None:
    """Name the objects that are not Ready, with the conditions that hold them up.

    Args:
        kind: What to call them, such as ``"NodePool"``.
        objects: The objects as the API server gives them.
    """
    if not objects:
        return f"there is no {kind}"
    found = [text for item in objects if (text := _unready(item)) is not None]
    return f"{kind} {'; '.join(found)}" if found else None


def _unready(item: dict[str, Any]) -> str | None:
    conditions = {c["type"]: c for c in item.get("status", {}).get("conditions", [])}
    if conditions.get("Ready", {}).get("status") == "True":
        return None
    name = item["metadata"]["name"]
    reasons = [
        f"{kind}: {c.get('message') or c.get('reason') or c['status']}"
        for kind, c in conditions.items()
        if c["status"] != "True" and kind != "Ready"
    ]
    return f"{name} is not Ready ({'; '.join(reasons) or 'no condition is set: is the controller running?'})"


def wait_until_ready(cluster: Cluster, timeout: float) -> None:
    """Wait until every EC2NodeClass and every NodePool is Ready."""
    wait(
        "waiting for every EC2NodeClass and NodePool to be Ready",
        lambda: unready("EC2NodeClass", cluster.node_classes()) or unready("NodePool", cluster.node_pools()),
        timeout,
    )


def wait_until_running(cluster: Cluster, name: str, replicas: int, timeout: float) -> None:
    """Wait until so many pods of a Deployment run on nodes that Karpenter launched."""

    def missing() -> str | None:
        nodes = {node.metadata.name for node in cluster.nodes()}
        pods = cluster.pods(f"app={name}")
        running = [p for p in pods if p.status.phase == "Running" and p.spec.node_name in nodes]
        if len(running) == replicas == len(pods):
            return None
        claims = "; ".join(_claim(claim) for claim in cluster.node_claims()) or "no NodeClaim was made"
        return f"{len(running)} of {replicas} {name} pods run on Karpenter's nodes; {claims}"

    wait(f"waiting for {replicas} {name} pods on Karpenter's nodes", missing, timeout)


def _claim(claim: dict[str, Any]) -> str:
    name = claim["metadata"]["name"]
    for condition in claim.get("status", {}).get("conditions", []):
        if condition["status"] != "True" and condition["type"] in {"Launched", "Registered", "Initialized"}:
            return f"NodeClaim {name}: {condition['type']} is {condition['status']}: {condition.get('message', '')}"
    return f"NodeClaim {name} is in order"


def wait_until_gone(cluster: Cluster, timeout: float) -> None:
    """Wait until Karpenter has taken away every node and every NodeClaim."""

    def missing() -> str | None:
        nodes = [node.metadata.name for node in cluster.nodes()]
        claims = [claim["metadata"]["name"] for claim in cluster.node_claims()]
        return f"still there: {', '.join(nodes + claims)}" if nodes or claims else None

    wait("waiting for Karpenter to take the nodes away", missing, timeout)


def node_rows(cluster: Cluster, name: str) -> Iterator[NodeRow]:
    """The nodes under a Deployment's pods, with what they cost and how long their pods waited."""
    pods = cluster.pods(f"app={name}")
    for node in sorted(cluster.nodes(), key=lambda n: str(n.metadata.name)):
        own = [pod for pod in pods if pod.spec.node_name == node.metadata.name]
        if not own:
            continue
        labels = node.metadata.labels
        kind = labels["node.kubernetes.io/instance-type"]
        capacity = labels["karpenter.sh/capacity-type"]
        zone = labels["topology.kubernetes.io/zone"]
        waited = max(_started(pod) for pod in own) - min(pod.metadata.creation_timestamp for pod in own)
        price = price_an_hour(cluster.aws, kind, zone, capacity)
        pool = labels[NODE_POOL_LABEL]
        yield NodeRow(node.metadata.name, pool, kind, zone, capacity, price, len(own), waited.total_seconds())


def _started(pod: Any) -> datetime:
    started: datetime = pod.status.container_statuses[0].state.running.started_at
    return started


def price_an_hour(aws: Callable[[str], Any], kind: str, zone: str, capacity: str) -> float | None:
    """What the emulated AWS asks for an instance type.

    Args:
        aws: Makes a boto3 client from a service's name.
        kind: The instance type.
        zone: The availability zone.
        capacity: ``spot`` asks for the spot price, anything else for the on-demand price.

    Returns:
        US dollars an hour, or None where the emulator has no price.
    """
    if capacity == "spot":
        history = aws("ec2").describe_spot_price_history(
            InstanceTypes=[kind], AvailabilityZone=zone, ProductDescriptions=["Linux/UNIX"], MaxResults=1
        )["SpotPriceHistory"]
        return float(history[0]["SpotPrice"]) if history else None
    wanted = {"instanceType": kind, "regionCode": zone[:-1], "operatingSystem": "Linux", "tenancy": "Shared"}
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    for text in aws("pricing").get_products(ServiceCode="AmazonEC2", Filters=filters)["PriceList"]:
        for term in json.loads(text)["terms"]["OnDemand"].values():
            for dimension in term["priceDimensions"].values():
                return float(dimension["pricePerUnit"]["USD"])
    return None


def table(rows: list[NodeRow]) -> Table:
    """The rows as a table for people."""
    shown = Table(title="Nodes that Karpenter launched")
    for heading in ("node", "pool", "instance type", "zone", "capacity", "USD/hour", "pods", "pending to running"):
        shown.add_column(heading)
    for row in rows:
        price = "unknown" if row.price is None else f"{row.price:.4f}"
        shown.add_row(
            row.name,
            row.pool,
            row.instance_type,
            row.zone,
            row.capacity_type,
            price,
            str(row.pods),
            f"{row.seconds:.0f} s",
        )
    return shown
