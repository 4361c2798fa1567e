"""The address plan: inside the VPC, without overlap, with big private subnets."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.cidr import check_cidr, plan

NETWORKS = st.builds(
    lambda second, third, prefix: str(ipaddress.ip_network(f"10.{second}.{third}.0/{prefix}", strict=False)),
    st.integers(0, 255),
    st.integers(0, 255),
    st.integers(16, 20),
)


@given(NETWORKS, st.integers(2, 4))
def test_subnets_lie_in_the_network_and_never_overlap(cidr: str, zones: int) -> None:
    found = plan(cidr, zones)
    subnets = [ipaddress.ip_network(text) for text in (*found.private, *found.public)]
    assert len(found.private) == len(found.public) == zones, "a zone would have no subnet"
    network = ipaddress.IPv4Network(cidr)
    for subnet in subnets:
        assert isinstance(subnet, ipaddress.IPv4Network)
        assert subnet.subnet_of(network), f"EC2 refuses {subnet} in {cidr}"
        assert subnet.prefixlen <= 28, "EC2 refuses subnets smaller than /28"
    overlaps = [(a, b) for i, a in enumerate(subnets) for b in subnets[i + 1 :] if a.overlaps(b)]
    assert not overlaps, f"EC2 refuses overlapping subnets: {overlaps}"


@given(NETWORKS, st.integers(2, 4))
def test_private_subnets_are_the_big_ones(cidr: str, zones: int) -> None:
    found = plan(cidr, zones)
    private = sum(ipaddress.ip_network(text).num_addresses for text in found.private)
    public = sum(ipaddress.ip_network(text).num_addresses for text in found.public)
    assert private >= 8 * public, "pods would run out of addresses while public ones lie idle"


def test_a_fourth_zone_later_changes_no_subnet_of_three() -> None:
    three, four = plan("10.0.0.0/16", 3), plan("10.0.0.0/16", 4)
    assert four.private[:3] == three.private, "adding a zone would replace every subnet"
    assert four.public[:3] == three.public


def test_the_plan_of_the_default_network() -> None:
    found = plan("10.0.0.0/16", 3)
    assert found.private == ("10.0.0.0/19", "10.0.64.0/19", "10.0.128.0/19")
    assert found.public == ("10.0.60.0/22", "10.0.124.0/22", "10.0.188.0/22")


@pytest.mark.parametrize(
    ("cidr", "rule"),
    [
        ("10.0.0.1/16", "host bits"),
        ("words", "host bits"),
        ("10.0.0.0/8", "/16 to /20"),
        ("10.0.0.0/24", "/16 to /20"),
        ("fd00::/56", "/16 to /20"),
        ("8.8.0.0/16", "private range"),
    ],
)
def test_a_range_that_ec2_or_pods_cannot_live_with_is_refused(cidr: str, rule: str) -> None:
    [problem] = check_cidr(cidr)
    assert rule in problem.rule
    assert problem.found == cidr
    with pytest.raises(ValueError, match="can't be divided"):
        plan(cidr, 3)


@pytest.mark.parametrize("cidr", ["10.0.0.0/16", "172.16.0.0/20", "192.168.0.0/16", "100.64.0.0/16"])
def test_private_ranges_are_taken(cidr: str) -> None:
    assert check_cidr(cidr) == []


def test_zones_are_two_to_four() -> None:
    for zones in (1, 5):
        with pytest.raises(ValueError, match=f"{zones} zones"):
            plan("10.0.0.0/16", zones)
