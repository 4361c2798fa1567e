"""The role of the nodes that Karpenter launches, and their way into the cluster."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from components.arguments import check_args, child_options
from components.spec.iam_documents import ATTACHMENT_LIMIT, NODE_POLICIES, node_trust, text
from components.spec.names import node_role_name
from components.spec.partitions import managed_policy_arn, role_name
from components.spec.problems import Problem


class NodeRoleArgs(TypedDict):
    """Arguments of NodeRole."""

    cluster_name: str
    "Name of the cluster; the role's name comes from it."
    ready_cluster_name: pulumi.Input[str]
    "The same name as the made cluster gives it, known once the cluster is there."
    partition: str
    "Partition, such as `aws`."
    existing_role_name: NotRequired[str]
    "Use this role in place of one of our own; it must trust EC2 and carry the policies of a node."
    extra_policy_arns: NotRequired[Sequence[str]]
    "Managed policies to attach beside the four that a node needs."
    permissions_boundary: NotRequired[str]
    "ARN of a policy that bounds the role."
    path: NotRequired[str]
    "IAM path of the role, such as `/karpenter/`."
    spot_service_linked_role: NotRequired[bool]
    "Make the role that EC2 Spot needs once for each account. It outlives the stack."


class NodeRole(pulumi.ComponentResource):
    """A role for Karpenter's nodes, with an access entry of type EC2_LINUX, without groups of its own.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    name: pulumi.Output[str]
    "Name of the role, without its path: what an EC2NodeClass takes."
    arn: pulumi.Output[str]
    "ARN of the role."

    def __init__(self, name: str, args: NodeRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:NodeRole", name, {}, opts)
        check_args(NodeRoleArgs, args, _problems(args))
        needed: list[pulumi.Resource] = []
        if "existing_role_name" in args:
            found = aws.iam.get_role_output(
                name=args["existing_role_name"], opts=pulumi.InvokeOutputOptions(parent=self)
            )
            self.name, self.arn = found.name, found.arn
        else:
            needed = self._create(name, args, opts)
        aws.eks.AccessEntry(
            f"{name}-access",
            cluster_name=args["ready_cluster_name"],
            principal_arn=self.arn,
            type="EC2_LINUX",
            opts=child_options(self, opts, *needed),
        )
        if args.get("spot_service_linked_role", False):
            aws.iam.ServiceLinkedRole(
                f"{name}-spot",
                aws_service_name="spot.amazonaws.com",
                opts=pulumi.ResourceOptions.merge(
                    child_options(self, opts), pulumi.ResourceOptions(retain_on_delete=True)
                ),
            )
        self.register_outputs({"name": self.name, "arn": self.arn})

    def _create(self, name: str, args: NodeRoleArgs, opts: pulumi.ResourceOptions | None) -> list[pulumi.Resource]:
        partition = args["partition"]
        role = aws.iam.Role(
            name,
            name=node_role_name(args["cluster_name"]),
            path=args.get("path"),
            permissions_boundary=args.get("permissions_boundary"),
            assume_role_policy=text(node_trust(partition)),
            opts=child_options(self, opts),
        )
        own = {policy: managed_policy_arn(partition, policy) for policy in NODE_POLICIES}
        extra = {role_name(arn): arn for arn in args.get("extra_policy_arns", []) if arn not in own.values()}
        self.name, self.arn = role.name, role.arn
        return [
            aws.iam.RolePolicyAttachment(
                f"{name}-{policy}", role=role.name, policy_arn=arn, opts=child_options(self, opts)
            )
            for policy, arn in {**own, **extra}.items()
        ]


def _problems(args: NodeRoleArgs) -> list[Problem]:
    existing = args.get("existing_role_name")
    extra = set(args.get("extra_policy_arns", []))
    most = ATTACHMENT_LIMIT - len(NODE_POLICIES)
    if existing is None:
        rule = f"must be at most {most}: with a node's own {len(NODE_POLICIES)} a role has at most {ATTACHMENT_LIMIT}"
        found = Problem("extra_policy_arns", sorted(extra), rule, "put their statements into fewer policies")
        return [found] if len(extra) > most else []
    problems = []
    if "/" in existing or existing.startswith("arn:"):
        rule = "must be the role's name, without ARN and path"
        problems.append(Problem("existing_role_name", existing, rule, f"pass {role_name(existing)}"))
    if args.get("extra_policy_arns"):
        rule = "must be empty with an existing role: it belongs to somebody else"
        problems.append(
            Problem("extra_policy_arns", list(args["extra_policy_arns"]), rule, "attach them where the role is made")
        )
    return problems
