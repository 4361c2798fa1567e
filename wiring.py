"""Arguments of the components from the settings, and outputs from the components: which value goes where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from components.cluster import AddonArgs, Cluster, ClusterArgs
from components.controller_role import ControllerRole, ControllerRoleArgs
from components.interruption import InterruptionQueue
from components.karpenter import KarpenterArgs
from components.network import Network, NetworkArgs
from components.node_class import NodeClassArgs
from components.node_role import NodeRole, NodeRoleArgs
from components.spec.kubeconfig import kubeconfig
from components.spec.problems import Problem
from settings.fleet_checks import needed_gates
from settings.load import line
from settings.model import Entry, Settings
from settings.network import CreatedNetwork
from settings.outputs import SCHEMA_VERSION, StackOutputs

ZONES_WITHOUT_EKS = ("use1-az3", "usw1-az2", "cac1-az3")
"""Zones in which EKS puts no control plane (docs.aws.amazon.com/eks/latest/userguide/network-reqs.html)."""


@dataclass(frozen=True)
class Place:
    """Where the stack is deployed.

    Attributes:
        region: AWS region.
        partition: Partition of the region.
        account_id: AWS account.
        zone_names: Availability zones that EKS can use, sorted.
    """

    region: str
    partition: str
    account_id: str
    zone_names: tuple[str, ...]


def locate(region: str, provider: aws.Provider) -> Place:
    """Ask AWS where the provider's credentials lead.

    Args:
        region: AWS region of the provider.
        provider: The stack's AWS provider.
    """
    # Not awaited: awaiting copies every field, and reading some of them warns people of their deprecation.
    options = pulumi.InvokeOptions(provider=provider)
    partition = aws.get_partition(opts=options)
    identity = aws.get_caller_identity(opts=options)
    zones = aws.get_availability_zones(
        state="available",
        # Local zones and zones that the account has not opted in to have no control plane either.
        filters=[{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
        exclude_zone_ids=list(ZONES_WITHOUT_EKS),
        opts=options,
    )
    return Place(region, partition.partition, identity.account_id, tuple(sorted(zones.names)))


def network(settings: Settings, place: Place) -> NetworkArgs:
    """Arguments of the network: one to make, or the existing one.

    Raises:
        pulumi.RunError: If the region has fewer zones than the settings ask for.
    """
    args: NetworkArgs = {"cluster_name": settings.cluster.name, "region": place.region}
    existing = settings.network.existing
    if existing is not None:
        args["existing"] = {
            "vpc_id": existing.vpc_id,
            "private_subnet_ids": existing.private_subnet_ids,
            "public_subnet_ids": existing.public_subnet_ids,
        }
        return args
    created = settings.network.create or CreatedNetwork()
    if created.zones > len(place.zone_names):
        rule = f"{place.region} has {len(place.zone_names)} zones that EKS can use: {', '.join(place.zone_names)}"
        remedy = f"write {len(place.zone_names)}"
        raise pulumi.RunError(line(Problem("network.create.zones", created.zones, rule, remedy)))
    args["create"] = {
        "cidr": created.cidr,
        "zone_names": place.zone_names[: created.zones],
        "nat_gateways": created.nat_gateways,
        "interface_endpoints": created.interface_endpoints,
    }
    if created.flow_logs is not None:
        args["create"]["flow_log_retention_days"] = created.flow_logs.retention_days
    return args


def cluster(settings: Settings, place: Place, network: Network) -> ClusterArgs:
    """Arguments of the cluster."""
    chosen = settings.cluster
    args: ClusterArgs = {
        "cluster_name": chosen.name,
        "version": chosen.version,
        "partition": place.partition,
        "vpc_id": network.vpc_id,
        "private_subnet_ids": network.private_subnet_ids,
        "log_types": chosen.log_types,
        "secrets_key": chosen.secrets_key,
        "deletion_protection": chosen.deletion_protection,
        "zonal_shift": chosen.zonal_shift,
        "administrators": chosen.administrators,
        "system_nodes": {
            "instance_types": chosen.system_nodes.instance_types,
            "min_size": chosen.system_nodes.min_size,
            "desired_size": chosen.system_nodes.desired_size,
            "max_size": chosen.system_nodes.max_size,
            "ami_type": chosen.system_nodes.ami_type,
            "release_version": str(chosen.system_nodes.release_version),
            "disk_size": chosen.system_nodes.disk_size,
        },
        "addons": _addons(settings),
    }
    if chosen.public_access is not None:
        args["public_access_cidrs"] = chosen.public_access.cidrs
    return args


def _addons(settings: Settings) -> dict[str, AddonArgs]:
    addons = settings.cluster.addons
    found: dict[str, AddonArgs] = {}
    for name, info in type(addons).model_fields.items():
        addon = getattr(addons, name)
        args: AddonArgs = {"configuration": addon.configuration}
        if addon.version is not None:
            args["version"] = addon.version
        found[str(info.alias)] = args
    return found


def node_role(settings: Settings, place: Place, cluster: Cluster) -> NodeRoleArgs:
    """Arguments of the nodes' role."""
    chosen = settings.node_role
    args: NodeRoleArgs = {
        "cluster_name": settings.cluster.name,
        "ready_cluster_name": cluster.name,
        "partition": place.partition,
        "extra_policy_arns": chosen.extra_policy_arns,
        "spot_service_linked_role": settings.spot_service_linked_role,
    }
    if chosen.existing is not None:
        args["existing_role_name"] = chosen.existing
    if chosen.permissions_boundary is not None:
        args["permissions_boundary"] = chosen.permissions_boundary
    if chosen.path is not None:
        args["path"] = chosen.path
    return args


def controller_role(
    settings: Settings, place: Place, cluster: Cluster, node_role: NodeRole, queue: InterruptionQueue | None
) -> ControllerRoleArgs:
    """Arguments of the controller's role."""
    chosen = settings.controller_role
    args: ControllerRoleArgs = {
        "cluster_name": settings.cluster.name,
        "ready_cluster_name": cluster.name,
        "partition": place.partition,
        "region": place.region,
        "account_id": place.account_id,
        "namespace": settings.karpenter.namespace,
        "node_role_arns": [node_role.arn, *chosen.extra_node_role_arns],
        "extra_statements": chosen.extra_statements,
    }
    if queue is not None:
        args["queue_arn"] = queue.arn
    if chosen.permissions_boundary is not None:
        args["permissions_boundary"] = chosen.permissions_boundary
    if chosen.path is not None:
        args["path"] = chosen.path
    return args


def karpenter(settings: Settings, cluster: Cluster, queue: InterruptionQueue | None) -> KarpenterArgs:
    """Arguments of the controller's charts."""
    chosen = settings.karpenter
    args: KarpenterArgs = {
        "version": chosen.version,
        "chart_repository": chosen.chart_repository,
        "namespace": chosen.namespace,
        "cluster_name": cluster.name,
        "cluster_endpoint": cluster.endpoint,
        "replicas": chosen.replicas,
        "cpu": chosen.resources.cpu,
        "memory": chosen.resources.memory,
        "log_level": chosen.log_level,
        "zonal_shift": settings.cluster.zonal_shift,
        "feature_gates": _feature_gates(settings),
        "timeout_seconds": chosen.timeout_seconds,
        "values": chosen.values,
    }
    if queue is not None:
        args["queue_name"] = queue.queue_name
    return args


def _feature_gates(settings: Settings) -> dict[str, bool]:
    """Gates that the file sets, and those that something in it needs."""
    chosen = settings.karpenter.feature_gates.model_dump(by_alias=True, exclude_none=True)
    needed = needed_gates(settings.node_pools, settings.node_overlays, settings.capacity_buffers)
    return {**dict.fromkeys(sorted(needed), True), **chosen}


def node_class(settings: Settings, name: str, node_role: NodeRole) -> NodeClassArgs:
    """Arguments of one node class. In an existing network, where the stack tags nothing, it takes the subnets by id."""
    entry: Entry = settings.node_classes[name]
    existing = settings.network.existing
    found: dict[str, Any] = {}
    if existing is not None:
        found["subnetSelectorTerms"] = [{"id": subnet} for subnet in existing.private_subnet_ids]
    return {
        "class_name": name,
        "cluster_name": settings.cluster.name,
        "kubernetes_version": settings.cluster.version,
        "node_role_name": node_role.name,
        "spec": {**found, **entry},
    }


def kubeconfig_of(cluster: Cluster, region: str) -> pulumi.Output[str]:
    """The kubeconfig, from nothing but the cluster itself, so that it is the same in every run and on every machine."""
    known = pulumi.Output.all(
        cluster=cluster.name, endpoint=cluster.endpoint, certificate_authority=cluster.certificate_authority
    )
    return known.apply(lambda found: kubeconfig(**found, region=region))


def outputs(
    settings: Settings,
    *,
    network: Network,
    cluster: Cluster,
    node_role: NodeRole,
    controller_role: ControllerRole,
    queue: InterruptionQueue | None,
    access: pulumi.Output[str],
) -> StackOutputs:
    """What the stack tells other stacks."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "clusterName": cluster.name,
        "clusterEndpoint": cluster.endpoint,
        "clusterCertificateAuthority": cluster.certificate_authority,
        "oidcIssuer": cluster.oidc_issuer,
        "oidcProviderArn": cluster.oidc_provider_arn,
        "vpcId": network.vpc_id,
        "privateSubnetIds": network.private_subnet_ids,
        "publicSubnetIds": network.public_subnet_ids,
        "nodeRoleName": node_role.name,
        "nodeRoleArn": node_role.arn,
        "controllerRoleArn": controller_role.arn,
        "interruptionQueueName": queue.queue_name if queue else None,
        "interruptionQueueArn": queue.arn if queue else None,
        "nodePoolNames": sorted(settings.node_pools),
        "nodeClassNames": sorted(settings.node_classes),
        "kubeconfig": pulumi.Output.secret(access),
    }
