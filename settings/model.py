"""The whole configuration of a stack, as one frozen model."""

from __future__ import annotations

from typing import Any

from components.spec.fields import STACK, Strict, doc
from settings.cluster import ClusterSettings
from settings.identities import ControllerRoleSettings, InterruptionQueueSettings, NodeRoleSettings
from settings.karpenter import KarpenterSettings
from settings.network import NetworkSettings

Entry = dict[str, Any]
"""One entry of nodeClasses, nodePools, nodeOverlays or capacityBuffers: plain data that components.spec checks."""


class Settings(Strict):
    """Everything that `Pulumi.<stack>.yaml` says below `karpenter-eks:`, and the region from `aws:region`."""

    environment: str = doc(
        ...,
        "Name of the environment; policies and commands go by it.",
        source=STACK,
        default_text="name of the stack",
        pattern=r"^[A-Za-z0-9_.-]{1,100}$",
        allowed="1 to 100 letters, digits, '-', '_' or '.', as in the name of a stack",
        example="dev",
    )
    tags: dict[str, str] = doc(
        {},
        "Tags of every AWS resource of the stack. Discovery tags are refused here: on a second security group "
        "they would break load balancers.",
        source=STACK,
        default_text="none",
        example="{team: platform}",
        max_length=40,
    )
    allowed_account_ids: tuple[str, ...] = doc(
        (),
        "AWS accounts that the stack may be deployed to; any other ends the run before the first resource.",
        source=STACK,
        default_text="any",
        example='["123456789012"]',
        strict=False,
    )
    network: NetworkSettings = doc(
        NetworkSettings(), "The network: `create` or `existing`.", source=STACK, example="{create: {zones: 3}}"
    )
    cluster: ClusterSettings = doc(..., "The EKS cluster.", source=STACK, example="{name: my-cluster}")
    node_role: NodeRoleSettings = doc(
        NodeRoleSettings(), "The role of Karpenter's nodes.", source=STACK, example="{existing: my-node-role}"
    )
    controller_role: ControllerRoleSettings = doc(
        ControllerRoleSettings(), "The role of Karpenter's controller.", source=STACK, example="{path: /karpenter/}"
    )
    interruption_queue: InterruptionQueueSettings = doc(
        InterruptionQueueSettings(), "The interruption queue.", source=STACK, example="{enabled: false}"
    )
    karpenter: KarpenterSettings = doc(
        KarpenterSettings(), "The controller and its chart.", source=STACK, example="{replicas: 2}"
    )
    node_classes: dict[str, Entry] = doc(
        {},
        "Map of a name to an EC2NodeClass (docs/reference-node-classes.md). Subnets, security groups and role default "
        "to those of the stack.",
        source=STACK,
        default_text="none",
        example="{default: {amiFamily: AL2023, amis: {amd64: ami-...}}}",
    )
    node_pools: dict[str, Entry] = doc(
        {},
        "Map of a name to a NodePool (docs/reference-node-pools.md).",
        source=STACK,
        default_text="none",
        example="{default: {nodeClass: default}}",
    )
    node_overlays: dict[str, Entry] = doc(
        {}, "Map of a name to the spec of a NodeOverlay.", source=STACK, default_text="none"
    )
    capacity_buffers: dict[str, Entry] = doc(
        {}, "Map of a name to a CapacityBuffer: its namespace and spec.", source=STACK, default_text="none"
    )
    spot_service_linked_role: bool = doc(
        False,
        "Makes the service-linked role that EC2 Spot needs once in every account. Only where there is none yet: it "
        "stays when the stack is destroyed.",
        source=STACK,
        allowed="true or false",
        example="true",
    )
