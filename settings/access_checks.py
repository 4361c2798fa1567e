"""Who may reach and administer the API server."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from typing import Final

from components.spec.problems import Problem
from settings.cluster import ClusterSettings, PublicAccess
from settings.draft import Draft

ANYWHERE: Final = ipaddress.IPv4Network("0.0.0.0/0")
_PRINCIPAL: Final = re.compile(r"^arn:[^:]+:iam::\d{12}:(role|user)/\S+\Z")
_SESSION: Final = re.compile(r"^arn:([^:]+):sts::(\d{12}):assumed-role/([^/]+)/")


def check_public_access(draft: Draft) -> Iterator[Problem]:
    """Problems of `cluster.publicAccess`."""
    if not draft.has_own("cluster", "publicAccess"):
        return
    access = draft.part(PublicAccess, "cluster", "publicAccess")
    if access is None:
        return
    for index, text in enumerate(access.cidrs):
        yield from _check_range(f"cluster.publicAccess.cidrs[{index}]", text, from_anywhere=access.from_anywhere)


def _check_range(path: str, text: str, *, from_anywhere: bool) -> Iterator[Problem]:
    try:
        found = ipaddress.IPv4Network(text)
    except ValueError:
        yield Problem(path, text, "must be an IPv4 range without host bits", "write for example 203.0.113.0/24")
        return
    if found == ANYWHERE and not from_anywhere:
        yield Problem(
            path,
            text,
            "opens the API server to the whole internet, which needs a second word",
            "name your own ranges, or set cluster.publicAccess.fromAnywhere to true",
        )
    elif found != ANYWHERE and not found.is_global and not _is_documentation(found):
        yield Problem(
            path,
            text,
            "must be a range of public addresses: private ones never reach the public endpoint",
            "write the addresses that your connections leave your network with",
        )


def _is_documentation(found: ipaddress.IPv4Network) -> bool:
    """Ranges of RFC 5737, which examples use."""
    return any(found.subnet_of(ipaddress.IPv4Network(n)) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"))


def check_administrators(draft: Draft) -> Iterator[Problem]:
    """Problems of `cluster.administrators`."""
    cluster = draft.part(ClusterSettings, "cluster")
    if cluster is None:
        return
    for index, arn in enumerate(cluster.administrators):
        yield from _check_administrator(f"cluster.administrators[{index}]", arn, cluster.administrators[:index])


def _check_administrator(path: str, arn: str, before: Sequence[str]) -> Iterator[Problem]:
    if session := _SESSION.match(arn):
        partition, account, role = session.groups()
        yield Problem(
            path,
            arn,
            "must be the ARN of a role, not of a session of it",
            f"write arn:{partition}:iam::{account}:role/{role}, with the role's path if it has one",
        )
    elif not _PRINCIPAL.match(arn):
        yield Problem(
            path,
            arn,
            "must be the ARN of an IAM role or user",
            "write for example arn:aws:iam::123456789012:role/platform",
        )
    elif arn in before:
        yield Problem(path, arn, "must be listed once", "remove the second one")
