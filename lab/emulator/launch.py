"""How an instance comes from a launch template and a request: everything EC2 copies, moto does not."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.utils import parse_user_data

from lab.emulator import ec2_resources, profiles

if TYPE_CHECKING:
    from collections.abc import Mapping

TAGGED_AT_LAUNCH = ("instance", "volume", "network-interface", "spot-instances-request")
"""Resource types that RunInstances makes and tags."""

_ROOT_DEVICE = "/dev/xvda"
_ROOT_GIB = 20


@dataclass(frozen=True)
class Plan:
    """One launch, before an instance exists.

    Attributes:
        data: launch template data with the request's fields over it; tag specifications of both.
        template: (template, version) when a launch template was named.
        profile: the instance profile's record; None without one.
        spot: whether it is spot capacity.
    """

    data: Mapping[str, Any]
    template: tuple[Any, Any] | None
    profile: Mapping[str, Any] | None
    spot: bool

    def tags(self, kind: str) -> dict[str, str]:
        """The tags that the launch sets on a resource type."""
        return ec2_resources.tag_map(self.data.get("TagSpecifications", []), kind)

    @property
    def primary_interface(self) -> Mapping[str, Any]:
        """The first network interface's specification; empty without one."""
        interfaces = self.data.get("NetworkInterfaces") or [{}]
        found: Mapping[str, Any] = min(interfaces, key=lambda nic: int(nic.get("DeviceIndex") or 0))
        return found

    @property
    def security_groups(self) -> list[str]:
        """Ids of the instance's security groups; empty means the VPC's default group."""
        return list(self.primary_interface.get("Groups") or self.data.get("SecurityGroupIds") or [])

    @property
    def subnet_id(self) -> str:
        """The subnet's id; empty for the default VPC's."""
        return str(self.data.get("SubnetId") or self.primary_interface.get("SubnetId") or "")


def plan(ec2: Any, request: Mapping[str, Any], *, spot: bool | None = None) -> Plan:
    """Merge a request with the launch template it names, the request winning field by field."""
    template = None
    data: dict[str, Any] = {}
    if request.get("LaunchTemplate"):
        template = ec2_resources.find_template(ec2, request["LaunchTemplate"])
        data.update(template[1].data)
    specifications = [*data.get("TagSpecifications", []), *request.get("TagSpecifications", [])]
    data.update({name: value for name, value in request.items() if value not in (None, "", [])})
    data["TagSpecifications"] = specifications
    market = (data.get("InstanceMarketOptions") or {}).get("MarketType")
    profile = profiles.find_profile(data.get("IamInstanceProfile") or {})
    return Plan(data=data, template=template, profile=profile, spot=market == "spot" if spot is None else spot)


def check(ec2: Any, wanted: Plan) -> None:
    """Refuse what EC2 refuses before it launches anything.

    Raises:
        EC2ClientError: an image, subnet or security group that is not there, or no image at all.
    """
    data = wanted.data
    if not data.get("ImageId"):
        code, text = "MissingParameter", "The request must contain the parameter ImageId"
        raise EC2ClientError(code, text)
    if data["ImageId"] not in ec2.amis:
        code = "InvalidAMIID.NotFound"
        text = f"The image id '[{data['ImageId']}]' does not exist"
        raise EC2ClientError(code, text)
    if wanted.subnet_id and ec2_resources.find_subnet(ec2, wanted.subnet_id) is None:
        code = "InvalidSubnetID.NotFound"
        text = f"The subnet ID '{wanted.subnet_id}' does not exist"
        raise EC2ClientError(code, text)
    for group in wanted.security_groups:
        if ec2.get_security_group_from_id(group) is None:
            code = "InvalidGroup.NotFound"
            text = f"The security group '{group}' does not exist"
            raise EC2ClientError(code, text)


def launch(ec2: Any, wanted: Plan, count: int, extra_tags: Mapping[str, str] | None = None) -> list[Any]:
    """Make the instances, with volumes and network interfaces that go when they go."""
    check(ec2, wanted)
    data = wanted.data
    user_data = data.get("UserData")
    reservation = ec2.run_instances(
        data["ImageId"],
        count,
        parse_user_data(user_data) if isinstance(user_data, str) else user_data,
        [],
        instance_type=data.get("InstanceType") or "m1.small",
        is_instance_type_default=False,
        region_name=ec2.region_name,
        subnet_id=wanted.subnet_id or None,
        key_name=data.get("KeyName"),
        security_group_ids=wanted.security_groups or _default_groups(ec2, wanted.subnet_id),
        nics=[_interface(wanted)],
        tags={kind: wanted.tags(kind) for kind in ("instance", "volume")},
        ebs_optimized=bool(data.get("EbsOptimized")),
        monitoring_state="enabled" if (data.get("Monitoring") or {}).get("Enabled") else "disabled",
        metadata_options=data.get("MetadataOptions") or {},
        block_device_mappings=[_block_device(device) for device in _devices(data)],
        lifecycle="spot" if wanted.spot else None,
        associate_public_ip=None,
    )
    for instance in reservation.instances:
        _finish(instance, wanted, extra_tags or {})
    return list(reservation.instances)


def _finish(instance: Any, wanted: Plan, extra_tags: Mapping[str, str]) -> None:
    if wanted.template:
        template, version = wanted.template
        instance.add_tags(
            {"aws:ec2launchtemplate:id": template.id, "aws:ec2launchtemplate:version": str(version.number)}
        )
    instance.add_tags(dict(extra_tags))
    if wanted.profile:
        instance.iam_instance_profile = {
            "Arn": wanted.profile["Arn"],
            "Id": wanted.profile["InstanceProfileId"],
        }
    if wanted.spot:
        instance.spot_instance_request_id = f"sir-{secrets.token_hex(4)}"
    for interface in instance.nics.values():
        interface.add_tags(wanted.tags("network-interface"))


def _interface(wanted: Plan) -> dict[str, Any]:
    public = wanted.primary_interface.get("AssociatePublicIpAddress")
    nic: dict[str, Any] = {"DeviceIndex": 0, "DeleteOnTermination": True}
    if public is not None:
        nic["AssociatePublicIpAddress"] = public
    return nic


def _default_groups(ec2: Any, subnet_id: str) -> list[str]:
    subnet = ec2_resources.find_subnet(ec2, subnet_id)
    vpc_id = subnet.vpc_id if subnet else ec2.default_vpc.id
    return [group.id for group in ec2.groups[vpc_id].values() if group.name == "default"]


def _devices(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(data.get("BlockDeviceMappings") or [{"DeviceName": _ROOT_DEVICE, "Ebs": {}}])


def _block_device(device: Mapping[str, Any]) -> dict[str, Any]:
    volume = device.get("Ebs") or {}
    kind = volume.get("VolumeType") or "gp3"
    return {
        "DeviceName": device.get("DeviceName") or _ROOT_DEVICE,
        "NoDevice": device.get("NoDevice"),
        "Ebs": {
            "VolumeSize": int(volume.get("VolumeSize") or _ROOT_GIB),
            # moto wants an IOPS figure for io1 and io2 and has no place for it here.
            "VolumeType": "gp3" if kind in {"io1", "io2"} else kind,
            "Encrypted": bool(volume.get("Encrypted")),
            "KmsKeyId": volume.get("KmsKeyId"),
            "DeleteOnTermination": volume.get("DeleteOnTermination") is not False,
        },
    }
