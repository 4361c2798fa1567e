"""The parts of an EC2NodeClass: selectors, volumes, metadata service, network interfaces.

Source: pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

from typing import Literal

from components.spec.fields import NODE_CLASS_CRD, Strict, doc
from components.spec.patterns import (
    ACCOUNT_ID,
    AMI_ID,
    CAPACITY_RESERVATION_ID,
    PLACEMENT_GROUP_ID,
    SECURITY_GROUP_ID,
    SNAPSHOT_ID,
    SUBNET_ID,
    VOLUME_SIZE,
)

_TAGS = "Tags that it must carry, all of them. The value `*` matches any value."
_TAGS_ALLOWED = "1 to 20 tags; no empty key or value"
_TAGS_EXAMPLE = "{karpenter.sh/discovery: my-cluster}"


class SubnetSelectorTerm(Strict):
    """One way to find subnets: by id, or by tags (all of one term's tags). Several terms add up."""

    id: str | None = doc(
        None,
        "Id of a subnet.",
        source=NODE_CLASS_CRD,
        pattern=SUBNET_ID,
        allowed='"subnet-" and 8 or 17 hexadecimal digits',
        example="subnet-0123456789abcdef0",
    )
    tags: dict[str, str] | None = doc(
        None,
        _TAGS,
        source=NODE_CLASS_CRD,
        allowed=_TAGS_ALLOWED,
        example=_TAGS_EXAMPLE,
        min_length=1,
        max_length=20,
    )


class SecurityGroupSelectorTerm(Strict):
    """One way to find security groups: by id, by name, or by tags. Several terms add up."""

    id: str | None = doc(
        None,
        "Id of a security group.",
        source=NODE_CLASS_CRD,
        pattern=SECURITY_GROUP_ID,
        allowed='"sg-" and 8 or 17 hexadecimal digits',
        example="sg-0123456789abcdef0",
    )
    name: str | None = doc(
        None,
        "Name of a security group (its group name, not its Name tag).",
        source=NODE_CLASS_CRD,
        min_length=1,
        example="nodes",
    )
    tags: dict[str, str] | None = doc(
        None,
        _TAGS,
        source=NODE_CLASS_CRD,
        allowed=_TAGS_ALLOWED,
        example=_TAGS_EXAMPLE,
        min_length=1,
        max_length=20,
    )


class AmiSelectorTerm(Strict):
    """One way to find AMIs: an id, an alias, an SSM parameter, or names and tags of an owner. Several terms add up."""

    alias: str | None = doc(
        None,
        "EKS-optimized AMI as family@version. Only a dated version is pinned; the Windows families know only `latest`.",
        source=NODE_CLASS_CRD,
        allowed="al2023@vYYYYMMDD, bottlerocket@vX.Y.Z, windows2019@latest, windows2022@latest, windows2025@latest",
        example="al2023@v20261101",
        max_length=30,
    )
    id: str | None = doc(
        None,
        "Id of an AMI.",
        source=NODE_CLASS_CRD,
        pattern=AMI_ID,
        allowed='"ami-" and 8 or 17 hexadecimal digits',
        example="ami-0123456789abcdef0",
    )
    name: str | None = doc(
        None,
        "Name of the AMI (its name, not its Name tag); `*` and `?` match as in EC2 filters.",
        source=NODE_CLASS_CRD,
        min_length=1,
        example="my-company-al2023-1.36-20261101",
    )
    owner: str | None = doc(
        None,
        "Owner of the AMI.",
        source=NODE_CLASS_CRD,
        allowed="an account id of 12 digits, self, amazon or aws-marketplace",
        example="self",
    )
    ssm_parameter: str | None = doc(
        None,
        "Name or ARN of the SSM parameter that holds the AMI's id.",
        source=NODE_CLASS_CRD,
        min_length=1,
        example="/my-company/amis/al2023/1.36",
    )
    tags: dict[str, str] | None = doc(
        None,
        _TAGS,
        source=NODE_CLASS_CRD,
        allowed=_TAGS_ALLOWED,
        example="{release: stable}",
        min_length=1,
        max_length=20,
    )


class CapacityReservationSelectorTerm(Strict):
    """One way to find capacity reservations. Several terms add up."""

    id: str | None = doc(
        None,
        "Id of a capacity reservation.",
        source=NODE_CLASS_CRD,
        pattern=CAPACITY_RESERVATION_ID,
        allowed='"cr-" and 17 hexadecimal digits',
        example="cr-0123456789abcdef0",
    )
    instance_match_criteria: Literal["open", "targeted"] | None = doc(
        None, "Which instances the reservation takes by itself.", source=NODE_CLASS_CRD, example="targeted"
    )
    owner_id: str | None = doc(
        None,
        "Account that owns the reservation.",
        source=NODE_CLASS_CRD,
        alias="ownerID",
        pattern=ACCOUNT_ID,
        allowed="12 digits",
        example='"123456789012"',
    )
    tags: dict[str, str] | None = doc(
        None,
        _TAGS,
        source=NODE_CLASS_CRD,
        allowed=_TAGS_ALLOWED,
        example="{purpose: batch}",
        min_length=1,
        max_length=20,
    )


class PlacementGroupSelector(Strict):
    """The placement group that instances are launched into: by name or by id."""

    id: str | None = doc(
        None,
        "Id of the placement group.",
        source=NODE_CLASS_CRD,
        pattern=PLACEMENT_GROUP_ID,
        allowed='"pg-" and 17 hexadecimal digits',
        example="pg-0123456789abcdef0",
    )
    name: str | None = doc(
        None, "Name of the placement group.", source=NODE_CLASS_CRD, min_length=1, example="low-latency"
    )


class Ebs(Strict):
    """An EBS volume that is made with the instance."""

    delete_on_termination: bool | None = doc(
        None, "Whether the volume goes with the instance.", source=NODE_CLASS_CRD, example="true"
    )
    encrypted: bool | None = doc(
        None,
        "Whether the volume is encrypted.",
        source=NODE_CLASS_CRD,
        default_text="the account's default for EBS",
        example="true",
    )
    iops: int | None = doc(
        None,
        "I/O operations a second that are paid for.",
        source=NODE_CLASS_CRD,
        unit="operations a second",
        allowed="gp3: 3000 to 80000; io1: 100 to 64000; io2: 100 to 256000; not for other types",
        example="3000",
        ge=1,
        le=256_000,
    )
    kms_key_id: str | None = doc(
        None,
        "KMS key that encrypts the volume: key id, alias, or the ARN of either. The role that launches instances "
        "must be allowed to use it.",
        source=NODE_CLASS_CRD,
        alias="kmsKeyID",
        example="alias/nodes",
        min_length=1,
    )
    snapshot_id: str | None = doc(
        None,
        "Snapshot that the volume starts from.",
        source=NODE_CLASS_CRD,
        alias="snapshotID",
        pattern=SNAPSHOT_ID,
        allowed='"snap-" and 8 or 17 hexadecimal digits',
        example="snap-0123456789abcdef0",
    )
    throughput: int | None = doc(
        None,
        "Throughput of a gp3 volume.",
        source=NODE_CLASS_CRD,
        unit="MiB a second",
        allowed="125 to 2000; gp3 only",
        example="250",
        ge=125,
        le=2000,
    )
    volume_initialization_rate: int | None = doc(
        None,
        "Speed at which the snapshot is loaded into the volume. Needs snapshotID.",
        source=NODE_CLASS_CRD,
        unit="MiB a second",
        allowed="100 to 300",
        example="200",
        ge=100,
        le=300,
    )
    volume_size: str | None = doc(
        None,
        "Size of the volume. Needed unless there is a snapshot.",
        source=NODE_CLASS_CRD,
        unit="Gi, G, Ti or T",
        allowed=(
            "a whole number and its unit: gp2 1 to 16384 Gi, gp3 1 to 59000 Gi, io1 4 to 16384 Gi, io2 4 to 59000 Gi, "
            "st1 and sc1 125 to 16384 Gi, standard 1 to 1024 Gi"
        ),
        example="100Gi",
        pattern=VOLUME_SIZE,
    )
    volume_type: Literal["standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"] | None = doc(
        None, "Type of the volume.", source=NODE_CLASS_CRD, example="gp3"
    )


class BlockDeviceMapping(Strict):
    """One volume of the instance and the device it appears as."""

    device_name: str | None = doc(
        None,
        "Device that the volume appears as. The root volume is /dev/xvda on Amazon Linux; Bottlerocket keeps its "
        "system on /dev/xvda and images and pods on /dev/xvdb; Windows uses /dev/sda1.",
        source=NODE_CLASS_CRD,
        example="/dev/xvda",
        min_length=1,
    )
    ebs: Ebs | None = doc(
        None, "The EBS volume.", source=NODE_CLASS_CRD, example="{volumeSize: 100Gi, encrypted: true}"
    )
    root_volume: bool | None = doc(
        None,
        "Whether this volume holds the kubelet's root folder. At most one does.",
        source=NODE_CLASS_CRD,
        example="true",
    )


class MetadataOptions(Strict):
    """The instance metadata service (IMDS) of the nodes."""

    http_endpoint: Literal["enabled", "disabled"] = doc(
        "enabled", "Whether the metadata service answers at all.", source=NODE_CLASS_CRD, example="enabled"
    )
    http_protocol_ipv6: Literal["enabled", "disabled"] = doc(
        "disabled",
        "Whether it answers on IPv6 too.",
        source=NODE_CLASS_CRD,
        alias="httpProtocolIPv6",
        example="disabled",
    )
    http_put_response_hop_limit: int = doc(
        1,
        "Network hops that a token may travel. At 1 pods in their own network cannot take the node's identity; "
        "pods that need AWS get theirs from pod identity.",
        source=NODE_CLASS_CRD,
        unit="hops",
        allowed="1 to 64",
        example="1",
        ge=1,
        le=64,
    )
    http_tokens: Literal["required", "optional"] = doc(
        "required",
        "Whether requests need a session token (IMDSv2). `optional` lets a pod that can be made to fetch a URL "
        "steal the node's credentials.",
        source=NODE_CLASS_CRD,
        example="required",
    )


class NetworkInterface(Strict):
    """One network interface of the instance. A list of them must hold the primary one (card 0, device 0, interface)."""

    device_index: int = doc(
        ..., "Device index of the interface on its card.", source=NODE_CLASS_CRD, example="0", ge=0, le=2**31 - 1
    )
    interface_type: Literal["interface", "efa-only"] = doc(
        ...,
        "An ordinary interface, or one for the Elastic Fabric Adapter only.",
        source=NODE_CLASS_CRD,
        example="interface",
    )
    network_card_index: int = doc(
        ..., "Network card that it belongs to.", source=NODE_CLASS_CRD, example="0", ge=0, le=2**31 - 1
    )


class ConnectionTracking(Strict):
    """Idle times after which the security groups forget a connection. At least one must be given."""

    tcp_established_timeout: int | None = doc(
        None,
        "Idle time of established TCP connections.",
        source=NODE_CLASS_CRD,
        unit="seconds",
        allowed="60 to 432000",
        default_text="EC2's: 350 on Nitro v6, 432000 elsewhere",
        example="3600",
        ge=60,
        le=432_000,
    )
    udp_stream_timeout: int | None = doc(
        None,
        "Idle time of UDP flows that have seen more than one request and response.",
        source=NODE_CLASS_CRD,
        unit="seconds",
        allowed="60 to 180",
        default_text="EC2's: 180",
        example="120",
        ge=60,
        le=180,
    )
    udp_timeout: int | None = doc(
        None,
        "Idle time of UDP flows in one direction, or with a single request and response.",
        source=NODE_CLASS_CRD,
        unit="seconds",
        allowed="30 to 60",
        default_text="EC2's: 30",
        example="45",
        ge=30,
        le=60,
    )


class CpuOptions(Strict):
    """Options of the instance's processor."""

    nested_virtualization: Literal["enabled", "disabled"] | None = doc(
        None,
        "Whether the instance can run virtual machines itself. `enabled` leaves only the instance types that can.",
        source=NODE_CLASS_CRD,
        example="enabled",
    )
