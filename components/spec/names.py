"""Physical names that something outside of Pulumi matches, each within its AWS limit."""

from __future__ import annotations

import hashlib
from typing import Final

ROLE_LIMIT: Final = 64
POLICY_LIMIT: Final = 128
QUEUE_LIMIT: Final = 80
RULE_LIMIT: Final = 64
CLUSTER_LIMIT: Final = 100
HASH_LENGTH: Final = 8

SERVICE_ACCOUNT: Final = "karpenter"
CONTROLLER_DEPLOYMENT: Final = "karpenter"


def fit(prefix: str, name: str, suffix: str, limit: int) -> str:
    """Join three parts; where that is too long, cut the middle one and add a hash of all of it.

    The same parts give the same name in every run, and two names that begin alike stay different.

    Args:
        prefix: Text before the name.
        name: The part that may be cut.
        suffix: Text after the name.
        limit: Most characters that AWS allows.
    """
    whole = f"{prefix}{name}{suffix}"
    if len(whole) <= limit:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:HASH_LENGTH]
    room = limit - len(prefix) - len(suffix) - HASH_LENGTH - 1
    return f"{prefix}{name[:room].rstrip('-_')}-{digest}{suffix}"


def node_role_name(cluster: str) -> str:
    """Name of the role of Karpenter's nodes (1.14 template: ``KarpenterNodeRole-<cluster>``)."""
    return fit("KarpenterNodeRole-", cluster, "", ROLE_LIMIT)


def controller_role_name(cluster: str) -> str:
    """Name of the controller's role (Karpenter's guide: ``<cluster>-karpenter``)."""
    return fit("", cluster, "-karpenter", ROLE_LIMIT)


def system_node_role_name(cluster: str) -> str:
    """Name of the role of the system node group."""
    return fit("", cluster, "-system-nodes", ROLE_LIMIT)


def controller_policy_name(kind: str, cluster: str) -> str:
    """Name of one of the controller's policies (1.14 template: ``KarpenterController<kind>Policy-<cluster>``)."""
    return fit(f"KarpenterController{kind}Policy-", cluster, "", POLICY_LIMIT)


def queue_name(cluster: str) -> str:
    """Name of the interruption queue: the cluster's, as the guide and the chart's documentation have it."""
    return fit("", cluster, "", QUEUE_LIMIT)


def rule_name(kind: str, cluster: str) -> str:
    """Name of an EventBridge rule; it carries the cluster, since rules share one bus for each account and region."""
    return fit("", cluster, f"-karpenter-{kind}", RULE_LIMIT)


def node_group_name(cluster: str) -> str:
    """Name of the system node group; EKS allows 63 characters."""
    return fit("", cluster, "-system", 63)
