"""Flow logs of a VPC, in CloudWatch."""

from typing import TypedDict

import pulumi
import pulumi_aws as aws

from components.arguments import check_args, child_options
from components.spec.iam_documents import flow_log_delivery, service_trust, text
from components.spec.names import ROLE_LIMIT, fit


class FlowLogsArgs(TypedDict):
    """Arguments of FlowLogs."""

    vpc_id: pulumi.Input[str]
    "Id of the VPC."
    cluster_name: str
    "Name of the cluster in it; names of the log group and the role come from it."
    retention_days: int
    "Days that CloudWatch keeps the logs: one of the numbers that it knows, such as 30."


class FlowLogs(pulumi.ComponentResource):
    """Who spoke with whom in a VPC, kept in a log group of its own.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    log_group_name: pulumi.Output[str]
    "Name of the log group."

    def __init__(self, name: str, args: FlowLogsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:FlowLogs", name, {}, opts)
        check_args(FlowLogsArgs, args)
        cluster = args["cluster_name"]
        group = aws.cloudwatch.LogGroup(
            name,
            name=f"/karpenter-eks/{cluster}/flow-logs",
            retention_in_days=args["retention_days"],
            opts=child_options(self, opts),
        )
        role = aws.iam.Role(
            name,
            name=fit("", cluster, "-flow-logs", ROLE_LIMIT),
            assume_role_policy=text(service_trust("vpc-flow-logs.amazonaws.com")),
            opts=child_options(self, opts),
        )
        policy = aws.iam.RolePolicy(
            name,
            role=role.id,
            policy=group.arn.apply(lambda arn: text(flow_log_delivery(arn))),
            opts=child_options(self, opts),
        )
        aws.ec2.FlowLog(
            name,
            vpc_id=args["vpc_id"],
            traffic_type="ALL",
            log_destination_type="cloud-watch-logs",
            log_destination=group.arn,
            iam_role_arn=role.arn,
            opts=child_options(self, opts, policy),
        )
        self.log_group_name = group.name
        self.register_outputs({"log_group_name": self.log_group_name})
