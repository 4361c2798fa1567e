"""A pod of the karpenter Deployment is the real program with what the pod gives it, and nothing else."""

from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from kubernetes import client

from tests.lab.control_plane.hand_made import CLUSTER, World, eventually

pytestmark = pytest.mark.lab
NAMESPACE, ACCOUNT = "karpenter", "controller"
LABELS = {"app.kubernetes.io/name": "karpenter"}
ENV = [
    {"name": "CLUSTER_NAME", "value": CLUSTER},
    {"name": "MEMORY_LIMIT", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "0"}}},
    {"name": "SYSTEM_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
]


@pytest.fixture(scope="module")
def node(world: World) -> Iterator[Any]:
    instance = world.launch(world.node_role("system", entry=True))
    yield eventually("there is no node for the controller", lambda: world.node_of(instance))
    world.end(instance)


@pytest.fixture
def deployment(world: World, node: Any) -> Iterator[str]:
    """A Deployment that looks like the chart's."""
    core, apps = world.core, world.apps
    if NAMESPACE not in {found.metadata.name for found in core.list_namespace().items}:
        core.create_namespace({"metadata": {"name": NAMESPACE}})
        core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": ACCOUNT}})
    container = {
        "name": "controller",
        "image": "karpenter",
        "env": ENV,
        "resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "100Mi"}},
    }
    template = {"metadata": {"labels": LABELS}, "spec": {"serviceAccountName": ACCOUNT, "containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": LABELS}, "template": template}
    apps.create_namespaced_deployment(NAMESPACE, {"metadata": {"name": "karpenter"}, "spec": spec})
    yield "karpenter"
    apps.delete_namespaced_deployment("karpenter", NAMESPACE)
    eventually("pods stay after their Deployment", lambda: not core.list_namespaced_pod(NAMESPACE).items)


def container_of(world: World) -> Any:
    for pod in world.core.list_namespaced_pod(NAMESPACE).items:
        if pod.status.container_statuses and pod.metadata.deletion_timestamp is None:
            return pod.status.container_statuses[0]
    return None


def process_of(world: World) -> psutil.Process | None:
    """The controller's process, once it is itself and not a copy of its parent."""
    parent = psutil.Process(world.lab.state.pids["controller"])
    return next((child for child in parent.children() if child.name() == "karpenter"), None)


def test_without_an_association_the_pod_ends_and_says_why(world: World, deployment: str) -> None:
    def words() -> str:
        found = container_of(world)
        ended = found.last_state.terminated if found and found.last_state else None
        return str(ended.message or "") if ended else ""

    said = eventually("a controller without credentials looks healthy", words)
    assert "credential" in said.lower() or "IMDS" in said, f"the pod does not say what is wrong: {said}"
    found = container_of(world)
    assert not found.ready, "`pulumi up` would end as if all were well"


def test_the_environment_is_the_pods(world: World, deployment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    role = world.role("controller", "pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession")
    made = world.eks.create_pod_identity_association(
        clusterName=CLUSTER, namespace=NAMESPACE, serviceAccount=ACCOUNT, roleArn=role
    )["association"]
    try:

        def with_credentials() -> dict[str, str] | None:
            try:
                process = process_of(world)
                found = process.environ() if process else {}
            except psutil.Error:
                return None
            return found if "AWS_CONTAINER_CREDENTIALS_FULL_URI" in found else None

        found = eventually("the process has no credentials in spite of the association", with_credentials)
    finally:
        world.eks.delete_pod_identity_association(clusterName=CLUSTER, associationId=made["associationId"])
    assert found["CLUSTER_NAME"] == CLUSTER
    assert found["MEMORY_LIMIT"] == str(1024**3)
    assert found["SYSTEM_NAMESPACE"] == NAMESPACE
    assert "INTERRUPTION_QUEUE" not in found, "a missing value of the chart would be filled in by the lab"
    inherited = {"PATH", "HOME", "PYTHONPATH", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} & set(found)
    assert not inherited, f"the process has what no pod has: {inherited}"


def test_the_process_ends_with_its_pod(world: World, deployment: str) -> None:
    process = eventually("the controller does not run", lambda: process_of(world))
    pod = world.core.list_namespaced_pod(NAMESPACE).items[0]
    world.apps.patch_namespaced_deployment_scale("karpenter", NAMESPACE, {"spec": {"replicas": 0}})
    eventually("the pod stays", lambda: not world.core.list_namespaced_pod(NAMESPACE).items)
    eventually("a controller goes on without its pod", lambda: not process.is_running())
    with pytest.raises(client.ApiException):
        world.core.read_namespaced_pod(pod.metadata.name, NAMESPACE)
