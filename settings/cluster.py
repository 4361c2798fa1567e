"""The EKS cluster: its endpoint, logs, system nodes and add-ons."""

from __future__ import annotations

from typing import Any, Literal

from components.spec.fields import STACK, Strict, doc
from components.spec.versions import DEFAULT_KUBERNETES_VERSION

LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]

AmiType = Literal[
    "AL2023_x86_64_STANDARD",
    "AL2023_ARM_64_STANDARD",
    "BOTTLEROCKET_x86_64",
    "BOTTLEROCKET_ARM_64",
]
"""EKS's names of what system nodes run. Amazon Linux 2 has no images from Kubernetes 1.33 on."""


class PublicAccess(Strict):
    """Who may reach the API server from the internet. The private endpoint is always on."""

    cidrs: tuple[str, ...] = doc(
        ...,
        "IPv4 ranges that may connect.",
        source=STACK,
        allowed="at least one IPv4 range",
        example="[203.0.113.0/24]",
        min_length=1,
        max_length=40,
        strict=False,
    )
    from_anywhere: bool = doc(
        False, "Says that 0.0.0.0/0 in `cidrs` is meant.", source=STACK, allowed="true or false", example="true"
    )


class SystemNodes(Strict):
    """The managed node group for system pods and Karpenter's controller; Karpenter never touches it."""

    instance_types: tuple[str, ...] = doc(
        ("m5.large",),
        "Instance types, all of one architecture.",
        source=STACK,
        example="[m5.large]",
        min_length=1,
        allowed="at least one EC2 instance type",
        strict=False,
    )
    min_size: int = doc(
        1,
        "Smallest number of nodes. With 0 the controller could lose its last node and nothing could bring it back.",
        source=STACK,
        ge=1,
        allowed="a whole number from 1 on",
        example="1",
    )
    desired_size: int = doc(
        2,
        "Number of nodes at creation; later changes from outside are left alone.",
        source=STACK,
        ge=1,
        allowed="a whole number from 1 on",
        example="2",
    )
    max_size: int = doc(
        10, "Largest number of nodes.", source=STACK, ge=1, allowed="a whole number from 1 on", example="10"
    )
    ami_type: AmiType = doc(
        "AL2023_x86_64_STANDARD", "What the nodes run.", source=STACK, example="AL2023_ARM_64_STANDARD"
    )
    release_version: str | None = doc(
        None,
        "Release of the EKS-optimized AMI, so that nodes change only when this file does.",
        source=STACK,
        default_text="must be given; without it the stack prints the command that finds it",
        allowed='the release of an EKS-optimized AMI, such as "1.36.2-20261101"',
        example='"1.36.2-20261101"',
    )
    disk_size: int = doc(
        50,
        "Size of the encrypted gp3 root volume.",
        source=STACK,
        unit="GiB",
        ge=20,
        le=16384,
        allowed="a whole number of GiB from 20 to 16384",
        example="50",
    )


class Addon(Strict):
    """How EKS runs one add-on."""

    version: str | None = doc(
        None,
        "Version of the add-on.",
        source=STACK,
        default_text="EKS's default for the cluster's version",
        pattern=r"^v\d+\.\d+\.\d+-eksbuild\.\d+$",
        allowed='a version such as "v1.20.0-eksbuild.1"',
        example="v1.20.0-eksbuild.1",
    )
    configuration: dict[str, Any] = doc(
        {},
        "Configuration values, as the add-on's own schema defines them.",
        source=STACK,
        default_text="none",
        example='{env: {ENABLE_PREFIX_DELEGATION: "true"}}',
    )


class Addons(Strict):
    """The add-ons that every cluster of this stack has; each may be left out here."""

    vpc_cni: Addon = doc(Addon(), "Pod networking.", source=STACK, alias="vpc-cni")
    kube_proxy: Addon = doc(Addon(), "Service networking.", source=STACK, alias="kube-proxy")
    coredns: Addon = doc(Addon(), "Cluster DNS, on the system nodes.", source=STACK, alias="coredns")
    eks_pod_identity_agent: Addon = doc(
        Addon(),
        "Hands AWS credentials to pods, Karpenter's controller among them.",
        source=STACK,
        alias="eks-pod-identity-agent",
    )


class ClusterSettings(Strict):
    """The EKS cluster."""

    name: str = doc(
        ...,
        "Name of the cluster. Roles, policies, the queue and the discovery tag carry it.",
        source=STACK,
        pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$",
        example="my-cluster",
        allowed="1 to 100 letters, digits, '-' or '_', with a letter or digit first",
    )
    version: str = doc(
        DEFAULT_KUBERNETES_VERSION,
        "Kubernetes version. Karpenter must know it; update Karpenter first.",
        source="components/spec/versions.py",
        pattern=r"^1\.\d{2}$",
        allowed='text in quotes, such as "1.36"',
        example='"1.36"',
    )
    public_access: PublicAccess | None = doc(
        None,
        "Opens the public endpoint.",
        source=STACK,
        example="{cidrs: [203.0.113.0/24]}",
        default_text="private only: run Pulumi where the VPC can be reached",
    )
    log_types: tuple[LogType, ...] = doc(
        ("api", "audit", "authenticator"),
        "Logs of the control plane that go to CloudWatch.",
        source=STACK,
        example="[audit, authenticator]",
        strict=False,
    )
    secrets_key: bool = doc(
        False,
        "Encrypts Kubernetes secrets with a KMS key of your own; EKS encrypts them with its own anyway. "
        "Cannot be taken back.",
        source=STACK,
        allowed="true or false",
        example="true",
    )
    deletion_protection: bool = doc(
        False,
        "EKS refuses to delete the cluster while this is on.",
        source=STACK,
        allowed="true or false",
        example="true",
    )
    zonal_shift: bool = doc(
        False,
        "Lets ARC zonal shift move traffic and nodes out of an impaired zone; Karpenter follows it.",
        source=STACK,
        allowed="true or false",
        example="true",
    )
    administrators: tuple[str, ...] = doc(
        (),
        "ARNs of IAM roles and users that get AmazonEKSClusterAdminPolicy. Whoever runs Pulumi has it anyway.",
        source=STACK,
        default_text="none",
        example="[arn:aws:iam::123456789012:role/platform]",
        strict=False,
    )
    system_nodes: SystemNodes = doc(SystemNodes(), "The managed node group.", source=STACK, example="{maxSize: 5}")
    addons: Addons = doc(Addons(), "Versions and configuration of add-ons.", source=STACK, example="{coredns: {}}")
