"""AMIs that are still to be chosen: one line, with the command that prints them."""

from __future__ import annotations

from typing import Any

import pytest

from settings.draft import Draft
from settings.pins import PLACEHOLDER, image_parameters, release_parameter, with_placeholders
from settings.pools import architectures, have_gpus, requirements_of
from tests.unit.settings.support import AMI, config, errors

ARM = [{"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]
GPU = [
    {"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "Gt", "values": ["0"]},
    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
]
EKS = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023"


def unpinned(**changes: Any) -> dict[str, Any]:
    data = config(**changes)
    data["cluster"]["systemNodes"].pop("releaseVersion")
    for entry in data["nodeClasses"].values():
        entry.pop("amis", None)
    return data


def test_one_line_gives_the_command_for_everything_that_is_missing() -> None:
    assert errors(unpinned(nodePools={"arm": {"requirements": ARM}}), region="eu-central-1") == [
        "karpenter-eks:cluster.systemNodes.releaseVersion, nodeClasses.default.amis: found nothing; AMIs are pinned, "
        "and yours "
        "are still to be chosen; print them with: aws ssm get-parameters --region eu-central-1 --names "
        f"{EKS}/x86_64/standard/recommended/release_version {EKS}/x86_64/standard/recommended/image_id "
        f"{EKS}/arm64/standard/recommended/image_id --query 'Parameters[].[Name,Value]' --output text"
    ]


def test_the_command_is_for_this_kubernetes_version() -> None:
    [line] = errors(unpinned(cluster={"version": "1.35"}))
    assert "/1.35/amazon-linux-2023/" in line
    assert "1.36" not in line


def test_other_mistakes_are_told_beside_it() -> None:
    data = unpinned(nodeClasses={"default": {"diskSize": "huge"}}, cluster={"secretsKey": "no"})
    paths = [line.split(": found")[0] for line in errors(data)]
    assert paths == [
        "karpenter-eks:cluster.secretsKey",
        "karpenter-eks:nodeClasses.default.diskSize",
        "karpenter-eks:cluster.systemNodes.releaseVersion, nodeClasses.default.amis",
    ], "people fix the AMIs first and meet the next mistake in the next run"


def test_nothing_is_missing_when_everything_is_pinned() -> None:
    assert errors(config()) == []
    assert errors(config(nodeClasses={"x": {"amiFamily": "AL2023", "amiSelectorTerms": [{"id": AMI}]}})) == []


def test_a_family_without_public_parameters_has_no_command() -> None:
    custom = {"custom": {"amiFamily": "Custom", "userData": "#!/bin/bash\n"}}
    told = errors(config(nodeClasses=custom))
    assert told, "a class without an AMI passes"
    assert not [line for line in told if "aws ssm" in line]


@pytest.mark.parametrize(
    ("family", "gpu", "names"),
    [
        (None, False, [f"{EKS}/x86_64/standard/recommended/image_id", f"{EKS}/arm64/standard/recommended/image_id"]),
        ("AL2023", True, [f"{EKS}/x86_64/nvidia/recommended/image_id", f"{EKS}/arm64/nvidia/recommended/image_id"]),
        (
            "Bottlerocket",
            False,
            [
                "/aws/service/bottlerocket/aws-k8s-1.36/x86_64/latest/image_id",
                "/aws/service/bottlerocket/aws-k8s-1.36/arm64/latest/image_id",
            ],
        ),
        (
            "Bottlerocket",
            True,
            [
                "/aws/service/bottlerocket/aws-k8s-1.36-nvidia/x86_64/latest/image_id",
                "/aws/service/bottlerocket/aws-k8s-1.36-nvidia/arm64/latest/image_id",
            ],
        ),
        (
            "Windows2022",
            False,
            ["/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.36/image_id"],
        ),
        ("Custom", False, []),
    ],
)
def test_each_family_has_its_parameters(family: str | None, gpu: bool, names: list[str]) -> None:
    assert image_parameters({"amiFamily": family}, "1.36", ["amd64", "arm64"], gpu=gpu) == names


@pytest.mark.parametrize(
    ("ami_type", "name"),
    [
        ("AL2023_x86_64_STANDARD", f"{EKS}/x86_64/standard/recommended/release_version"),
        ("AL2023_ARM_64_STANDARD", f"{EKS}/arm64/standard/recommended/release_version"),
        ("BOTTLEROCKET_x86_64", "/aws/service/bottlerocket/aws-k8s-1.36/x86_64/latest/image_version"),
        ("BOTTLEROCKET_ARM_64", "/aws/service/bottlerocket/aws-k8s-1.36/arm64/latest/image_version"),
    ],
)
def test_each_ami_type_has_its_release(ami_type: str, name: str) -> None:
    assert release_parameter(ami_type, "1.36") == name


def test_a_class_needs_the_architectures_of_its_pools() -> None:
    pools: dict[str, dict[str, Any]] = {
        "a": {"requirements": ARM},
        "b": {"nodeClass": "other", "requirements": []},
        "c": {"nodeClass": "third", "requirements": [{**ARM[0], "operator": "NotIn"}]},
        "d": {"nodeClass": "fourth", "requirements": "broken"},
    }
    assert architectures("default", pools) == ["arm64"]
    assert architectures("other", pools) == ["amd64", "arm64"], "a pool without the requirement takes either"
    assert architectures("third", pools) == ["amd64"]
    assert architectures("fourth", pools) == ["amd64", "arm64"]
    assert architectures("unused", pools) == ["amd64"]
    assert architectures("default", {"default": {}}) == ["amd64"], "the brief's default"


def test_a_class_for_gpus_only_needs_their_driver() -> None:
    assert have_gpus("default", {"gpu": {"requirements": GPU}})
    assert not have_gpus("default", {"gpu": {"requirements": GPU}, "general": {}}), "ordinary pods get a GPU image"
    assert not have_gpus("default", {})
    assert requirements_of("x", {"requirements": ["broken", ARM[0]]}) == ARM


def test_placeholders_stand_only_where_a_pin_is_missing() -> None:
    draft = Draft(
        {"nodeClasses": {"a": {}, "b": {"amis": {"amd64": AMI}}, "c": {"amiFamily": "Custom"}, "d": "broken"}}
    )
    assert with_placeholders(draft) == {
        "a": {"amis": {"amd64": PLACEHOLDER}},
        "b": {"amis": {"amd64": AMI}},
        "c": {"amiFamily": "Custom"},
    }
