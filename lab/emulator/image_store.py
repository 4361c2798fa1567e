"""Puts the lab's AMIs into moto and their parameters into ministack's SSM."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ministack.core.responses import get_region
from ministack.services import ssm
from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami, AmiBackend

from lab.emulator import images

if TYPE_CHECKING:
    from lab.emulator.state import Lab

_ROOT = {"al2023": "/dev/xvda", "bottlerocket": "/dev/xvda"}
_PAGE = 10


class EksImage(Ami):
    """An AMI of Amazon's with a root volume as EKS's have it."""

    deprecation_time: str

    @property
    def block_device_mappings(self) -> list[dict[str, Any]]:
        """One encrypted-by-choice gp3 root volume of 20 GiB."""
        volume = {
            "SnapshotId": self.ebs_snapshot.id,
            "VolumeSize": 20,
            "VolumeType": "gp3",
            "DeleteOnTermination": True,
            "Encrypted": False,
        }
        return [{"DeviceName": self.root_device_name, "Ebs": volume}]


def install(lab: Lab) -> None:
    """Give every region its images from the first call on, and SSM its public parameters."""

    def load(ec2: Any) -> None:
        settle(lab, ec2)

    setattr(AmiBackend, "_load_amis", load)  # noqa: B010 (mypy knows that it is a method)
    ssm._public_parameter = lambda name: _parameter(lab, name)  # noqa: SLF001
    plain = ssm._get_parameters_by_path  # noqa: SLF001

    def by_path(data: dict[str, Any]) -> Any:
        path = str(data.get("Path", ""))
        return _by_path(lab, path, data) if path.startswith("/aws/service/") else plain(data)

    ssm._get_parameters_by_path = by_path  # noqa: SLF001


def settle(lab: Lab, ec2: Any) -> None:
    """Bring a region's images to what is published, withdrawn and deprecated now."""
    for image_id in lab.withdrawn:
        ec2.amis.pop(image_id, None)
    for image in images.images(lab.published):
        if image.id not in ec2.amis and image.id not in lab.withdrawn:
            _add(ec2, image)
    for image_id, moment in lab.deprecated.items():
        if image_id in ec2.amis:
            ec2.amis[image_id].deprecation_time = moment


def _add(ec2: Any, image: images.Image) -> None:
    ami = EksImage(
        ec2,
        image.id,
        name=image.name,
        description=f"EKS-optimized Kubernetes node, {image.family}, {image.variant}",
        owner_id=images.OWNER_ID,
        owner_alias="amazon",
        public=True,
        virtualization_type="hvm",
        architecture=image.architecture,
        creation_date=image.created,
        image_location=f"amazon/{image.name}",
        hypervisor="xen",
        root_device_type="ebs",
        root_device_name=_ROOT[image.family],
        region_name=f"{ec2.region_name}a",
    )
    ami.deprecation_time = image.deprecated.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    ec2.amis[image.id] = ami


def publish(lab: Lab, release: str) -> list[str]:
    """Let a further release appear everywhere; SSM's `recommended` moves to it.

    Returns:
        The ids of the new images.
    """
    if release not in lab.published:
        lab.published.append(release)
    settle_everywhere(lab)
    return [image.id for image in images.images(lab.published) if image.release == release]


def settle_everywhere(lab: Lab) -> None:
    """Bring every region that is in use to the present state."""
    with lab.ec2_lock:
        for ec2 in ec2_backends[lab.options.account_id].values():
            settle(lab, ec2)


def _parameter(lab: Lab, name: str | None) -> dict[str, Any] | None:
    value = images.parameters(lab.published).get(name or "")
    return None if value is None else _record(str(name), value)


def _record(name: str, value: str) -> dict[str, Any]:
    return {
        "Name": name,
        "Type": "String",
        "Value": value,
        "Version": 1,
        "LastModifiedDate": 1793491200,
        "ARN": f"arn:aws:ssm:{get_region()}::parameter{name}",
        "DataType": "text",
    }


def _by_path(lab: Lab, path: str, data: dict[str, Any]) -> Any:
    prefix = path.rstrip("/") + "/"
    deep = bool(data.get("Recursive"))
    found = [
        _record(name, value)
        for name, value in sorted(images.parameters(lab.published).items())
        if name.startswith(prefix) and (deep or "/" not in name[len(prefix) :])
    ]
    start, size = int(data.get("NextToken") or 0), int(data.get("MaxResults") or _PAGE)
    answer: dict[str, Any] = {"Parameters": found[start : start + size]}
    if start + size < len(found):
        answer["NextToken"] = str(start + size)
    return 200, {"Content-Type": "application/x-amz-json-1.1"}, json.dumps(answer).encode()
