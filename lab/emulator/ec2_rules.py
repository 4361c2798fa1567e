"""What EC2 refuses and moto lets pass: deleting what is in use, and user data that is too long."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from moto.ec2.exceptions import DependencyViolationError, EC2ClientError
from moto.ec2.models.availability_zones_and_regions import Zone
from moto.ec2.responses import EC2Response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moto.core.responses import ActionResult

USER_DATA_BYTES = 16384
"""Decoded bytes. Source: EC2 user guide, "Run commands when you launch an EC2 instance"."""


class Rules(EC2Response):
    """moto's EC2 responses behind EC2's own checks."""

    def delete_subnet(self) -> ActionResult:
        """A subnet with a network interface in it stays."""
        subnet_id = self._get_param("SubnetId")
        if any(eni.subnet.id == subnet_id for eni in self.ec2_backend.enis.values()):
            text = f"The subnet '{subnet_id}' has dependencies and cannot be deleted."
            raise DependencyViolationError(text)
        return super().delete_subnet()

    def delete_security_group(self) -> ActionResult:
        """A group that an interface or another group's rule uses stays; so does a VPC's default group."""
        group_id = self._get_param("GroupId")
        group = self.ec2_backend.get_security_group_from_id(group_id) if group_id else None
        if group is not None and group.name == "default":
            code = "CannotDelete"
            text = f'the specified group: "{group_id}" name: "default" cannot be deleted by a user'
            raise EC2ClientError(code, text)
        if group is not None and group_in_use(self.ec2_backend, group):
            text = f"resource {group_id} has a dependent object"
            raise DependencyViolationError(text)
        return super().delete_security_group()

    def delete_vpc(self) -> ActionResult:
        """A VPC with gateways or groups of somebody's own stays."""
        vpc_id = self._get_param("VpcId")
        if any(_inside(self.ec2_backend, vpc_id)):
            text = f"The vpc '{vpc_id}' has dependencies and cannot be deleted."
            raise DependencyViolationError(text)
        return super().delete_vpc()

    def delete_nat_gateway(self) -> ActionResult:
        """The gateway's network interface and address association go with it."""
        gateway = self.ec2_backend.nat_gateways.get(self._get_param("NatGatewayId"))
        answer = super().delete_nat_gateway()
        if gateway is not None:
            interface = gateway._eni  # noqa: SLF001
            for address in self.ec2_backend.addresses:
                if address.eni is interface:
                    address.eni, address.association_id = None, None
            self.ec2_backend.enis.pop(interface.id, None)
        return answer

    def create_flow_logs(self) -> ActionResult:
        """Flow logs reach a log group that moto, next to ministack, cannot see."""
        before = set(self.ec2_backend.flow_logs)
        answer = super().create_flow_logs()
        for name in set(self.ec2_backend.flow_logs) - before:
            flow_log = self.ec2_backend.flow_logs[name]
            flow_log.deliver_logs_status, flow_log.deliver_logs_error_message = "SUCCESS", None
        return answer

    def create_launch_template(self) -> ActionResult:
        """A template with readable and not too long user data."""
        self._check_user_data()
        return super().create_launch_template()

    def create_launch_template_version(self) -> ActionResult:
        """A version with readable and not too long user data."""
        self._check_user_data()
        return super().create_launch_template_version()

    def _check_user_data(self) -> None:
        text = (self._get_param("LaunchTemplateData") or {}).get("UserData")
        try:
            size = len(base64.b64decode(text, validate=True)) if text else 0
        except (binascii.Error, ValueError) as error:
            code, words = "InvalidUserData.Malformed", "Invalid BASE64 encoding of user data."
            raise EC2ClientError(code, words) from error
        if size > USER_DATA_BYTES:
            code, words = "InvalidUserData.Malformed", f"User data is limited to {USER_DATA_BYTES} bytes"
            raise EC2ClientError(code, words)


def group_in_use(ec2: Any, group: Any) -> bool:
    """Whether an interface carries a security group or another group's rule names it."""
    if any(group in eni.group_set for eni in ec2.enis.values()):
        return True
    others = (other for groups in ec2.groups.values() for other in groups.values() if other.id != group.id)
    return any(
        rule.source_group.get("GroupId") == group.id
        for other in others
        for rule in (*other.ingress_rules, *other.egress_rules)
    )


def _inside(ec2: Any, vpc_id: str) -> Iterator[bool]:
    yield from (group.name != "default" for group in ec2.groups.get(vpc_id, {}).values())
    yield from (gateway.vpc is not None and gateway.vpc.id == vpc_id for gateway in ec2.internet_gateways.values())


def complete_zones() -> None:
    """Let zones say that nobody has to opt in; Local Zones are no part of the lab."""
    setattr(Zone, "opt_in_status", "opt-in-not-required")  # noqa: B010 (mypy: moto has no such attribute)
