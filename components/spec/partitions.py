"""Partitions of AWS, and ARNs in them."""

from __future__ import annotations

from typing import Final

CHINA: Final = "aws-cn"


def managed_policy_arn(partition: str, name: str) -> str:
    """ARN of a policy that AWS manages.

    Args:
        partition: Partition, such as ``"aws"``.
        name: The policy's name, with its path where it has one.
    """
    return f"arn:{partition}:iam::aws:policy/{name}"


def ec2_principal(partition: str) -> str:
    """Service principal that a node's role trusts (the template's ``ec2.${AWS::URLSuffix}``)."""
    return "ec2.amazonaws.com.cn" if partition == CHINA else "ec2.amazonaws.com"


def cluster_arn(partition: str, region: str, account: str, cluster: str) -> str:
    """ARN of an EKS cluster."""
    return f"arn:{partition}:eks:{region}:{account}:cluster/{cluster}"


def role_name(arn_or_name: str) -> str:
    """Name of a role from its ARN, without its path; a name stays as it is."""
    return arn_or_name.rsplit("/", 1)[-1]
