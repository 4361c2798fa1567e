"""moto's EC2 behind ministack's front door: authorised first, with the gaps closed."""

from __future__ import annotations

import asyncio
import datetime
from typing import TYPE_CHECKING, Any

import moto.ec2.urls
from ministack.core.responses import get_account_id, get_region
from ministack.core.router import extract_access_key_id
from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores
from moto.ec2.exceptions import DryRunClientError, EC2ClientError
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

from lab.emulator import access, ec2_checks, ec2_rules, fleets, instance_events, launch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from lab.emulator.prices import Prices
    from lab.emulator.state import Lab

    Answer = tuple[int, dict[str, str], bytes]
    Handler = Callable[[str, str, dict[str, str], bytes, dict[str, Any]], Awaitable[Answer]]

_STATUS = {"UnauthorizedOperation": 403, "DryRunOperation": 412}
_ERROR_CHARACTERS = 500
_SPOT_PAGE = 1000
_CATALOGUE = frozenset({"DescribeInstanceTypes", "DescribeInstanceTypeOfferings"})


class Ec2(ec2_rules.Rules):
    """moto's EC2 responses, authorised and completed.

    Attributes:
        lab: the running emulator.
        prices: for the fleet's choice and the spot price history.
        events: told about every change of an instance's state.
        catalogue: (region, request parameters) -> answer, for what never changes.
    """

    lab: Lab
    prices: Prices
    events: instance_events.InstanceEvents
    catalogue: dict[tuple[str, str], Any]

    def call_action(self) -> Any:
        """Authorise, then answer; an action that moto has not is refused as EC2 refuses unknown ones."""
        action = self._get_action()
        try:
            self._authorise(action)
            self._check_known(action)
        except EC2ClientError as error:
            return self._refused(error)
        if action.startswith("Describe") and self._get_param("DryRun", False):
            # Moto answers some of these in full, which Karpenter's first call would have to wait for.
            return self._refused(DryRunClientError())
        if action in _CATALOGUE:
            return self._from_catalogue()
        status, headers, body = super().call_action()
        dry_run = "<Code>DryRunOperation</Code>" in str(body)[:_ERROR_CHARACTERS]
        return (_STATUS["DryRunOperation"] if dry_run else status), headers, body

    def _refused(self, error: EC2ClientError) -> Any:
        status, headers, body = self.serialized(ActionResult(error))
        return _STATUS.get(error.code, status), headers, body

    def _from_catalogue(self) -> Any:
        """The same question about instance types has the same answer for as long as the process lives."""
        key = (self.region, repr(sorted(self.querystring.items())))
        if key not in self.catalogue:
            self.catalogue[key] = super().call_action()
        status, headers, body = self.catalogue[key]
        return status, dict(headers), body

    def _check_known(self, action: str) -> None:
        if not hasattr(self, camelcase_to_underscores(action)):
            code, text = "InvalidAction", f"The action {action} is not valid for this web service."
            raise EC2ClientError(code, text)

    def _authorise(self, action: str) -> None:
        call = ec2_checks.Call(action, self.params, self.ec2_backend)
        key = self.headers.get("x-lab-access-key", "")
        denial = access.first_denial(self.lab, key, self.region, ec2_checks.checks(call))
        if denial:
            code = "UnauthorizedOperation"
            text = f"You are not authorized to perform this operation. {denial.text}"
            raise EC2ClientError(code, text)

    def describe_capacity_reservations(self) -> ActionResult:
        """No reservation exists in the lab."""
        return ActionResult({"CapacityReservations": []})

    def describe_placement_groups(self) -> ActionResult:
        """No placement group exists in the lab."""
        return ActionResult({"PlacementGroups": []})

    def describe_spot_price_history(self) -> ActionResult:
        """A steady price for every type and zone, page by page."""
        asked = self._filters_from_querystring()
        zones = [z for z in [self._get_param("AvailabilityZone")] if z] or asked.get("availability-zone", [])
        kinds = self._get_param("InstanceTypes", []) or asked.get("instance-type", [])
        rows = [
            row
            for row in INSTANCE_TYPE_OFFERINGS["availability-zone"].get(self.region, [])
            if (not zones or row["Location"] in zones) and (not kinds or row["InstanceType"] in kinds)
        ]
        start = int(self._get_param("NextToken") or 0)
        page = rows[start : start + int(self._get_param("MaxResults") or _SPOT_PAGE)]
        following = start + len(page)
        now = datetime.datetime.now(datetime.UTC)
        history = [
            {
                "AvailabilityZone": row["Location"],
                "InstanceType": row["InstanceType"],
                "ProductDescription": "Linux/UNIX",
                "SpotPrice": f"{self.prices.of(row['InstanceType'], row['Location']):.6f}",
                "Timestamp": now,
            }
            for row in page
        ]
        token = str(following) if following < len(rows) else ""
        return ActionResult({"SpotPriceHistory": history, "NextToken": token})

    def create_fleet(self) -> ActionResult:
        """An instant fleet."""
        if self._get_param("DryRun", False):
            raise DryRunClientError
        answer = fleets.create(self.lab, self.prices, self.ec2_backend, self.params)
        for described in answer["Instances"]:
            for instance_id in described["InstanceIds"]:
                self.events.started(instance_id, self.region)
        return ActionResult(answer)

    def run_instances(self) -> ActionResult:
        """One reservation with everything that the launch template says."""
        wanted = launch.plan(self.ec2_backend, self.params)
        launch.check(self.ec2_backend, wanted)
        self.error_on_dryrun()
        made = launch.launch(self.ec2_backend, wanted, int(self._get_param("MaxCount") or 1))
        for instance in made:
            self.events.started(instance.id, self.region)
        found = self.ec2_backend.get_reservations_by_instance_ids([instance.id for instance in made])
        return ActionResult(found[0])

    def terminate_instances(self) -> ActionResult:
        """Instances go, and with them their volumes and network interfaces."""
        ids = self._get_param("InstanceIds", [])
        self.error_on_dryrun()
        changed = self.ec2_backend.terminate_instances(ids)
        for instance, previous in changed:
            if previous.name != "terminated":
                self.events.stopped(instance.id, self.region, "terminated")
        return ActionResult(
            {
                "TerminatingInstances": [
                    {
                        "InstanceId": instance.id,
                        "CurrentState": {"Code": 32, "Name": "shutting-down"},
                        "PreviousState": previous,
                    }
                    for instance, previous in changed
                ]
            }
        )

    def stop_instances(self) -> ActionResult:
        """Stop, and say so on the event bus."""
        answer = super().stop_instances()
        for instance_id in self._get_param("InstanceIds", []):
            self.events.stopped(instance_id, self.region, "stopped")
        return answer

    def start_instances(self) -> ActionResult:
        """Start, and say so on the event bus."""
        answer = super().start_instances()
        for instance_id in self._get_param("InstanceIds", []):
            self.events.started(instance_id, self.region)
        return answer


def make_handler(lab: Lab, prices: Prices, events: instance_events.InstanceEvents) -> Handler:
    """The coroutine that ministack calls for EC2: the raw body goes to moto's WSGI application."""
    Ec2.lab, Ec2.prices, Ec2.events, Ec2.catalogue = lab, prices, events, {}
    ec2_rules.complete_zones()
    moto.ec2.urls.url_paths = {"{0}/": Ec2.dispatch}
    from moto.moto_server.werkzeug_app import create_backend_app  # noqa: PLC0415

    application = create_backend_app("ec2")

    def call(headers: Mapping[str, str], body: bytes, query: Mapping[str, Any]) -> Answer:
        access_key = extract_access_key_id(headers, query)
        with lab.ec2_lock:
            answer = application.test_client().open(
                "/",
                method="POST",
                data=body,
                headers={
                    "Authorization": f"AWS4-HMAC-SHA256 Credential=AKIDLAB/20260101/{get_region()}/ec2/aws4_request",
                    "Content-Type": headers.get("content-type", "application/x-www-form-urlencoded"),
                    "x-lab-access-key": access_key,
                    "x-moto-account-id": get_account_id(),
                },
            )
        return answer.status_code, {"Content-Type": "text/xml;charset=UTF-8"}, answer.data

    async def handle(_method: str, _path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]) -> Answer:
        return await asyncio.to_thread(call, headers, body, query)

    return handle
