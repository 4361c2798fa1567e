"""Karpenter's controller and its chart."""

from __future__ import annotations

from typing import Any, Literal

from components.spec.fields import STACK, Quantity, Strict, doc
from components.spec.versions import DEFAULT_KARPENTER_VERSION

VALUES = "charts/karpenter/values.yaml@1.14.3"


class ControllerResources(Strict):
    """What each replica of the controller asks for; the limits are the same."""

    cpu: Quantity = doc("1", "CPU.", source=VALUES, allowed="a Kubernetes quantity", example='"1"')
    memory: Quantity = doc("1Gi", "Memory.", source=VALUES, allowed="a Kubernetes quantity", example="1Gi")


class FeatureGates(Strict):
    """Features of Karpenter that are not on for everybody yet."""

    node_repair: bool | None = doc(
        None, "Replaces nodes that stay unhealthy.", source=VALUES, default_text="the chart's own", example="true"
    )
    reserved_capacity: bool | None = doc(
        None, "Launches into capacity reservations.", source=VALUES, default_text="the chart's own", example="true"
    )
    spot_to_spot_consolidation: bool | None = doc(
        None,
        "Replaces Spot nodes by cheaper Spot nodes.",
        source=VALUES,
        default_text="the chart's own",
        example="true",
    )
    node_overlay: bool | None = doc(
        None,
        "Changes prices and capacities of instance types; nodeOverlays need it.",
        source=VALUES,
        default_text="the chart's own",
        example="true",
    )
    static_capacity: bool | None = doc(
        None,
        "Pools with a fixed number of nodes; `replicas` in a pool needs it.",
        source=VALUES,
        default_text="the chart's own",
        example="true",
    )
    capacity_buffer: bool | None = doc(
        None,
        "Spare capacity for pods to come; capacityBuffers need it.",
        source=VALUES,
        default_text="the chart's own",
        example="true",
    )


class KarpenterSettings(Strict):
    """The controller."""

    version: str = doc(
        DEFAULT_KARPENTER_VERSION,
        "Version of both charts.",
        source="components/spec/versions.py",
        pattern=r"^\d+\.\d+\.\d+$",
        allowed="a version of three numbers",
        example="1.14.3",
    )
    namespace: str = doc(
        "kube-system",
        "Namespace of the controller. It must exist already.",
        source=STACK,
        example="kube-system",
        pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
        allowed="at most 63 lower-case letters, digits or '-', with a letter or digit at both ends",
    )
    replicas: int = doc(
        2,
        "Number of controllers; one leads, the others wait.",
        source=VALUES,
        ge=1,
        allowed="a whole number from 1 on",
        example="2",
    )
    chart_repository: str = doc(
        "oci://public.ecr.aws/karpenter",
        "Where the charts karpenter and karpenter-crd come from: an OCI registry, or a folder from the project on.",
        source=STACK,
        pattern=r"^(oci://[^\s/]+(/\S*)?[^\s/]|\.{0,2}/\S+)$",
        example="oci://public.ecr.aws/karpenter",
        allowed='text that begins with "oci://", "./", "../" or "/" and does not end with a slash',
    )
    resources: ControllerResources = doc(
        ControllerResources(), "What each replica asks for.", source=VALUES, example='{cpu: "1", memory: 1Gi}'
    )
    feature_gates: FeatureGates = doc(
        FeatureGates(),
        "Features to switch on or off.",
        source=VALUES,
        default_text="the chart's own",
        example="{nodeRepair: true}",
    )
    timeout_seconds: int = doc(
        300,
        "How long each chart may take to become ready.",
        source=STACK,
        unit="seconds",
        ge=30,
        le=3600,
        allowed="a whole number of seconds from 30 to 3600",
        example="300",
    )
    log_level: Literal["error", "info", "debug"] = doc(
        "info", "How much the controller logs.", source=VALUES, example="debug"
    )
    values: dict[str, Any] = doc(
        {},
        "Further values of the chart, merged last. Keys that the stack sets itself are refused.",
        source=VALUES,
        default_text="none",
        example="{serviceMonitor: {enabled: true}}",
    )
