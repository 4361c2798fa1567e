"""Tags that something else selects by."""

from __future__ import annotations

from typing import Final

from components.spec.defaults import DISCOVERY_TAG

PUBLIC_LOAD_BALANCER_TAG: Final = "kubernetes.io/role/elb"
INTERNAL_LOAD_BALANCER_TAG: Final = "kubernetes.io/role/internal-elb"


def discovery_tags(cluster: str) -> dict[str, str]:
    """The tag by which Karpenter finds subnets and the security group of a cluster's nodes."""
    return {DISCOVERY_TAG: cluster}


def private_subnet_tags(cluster: str, name: str) -> dict[str, str]:
    """Tags of a private subnet: Karpenter's discovery, and the place of internal load balancers."""
    return {"Name": name, INTERNAL_LOAD_BALANCER_TAG: "1", **discovery_tags(cluster)}


def public_subnet_tags(name: str) -> dict[str, str]:
    """Tags of a public subnet: the place of load balancers that face the internet."""
    return {"Name": name, PUBLIC_LOAD_BALANCER_TAG: "1"}
