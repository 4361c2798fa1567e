"""The plan of a network's addresses: big private subnets, small public ones."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

from components.spec.problems import Problem

LEAST_ZONES: Final = 2
MOST_ZONES: Final = 4
LONGEST_PREFIX: Final = 20
"""Smaller networks would leave a private subnet fewer than 250 addresses, and each pod takes one."""
SHORTEST_PREFIX: Final = 16
"""A VPC's own limit (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html)."""


@dataclass(frozen=True)
class Plan:
    """Address ranges of a network's subnets, one of each kind for each availability zone.

    Attributes:
        private: Ranges of the private subnets.
        public: Ranges of the public subnets.
    """

    private: tuple[str, ...]
    public: tuple[str, ...]


def check_cidr(cidr: str, path: str = "network.create.cidr") -> list[Problem]:
    """What is wrong with a network's range.

    Args:
        cidr: The range, such as ``"10.0.0.0/16"``.
        path: Where it stands.
    """
    try:
        network = ipaddress.ip_network(cidr)
    except ValueError:
        rule, remedy = "must be an IPv4 range whose host bits are 0", "write a range such as 10.0.0.0/16"
        return [Problem(path, cidr, rule, remedy)]
    if network.version != 4 or not SHORTEST_PREFIX <= network.prefixlen <= LONGEST_PREFIX:  # noqa: PLR2004 (IPv4)
        return [
            Problem(
                path,
                cidr,
                f"must be an IPv4 range of /{SHORTEST_PREFIX} to /{LONGEST_PREFIX}: every pod takes an address",
                "write a range such as 10.0.0.0/16",
            )
        ]
    if not network.is_private and not network.overlaps(ipaddress.IPv4Network("100.64.0.0/10")):
        rule = "must lie in a private range: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10"
        return [Problem(path, cidr, rule, "write a range such as 10.0.0.0/16")]
    return []


def plan(cidr: str, zones: int) -> Plan:
    """Divide a network.

    The network is cut into as many equal blocks as there are zones, rounded up to a power of two. The first half of a
    block is its zone's private subnet, the last sixteenth its public one; what lies between is free for later.

    Args:
        cidr: An IPv4 range of /16 to /20.
        zones: Availability zones, 2 to 4.

    Raises:
        ValueError: If either is out of range.
    """
    if check_cidr(cidr) or not LEAST_ZONES <= zones <= MOST_ZONES:
        message = f"{cidr} can't be divided for {zones} zones"
        raise ValueError(message)
    network = ipaddress.IPv4Network(cidr)
    blocks = list(network.subnets(prefixlen_diff=2 if zones > LEAST_ZONES else 1))[:zones]
    private = tuple(str(next(block.subnets(prefixlen_diff=1))) for block in blocks)
    public = tuple(str(list(block.subnets(prefixlen_diff=4))[-1]) for block in blocks)
    return Plan(private, public)
