"""What must hold for the network, beyond the form of single values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from components.spec.cidr import check_cidr
from components.spec.patterns import SUBNET_ID
from components.spec.problems import Problem
from settings.draft import Draft
from settings.identities import InterruptionQueueSettings
from settings.karpenter import KarpenterSettings
from settings.network import CreatedNetwork, ExistingNetwork, NetworkSettings

LEAST_SUBNETS: Final = 2
"""EKS refuses a cluster with fewer."""

ENDPOINTS_WITHOUT_NAT: Final = ("ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "ssm", "sts")
"""What nodes and controller call, and cannot reach otherwise in a network without a way out."""


def check_network(draft: Draft) -> Iterator[Problem]:
    """Problems of `network`."""
    if draft.has_own("network", "create") and draft.has_own("network", "existing"):
        yield Problem(
            "network", ["create", "existing"], "must have exactly one of create and existing", "remove one of the two"
        )
        return
    network = draft.part(NetworkSettings, "network")
    if network is None:
        return
    if network.existing is not None:
        yield from _check_existing(network.existing)
    elif network.created is not None:
        yield from check_cidr(network.created.cidr)
        if network.created.nat_gateways == "none":
            yield from _check_isolated(network.created, draft)


def _check_existing(network: ExistingNetwork) -> Iterator[Problem]:
    lists = {"privateSubnetIds": network.private_subnet_ids, "publicSubnetIds": network.public_subnet_ids}
    for key, ids in lists.items():
        for index, found in enumerate(ids):
            if not SUBNET_ID.search(found):
                yield Problem(
                    f"network.existing.{key}[{index}]",
                    found,
                    "must be the id of a subnet",
                    "write subnet-... as EC2 shows it",
                )
    private = set(network.private_subnet_ids)
    if len(private) < LEAST_SUBNETS:
        yield Problem(
            "network.existing.privateSubnetIds",
            list(network.private_subnet_ids),
            "must name at least two different subnets, in different availability zones",
            "add a subnet in another zone: EKS refuses fewer, and one zone's loss would take all nodes",
        )
    both = sorted(private & set(network.public_subnet_ids))
    if both:
        yield Problem(
            "network.existing.publicSubnetIds",
            both,
            "must not repeat private subnets",
            "list a subnet as public only if its route table leads to an internet gateway",
        )


def _check_isolated(network: CreatedNetwork, draft: Draft) -> Iterator[Problem]:
    """A network without NAT: everything that is called must have an endpoint, and images must come from inside."""
    queue = draft.part(InterruptionQueueSettings, "interruptionQueue")
    needed = [*ENDPOINTS_WITHOUT_NAT, *(["sqs"] if queue is None or queue.enabled else [])]
    missing = [name for name in needed if name not in network.interface_endpoints]
    if missing:
        yield Problem(
            "network.create.interfaceEndpoints",
            list(network.interface_endpoints),
            f"must include {', '.join(missing)}: without NAT, AWS is reached only through endpoints",
            "add them, or set natGateways to single or perZone",
        )
        return
    karpenter = draft.part(KarpenterSettings, "karpenter")
    if karpenter is None:
        return
    if draft.value("karpenter", "values", "settings", "isolatedVPC") is not True:
        yield Problem(
            "karpenter.values.settings.isolatedVPC",
            draft.value("karpenter", "values", "settings", "isolatedVPC") or False,
            "should be true in a network without NAT: the price list has no endpoint there",
            "set it to true",
            "warning",
        )
    if not draft.has_own("karpenter", "values", "controller", "image", "repository"):
        yield Problem(
            "karpenter.chartRepository",
            karpenter.chart_repository,
            "the controller's image comes from public.ecr.aws, which nodes without NAT cannot reach",
            "mirror it and set karpenter.values.controller.image.repository",
            "warning",
        )
    for name, entry in draft.entries("nodeClasses").items():
        if not entry.get("instanceProfile"):
            yield Problem(
                f"nodeClasses.{name}.instanceProfile",
                None,
                "should be given in a network without NAT: Karpenter cannot reach IAM to make one",
                "make an instance profile with the node role and name it here",
                "warning",
            )
