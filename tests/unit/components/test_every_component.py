"""What holds for every component alike: parents, outputs, typos, two of them in one stack, unknown inputs."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest

from components.capacity_buffer import CapacityBuffer
from components.cluster import Cluster
from components.controller_role import ControllerRole
from components.flow_logs import FlowLogs
from components.interruption import InterruptionQueue
from components.karpenter import Karpenter
from components.network import Network
from components.node_class import NodeClass
from components.node_overlay import NodeOverlay
from components.node_pool import NodePool
from components.node_role import NodeRole
from components.system_nodes import SystemNodes
from tests.unit.components.support import CLUSTER, REGION, ROLE, refused, run_components

SYSTEM_NODES = {
    "instance_types": ["m5.large"],
    "min_size": 1,
    "desired_size": 2,
    "max_size": 10,
    "ami_type": "AL2023_x86_64_STANDARD",
    "release_version": "1.36.0-20261101",
    "disk_size": 50,
}
SUBNETS = ["subnet-1", "subnet-2"]
ARGUMENTS: Mapping[type[pulumi.ComponentResource], dict[str, Any]] = {
    Network: {
        "cluster_name": CLUSTER,
        "region": REGION,
        "create": {
            "cidr": "10.0.0.0/16",
            "zone_names": ["us-west-2a", "us-west-2b"],
            "nat_gateways": "single",
            "interface_endpoints": ["ecr.api"],
            "flow_log_retention_days": 30,
        },
    },
    FlowLogs: {"vpc_id": "vpc-1", "cluster_name": CLUSTER, "retention_days": 30},
    Cluster: {
        "cluster_name": CLUSTER,
        "version": "1.36",
        "partition": "aws",
        "vpc_id": "vpc-1",
        "private_subnet_ids": SUBNETS,
        "public_access_cidrs": ["203.0.113.0/24"],
        "log_types": ["audit"],
        "secrets_key": True,
        "deletion_protection": True,
        "zonal_shift": False,
        "administrators": ["arn:aws:iam::123456789012:role/team/platform"],
        "system_nodes": SYSTEM_NODES,
        "addons": {"coredns": {"version": "v1.12.0-eksbuild.1", "configuration": {"replicaCount": 2}}},
    },
    SystemNodes: {
        "cluster_name": CLUSTER,
        "ready_cluster_name": CLUSTER,
        "kubernetes_version": "1.36",
        "partition": "aws",
        "subnet_ids": SUBNETS,
        **SYSTEM_NODES,
    },
    NodeRole: {"cluster_name": CLUSTER, "ready_cluster_name": CLUSTER, "partition": "aws"},
    ControllerRole: {
        "cluster_name": CLUSTER,
        "ready_cluster_name": CLUSTER,
        "partition": "aws",
        "region": REGION,
        "account_id": "123456789012",
        "namespace": "kube-system",
        "node_role_arns": [ROLE],
        "queue_arn": "arn:aws:sqs:us-west-2:123456789012:my-cluster",
    },
    InterruptionQueue: {"cluster_name": CLUSTER},
    Karpenter: {
        "version": "1.14.3",
        "chart_repository": "oci://public.ecr.aws/karpenter",
        "namespace": "kube-system",
        "cluster_name": CLUSTER,
        "cluster_endpoint": "https://0123.eks.amazonaws.com",
        "queue_name": CLUSTER,
        "replicas": 2,
        "cpu": "1",
        "memory": "1Gi",
        "log_level": "info",
        "zonal_shift": False,
        "feature_gates": {},
        "timeout_seconds": 300,
    },
    NodeClass: {
        "class_name": "default",
        "cluster_name": CLUSTER,
        "kubernetes_version": "1.36",
        "node_role_name": "KarpenterNodeRole-my-cluster",
        "spec": {"amis": {"amd64": "ami-0a1b2c3d4e5f60001"}},
    },
    NodePool: {"pool_name": "default", "spec": {"nodeClass": "default"}},
    NodeOverlay: {
        "overlay_name": "cheap",
        "spec": {
            "requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}],
            "priceAdjustment": "-10%",
        },
        "node_pools": {},
    },
    CapacityBuffer: {
        "buffer_name": "spare",
        "entry": {"spec": {"scalableRef": {"apiGroup": "apps", "kind": "Deployment", "name": "web"}, "replicas": 1}},
    },
}
COMPONENTS = list(ARGUMENTS)
BY_NAME = pytest.mark.parametrize("component", COMPONENTS, ids=lambda kind: kind.__name__)


def maker(component: type[pulumi.ComponentResource], *names: str, **changes: Any) -> Callable[..., None]:
    def make(opts: pulumi.ResourceOptions) -> None:
        for name in names:
            component(name, {**ARGUMENTS[component], **changes}, opts)  # type: ignore[arg-type]  # each has its own

    return make


@BY_NAME
def test_every_child_has_its_component_above_it(component: type[pulumi.ComponentResource]) -> None:
    run, _ = run_components(maker(component, "x"))
    token = f"karpenter-eks:index:{component.__name__}"
    own = run.one(token)
    inside = [r for r in run.resources if r.urn != own.urn and not r.type.startswith("pulumi:providers:")]
    assert inside, "the component makes nothing"
    for resource in inside:
        assert token in resource.urn, f"{resource.short} is shown outside of its component, and goes without it"
        assert resource.provider, f"{resource.short} goes to a default provider: another account or region"


@BY_NAME
def test_two_of_them_live_in_one_stack(component: type[pulumi.ComponentResource]) -> None:
    run, _ = run_components(maker(component, "one", "two"))
    assert len(set(run.urns)) == len(run.urns), "two resources of one stack would have one identity"


@BY_NAME
def test_unknown_inputs_change_no_name(component: type[pulumi.ComponentResource]) -> None:
    update, _ = run_components(maker(component, "x"))
    preview, _ = run_components(maker(component, "x"), preview=True)
    expected = {urn for urn in update.urns if "pulumi:providers" not in urn}
    found = {urn for urn in preview.urns if "pulumi:providers" not in urn}
    assert found == expected, "the first preview shows other resources than the update makes"


@BY_NAME
def test_a_typo_in_an_argument_is_refused_by_name(component: type[pulumi.ComponentResource]) -> None:
    problems = refused(maker(component, "x", clustername="typo"))
    assert "clustername" in problems, "the argument would be dropped without a word"
    assert "must be an argument of" in problems["clustername"]


@BY_NAME
def test_a_missing_argument_is_named(component: type[pulumi.ComponentResource]) -> None:
    def make(opts: pulumi.ResourceOptions) -> None:
        component("x", {}, opts)  # type: ignore[arg-type]  # that is the mistake

    for path, reason in refused(make).items():
        assert "found nothing" in reason or "must be given" in reason or path == "create", reason


@BY_NAME
def test_outputs_are_registered_under_their_attributes_names(component: type[pulumi.ComponentResource]) -> None:
    made: list[Any] = []

    def make(opts: pulumi.ResourceOptions) -> None:
        made.append(component("x", ARGUMENTS[component], opts))  # type: ignore[arg-type]  # each has its own

    run_components(make)
    documented = {name for name in component.__annotations__ if not name.startswith("_")}
    assert documented, "nobody could use the component's results"
    for name in documented:
        assert isinstance(getattr(made[0], name), pulumi.Output), f"{name} is documented and not there"
