"""AMI pins that are still to be chosen, and the command that prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from components.spec.manifests import family_of
from components.spec.problems import ABSENT, Problem
from settings.cluster import SystemNodes
from settings.draft import Draft
from settings.model import Entry
from settings.pools import architectures, have_gpus

EC2_NAMES: Final = {"amd64": "x86_64", "arm64": "arm64"}
"""Kubernetes' names of the architectures, and EC2's."""

PLACEHOLDER: Final = "ami-00000000000000000"
"""Stands for a pin that is still missing, so that everything else in its class gets checked in the same run."""

_WINDOWS: Final = "/aws/service/ami-windows-latest/Windows_Server-{year}-English-Core-EKS_Optimized-{version}/image_id"


def missing_pins(draft: Draft, region: str) -> Problem | None:
    """The one problem that names every missing pin, with the command that prints what to write.

    Args:
        draft: The configuration.
        region: AWS region of the stack.
    """
    version = draft.kubernetes_version
    if version is None:
        return None
    wanted = dict(_wanted(draft, version))
    if not wanted:
        return None
    names = list(dict.fromkeys(name for parameters in wanted.values() for name in parameters))
    command = f"aws ssm get-parameters --region {region} --names {' '.join(names)}"
    return Problem(
        ", ".join(wanted),
        ABSENT,
        "AMIs are pinned, and yours are still to be chosen",
        f"print them with: {command} --query 'Parameters[].[Name,Value]' --output text",
    )


def with_placeholders(draft: Draft) -> dict[str, Entry]:
    """The node classes, each with an AMI, so that the missing ones are told only once."""
    pools = draft.entries("nodePools")
    found = {}
    for name, entry in draft.entries("nodeClasses").items():
        pins = dict.fromkeys(architectures(name, pools), PLACEHOLDER)
        found[name] = {**entry, "amis": pins} if _is_unpinned(entry) and _can_be_looked_up(entry) else entry
    return found


def _is_unpinned(entry: Entry) -> bool:
    return not entry.get("amis") and not entry.get("amiSelectorTerms")


def _can_be_looked_up(entry: Entry) -> bool:
    return bool(image_parameters(entry, "1.36", ["amd64"], gpu=False))


def _wanted(draft: Draft, version: str) -> Iterator[tuple[str, list[str]]]:
    """Paths of missing pins, each with the parameters that hold them."""
    nodes = draft.part(SystemNodes, "cluster", "systemNodes")
    if nodes is not None and nodes.release_version is None:
        yield "cluster.systemNodes.releaseVersion", [release_parameter(nodes.ami_type, version)]
    pools = draft.entries("nodePools")
    for name, entry in draft.entries("nodeClasses").items():
        if _is_unpinned(entry):
            parameters = image_parameters(entry, version, architectures(name, pools), gpu=have_gpus(name, pools))
            if parameters:
                yield f"nodeClasses.{name}.amis", parameters


def release_parameter(ami_type: str, version: str) -> str:
    """SSM parameter with the newest release of a managed node group's AMI.

    Args:
        ami_type: EKS's name of the AMI type, such as `AL2023_x86_64_STANDARD`.
        version: Kubernetes version.
    """
    arch = "arm64" if "ARM_64" in ami_type else "x86_64"
    if ami_type.startswith("BOTTLEROCKET"):
        return f"/aws/service/bottlerocket/aws-k8s-{version}/{arch}/latest/image_version"
    return f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/standard/recommended/release_version"


def image_parameters(entry: Entry, version: str, archs: list[str], *, gpu: bool) -> list[str]:
    """SSM parameters with the newest AMI ids of a node class; none for families that have no such parameter.

    Args:
        entry: The class.
        version: Kubernetes version.
        archs: Architectures, as Kubernetes names them.
        gpu: Whether all its nodes have GPUs of NVIDIA.
    """
    family = family_of(entry)
    if family == "AL2023":
        root, variant = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023", "nvidia" if gpu else "standard"
        return [f"{root}/{EC2_NAMES[arch]}/{variant}/recommended/image_id" for arch in archs]
    if family == "Bottlerocket":
        root = f"/aws/service/bottlerocket/aws-k8s-{version}{'-nvidia' if gpu else ''}"
        return [f"{root}/{EC2_NAMES[arch]}/latest/image_id" for arch in archs]
    if family is not None and family.startswith("Windows"):
        return [_WINDOWS.format(year=family.removeprefix("Windows"), version=version)]
    return []
