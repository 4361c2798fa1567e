"""The rules of the pack, one a module. Imports are relative, since a pack is started from its own folder."""

from pulumi_policy import Policy

from . import (
    ami_approved,
    ami_pinned,
    capacity_separation,
    cluster_hardening,
    disruption_controls,
    iam_scope,
    node_hardening,
    nodepool_limits,
    queue_hardening,
    workload_availability,
    workload_requests,
)

POLICIES: list[Policy] = [
    *ami_pinned.POLICIES,
    *ami_approved.POLICIES,
    *disruption_controls.POLICIES,
    *nodepool_limits.POLICIES,
    *capacity_separation.POLICIES,
    *node_hardening.POLICIES,
    *queue_hardening.POLICIES,
    *iam_scope.POLICIES,
    *cluster_hardening.POLICIES,
    *workload_requests.POLICIES,
    *workload_availability.POLICIES,
]
