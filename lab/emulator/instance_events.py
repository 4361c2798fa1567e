"""What AWS services say about instances on the event bus, put there from inside."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

from ministack.core.responses import request_scope
from ministack.services import eventbridge

from lab.emulator import ec2_resources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lab.emulator.state import Lab


class InstanceEvents:
    """Puts service events onto the default bus: rules, patterns, targets and queue policies decide.

    Args:
        lab: the running emulator.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def started(self, instance_id: str, region: str) -> None:
        """The instance came up."""
        for state in ("pending", "running"):
            self._state(instance_id, region, state)

    def stopped(self, instance_id: str, region: str, final: str) -> None:
        """The instance went down; `final` is `stopped` or `terminated`."""
        for state in ("stopping" if final == "stopped" else "shutting-down", final):
            self._state(instance_id, region, state)

    def spot_interruption(self, instance_id: str, region: str) -> None:
        """Two minutes' notice for a spot instance."""
        detail = {"instance-id": instance_id, "instance-action": "terminate"}
        self.put("aws.ec2", "EC2 Spot Instance Interruption Warning", detail, instance_id, region)

    def rebalance(self, instance_id: str, region: str) -> None:
        """A raised risk of interruption."""
        self.put("aws.ec2", "EC2 Instance Rebalance Recommendation", {"instance-id": instance_id}, instance_id, region)

    def capacity_reservation_interruption(self, instance_id: str, region: str) -> None:
        """The reservation behind an instance is taken back."""
        detail = {"instance-id": instance_id, "instance-action": "terminate"}
        title = "EC2 Capacity Reservation Instance Interruption Warning"
        self.put("aws.ec2", title, detail, instance_id, region)

    def scheduled_change(self, instance_id: str, region: str) -> None:
        """AWS Health announces maintenance that ends the instance."""
        now = datetime.datetime.now(datetime.UTC)
        detail = {
            "eventArn": f"arn:aws:health:{region}::event/EC2/AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED/lab",
            "service": "EC2",
            "eventTypeCode": "AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED",
            "eventTypeCategory": "scheduledChange",
            "startTime": now.strftime("%a, %d %b %Y %H:%M:%S GMT"),
            "endTime": now.strftime("%a, %d %b %Y %H:%M:%S GMT"),
            "eventDescription": [{"language": "en_US", "latestDescription": "Instance retirement scheduled."}],
            "affectedEntities": [{"entityValue": instance_id}],
        }
        self.put("aws.health", "AWS Health Event", detail, instance_id, region)

    def by_name(self) -> Mapping[str, Callable[[str, str], None]]:
        """The notices that `/_lab/events/<name>` can send."""
        return {
            "spot-interruption": self.spot_interruption,
            "rebalance-recommendation": self.rebalance,
            "capacity-reservation-interruption": self.capacity_reservation_interruption,
            "scheduled-change": self.scheduled_change,
        }

    def put(self, source: str, title: str, detail: Mapping[str, Any], instance_id: str, region: str) -> None:
        """One event onto the account's default bus, on the server's own loop."""
        account = self._lab.options.account_id
        entry = {
            "Source": source,
            "DetailType": title,
            "Detail": json.dumps(detail),
            "Resources": [ec2_resources.arn("instance", instance_id, region=region, account_id=account)],
        }

        def deliver() -> None:
            with request_scope(account, region):
                eventbridge._put_events({"Entries": [entry]}, allow_aws_source=True)  # noqa: SLF001

        if self._lab.loop is None:
            deliver()
        else:
            self._lab.loop.call_soon_threadsafe(deliver)

    def _state(self, instance_id: str, region: str, state: str) -> None:
        detail = {"instance-id": instance_id, "state": state}
        self.put("aws.ec2", "EC2 Instance State-change Notification", detail, instance_id, region)
