"""The four files that ship with the project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from settings.load import examine, line
from settings.read import Raw
from tests.unit.settings.support import AMI

ROOT = Path(__file__).parents[3]
AWS = ("dev", "staging", "prod")


def stack_file(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / f"Pulumi.{name}.yaml").read_text())["config"]
    return content


def raw(name: str) -> Raw:
    content = stack_file(name)
    data = {key.partition(":")[2]: value for key, value in content.items() if key.startswith("karpenter-eks:")}
    return Raw(data, content["aws:region"], None, name)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("dev", ["x86_64/standard/recommended/release_version", "x86_64/standard/recommended/image_id"]),
        (
            "staging",
            [
                "x86_64/standard/recommended/release_version",
                "x86_64/standard/recommended/image_id",
                "arm64/standard/recommended/image_id",
            ],
        ),
        (
            "prod",
            [
                "x86_64/standard/recommended/release_version",
                "x86_64/standard/recommended/image_id",
                "arm64/standard/recommended/image_id",
            ],
        ),
    ],
)
def test_a_file_for_aws_lacks_nothing_but_its_amis(name: str, parameters: list[str]) -> None:
    _, problems = examine(raw(name))
    [told] = [line(problem) for problem in problems if problem.severity == "error"]
    found = re.findall(r"/aws/service/eks/optimized-ami/1\.36/amazon-linux-2023/(\S+)", told)
    assert found == parameters, "people get AMIs for other architectures than their pools ask for"


@pytest.mark.parametrize("name", AWS)
def test_a_file_for_aws_is_complete_once_the_amis_are_in(name: str) -> None:
    found = raw(name)
    found.data["cluster"]["systemNodes"]["releaseVersion"] = "1.36.2-20261101"
    found.data["nodeClasses"]["default"]["amis"] = {"amd64": AMI, "arm64": "ami-0fedcba9876543210"}
    loaded, problems = examine(found)
    assert loaded is not None, [line(problem) for problem in problems]
    assert loaded.settings.environment == name


def test_the_lab_runs_as_it_is() -> None:
    loaded, problems = examine(raw("lab"))
    assert loaded is not None, [line(problem) for problem in problems]
    assert problems == []
    assert loaded.settings.karpenter.chart_repository == "./.lab/charts"


@pytest.mark.parametrize("name", [*AWS, "lab"])
def test_no_resource_falls_back_to_a_default_provider(name: str) -> None:
    assert stack_file(name)["pulumi:disable-default-providers"] == ["*"], (
        "a resource that lost its provider is made in whatever account and cluster the machine points at"
    )


def test_the_files_are_distinct_environments() -> None:
    names = [stack_file(name)["karpenter-eks:cluster"]["name"] for name in (*AWS, "lab")]
    assert len(set(names)) == len(names)


def test_production_is_guarded() -> None:
    found = raw("prod").data
    assert found["network"]["create"]["natGateways"] == "perZone"
    assert found["cluster"]["deletionProtection"] is True
    assert found["cluster"]["systemNodes"]["minSize"] >= 2
