"""IAM documents of Karpenter 1.14, statement by statement as its CloudFormation template has them.

Source: getting-started cloudformation.yaml of karpenter-provider-aws at v1.14. There are six policies, since one
would pass IAM's limit. A test compares every statement with a copy of the template.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from components.spec.partitions import cluster_arn, ec2_principal
from components.spec.problems import Problem

POLICY_SIZE_LIMIT: Final = 6144
"""Characters of a managed policy, white space not counted (IAM and STS quotas)."""
ATTACHMENT_LIMIT: Final = 10
"""Managed policies of a role (IAM and STS quotas, default)."""

NODE_POLICIES: Final = (
    "AmazonEKS_CNI_Policy",
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""Policies of AWS that a node needs, as in the template's KarpenterNodeRole."""

CONTROLLER_POLICIES: Final = (
    "NodeLifecycle",
    "IAMIntegration",
    "EKSIntegration",
    "Interruption",
    "ZonalShift",
    "ResourceDiscovery",
)
"""The template's policies, by the part of their name that tells them apart."""

Document = dict[str, Any]


@dataclass(frozen=True)
class Scope:
    """What the controller's policies are limited to.

    Attributes:
        partition: Partition, such as ``"aws"``.
        region: AWS region.
        account: AWS account id.
        cluster: Name of the cluster.
    """

    partition: str
    region: str
    account: str
    cluster: str

    def ec2(self, *kinds: str) -> list[str]:
        """ARN patterns of EC2 resources of the region; those of images and snapshots have no account."""
        owner = {"image": "", "snapshot": ""}
        return [f"arn:{self.partition}:ec2:{self.region}:{owner.get(kind, '*')}:{kind}/*" for kind in kinds]

    @property
    def cluster_arn(self) -> str:
        """ARN of the cluster."""
        return cluster_arn(self.partition, self.region, self.account, self.cluster)

    @property
    def instance_profiles(self) -> str:
        """ARN pattern of the account's instance profiles."""
        return f"arn:{self.partition}:iam::{self.account}:instance-profile/*"

    @property
    def owned(self) -> str:
        """The key of the tag that marks what belongs to the cluster."""
        return f"kubernetes.io/cluster/{self.cluster}"


def text(document: Mapping[str, Any]) -> str:
    """A document as JSON: no white space, sorted keys, so that equal documents are equal text."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _document(*statements: Mapping[str, Any]) -> Document:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def _statement(
    sid: str, actions: str | list[str], resources: str | list[str], condition: Mapping[str, Any] | None = None
) -> Document:
    found: Document = {"Sid": sid, "Effect": "Allow", "Resource": resources, "Action": actions}
    return found if condition is None else {**found, "Condition": condition}


_LAUNCHED: Final = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
_ANY_POOL_REQUESTED: Final = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
_ANY_POOL: Final = {"aws:ResourceTag/karpenter.sh/nodepool": "*"}


def node_lifecycle(scope: Scope) -> Document:
    """Launch, tag and terminate instances: only with and within the cluster's tags."""
    requested = {
        f"aws:RequestTag/{scope.owned}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": scope.cluster,
    }
    owned = {"StringEquals": {f"aws:ResourceTag/{scope.owned}": "owned"}, "StringLike": _ANY_POOL}
    return _document(
        _statement(
            "AllowScopedEC2InstanceAccessActions",
            ["ec2:RunInstances", "ec2:CreateFleet"],
            scope.ec2("image", "snapshot", "security-group", "subnet", "capacity-reservation", "placement-group"),
        ),
        _statement(
            "AllowScopedEC2LaunchTemplateAccessActions",
            ["ec2:RunInstances", "ec2:CreateFleet"],
            scope.ec2("launch-template")[0],
            owned,
        ),
        _statement(
            "AllowScopedEC2InstanceActionsWithTags",
            ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"],
            scope.ec2(*_LAUNCHED),
            {"StringEquals": requested, "StringLike": _ANY_POOL_REQUESTED},
        ),
        _statement(
            "AllowScopedResourceCreationTagging",
            "ec2:CreateTags",
            scope.ec2(*_LAUNCHED),
            {
                "StringEquals": {
                    **requested,
                    "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
                },
                "StringLike": _ANY_POOL_REQUESTED,
            },
        ),
        _statement(
            "AllowScopedResourceTagging",
            "ec2:CreateTags",
            scope.ec2("instance")[0],
            {
                **owned,
                "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": scope.cluster},
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        ),
        _statement(
            "AllowScopedDeletion",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            scope.ec2("instance", "launch-template"),
            owned,
        ),
    )


def iam_integration(scope: Scope, node_role_arns: Sequence[str]) -> Document:
    """Pass the nodes' roles to EC2 and keep instance profiles of the cluster.

    Args:
        scope: What the policies are limited to.
        node_role_arns: ARNs of the roles that node classes use; nothing else may be passed. With none, nothing may.
    """
    resource_tags = {
        f"aws:ResourceTag/{scope.owned}": "owned",
        "aws:ResourceTag/topology.kubernetes.io/region": scope.region,
    }
    request_tags = {
        f"aws:RequestTag/{scope.owned}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": scope.cluster,
        "aws:RequestTag/topology.kubernetes.io/region": scope.region,
    }
    resource_class = {"aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*"}
    request_class = {"aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"}
    roles = sorted(set(node_role_arns))
    pass_role = _statement(
        "AllowPassingInstanceRole",
        "iam:PassRole",
        roles[0] if len(roles) == 1 else roles,
        {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}},
    )
    return _document(
        *([pass_role] if roles else []),
        _statement(
            "AllowScopedInstanceProfileCreationActions",
            ["iam:CreateInstanceProfile"],
            scope.instance_profiles,
            {"StringEquals": request_tags, "StringLike": request_class},
        ),
        _statement(
            "AllowScopedInstanceProfileTagActions",
            ["iam:TagInstanceProfile"],
            scope.instance_profiles,
            {"StringEquals": {**resource_tags, **request_tags}, "StringLike": {**resource_class, **request_class}},
        ),
        _statement(
            "AllowScopedInstanceProfileActions",
            ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
            scope.instance_profiles,
            {"StringEquals": resource_tags, "StringLike": resource_class},
        ),
    )


def eks_integration(scope: Scope) -> Document:
    """Read the cluster's endpoint."""
    return _document(_statement("AllowAPIServerEndpointDiscovery", "eks:DescribeCluster", scope.cluster_arn))


def interruption(queue_arn: str) -> Document:
    """Read and delete the messages of the interruption queue.

    Args:
        queue_arn: ARN of the queue.
    """
    actions = ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]
    return _document(_statement("AllowInterruptionQueueActions", actions, queue_arn))


def zonal_shift(scope: Scope) -> Document:
    """Read whether a zone of the cluster is shifted away.

    The resource is ``*`` with a condition: the action has no resource of its own type for EKS clusters.
    """
    return _document(
        _statement(
            "AllowZonalShiftStatusReadOnly",
            ["arc-zonal-shift:GetManagedResource"],
            "*",
            {"StringEquals": {"arc-zonal-shift:ResourceIdentifier": scope.cluster_arn}},
        )
    )


def resource_discovery(scope: Scope) -> Document:
    """Read what can be launched and what it costs."""
    described = (
        "CapacityReservations",
        "Images",
        "Instances",
        "InstanceStatus",
        "InstanceTypeOfferings",
        "InstanceTypes",
        "LaunchTemplates",
        "PlacementGroups",
        "SecurityGroups",
        "SpotPriceHistory",
        "Subnets",
    )
    parameters = f"arn:{scope.partition}:ssm:{scope.region}::parameter/aws/service/*"
    return _document(
        _statement(
            "AllowRegionalReadActions",
            [f"ec2:Describe{kind}" for kind in described],
            "*",
            {"StringEquals": {"aws:RequestedRegion": scope.region}},
        ),
        _statement("AllowSSMReadActions", "ssm:GetParameter", parameters),
        _statement("AllowPricingReadActions", "pricing:GetProducts", "*"),
        _statement("AllowUnscopedInstanceProfileListAction", "iam:ListInstanceProfiles", "*"),
        _statement("AllowInstanceProfileReadActions", "iam:GetInstanceProfile", scope.instance_profiles),
    )


def controller_policies(scope: Scope, node_role_arns: Sequence[str], queue_arn: str | None) -> dict[str, Document]:
    """The controller's policies by kind; without a queue there is none for it.

    Args:
        scope: What the policies are limited to.
        node_role_arns: ARNs of the roles that node classes use.
        queue_arn: ARN of the interruption queue, or None.
    """
    found = {
        "NodeLifecycle": node_lifecycle(scope),
        "IAMIntegration": iam_integration(scope, node_role_arns),
        "EKSIntegration": eks_integration(scope),
        "ZonalShift": zonal_shift(scope),
        "ResourceDiscovery": resource_discovery(scope),
    }
    return found if queue_arn is None else {**found, "Interruption": interruption(queue_arn)}


def extra_policy(statements: Sequence[Mapping[str, Any]]) -> Document:
    """A policy of statements that the user adds, apart from the template's."""
    return _document(*statements)


def check_size(kind: str, document: Mapping[str, Any], path: str = "controllerRole") -> list[Problem]:
    """Tell when a managed policy is longer than IAM allows.

    Args:
        kind: Which policy it is.
        document: Its document.
        path: Where its content can be changed.
    """
    size = len(text(document))
    if size <= POLICY_SIZE_LIMIT:
        return []
    rule = f"the policy {kind} must have at most {POLICY_SIZE_LIMIT} characters without white space"
    return [Problem(path, f"{size} characters", rule, "shorten or remove statements, or list fewer role ARNs")]


def node_trust(partition: str) -> Document:
    """Who may be a node: EC2 instances."""
    return _document(
        {"Effect": "Allow", "Principal": {"Service": ec2_principal(partition)}, "Action": ["sts:AssumeRole"]}
    )


def pod_identity_trust(scope: Scope, namespace: str, service_account: str) -> Document:
    """Who may be the controller: pods of one service account, namespace and cluster, through EKS Pod Identity.

    Args:
        scope: What the policies are limited to.
        namespace: Namespace of the controller.
        service_account: Its service account.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html (session tags) and pod-id-role.html.
    """
    tags = {
        "eks-cluster-arn": scope.cluster_arn,
        "kubernetes-namespace": namespace,
        "kubernetes-service-account": service_account,
    }
    return _document(
        {
            "Sid": "AllowEksAuthToAssumeRoleForPodIdentity",
            "Effect": "Allow",
            "Principal": {"Service": "pods.eks.amazonaws.com"},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Condition": {"StringEquals": {f"aws:RequestTag/{key}": value for key, value in tags.items()}},
        }
    )


def service_trust(service: str) -> Document:
    """Trust of a role that one AWS service takes.

    Args:
        service: Service principal, such as ``"vpc-flow-logs.amazonaws.com"``.
    """
    return _document({"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"})


def flow_log_delivery(log_group_arn: str) -> Document:
    """What the VPC's flow logs need to write into one log group.

    Args:
        log_group_arn: ARN of the group, without the trailing ``:*``.

    Source: https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html
    """
    actions = [
        "logs:CreateLogStream",
        "logs:DescribeLogGroups",
        "logs:DescribeLogStreams",
        "logs:PutLogEvents",
    ]
    return _document(_statement("AllowFlowLogDelivery", actions, [log_group_arn, f"{log_group_arn}:*"]))
