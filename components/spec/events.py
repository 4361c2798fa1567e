"""The five events that tell Karpenter of a node's coming end, and who may write to the queue.

Source: the CloudFormation template of Karpenter 1.14 (getting started, cloudformation.yaml).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

EVENT_PATTERNS: Final[Mapping[str, Mapping[str, list[str]]]] = {
    "scheduled-change": {"source": ["aws.health"], "detail-type": ["AWS Health Event"]},
    "spot-interruption": {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]},
    "rebalance": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"]},
    "state-change": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"]},
    "reservation-interruption": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"],
    },
}
"""Kind of event -> the EventBridge pattern that matches it."""

TARGET_ID: Final = "KarpenterInterruptionQueueTarget"
RETENTION_SECONDS: Final = 300
"""An interruption is worth nothing after five minutes: a Spot instance has two."""


def queue_policy(queue_arn: str) -> dict[str, Any]:
    """Who may use the interruption queue: EventBridge sends, nobody comes over plain HTTP.

    The service principals have no ``.cn`` suffix in any partition: SQS refuses it.

    Args:
        queue_arn: ARN of the queue.
    """
    return {
        "Version": "2012-10-17",
        "Id": "EC2InterruptionPolicy",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": queue_arn,
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Action": "sqs:*",
                "Resource": queue_arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                "Principal": "*",
            },
        ],
    }
