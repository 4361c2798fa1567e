"""Manifests of NodePools, EC2NodeClasses, NodeOverlays and CapacityBuffers."""

from typing import Any

import pytest

from components.spec.manifests import (
    capacity_buffer_manifest,
    default_volumes,
    ec2_node_class_manifest,
    family_of,
    node_overlay_manifest,
    node_pool_manifest,
)

AMD, ARM = "ami-0123456789abcdef0", "ami-0fedcba9876543210"
READY = {"pulumi.com/waitFor": "condition=Ready"}


def node_class(**spec: Any) -> dict[str, Any]:
    return ec2_node_class_manifest("x", spec, cluster_name="shop", node_role_name="nodes")


def test_the_default_pool_is_the_walkthroughs_with_a_floor_on_the_generation() -> None:
    assert node_pool_manifest("default", {}) == {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "default", "annotations": READY},
        "spec": {
            "template": {
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
                    "requirements": [
                        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                        {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"]},
                        {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["2"]},
                    ],
                    "expireAfter": "720h",
                }
            },
            "limits": {"cpu": "1000"},
            "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m"},
        },
    }


def test_the_default_class_is_encrypted_pinned_and_closed_to_pods() -> None:
    discovery = [{"tags": {"karpenter.sh/discovery": "shop"}}]
    assert node_class(amis={"arm64": ARM, "amd64": AMD}) == {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "x", "annotations": READY},
        "spec": {
            "amiFamily": "AL2023",
            "amiSelectorTerms": [{"id": AMD}, {"id": ARM}],
            "role": "nodes",
            "subnetSelectorTerms": discovery,
            "securityGroupSelectorTerms": discovery,
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "rootVolume": True,
                    "ebs": {"volumeSize": "50Gi", "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True},
                }
            ],
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpProtocolIPv6": "disabled",
                "httpPutResponseHopLimit": 1,
                "httpTokens": "required",
            },
        },
    }


def test_every_field_of_a_pool_reaches_its_place() -> None:
    taint = {"key": "workload", "value": "x", "effect": "NoSchedule"}
    entry = {
        "nodeClass": "gpu",
        "labels": {"team": "a", "tier": 1},
        "annotations": {"example.com/a": "b"},
        "requirements": [{"key": "a", "operator": "Gt", "values": [2]}],
        "taints": [taint],
        "startupTaints": [taint],
        "expireAfter": "1h",
        "terminationGracePeriod": "2h",
        "limits": {"cpu": 10},
        "weight": 5,
        "disruption": {"consolidateAfter": "5m", "budgets": [{"nodes": 1}]},
    }
    spec = node_pool_manifest("x", entry)["spec"]
    assert spec["template"]["metadata"] == {"labels": {"team": "a", "tier": "1"}, "annotations": {"example.com/a": "b"}}
    assert spec["template"]["spec"] == {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"},
        "requirements": [{"key": "a", "operator": "Gt", "values": ["2"]}],
        "expireAfter": "1h",
        "terminationGracePeriod": "2h",
        "taints": [taint],
        "startupTaints": [taint],
    }
    assert {key: spec[key] for key in ("limits", "weight")} == {"limits": {"cpu": "10"}, "weight": 5}
    assert spec["disruption"]["budgets"] == [{"nodes": "1"}], "the API server takes no number of nodes but as text"
    assert spec["disruption"]["consolidationPolicy"] == "WhenEmptyOrUnderutilized"


def test_a_static_pool_has_no_limits_of_its_own() -> None:
    assert "limits" not in node_pool_manifest("x", {"replicas": 2})["spec"], (
        "the API server refuses cpu on static pools"
    )


def test_an_alias_brings_its_family_and_an_instance_profile_replaces_the_role() -> None:
    spec = node_class(amiSelectorTerms=[{"alias": "bottlerocket@v1.50.0"}], instanceProfile="p")["spec"]
    assert "amiFamily" not in spec
    assert "role" not in spec
    assert [volume["deviceName"] for volume in spec["blockDeviceMappings"]] == ["/dev/xvda", "/dev/xvdb"]


@pytest.mark.parametrize(
    ("family", "devices"),
    [
        ("AL2023", [("/dev/xvda", "80Gi")]),
        ("Bottlerocket", [("/dev/xvda", "4Gi"), ("/dev/xvdb", "80Gi")]),
        ("Windows2022", [("/dev/sda1", "80Gi")]),
        ("Custom", []),
        (None, []),
    ],
)
def test_the_disk_size_lands_on_the_volume_of_images_and_pods(
    family: str | None, devices: list[tuple[str, str]]
) -> None:
    volumes = default_volumes(family, "80Gi")
    assert [(volume["deviceName"], volume["ebs"]["volumeSize"]) for volume in volumes] == devices
    assert all(volume["ebs"]["encrypted"] for volume in volumes), "pods' data would lie on the disk in clear text"


def test_own_settings_replace_the_defaults() -> None:
    spec = node_class(
        amis={"amd64": AMD},
        role="mine",
        diskSize=None,
        blockDeviceMappings=[],
        metadataOptions={"httpPutResponseHopLimit": 2},
        subnetSelectorTerms=[{"id": "subnet-0123456789abcdef0"}],
        tags={"team": "a"},
    )["spec"]
    assert spec["role"] == "mine"
    assert spec["blockDeviceMappings"] == []
    assert spec["metadataOptions"]["httpPutResponseHopLimit"] == 2
    assert spec["metadataOptions"]["httpTokens"] == "required"
    assert spec["subnetSelectorTerms"] == [{"id": "subnet-0123456789abcdef0"}]
    assert spec["tags"] == {"team": "a"}
    assert "diskSize" not in spec
    assert "amis" not in spec


def test_what_makes_no_sense_is_laid_out_as_it_is() -> None:
    pool = node_pool_manifest("x", {"requirements": "a", "disruption": 5, "limits": [1], "labels": "a"})["spec"]
    assert (pool["template"]["spec"]["requirements"], pool["disruption"], pool["limits"]) == ("a", 5, ["1"])
    mixed = node_pool_manifest("x", {"requirements": ["a", {"key": "b"}], "disruption": {"budgets": "a"}})["spec"]
    assert mixed["template"]["spec"]["requirements"] == ["a", {"key": "b"}]
    assert mixed["disruption"]["budgets"] == "a"
    spec = node_class(amis="x", metadataOptions=3, amiSelectorTerms=None)["spec"]
    assert (spec["amiSelectorTerms"], spec["metadataOptions"]) == ([], 3)
    assert family_of({"amiSelectorTerms": ["x", {"alias": 5}, {"alias": "ubuntu@v1"}]}) is None
    assert capacity_buffer_manifest("x", {"spec": 5})["spec"] == 5


def test_overlays_and_buffers() -> None:
    overlay = node_overlay_manifest(
        "x",
        {"requirements": [{"key": "a", "operator": "Gt", "values": [2]}], "price": None, "capacity": {"e.com/x": 1}},
    )
    assert (overlay["apiVersion"], overlay["kind"]) == ("karpenter.sh/v1alpha1", "NodeOverlay")
    assert overlay["spec"] == {
        "requirements": [{"key": "a", "operator": "Gt", "values": ["2"]}],
        "capacity": {"e.com/x": "1"},
    }
    assert node_overlay_manifest("x", {"weight": 1})["spec"] == {"weight": 1}
    buffer = capacity_buffer_manifest("x", {"namespace": "shop", "spec": {"limits": {"cpu": 2}, "replicas": None}})
    assert buffer == {
        "apiVersion": "autoscaling.x-k8s.io/v1beta1",
        "kind": "CapacityBuffer",
        "metadata": {"name": "x", "namespace": "shop"},
        "spec": {"limits": {"cpu": "2"}},
    }
