"""The managed node group on which Karpenter itself and CoreDNS run."""

from collections.abc import Sequence
from typing import TypedDict

import pulumi
import pulumi_aws as aws

from components.arguments import check_args, child_options
from components.spec.helm_values import SYSTEM_NODE_LABEL, SYSTEM_NODE_TAINT
from components.spec.iam_documents import NODE_POLICIES, node_trust, text
from components.spec.names import node_group_name, system_node_role_name
from components.spec.partitions import managed_policy_arn
from components.spec.problems import Problem

BOTTLEROCKET_SYSTEM_VOLUME = 4
"""GiB of Bottlerocket's first volume, which holds the system; the second one holds images and pods."""


class SystemNodeSettings(TypedDict):
    """Size and kind of the managed node group."""

    instance_types: Sequence[str]
    "Instance types, all of one architecture."
    min_size: int
    "Least number of nodes, from 1 on."
    desired_size: int
    "Number of nodes at the start; EKS owns it afterwards."
    max_size: int
    "Most nodes."
    ami_type: str
    "EKS's name of the AMI's kind, such as `AL2023_x86_64_STANDARD`."
    release_version: str
    "Release of the AMI, such as `1.36.2-20261101`."
    disk_size: int
    "Size of the data volume, in GiB."


class SystemNodesArgs(SystemNodeSettings):
    """Arguments of SystemNodes."""

    cluster_name: str
    "Name of the cluster; names come from it."
    ready_cluster_name: pulumi.Input[str]
    "The same name as the made cluster gives it, known once the cluster is there."
    kubernetes_version: str
    "Kubernetes version of the nodes: the cluster's."
    partition: str
    "Partition, such as `aws`."
    subnet_ids: pulumi.Input[Sequence[str]]
    "Subnets of the nodes."


class SystemNodes(pulumi.ComponentResource):
    """Nodes that ordinary pods keep off, with IMDSv2 and encrypted volumes.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    role_arn: pulumi.Output[str]
    "ARN of the nodes' role."
    node_group_name: pulumi.Output[str]
    "Name of the node group; known once its nodes are there."

    def __init__(self, name: str, args: SystemNodesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:SystemNodes", name, {}, opts)
        check_args(SystemNodesArgs, args, _problems(args))
        role = aws.iam.Role(
            name,
            name=system_node_role_name(args["cluster_name"]),
            assume_role_policy=text(node_trust(args["partition"])),
            opts=child_options(self, opts),
        )
        attachments = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{policy}",
                role=role.name,
                policy_arn=managed_policy_arn(args["partition"], policy),
                opts=child_options(self, opts),
            )
            for policy in NODE_POLICIES
        ]
        template = aws.ec2.LaunchTemplate(
            name,
            name=node_group_name(args["cluster_name"]),
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
            ),
            block_device_mappings=_volumes(args["ami_type"], args["disk_size"]),
            tag_specifications=[
                aws.ec2.LaunchTemplateTagSpecificationArgs(
                    resource_type=kind, tags={"Name": node_group_name(args["cluster_name"])}
                )
                for kind in ("instance", "volume")
            ],
            update_default_version=True,
            opts=child_options(self, opts),
        )
        group = aws.eks.NodeGroup(
            name,
            cluster_name=args["ready_cluster_name"],
            node_group_name=node_group_name(args["cluster_name"]),
            node_role_arn=role.arn,
            subnet_ids=args["subnet_ids"],
            version=args["kubernetes_version"],
            release_version=args["release_version"],
            ami_type=args["ami_type"],
            instance_types=list(args["instance_types"]),
            capacity_type="ON_DEMAND",
            launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
                id=template.id, version=template.latest_version.apply(_version_text)
            ),
            scaling_config=aws.eks.NodeGroupScalingConfigArgs(
                min_size=args["min_size"], desired_size=args["desired_size"], max_size=args["max_size"]
            ),
            update_config=aws.eks.NodeGroupUpdateConfigArgs(max_unavailable=1),
            labels=dict(SYSTEM_NODE_LABEL),
            taints=[aws.eks.NodeGroupTaintArgs(**SYSTEM_NODE_TAINT)],
            opts=pulumi.ResourceOptions.merge(
                child_options(self, opts, *attachments),
                pulumi.ResourceOptions(ignore_changes=["scalingConfig.desiredSize"]),
            ),
        )
        self.role_arn, self.node_group_name = role.arn, group.node_group_name
        self.register_outputs({"role_arn": self.role_arn, "node_group_name": self.node_group_name})


def _version_text(version: float) -> str:
    return str(int(version))


def _volumes(ami_type: str, size: int) -> list[aws.ec2.LaunchTemplateBlockDeviceMappingArgs]:
    if not ami_type.startswith("BOTTLEROCKET"):
        return [_volume("/dev/xvda", size)]
    return [_volume("/dev/xvda", BOTTLEROCKET_SYSTEM_VOLUME), _volume("/dev/xvdb", size)]


def _volume(device: str, size: int) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgs:
    # The launch template takes booleans of a volume as text.
    ebs = aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
        volume_size=size, volume_type="gp3", encrypted="true", delete_on_termination="true"
    )
    return aws.ec2.LaunchTemplateBlockDeviceMappingArgs(device_name=device, ebs=ebs)


def _problems(args: SystemNodesArgs) -> list[Problem]:
    sizes = [args.get("min_size", 1), args.get("desired_size", 1), args.get("max_size", 1)]
    problems = []
    if sizes[0] < 1:
        rule = "must be at least 1: with no system node Karpenter cannot come back"
        problems.append(Problem("min_size", sizes[0], rule, "pass 2"))
    if sizes != sorted(sizes):
        rule = "min_size, desired_size and max_size must not fall"
        problems.append(Problem("desired_size", sizes, rule, "pass for example 1, 2 and 10"))
    return problems
