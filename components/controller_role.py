"""The permissions of Karpenter's controller, and the pod that gets them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from components.arguments import check_args, child_options
from components.spec import iam_documents as iam
from components.spec.names import SERVICE_ACCOUNT, controller_policy_name, controller_role_name
from components.spec.problems import Problem

KINDS = {
    "NodeLifecycle": "node-lifecycle",
    "IAMIntegration": "iam-integration",
    "EKSIntegration": "eks-integration",
    "Interruption": "interruption",
    "ZonalShift": "zonal-shift",
    "ResourceDiscovery": "resource-discovery",
    "Extra": "extra",
}
"""A policy's kind -> the end of its logical name."""


class ControllerRoleArgs(TypedDict):
    """Arguments of ControllerRole."""

    cluster_name: str
    "Name of the cluster; names and conditions come from it."
    ready_cluster_name: pulumi.Input[str]
    "The same name as the made cluster gives it, known once the cluster is there."
    partition: str
    "Partition, such as `aws`."
    region: str
    "AWS region."
    account_id: str
    "AWS account id."
    namespace: str
    "Namespace of the controller."
    node_role_arns: Sequence[pulumi.Input[str]]
    "ARNs of every role that a node class uses: those may be passed to EC2, and no others."
    queue_arn: NotRequired[pulumi.Input[str]]
    "ARN of the interruption queue; absent means that there is none."
    permissions_boundary: NotRequired[str]
    "ARN of a policy that bounds the role."
    path: NotRequired[str]
    "IAM path of the role and its policies."
    extra_statements: NotRequired[Sequence[Mapping[str, Any]]]
    "IAM statements for a policy beside the template's six."


class ControllerRole(pulumi.ComponentResource):
    """The controller's role with the template's policies, for pods of one service account of one cluster.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    name: pulumi.Output[str]
    "Name of the role."
    arn: pulumi.Output[str]
    "ARN of the role."

    def __init__(self, name: str, args: ControllerRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:ControllerRole", name, {}, opts)
        check_args(ControllerRoleArgs, args, _problems(args))
        scope = iam.Scope(args["partition"], args["region"], args["account_id"], args["cluster_name"])
        role = aws.iam.Role(
            name,
            name=controller_role_name(args["cluster_name"]),
            path=args.get("path"),
            permissions_boundary=args.get("permissions_boundary"),
            assume_role_policy=iam.text(iam.pod_identity_trust(scope, args["namespace"], SERVICE_ACCOUNT)),
            opts=child_options(self, opts),
        )
        attachments = []
        for kind, document in _documents(scope, args).items():
            policy = aws.iam.Policy(
                f"{name}-{KINDS[kind]}",
                name=controller_policy_name(kind, args["cluster_name"]),
                path=args.get("path"),
                policy=document,
                opts=child_options(self, opts),
            )
            attachments.append(
                aws.iam.RolePolicyAttachment(
                    f"{name}-{KINDS[kind]}", role=role.name, policy_arn=policy.arn, opts=child_options(self, opts)
                )
            )
        aws.eks.PodIdentityAssociation(
            name,
            cluster_name=args["ready_cluster_name"],
            namespace=args["namespace"],
            service_account=SERVICE_ACCOUNT,
            role_arn=role.arn,
            # The controller must not get the role before its permissions, nor keep it after them.
            opts=child_options(self, opts, *attachments),
        )
        self.name, self.arn = role.name, role.arn
        self.register_outputs({"name": self.name, "arn": self.arn})


def _documents(scope: iam.Scope, args: ControllerRoleArgs) -> dict[str, pulumi.Output[str]]:
    """Each policy's document as text, by kind."""
    queue_arn = args.get("queue_arn")
    kinds = [kind for kind in iam.CONTROLLER_POLICIES if kind != "Interruption" or queue_arn is not None]
    inputs = pulumi.Output.all(roles=list(args["node_role_arns"]), queue=queue_arn)
    found = {kind: inputs.apply(partial(_document, scope, kind)) for kind in kinds}
    if args.get("extra_statements"):
        found["Extra"] = pulumi.Output.from_input(iam.text(iam.extra_policy(args["extra_statements"])))
    return found


def _document(scope: iam.Scope, kind: str, inputs: Mapping[str, Any]) -> str:
    """One policy as text, once the ARNs in it are known.

    Raises:
        pulumi.RunError: If IAM would refuse it as too long.
    """
    document = iam.controller_policies(scope, inputs["roles"], inputs["queue"])[kind]
    problems = iam.check_size(kind, document)
    if problems:
        raise pulumi.RunError("\n".join(problem.line() for problem in problems))
    return iam.text(document)


def _problems(args: ControllerRoleArgs) -> list[Problem]:
    problems = []
    if "node_role_arns" in args and not args["node_role_arns"]:
        rule = "must name at least one role: Karpenter could launch no node"
        problems.append(Problem("node_role_arns", [], rule, "pass the ARN of the node role"))
    for index, arn in enumerate(args.get("node_role_arns", [])):
        if isinstance(arn, str) and ":role/" not in arn:
            rule = "must be the ARN of a role"
            problems.append(
                Problem(f"node_role_arns[{index}]", arn, rule, "pass arn:<partition>:iam::<account>:role/...")
            )
    extra = args.get("extra_statements")
    if extra:
        problems += iam.check_size("Extra", iam.extra_policy(extra), "extra_statements")
    return problems
