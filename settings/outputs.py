"""What the stack tells other stacks."""

from __future__ import annotations

from typing import Final, TypedDict

import pulumi

SCHEMA_VERSION: Final = 1
"""Goes up when an output changes its meaning or goes away; new outputs do not change it."""


class StackOutputs(TypedDict):
    """Outputs of the stack, read through a StackReference."""

    schemaVersion: int
    "Version of this set. A reader should refuse one that it does not know."
    clusterName: pulumi.Output[str]
    "Name of the EKS cluster."
    clusterEndpoint: pulumi.Output[str]
    "URL of the API server."
    clusterCertificateAuthority: pulumi.Output[str]
    "Certificate of the API server's authority, base64 of PEM."
    oidcIssuer: pulumi.Output[str]
    "URL of the cluster's OIDC issuer."
    oidcProviderArn: pulumi.Output[str]
    "ARN of the IAM OIDC provider, for roles of service accounts."
    vpcId: pulumi.Output[str]
    "Id of the VPC."
    privateSubnetIds: pulumi.Output[list[str]]
    "Ids of the subnets of nodes."
    publicSubnetIds: pulumi.Output[list[str]]
    "Ids of the subnets of load balancers that face the internet; empty where there are none."
    nodeRoleName: pulumi.Output[str]
    "Name of the role of Karpenter's nodes."
    nodeRoleArn: pulumi.Output[str]
    "ARN of the role of Karpenter's nodes."
    controllerRoleArn: pulumi.Output[str]
    "ARN of the role of Karpenter's controller."
    interruptionQueueName: pulumi.Output[str] | None
    "Name of the interruption queue; null where it is switched off."
    interruptionQueueArn: pulumi.Output[str] | None
    "ARN of the interruption queue; null where it is switched off."
    nodePoolNames: list[str]
    "Names of the NodePools, sorted."
    nodeClassNames: list[str]
    "Names of the EC2NodeClasses, sorted."
    kubeconfig: pulumi.Output[str]
    "Secret. A kubeconfig as a JSON string; it calls `aws eks get-token` and holds no credential."
