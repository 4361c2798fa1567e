"""The queue that tells Karpenter when AWS is about to take a node away."""

from typing import TypedDict

import pulumi
import pulumi_aws as aws

from components.arguments import check_args, child_options
from components.spec.events import EVENT_PATTERNS, RETENTION_SECONDS, TARGET_ID, queue_policy
from components.spec.iam_documents import text
from components.spec.names import queue_name, rule_name


class InterruptionQueueArgs(TypedDict):
    """Arguments of InterruptionQueue."""

    cluster_name: str
    "Name of the cluster; the names of queue and rules come from it."


class InterruptionQueue(pulumi.ComponentResource):
    """An encrypted queue and the five EventBridge rules that fill it.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    queue_name: pulumi.Output[str]
    "Name of the queue: what the chart takes, which is neither its ARN nor its URL."
    arn: pulumi.Output[str]
    "ARN of the queue."

    def __init__(self, name: str, args: InterruptionQueueArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:InterruptionQueue", name, {}, opts)
        check_args(InterruptionQueueArgs, args)
        cluster = args["cluster_name"]
        queue = aws.sqs.Queue(
            name,
            name=queue_name(cluster),
            message_retention_seconds=RETENTION_SECONDS,
            sqs_managed_sse_enabled=True,
            opts=child_options(self, opts),
        )
        policy = aws.sqs.QueuePolicy(
            name,
            queue_url=queue.url,
            policy=queue.arn.apply(lambda arn: text(queue_policy(arn))),
            opts=child_options(self, opts),
        )
        for kind, pattern in EVENT_PATTERNS.items():
            rule = aws.cloudwatch.EventRule(
                f"{name}-{kind}",
                name=rule_name(kind, cluster),
                description=f"{pattern['detail-type'][0]} -> Karpenter of {cluster}",
                event_pattern=text(pattern),
                opts=child_options(self, opts),
            )
            aws.cloudwatch.EventTarget(
                f"{name}-{kind}",
                rule=rule.name,
                target_id=TARGET_ID,
                arn=queue.arn,
                opts=child_options(self, opts, policy),
            )
        self.queue_name, self.arn = queue.name, queue.arn
        self.register_outputs({"queue_name": self.queue_name, "arn": self.arn})
