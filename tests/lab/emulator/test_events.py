"""What AWS says about instances reaches the queue through rule, pattern, target and queue policy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lab.emulator.world import Emulator, World

pytestmark = pytest.mark.lab

TEMPLATE_RULES = {
    "health": {"source": ["aws.health"], "detail-type": ["AWS Health Event"]},
    "spot": {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]},
    "rebalance": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"]},
    "state": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"]},
    "reservation": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"],
    },
}


def queue_policy(arn: str, **changes: Any) -> str:
    statements = [
        {
            "Effect": "Allow",
            "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
            "Action": "sqs:SendMessage",
            "Resource": arn,
            **changes,
        },
        {
            "Sid": "DenyHTTP",
            "Effect": "Deny",
            "Action": "sqs:*",
            "Resource": arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            "Principal": "*",
        },
    ]
    return json.dumps({"Version": "2012-10-17", "Id": "EC2InterruptionPolicy", "Statement": statements})


def wire(world: World, rules: dict[str, dict[str, list[str]]] = TEMPLATE_RULES, policy: str | None = None) -> None:
    events = world.as_root("events")
    for name, pattern in rules.items():
        rule = f"{world.cluster}-{name}"
        events.put_rule(Name=rule, EventPattern=json.dumps(pattern))
        events.put_targets(Rule=rule, Targets=[{"Id": "queue", "Arn": world.queue_arn}])
    text = queue_policy(world.queue_arn) if policy is None else policy
    if text:
        world.as_root("sqs").set_queue_attributes(QueueUrl=world.queue_url, Attributes={"Policy": text})


def received(world: World) -> list[dict[str, Any]]:
    """Everything in the queue, read and deleted by the controller."""
    sqs, found = world.as_controller("sqs"), []
    while messages := sqs.receive_message(QueueUrl=world.queue_url, MaxNumberOfMessages=10).get("Messages", []):
        for message in messages:
            found.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=world.queue_url, ReceiptHandle=message["ReceiptHandle"])
    return found


def test_every_notice_of_the_template_reaches_the_controller(world: World, emulator: Emulator) -> None:
    instance_id = world.launch("spot")["InstanceId"]
    wire(world)
    for name in (
        "spot-interruption",
        "rebalance-recommendation",
        "capacity-reservation-interruption",
        "scheduled-change",
    ):
        assert emulator.lab(f"events/{name}", {"instanceId": instance_id})[0] == 200
    world.as_controller("ec2").terminate_instances(InstanceIds=[instance_id])
    found = [event for event in received(world) if instance_id in json.dumps(event)]
    titles = {event["detail-type"] for event in found}
    assert titles == {title for rule in TEMPLATE_RULES.values() for title in rule["detail-type"]}
    states = [event["detail"]["state"] for event in found if "state" in event["detail"]]
    assert states == ["shutting-down", "terminated"]
    spot = next(event for event in found if "Spot" in event["detail-type"])
    assert spot["source"] == "aws.ec2"
    assert spot["detail"] == {"instance-id": instance_id, "instance-action": "terminate"}
    assert spot["resources"][0].endswith(f"instance/{instance_id}")
    health = next(event for event in found if event["source"] == "aws.health")
    assert health["detail"]["affectedEntities"] == [{"entityValue": instance_id}]


@pytest.mark.parametrize(
    "policy",
    ["", '{"Principal": {"Service": "sqs.amazonaws.com"}}', '{"Action": "sqs:ReceiveMessage"}'],
    ids=["no policy", "another service", "another action"],
)
def test_without_the_queue_policy_nothing_arrives(world: World, emulator: Emulator, policy: str) -> None:
    instance_id = world.launch("spot")["InstanceId"]
    wire(world, policy=policy and queue_policy(world.queue_arn, **json.loads(policy)))
    emulator.lab("events/spot-interruption", {"instanceId": instance_id})
    assert received(world) == [], "a queue that EventBridge may not write to would still get messages"
    denials = [one for one in emulator.lab("denials")[1] if one["resource"] == world.queue_arn]
    assert denials, "nobody would see why the queue stays empty"
    assert denials[-1]["principal"] == "events.amazonaws.com"


def test_a_pattern_that_matches_nothing_delivers_nothing(world: World, emulator: Emulator) -> None:
    instance_id = world.launch("spot")["InstanceId"]
    wire(world, {"spot": {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Interruption Warning"]}})
    emulator.lab("events/spot-interruption", {"instanceId": instance_id})
    assert received(world) == [], "a pattern that can never fire would look as if it worked"


def test_the_policy_that_denies_plain_http_does_not_lock_the_lab_out(world: World) -> None:
    wire(world, {})
    assert received(world) == []


@pytest.mark.parametrize("path", ["events/unknown", "events/spot-interruption"])
def test_a_notice_about_nothing_is_refused(emulator: Emulator, path: str) -> None:
    status, answer = emulator.lab(path, {"instanceId": "i-0000000000000dead"})
    assert status in {400, 404}
    assert answer["message"]
