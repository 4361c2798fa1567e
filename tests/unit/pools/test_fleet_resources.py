"""Pools with presets, overlays and buffers, from the configuration to what the program registers."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest

from components.capacity_buffer import CapacityBuffer
from components.node_overlay import NodeOverlay
from tests.unit.program import AMI_AMD64, AMI_ARM64, Cloud, Run, run, stack_configuration

AMIS = {"amis": {"amd64": AMI_AMD64, "arm64": AMI_ARM64}}
OVERLAY = {"requirements": [{"key": "karpenter.sh/nodepool", "operator": "In", "values": ["gpu"]}], "price": "1.5"}
BUFFER = {"spec": {"scalableRef": {"apiGroup": "apps", "kind": "Deployment", "name": "web"}, "replicas": 2}}


def program(**sections: Any) -> Run:
    changes = {f"karpenter-eks:{key}": value for key, value in sections.items()}
    return run({**stack_configuration("dev"), **changes}, stack="dev")


@pytest.fixture(scope="module")
def fleet() -> Run:
    return program(
        nodeClasses={"default": AMIS, "gpu": {**AMIS, "diskSize": "100Gi"}},
        nodePools={"gpu": {"preset": "gpu"}, "static": {"preset": "static"}},
        nodeOverlays={"discount": OVERLAY},
        capacityBuffers={"web": BUFFER},
    )


def test_a_pool_depends_on_the_class_that_its_preset_names(fleet: Run) -> None:
    pool = fleet.one("kubernetes:karpenter.sh/v1:NodePool", "node-pool-gpu")
    node_class = fleet.one("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "node-class-gpu")
    assert pool.inputs["spec"]["template"]["spec"]["nodeClassRef"]["name"] == "gpu"
    assert node_class.urn in fleet.outlived_by(pool.urn), "the class would go before the pool that launches from it"


def test_overlays_and_buffers_go_before_the_controller(fleet: Run) -> None:
    controller = fleet.one("kubernetes:helm.sh/v3:Release", "karpenter")
    overlay = fleet.one("kubernetes:karpenter.sh/v1alpha1:NodeOverlay", "node-overlay-discount")
    buffer = fleet.one("kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer", "capacity-buffer-web")
    for resource in (overlay, buffer):
        assert controller.urn in fleet.outlived_by(resource.urn), f"{resource.short} outlives its CRD"
    assert overlay.inputs["spec"] == OVERLAY
    assert buffer.inputs["spec"] == BUFFER["spec"]
    assert buffer.inputs["metadata"]["namespace"] == "default"


def test_their_feature_gates_are_set_on_the_chart(fleet: Run) -> None:
    gates = fleet.one("kubernetes:helm.sh/v3:Release", "karpenter").inputs["values"]["settings"]["featureGates"]
    for gate in ("nodeOverlay", "capacityBuffer", "staticCapacity"):
        assert gates[gate] is True, f"Karpenter ignores what needs {gate}"


@pytest.fixture
def engine() -> Iterator[None]:
    """Mocks in the place of the engine, for components that are made by hand."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    pulumi.runtime.set_mocks(Cloud("us-west-2", 2))
    yield
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()


@pytest.mark.usefixtures("engine")
def test_wrong_arguments_are_refused_with_their_paths() -> None:
    buffer: Any = {"buffer_name": "x", "entry": {"spec": {"replicas": 1}}}
    with pytest.raises(pulumi.InputPropertiesError, match=r"capacityBuffers\.x\.spec: .*exactly one of podTemplateRef"):
        CapacityBuffer("x", buffer)
    overlay: Any = {"overlay_name": "x", "spec": {**OVERLAY, "weight": 0}, "node_pools": {"gpu": {}}}
    with pytest.raises(pulumi.InputPropertiesError, match=r"nodeOverlays\.x\.weight"):
        NodeOverlay("x", overlay)


@pytest.mark.usefixtures("engine")
def test_unknown_and_missing_arguments_are_refused() -> None:
    wrong: Any = {"nam": "x"}
    for component in (CapacityBuffer, NodeOverlay):
        with pytest.raises(pulumi.InputPropertiesError, match="must be given"):
            component("x", wrong)
