"""Who may reach and administer the API server."""

from __future__ import annotations

import pytest

from tests.unit.settings.support import config, errors, loaded

CIDR = "karpenter-eks:cluster.publicAccess.cidrs[0]: found"
ADMIN = "karpenter-eks:cluster.administrators[0]: found"
ROLE = "arn:aws:iam::123456789012:role/platform"


def access(cidr: str, **more: bool) -> list[str]:
    return errors(config(cluster={"publicAccess": {"cidrs": [cidr], **more}}))


def test_the_whole_internet_needs_a_second_word() -> None:
    assert access("0.0.0.0/0") == [
        f'{CIDR} "0.0.0.0/0"; opens the API server to the whole internet, which needs a second word; name your own '
        f"ranges, or "
        "set cluster.publicAccess.fromAnywhere to true"
    ]
    assert access("0.0.0.0/0", fromAnywhere=True) == []


@pytest.mark.parametrize("cidr", ["10.0.0.0/8", "192.168.1.0/24", "100.64.0.0/10"])
def test_private_ranges_never_reach_the_public_endpoint(cidr: str) -> None:
    [line] = access(cidr)
    assert "must be a range of public addresses" in line, "the update fails at EKS, or nobody can connect"


@pytest.mark.parametrize("cidr", ["203.0.113.1/24", "2001:db8::/32", "office"])
def test_a_range_is_an_ipv4_network(cidr: str) -> None:
    assert access(cidr) == [
        f'{CIDR} "{cidr}"; must be an IPv4 range without host bits; write for example 203.0.113.0/24'
    ]


@pytest.mark.parametrize("cidr", ["203.0.113.0/24", "52.94.76.0/22", "8.8.8.8/32"])
def test_public_ranges_are_fine(cidr: str) -> None:
    assert access(cidr) == []
    assert loaded(config(cluster={"publicAccess": {"cidrs": [cidr]}})).settings.cluster.public_access is not None


def test_public_access_without_a_range_is_refused() -> None:
    assert errors(config(cluster={"publicAccess": {"cidrs": []}})) == [
        "karpenter-eks:cluster.publicAccess.cidrs: found []; must not be empty; for example [203.0.113.0/24]"
    ], "EKS takes no range for the whole internet"


def test_an_administrator_is_a_role_or_a_user() -> None:
    assert errors(config(cluster={"administrators": [ROLE, "arn:aws-cn:iam::123456789012:user/team/ann"]})) == []
    [line] = errors(config(cluster={"administrators": ["platform"]}))
    assert line == (
        f'{ADMIN} "platform"; must be the ARN of an IAM role or user; write for example '
        f"arn:aws:iam::123456789012:role/platform"
    )


def test_a_session_of_a_role_is_no_administrator() -> None:
    session = "arn:aws:sts::123456789012:assumed-role/platform/ann"
    assert errors(config(cluster={"administrators": [session]})) == [
        f'{ADMIN} "{session}"; must be the ARN of a role, not of a session of it; write {ROLE}, with the role\'s path '
        f"if it has "
        "one"
    ], "EKS refuses the access entry in the middle of the update"


def test_an_administrator_is_listed_once() -> None:
    [line] = errors(config(cluster={"administrators": [ROLE, ROLE]}))
    assert line.startswith("karpenter-eks:cluster.administrators[1]"), (
        "the second access entry fails in the middle of the update"
    )
    assert "must be listed once" in line
