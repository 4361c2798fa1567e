"""System nodes that could not start, or could not hold the controller."""

from __future__ import annotations

from typing import Any

import pytest

from settings.cluster_checks import architecture_of
from tests.unit.settings.support import config, errors

NODES = "karpenter-eks:cluster.systemNodes"


def nodes(**changes: Any) -> list[str]:
    return errors(config(cluster={"systemNodes": changes}))


def test_replicas_need_a_node_each() -> None:
    assert nodes(desiredSize=1) == [
        "karpenter-eks:karpenter.replicas: found 2; must not exceed systemNodes.desiredSize, which is 1: no two "
        "replicas share a "
        "node; write 1, or raise desiredSize"
    ], "the second replica stays pending, and the release times out"
    assert errors(config(cluster={"systemNodes": {"desiredSize": 1}}, karpenter={"replicas": 1})) == []


def test_sizes_are_in_order() -> None:
    assert nodes(minSize=3) == [
        f'{NODES}: found {{"minSize": 3, "desiredSize": 2, "maxSize": 10}}; must have minSize <= desiredSize <= '
        f"maxSize; write "
        "for example {minSize: 1, desiredSize: 2, maxSize: 10}"
    ]


@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("m5.large", "x86_64"),
        ("m7g.large", "ARM_64"),
        ("a1.xlarge", "ARM_64"),
        ("c7gn.16xlarge", "ARM_64"),
        ("im4gn.large", "ARM_64"),
        ("g4dn.xlarge", "x86_64"),
        ("g5g.xlarge", "ARM_64"),
        ("g6.xlarge", "x86_64"),
        ("m7i-flex.large", "x86_64"),
        ("u-6tb1.metal", "x86_64"),
        ("x2iedn.metal", "x86_64"),
        ("m6id.metal", "x86_64"),
        ("m5large", None),
        ("M5.large", None),
    ],
)
def test_the_architecture_of_an_instance_type_is_in_its_name(name: str, architecture: str | None) -> None:
    assert architecture_of(name) == architecture


def test_instance_types_fit_the_ami_type() -> None:
    assert nodes(instanceTypes=["m5.large", "m7g.large"]) == [
        f'{NODES}.instanceTypes[1]: found "m7g.large"; must fit amiType AL2023_x86_64_STANDARD, and this type is '
        f"ARM_64; change "
        "the type, or set amiType to AL2023_ARM_64_STANDARD"
    ], "EKS refuses the node group after the cluster is up"
    assert nodes(instanceTypes=["m7g.large"], amiType="AL2023_ARM_64_STANDARD") == []
    [line] = nodes(instanceTypes=["m5.large"], amiType="BOTTLEROCKET_ARM_64", releaseVersion="1.49.0-713f44ce")
    assert line.endswith("or set amiType to BOTTLEROCKET_x86_64")


def test_an_instance_type_is_checked() -> None:
    assert nodes(instanceTypes=["large"]) == [
        f'{NODES}.instanceTypes[0]: found "large"; must be an EC2 instance type; write for example m5.large'
    ]


def test_a_release_is_for_the_cluster_s_version() -> None:
    assert nodes(releaseVersion="1.35.4-20261101") == [
        f'{NODES}.releaseVersion: found "1.35.4-20261101"; must be a release for Kubernetes 1.36, the version of the '
        f"cluster; "
        "choose a release that begins with 1.36."
    ], "EKS refuses the node group after the cluster is up"


@pytest.mark.parametrize("release", ["latest", "1.36-20261101", "1.36.2", "1.36.2-2026-11-01"])
def test_a_release_is_one_release(release: str) -> None:
    assert nodes(releaseVersion=release) == [
        f'{NODES}.releaseVersion: found "{release}"; must be one release of the EKS-optimized AMI: a Kubernetes '
        f"version of three "
        'numbers and a date; write it as EKS shows it, such as "1.36.2-20261101"'
    ], "nodes change by themselves"


def test_bottlerocket_has_releases_of_its_own() -> None:
    assert nodes(amiType="BOTTLEROCKET_x86_64", releaseVersion="1.49.0-713f44ce") == []
    [line] = nodes(amiType="BOTTLEROCKET_x86_64", releaseVersion="1.36.2-20261101x")
    assert "must be a release of Bottlerocket" in line


@pytest.mark.parametrize("namespace", ["default", "kube-public", "kube-node-lease"])
def test_the_controller_has_a_namespace_of_its_own(namespace: str) -> None:
    [line] = errors(config(karpenter={"namespace": namespace}))
    assert line.startswith(
        f'karpenter-eks:karpenter.namespace: found "{namespace}"; must not be a namespace that every cluster'
    )


def test_a_wrong_version_does_not_make_the_release_wrong() -> None:
    told = errors(config(cluster={"version": "latest"}))
    assert [line.split(": ")[0] for line in told] == ["karpenter-eks:cluster.version"]


@pytest.mark.parametrize(
    ("kubernetes", "karpenter", "path"),
    [
        ("1.29", "1.14.3", "cluster.version"),
        ("1.37", "1.14.3", "cluster.version"),
        ("1.36", "1.13.9", "karpenter.version"),
        ("1.35", "1.9.0", "karpenter.version"),
    ],
)
def test_a_pair_that_does_not_work_is_refused(kubernetes: str, karpenter: str, path: str) -> None:
    data = config(cluster={"version": kubernetes}, karpenter={"version": karpenter})
    data["cluster"]["systemNodes"]["releaseVersion"] = f"{kubernetes}.0-20261101"
    assert [line.split(": found")[0] for line in errors(data)] == [f"karpenter-eks:{path}"], (
        "the controller panics at start"
    )


@pytest.mark.parametrize("kubernetes", ["1.30", "1.33", "1.35", "1.36"])
def test_every_kubernetes_version_of_the_table_goes(kubernetes: str) -> None:
    data = config(cluster={"version": kubernetes})
    data["cluster"]["systemNodes"]["releaseVersion"] = f"{kubernetes}.0-20261101"
    assert errors(data) == []


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"settings": {"interruptionQueue": "arn:aws:sqs:us-west-2:123456789012:q"}},
            'karpenter-eks:karpenter.values.settings.interruptionQueue: found "arn:aws:sqs:us-west-2:123456789012:q"; '
            "must not "
            "be set: the stack sets it (interruptionQueue.enabled); use interruptionQueue.enabled",
        ),
        (
            {"webhook": {"enabled": False}},
            'karpenter-eks:karpenter.values.webhook: found {"enabled": false}; must not be set: the CRDs of 1.14 have '
            "no "
            "webhook; remove it",
        ),
    ],
)
def test_values_that_the_stack_owns_are_refused(values: dict[str, Any], line: str) -> None:
    assert errors(config(karpenter={"values": values})) == [line], (
        "the controller reads another queue than the one we made"
    )


def test_other_values_are_free() -> None:
    assert errors(config(karpenter={"values": {"serviceMonitor": {"enabled": True}}})) == []
