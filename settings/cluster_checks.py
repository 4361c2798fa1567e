"""What must hold between the parts of `cluster`, and between it and the controller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from components.spec.helm_values import check_overrides
from components.spec.problems import Problem
from components.spec.versions import check_versions
from settings.cluster import SystemNodes
from settings.draft import Draft
from settings.karpenter import KarpenterSettings

_INSTANCE_TYPE: Final = re.compile(r"^([a-z]+\d*)([a-z]*)[a-z0-9-]*\.[a-z0-9-]+\Z")
_AL2023_RELEASE: Final = re.compile(r"^(\d+\.\d+)\.\d+-\d{8}\Z")
_BOTTLEROCKET_RELEASE: Final = re.compile(r"^\d+\.\d+\.\d+(-[0-9a-f]{8})?\Z")
_RESERVED_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public")


def check_version_pair(draft: Draft) -> Iterator[Problem]:
    """A Kubernetes and a Karpenter version that do not go together."""
    karpenter = draft.part(KarpenterSettings, "karpenter")
    if karpenter is not None and draft.kubernetes_version is not None:
        yield from check_versions(draft.kubernetes_version, karpenter.version)


def check_system_nodes(draft: Draft) -> Iterator[Problem]:
    """Problems of `cluster.systemNodes`."""
    nodes = draft.part(SystemNodes, "cluster", "systemNodes")
    if nodes is None:
        return
    path = "cluster.systemNodes"
    sizes = [nodes.min_size, nodes.desired_size, nodes.max_size]
    if sizes != sorted(sizes):
        yield Problem(
            path,
            {"minSize": nodes.min_size, "desiredSize": nodes.desired_size, "maxSize": nodes.max_size},
            "must have minSize <= desiredSize <= maxSize",
            "write for example {minSize: 1, desiredSize: 2, maxSize: 10}",
        )
    yield from _check_architecture(nodes)
    if nodes.release_version is not None:
        yield from _check_release(nodes, nodes.release_version, draft.kubernetes_version)


def architecture_of(instance_type: str) -> str | None:
    """Architecture of an EC2 instance type, as EKS's AMI types name it; None for what is no instance type.

    Graviton types have a `g` after the generation (m7g, c7gn, im4gn, g5g); a1 was the first of them.
    """
    found = _INSTANCE_TYPE.match(instance_type)
    if found is None:
        return None
    family, options = found.groups()
    return "ARM_64" if "g" in options or family == "a1" else "x86_64"


def _check_architecture(nodes: SystemNodes) -> Iterator[Problem]:
    wanted = "ARM_64" if "ARM_64" in nodes.ami_type else "x86_64"
    for index, name in enumerate(nodes.instance_types):
        path = f"cluster.systemNodes.instanceTypes[{index}]"
        architecture = architecture_of(name)
        if architecture is None:
            yield Problem(path, name, "must be an EC2 instance type", "write for example m5.large")
        elif architecture != wanted:
            yield Problem(
                path,
                name,
                f"must fit amiType {nodes.ami_type}, and this type is {architecture}",
                f"change the type, or set amiType to {_other(nodes.ami_type)}",
            )


def _other(ami_type: str) -> str:
    """The same AMI type for the other architecture."""
    return ami_type.replace("x86_64", "ARM_64") if "x86_64" in ami_type else ami_type.replace("ARM_64", "x86_64")


def _check_release(nodes: SystemNodes, release: str, version: str | None) -> Iterator[Problem]:
    path = "cluster.systemNodes.releaseVersion"
    if nodes.ami_type.startswith("BOTTLEROCKET"):
        if not _BOTTLEROCKET_RELEASE.match(release):
            yield Problem(
                path,
                release,
                "must be a release of Bottlerocket",
                'write it as EKS shows it, such as "1.49.0-713f44ce"',
            )
        return
    found = _AL2023_RELEASE.match(release)
    if found is None:
        yield Problem(
            path,
            release,
            "must be one release of the EKS-optimized AMI: a Kubernetes version of three numbers and a date",
            'write it as EKS shows it, such as "1.36.2-20261101"',
        )
    elif version is not None and found[1] != version:
        yield Problem(
            path,
            release,
            f"must be a release for Kubernetes {version}, the version of the cluster",
            f"choose a release that begins with {version}.",
        )


def check_controller(draft: Draft) -> Iterator[Problem]:
    """Problems of `karpenter` beside its version."""
    karpenter = draft.part(KarpenterSettings, "karpenter")
    if karpenter is None:
        return
    if karpenter.namespace in _RESERVED_NAMESPACES:
        yield Problem(
            "karpenter.namespace",
            karpenter.namespace,
            "must not be a namespace that every cluster uses for something else",
            "write kube-system, or a namespace of its own",
        )
    yield from check_overrides(karpenter.values)
    nodes = draft.part(SystemNodes, "cluster", "systemNodes")
    if nodes is not None and karpenter.replicas > nodes.desired_size:
        yield Problem(
            "karpenter.replicas",
            karpenter.replicas,
            f"must not exceed systemNodes.desiredSize, which is {nodes.desired_size}: no two replicas share a node",
            f"write {nodes.desired_size}, or raise desiredSize",
        )
