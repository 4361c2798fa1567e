"""The kubelet settings of an EC2NodeClass.

Source: pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from components.spec import quantities
from components.spec.durations import Duration
from components.spec.fields import NODE_CLASS_CRD, Quantity, Strict, doc
from components.spec.patterns import EVICTION_THRESHOLD

EvictionSignal = Literal[
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
]
ReservedResource = Literal["cpu", "memory", "ephemeral-storage", "pid"]


def _threshold(value: str) -> str:
    is_amount = EVICTION_THRESHOLD.search(value) is not None and (value.endswith("%") or quantities.value(value) > 0)
    if not is_amount:
        kind, message = "threshold", 'must be a percentage such as "10%", or a quantity above 0 such as "500Mi"'
        raise PydanticCustomError(kind, message)
    return value


def _not_negative(value: str) -> str:
    if value.startswith("-"):
        kind, message = "reserved", "must not be negative"
        raise PydanticCustomError(kind, message)
    return value


Threshold = Annotated[str, AfterValidator(_threshold)]
Reserved = Annotated[Quantity, AfterValidator(_not_negative)]

_SIGNALS = "memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available"
_RESERVED = "cpu, memory, ephemeral-storage, pid; not negative"
_INT32 = 2**31 - 1


class Kubelet(Strict):
    """Settings of the kubelet. In v1 they belong here, not to the NodePool."""

    cluster_dns: tuple[str, ...] | None = doc(
        None,
        "Addresses of the cluster's DNS server.",
        source=NODE_CLASS_CRD,
        alias="clusterDNS",
        allowed="IP addresses",
        example='["10.100.0.10"]',
        strict=False,
    )
    cpu_cfs_quota: bool | None = doc(
        None,
        "Whether CPU limits of containers are enforced.",
        source=NODE_CLASS_CRD,
        alias="cpuCFSQuota",
        default_text="the kubelet's: true",
        example="true",
    )
    eviction_hard: dict[EvictionSignal, Threshold] | None = doc(
        None,
        "What must remain free: below it the kubelet evicts pods at once.",
        source=NODE_CLASS_CRD,
        allowed=_SIGNALS,
        example='{memory.available: "5%"}',
    )
    eviction_max_pod_grace_period: int | None = doc(
        None,
        "Longest grace period of pods that a soft threshold evicts.",
        source=NODE_CLASS_CRD,
        unit="seconds",
        example="60",
        ge=0,
        le=_INT32,
    )
    eviction_soft: dict[EvictionSignal, Threshold] | None = doc(
        None,
        "What should remain free: below it for evictionSoftGracePeriod, the kubelet evicts pods.",
        source=NODE_CLASS_CRD,
        allowed=_SIGNALS + "; each with an entry in evictionSoftGracePeriod",
        example='{memory.available: "10%"}',
    )
    eviction_soft_grace_period: dict[EvictionSignal, Duration] | None = doc(
        None,
        "How long a soft threshold may be passed.",
        source=NODE_CLASS_CRD,
        unit="hours, minutes, seconds",
        allowed=_SIGNALS + "; each with an entry in evictionSoft",
        example='{memory.available: "2m"}',
    )
    image_gc_high_threshold_percent: int | None = doc(
        None,
        "Disk use at which unused images are removed.",
        source=NODE_CLASS_CRD,
        alias="imageGCHighThresholdPercent",
        unit="percent",
        allowed="0 to 100, above imageGCLowThresholdPercent",
        example="85",
        ge=0,
        le=100,
    )
    image_gc_low_threshold_percent: int | None = doc(
        None,
        "Disk use down to which unused images are removed.",
        source=NODE_CLASS_CRD,
        alias="imageGCLowThresholdPercent",
        unit="percent",
        allowed="0 to 100, below imageGCHighThresholdPercent",
        example="80",
        ge=0,
        le=100,
    )
    kube_reserved: dict[ReservedResource, Reserved] | None = doc(
        None,
        "What is kept for Kubernetes' own programs on the node.",
        source=NODE_CLASS_CRD,
        allowed=_RESERVED,
        example="{cpu: 100m, memory: 200Mi}",
    )
    max_pods: int | None = doc(
        None,
        "Most pods on a node. Without prefix delegation in the VPC CNI, more than the instance type has addresses for "
        "leaves pods without one.",
        source=NODE_CLASS_CRD,
        unit="pods",
        default_text="what the instance type's network interfaces allow",
        example="110",
        ge=0,
        le=_INT32,
    )
    pods_per_core: int | None = doc(
        None,
        "Most pods for each core; maxPods still counts. Bottlerocket ignores it.",
        source=NODE_CLASS_CRD,
        unit="pods a core",
        example="10",
        ge=0,
        le=_INT32,
    )
    system_reserved: dict[ReservedResource, Reserved] | None = doc(
        None,
        "What is kept for the operating system.",
        source=NODE_CLASS_CRD,
        allowed=_RESERVED,
        example="{cpu: 100m, memory: 100Mi}",
    )
