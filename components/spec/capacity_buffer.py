"""A CapacityBuffer in the configuration: room that stands ready before pods ask for it.

Needs the feature gate capacityBuffer, which the stack sets as soon as there is one. Alpha.
Source: pkg/apis/crds/autoscaling.x-k8s.io_capacitybuffers.yaml of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

from typing import Final, Literal

from components.spec.fields import BUFFER_CRD, STACK, Quantity, Strict, doc
from components.spec.node_pool import QualifiedName
from components.spec.patterns import NAMESPACE

STRATEGY: Final = "buffer.x-k8s.io/active-capacity"
_INT32: Final = 2**31 - 1


class PodTemplateRef(Strict):
    """A PodTemplate in the buffer's namespace."""

    name: str = doc(..., "Name of the PodTemplate.", source=BUFFER_CRD, min_length=1, example="web-chunk")


class ScalableRef(Strict):
    """A workload whose pods the buffer copies."""

    api_group: str | None = doc(
        None, "API group of the workload; empty for the core group.", source=BUFFER_CRD, example="apps"
    )
    kind: Literal["Deployment", "StatefulSet", "ReplicaSet"] = doc(
        ..., "Kind of the workload.", source=BUFFER_CRD, example="Deployment"
    )
    name: str = doc(..., "Name of the workload.", source=BUFFER_CRD, min_length=1, example="web")


class CapacityBufferSpec(Strict):
    """The spec of a CapacityBuffer."""

    pod_template_ref: PodTemplateRef | None = doc(
        None,
        "Shape of one chunk of the buffer. Exactly one of podTemplateRef and scalableRef.",
        source=BUFFER_CRD,
        example="{name: web-chunk}",
    )
    scalable_ref: ScalableRef | None = doc(
        None,
        "Workload whose pods give the shape of one chunk.",
        source=BUFFER_CRD,
        example="{apiGroup: apps, kind: Deployment, name: web}",
    )
    replicas: int | None = doc(
        None,
        "Number of chunks. With percentage too, the smaller counts.",
        source=BUFFER_CRD,
        unit="chunks",
        example="3",
        ge=0,
        le=_INT32,
    )
    percentage: int | None = doc(
        None,
        "Number of chunks as a share of the workload's replicas, rounded up, at least one. Only with scalableRef.",
        source=BUFFER_CRD,
        unit="percent",
        example="20",
        ge=0,
        le=_INT32,
    )
    limits: dict[QualifiedName, Quantity] | None = doc(
        None,
        "Most that all chunks ask for together; alone it means as many chunks as fit.",
        source=BUFFER_CRD,
        unit="Kubernetes quantities",
        example='{cpu: "20"}',
    )
    provisioning_strategy: Literal["buffer.x-k8s.io/active-capacity"] = doc(
        STRATEGY, "How the buffer is kept; Karpenter knows this one way.", source=BUFFER_CRD, example=STRATEGY
    )


class CapacityBufferEntry(Strict):
    """One entry of `capacityBuffers`: a namespace and a spec."""

    namespace: str = doc(
        "default",
        "Namespace of the buffer, and of the workload or PodTemplate that it names.",
        source=STACK,
        example="shop",
        pattern=NAMESPACE,
        allowed="a namespace: at most 63 lower-case letters, digits and '-'",
    )
    spec: CapacityBufferSpec = doc(
        ...,
        "What stands ready.",
        source=BUFFER_CRD,
        example="{scalableRef: {apiGroup: apps, kind: Deployment, name: web}, percentage: 20}",
    )
