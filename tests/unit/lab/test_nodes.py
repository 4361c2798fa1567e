"""The Node that stands for an instance says what a kubelet on it would say."""

from typing import Any

import pytest

from lab.nodes import node, refusal, resources
from lab.user_data import Registration


def instance_type(name: str = "m5.large", **changed: Any) -> dict[str, Any]:
    return {
        "InstanceType": name,
        "VCpuInfo": {"DefaultVCpus": 2},
        "MemoryInfo": {"SizeInMiB": 8192},
        "NetworkInfo": {"MaximumNetworkInterfaces": 3, "Ipv4AddressesPerInterface": 10},
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        **changed,
    }


def instance(**changed: Any) -> dict[str, Any]:
    return {
        "instanceId": "i-1",
        "imageId": "ami-1",
        "instanceType": "m5.large",
        "zone": "us-west-2b",
        "privateDnsName": "ip-10-0-0-4.us-west-2.compute.internal",
        "privateIp": "10.0.0.4",
        "roleArn": "arn:aws:iam::123456789012:role/nodes",
        "clusterName": "demo",
        "accessEntryType": "EC2_LINUX",
        **changed,
    }


KARPENTER = Registration({"karpenter.sh/nodepool": "default", "team": "a"})


def test_a_node_of_karpenter_keeps_pods_away_until_karpenter_has_seen_it() -> None:
    made = node(instance(), instance_type(), KARPENTER)
    assert {"key": "karpenter.sh/unregistered", "effect": "NoExecute"} in made["spec"]["taints"], (
        "pods would start on nodes that Karpenter has not taken over yet"
    )
    assert made["spec"]["providerID"] == "aws:///us-west-2b/i-1", "Karpenter would not find the NodeClaim's node"


def test_the_taint_is_not_there_twice_when_the_user_data_has_it() -> None:
    taint = {"key": "karpenter.sh/unregistered", "effect": "NoExecute"}
    made = node(instance(), instance_type(), Registration(KARPENTER.labels, (taint,)))
    assert made["spec"]["taints"] == [taint], "the API server refuses a node with the same taint twice"


def test_a_node_of_a_node_group_has_its_own_taints_only() -> None:
    taint = {"key": "CriticalAddonsOnly", "value": "true", "effect": "NoSchedule"}
    made = node(instance(), instance_type(), Registration({"a": "b"}, (taint,)))
    assert made["spec"]["taints"] == [taint], "the controller's own nodes would wait for the controller for ever"


def test_labels_say_where_and_what_the_node_is() -> None:
    labels = node(instance(), instance_type(), KARPENTER)["metadata"]["labels"]
    assert labels["team"] == "a", "labels of the NodePool would not reach the node"
    assert labels["topology.kubernetes.io/zone"] == "us-west-2b"
    assert labels["topology.kubernetes.io/region"] == "us-west-2"
    assert labels["kubernetes.io/arch"] == "amd64"


def test_the_architecture_is_that_of_the_type() -> None:
    arm = instance_type("m7g.large", ProcessorInfo={"SupportedArchitectures": ["arm64"]})
    assert node(instance(), arm, KARPENTER)["metadata"]["labels"]["kubernetes.io/arch"] == "arm64"
    old = instance_type("t2.micro", ProcessorInfo={"SupportedArchitectures": ["i386", "x86_64"]})
    assert node(instance(), old, KARPENTER)["metadata"]["labels"]["kubernetes.io/arch"] == "amd64"


def test_pods_are_limited_by_the_addresses_of_the_type() -> None:
    capacity, allocatable = resources(instance_type())
    assert capacity["pods"] == "29", "more pods than an m5.large has addresses for would be packed on it"
    assert allocatable["pods"] == "29"


def test_the_kubelet_keeps_something_for_itself() -> None:
    capacity, allocatable = resources(instance_type())
    assert (capacity["cpu"], allocatable["cpu"]) == ("2", "1930m")
    assert int(allocatable["memory"].removesuffix("Mi")) < int(capacity["memory"].removesuffix("Mi")) < 8192


@pytest.mark.parametrize(
    ("described", "found"),
    [
        ({}, {}),
        ({"GpuInfo": {"Gpus": [{"Manufacturer": "NVIDIA", "Count": 4}]}}, {"nvidia.com/gpu": "4"}),
        ({"GpuInfo": {"Gpus": [{"Manufacturer": "AMD", "Count": 1}]}}, {"amd.com/gpu": "1"}),
        ({"GpuInfo": {"Gpus": [{"Manufacturer": "Xilinx", "Count": 1}]}}, {}),
        (
            {"NeuronInfo": {"NeuronDevices": [{"Count": 6, "CoreInfo": {"Count": 2}}]}},
            {"aws.amazon.com/neuron": "6", "aws.amazon.com/neuroncore": "12"},
        ),
        (
            {
                "NetworkInfo": {
                    "MaximumNetworkInterfaces": 3,
                    "Ipv4AddressesPerInterface": 10,
                    "EfaInfo": {"MaximumEfaInterfaces": 1},
                }
            },
            {"vpc.amazonaws.com/efa": "1"},
        ),
    ],
)
def test_accelerators_are_resources_of_the_node(described: dict[str, Any], found: dict[str, str]) -> None:
    _, allocatable = resources(instance_type(**described))
    extra = {name: value for name, value in allocatable.items() if "/" in name}
    assert extra == found, "pods that ask for the device would never run, or run where there is none"


def test_an_instance_in_order_joins() -> None:
    assert refusal(instance(), instance_type(), "x86_64") is None


def test_an_instance_without_a_role_cannot_join() -> None:
    why = refusal(instance(roleArn=""), instance_type(), "x86_64")
    assert why is not None
    assert "instance profile" in why


@pytest.mark.parametrize("kind", ["", "STANDARD", "EC2_WINDOWS"])
def test_a_role_without_the_right_access_entry_cannot_join(kind: str) -> None:
    why = refusal(instance(accessEntryType=kind), instance_type(), "x86_64")
    assert why is not None, "a missing access entry would be found in AWS only"
    for text in ("Unauthorized", "arn:aws:iam::123456789012:role/nodes", "EC2_LINUX", "demo", kind or "none"):
        assert text in why, f"people would have to search: {why}"


def test_an_ami_of_another_architecture_never_joins() -> None:
    why = refusal(instance(), instance_type(), "arm64")
    assert why is not None, "an arm64 AMI on an x86 type would work in the lab and not in AWS"
    assert "ami-1" in why
    assert "m5.large" in why


def test_an_ami_that_is_gone_does_not_stop_an_instance_that_runs() -> None:
    assert refusal(instance(), instance_type(), None) is None
