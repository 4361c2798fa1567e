"""An EC2NodeClass in the configuration: every field of karpenter.k8s.aws/v1, and the conveniences of this stack.

Source: pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

from typing import Literal

from components.spec.defaults import DEFAULT_DISK_SIZE
from components.spec.fields import NODE_CLASS_CRD, STACK, Strict, doc
from components.spec.node_class_kubelet import Kubelet
from components.spec.node_class_parts import (
    AmiSelectorTerm,
    BlockDeviceMapping,
    CapacityReservationSelectorTerm,
    ConnectionTracking,
    CpuOptions,
    MetadataOptions,
    NetworkInterface,
    PlacementGroupSelector,
    SecurityGroupSelectorTerm,
    SubnetSelectorTerm,
)
from components.spec.patterns import AMI_ID, VOLUME_SIZE

AmiFamily = Literal["AL2", "AL2023", "Bottlerocket", "Custom", "Windows2019", "Windows2022", "Windows2025"]
_AMI_ALLOWED = '"ami-" and 8 or 17 hexadecimal digits'


class PinnedAmis(Strict):
    """One pinned AMI for each architecture."""

    amd64: str | None = doc(
        None,
        "AMI of the x86_64 instances.",
        source=STACK,
        pattern=AMI_ID,
        allowed=_AMI_ALLOWED,
        example="ami-0123456789abcdef0",
    )
    arm64: str | None = doc(
        None,
        "AMI of the Graviton instances.",
        source=STACK,
        pattern=AMI_ID,
        allowed=_AMI_ALLOWED,
        example="ami-0fedcba9876543210",
    )


class NodeClassSpec(Strict):
    """One entry of `nodeClasses`: the spec of an EC2NodeClass, with pinned AMIs by architecture and a disk size."""

    amis: PinnedAmis | None = doc(
        None,
        "Pinned AMIs, one for each architecture; becomes amiSelectorTerms with their ids. Exactly one of `amis` and "
        "`amiSelectorTerms` is given.",
        source=STACK,
        example="{amd64: ami-0123456789abcdef0, arm64: ami-0fedcba9876543210}",
    )
    disk_size: str | None = doc(
        None,
        "Size of the volume that holds images and pods: /dev/xvda on Amazon Linux, /dev/xvdb on Bottlerocket, "
        "/dev/sda1 on Windows; encrypted gp3. Refused together with blockDeviceMappings, and for Custom.",
        source=STACK,
        unit="Gi, G, Ti or T",
        default_text=f"{DEFAULT_DISK_SIZE}; on Custom the AMI's own volumes",
        example="100Gi",
        pattern=VOLUME_SIZE,
        allowed="a whole number and its unit",
    )
    ami_family: AmiFamily | None = doc(
        None,
        "How the AMI is started: format of the user data, devices, kubelet settings. Must fit the AMIs. Amazon "
        "Linux 2 has no EKS AMI from Kubernetes 1.33 on.",
        source=NODE_CLASS_CRD,
        default_text="AL2023; with an alias, the alias's family",
        example="AL2023",
    )
    ami_selector_terms: tuple[AmiSelectorTerm, ...] | None = doc(
        None,
        "How AMIs are found, where `amis` is not enough.",
        source=NODE_CLASS_CRD,
        allowed="1 to 30 terms; an alias stands alone",
        default_text="the ids of `amis`",
        example="[{alias: al2023@v20261101}]",
        strict=False,
        min_length=1,
        max_length=30,
    )
    associate_public_ip_address: bool | None = doc(
        None,
        "Whether instances get a public address.",
        source=NODE_CLASS_CRD,
        alias="associatePublicIPAddress",
        default_text="what the subnet says",
        example="false",
    )
    block_device_mappings: tuple[BlockDeviceMapping, ...] | None = doc(
        None,
        "Volumes of the instances, where `diskSize` is not enough.",
        source=NODE_CLASS_CRD,
        allowed="at most 50; at most one with rootVolume",
        default_text="see diskSize",
        example=(
            "[{deviceName: /dev/xvda, rootVolume: true, ebs: {volumeSize: 100Gi, volumeType: gp3, encrypted: true}}]"
        ),
        strict=False,
        max_length=50,
    )
    capacity_reservation_selector_terms: tuple[CapacityReservationSelectorTerm, ...] | None = doc(
        None,
        "Capacity reservations that pools of this class may use; such capacity has the capacity type `reserved`.",
        source=NODE_CLASS_CRD,
        allowed="1 to 30 terms",
        example="[{id: cr-0123456789abcdef0}]",
        strict=False,
        min_length=1,
        max_length=30,
    )
    connection_tracking: ConnectionTracking | None = doc(
        None,
        "Idle times after which the security groups forget a connection.",
        source=NODE_CLASS_CRD,
        example="{tcpEstablishedTimeout: 3600}",
    )
    context: str | None = doc(
        None, "Reserved field of EC2's CreateFleet; only AWS tells when to use it.", source=NODE_CLASS_CRD
    )
    cpu_options: CpuOptions | None = doc(
        None, "Options of the processor.", source=NODE_CLASS_CRD, example="{nestedVirtualization: enabled}"
    )
    detailed_monitoring: bool | None = doc(
        None,
        "Whether CloudWatch gets the instances' metrics every minute (paid) instead of every five.",
        source=NODE_CLASS_CRD,
        default_text="false",
        example="true",
    )
    instance_profile: str | None = doc(
        None,
        "Name of an instance profile of your own, instead of `role`: for networks without access to IAM. The "
        "controller must be allowed to pass its role.",
        source=NODE_CLASS_CRD,
        allowed="a name, no ARN; at most 128 characters",
        example="my-node-profile",
        min_length=1,
    )
    instance_store_policy: Literal["RAID0"] | None = doc(
        None,
        "RAID0 joins the instance's own NVMe disks into one volume for images and pods.",
        source=NODE_CLASS_CRD,
        example="RAID0",
    )
    ip_prefix_count: int | None = doc(
        None,
        "IPv4 prefixes that each network interface gets at once.",
        source=NODE_CLASS_CRD,
        alias="ipPrefixCount",
        example="1",
        ge=0,
        le=2**31 - 1,
    )
    kubelet: Kubelet | None = doc(None, "Settings of the kubelet.", source=NODE_CLASS_CRD, example="{maxPods: 110}")
    metadata_options: MetadataOptions = doc(
        MetadataOptions(),
        "The instance metadata service.",
        source=NODE_CLASS_CRD,
        default_text="IMDSv2 required, hop limit 1, no IPv6",
        example="{httpPutResponseHopLimit: 2}",
    )
    network_interfaces: tuple[NetworkInterface, ...] | None = doc(
        None,
        "Network interfaces of the instances.",
        source=NODE_CLASS_CRD,
        allowed=(
            "at most 150; the primary one (card 0, device 0, interface) among them; no pair of card and device twice"
        ),
        default_text="one primary interface",
        example="[{networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}]",
        strict=False,
        max_length=150,
    )
    placement_group_selector: PlacementGroupSelector | None = doc(
        None, "Placement group of the instances.", source=NODE_CLASS_CRD, example="{name: low-latency}"
    )
    role: str | None = doc(
        None,
        "Name of the IAM role of the nodes. A role of your own needs an access entry of type EC2_LINUX, and the "
        "controller must be allowed to pass it.",
        source=NODE_CLASS_CRD,
        allowed="a name, no ARN, no path; at most 64 characters",
        default_text="the stack's node role",
        example="KarpenterNodeRole-my-cluster",
        min_length=1,
    )
    security_group_selector_terms: tuple[SecurityGroupSelectorTerm, ...] | None = doc(
        None,
        "Security groups of the nodes.",
        source=NODE_CLASS_CRD,
        allowed="1 to 30 terms",
        default_text="tag karpenter.sh/discovery with the cluster's name",
        example="[{tags: {karpenter.sh/discovery: my-cluster}}]",
        strict=False,
        min_length=1,
        max_length=30,
    )
    subnet_selector_terms: tuple[SubnetSelectorTerm, ...] | None = doc(
        None,
        "Subnets of the nodes.",
        source=NODE_CLASS_CRD,
        allowed="1 to 30 terms",
        default_text="tag karpenter.sh/discovery with the cluster's name",
        example="[{tags: {karpenter.sh/discovery: my-cluster}}]",
        strict=False,
        min_length=1,
        max_length=30,
    )
    tags: dict[str, str] | None = doc(
        None,
        "Tags of the instances, volumes and launch templates.",
        source=NODE_CLASS_CRD,
        allowed="no key of kubernetes.io/cluster, karpenter.sh/nodepool, karpenter.sh/nodeclaim, "
        "karpenter.k8s.aws/ec2nodeclass, eks:eks-cluster-name, aws:; keys up to 128, values up to 256 characters",
        example="{cost-center: payments}",
    )
    user_data: str | None = doc(
        None,
        "User data; Karpenter merges its own into it. AL2023: a shell script, a NodeConfig or MIME multipart. "
        "Bottlerocket: TOML below [settings]. Windows: PowerShell. Custom: all that the AMI needs to join.",
        source=NODE_CLASS_CRD,
        example='"#!/bin/bash\\necho hello"',
    )
