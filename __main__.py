"""The stack: settings -> providers -> components -> outputs."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes

import wiring
from components.capacity_buffer import CapacityBuffer
from components.cluster import Cluster
from components.controller_role import ControllerRole
from components.interruption import InterruptionQueue
from components.karpenter import Karpenter
from components.network import Network
from components.node_class import NodeClass
from components.node_overlay import NodeOverlay, NodeOverlayArgs
from components.node_pool import NodePool
from components.node_role import NodeRole
from components.spec.presets import node_class_of
from settings import load
from settings.outputs import StackOutputs


async def main() -> StackOutputs:
    """Deploy the stack."""
    loaded = load()
    settings, name = loaded.settings, loaded.settings.cluster.name
    cloud = aws.Provider(
        "aws",
        region=loaded.region,
        profile=loaded.profile,
        allowed_account_ids=list(settings.allowed_account_ids) or None,
        default_tags={"tags": settings.tags},
    )
    on_aws = pulumi.ResourceOptions(providers=[cloud, eks.Provider("eks")])
    place = wiring.locate(loaded.region, cloud)
    network = Network("network", wiring.network(settings, place), on_aws)
    cluster = Cluster("cluster", wiring.cluster(settings, place, network), on_aws)
    node_role = NodeRole("node-role", wiring.node_role(settings, place, cluster), on_aws)
    wanted = settings.interruption_queue.enabled
    queue = InterruptionQueue("interruption", {"cluster_name": name}, on_aws) if wanted else None
    controller = wiring.controller_role(settings, place, cluster, node_role, queue)
    controller_role = ControllerRole("controller", controller, on_aws)
    access = wiring.kubeconfig_of(cluster, loaded.region)
    # Only another identifier replaces the provider, and with it every NodePool: never another kubeconfig.
    inside = kubernetes.Provider("cluster", kubeconfig=access, cluster_identifier=f"{loaded.region}/{name}")

    def in_cluster(*needs: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(providers=[inside], depends_on=list(needs))

    permitted: list[pulumi.Resource] = [cluster, node_role, controller_role, *([queue] if queue else [])]
    karpenter = Karpenter("karpenter", wiring.karpenter(settings, cluster, queue), in_cluster(*permitted))
    classes = {
        key: NodeClass(f"node-class-{key}", wiring.node_class(settings, key, node_role), in_cluster(karpenter))
        for key in settings.node_classes
    }
    for key, entry in settings.node_pools.items():
        needed = classes[node_class_of(key, entry)]
        NodePool(f"node-pool-{key}", {"pool_name": key, "spec": entry}, in_cluster(karpenter, needed))
    for key, entry in settings.node_overlays.items():
        overlay = NodeOverlayArgs(overlay_name=key, spec=entry, node_pools=settings.node_pools)
        NodeOverlay(f"node-overlay-{key}", overlay, in_cluster(karpenter))
    for key, entry in settings.capacity_buffers.items():
        CapacityBuffer(f"capacity-buffer-{key}", {"buffer_name": key, "entry": entry}, in_cluster(karpenter))
    return wiring.outputs(
        settings,
        network=network,
        cluster=cluster,
        node_role=node_role,
        controller_role=controller_role,
        queue=queue,
        access=access,
    )


if __name__ == "__main__":
    pulumi.run(main)
