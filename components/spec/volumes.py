"""Volumes of the nodes: what EC2 refuses at launch, and what leaves a disk small or unencrypted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from components.spec.model_problems import join
from components.spec.node_class import NodeClassSpec
from components.spec.node_class_parts import BlockDeviceMapping, Ebs
from components.spec.problems import ABSENT, Problem
from components.spec.quantities import GIB, value

TYPES_WITH_IOPS: Final = {"gp3": (3000, 80_000, 500), "io1": (100, 64_000, 50), "io2": (100, 256_000, 1000)}
"""Least and most I/O operations a second, and most for each GiB (source: EbsBlockDevice in the EC2 API reference)."""

_NEED_IOPS: Final = frozenset({"io1", "io2"})
_WORD: Final = re.compile(r"^[\w-]+\Z", re.ASCII)
_NO_BOOT: Final = frozenset({"st1", "sc1"})
_KMS_KEY: Final = re.compile(
    r"^(alias/[\w/-]+|arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+|(mrk-)?[0-9a-f]{32}|"
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z"
)

SIZES: Final = {
    "gp2": (1, 16_384),
    "gp3": (1, 65_536),
    "io1": (4, 16_384),
    "io2": (4, 65_536),
    "st1": (125, 16_384),
    "sc1": (125, 16_384),
    "standard": (1, 1024),
}
"""Least and most GiB of each volume type (source: EbsBlockDevice in the EC2 API reference)."""

_SMALLEST: Final = {
    ("AL2", "/dev/xvda"): 20,
    ("AL2023", "/dev/xvda"): 20,
    ("Bottlerocket", "/dev/xvda"): 2,
    ("Bottlerocket", "/dev/xvdb"): 20,
    ("Windows2019", "/dev/sda1"): 50,
    ("Windows2022", "/dev/sda1"): 50,
    ("Windows2025", "/dev/sda1"): 50,
}
"""GiB of the AMIs' own snapshots: EC2 launches nothing smaller."""

DATA_DEVICE: Final = {
    "AL2": "/dev/xvda",
    "AL2023": "/dev/xvda",
    "Bottlerocket": "/dev/xvdb",
    "Windows2019": "/dev/sda1",
    "Windows2022": "/dev/sda1",
    "Windows2025": "/dev/sda1",
}
"""Where images and pods are kept."""

_BOOT_DEVICES: Final = {**DATA_DEVICE, "Bottlerocket": "/dev/xvda"}


def _gib(size: str) -> float:
    return float(value(size) / GIB)


def _size_problems(path: str, size: str, kind: str, family: str | None, device: str | None) -> Iterator[Problem]:
    least, most = SIZES[kind]
    gib = _gib(size)
    if not least * 0.93 <= gib <= most:  # EC2 takes whole GiB, Karpenter rounds 125G up to 117Gi
        yield Problem(path, size, f"{kind} volumes have {least} to {most} GiB", "choose a size in this range")
    needed = _SMALLEST.get((family or "", device or ""), 0)
    if gib < needed:
        rule = f"the {family} AMI needs {needed}Gi on {device}: EC2 refuses a volume smaller than its snapshot"
        yield Problem(path, size, rule, f"write {needed}Gi or more")


def _performance_problems(path: str, ebs: Ebs, kind: str) -> Iterator[Problem]:
    if ebs.iops is not None:
        if kind not in TYPES_WITH_IOPS:
            rule = f"{kind} volumes have no iops of their own"
            yield Problem(join(path, "iops"), ebs.iops, rule, "remove it, or use gp3, io1 or io2")
        else:
            least, most, each = TYPES_WITH_IOPS[kind]
            if not least <= ebs.iops <= most:
                yield Problem(join(path, "iops"), ebs.iops, f"{kind} takes {least} to {most}", "choose one of these")
            elif ebs.volume_size is not None and ebs.iops > max(each * _gib(ebs.volume_size), least):
                rule = f"{kind} takes at most {each} for each GiB"
                yield Problem(join(path, "iops"), ebs.iops, rule, "lower it, or make the volume larger")
    if ebs.throughput is not None:
        if kind != "gp3":
            rule = f"{kind} volumes have no throughput of their own"
            yield Problem(join(path, "throughput"), ebs.throughput, rule, "remove it, or use gp3")
        elif ebs.throughput * 4 > (ebs.iops or 3000):
            rule = "gp3 takes at most 1 MiB a second for every 4 iops"
            yield Problem(join(path, "throughput"), ebs.throughput, rule, f"set iops to {ebs.throughput * 4} or more")


def _ebs_problems(path: str, ebs: Ebs, family: str | None, device: str | None) -> Iterator[Problem]:
    kind = ebs.volume_type or "gp3"
    if ebs.snapshot_id is None and ebs.volume_size is None:
        yield Problem(join(path, "volumeSize"), ABSENT, "is required without a snapshotID", "for example 100Gi")
    if ebs.volume_initialization_rate is not None and ebs.snapshot_id is None:
        rule = "needs a snapshotID"
        yield Problem(join(path, "volumeInitializationRate"), ebs.volume_initialization_rate, rule, "remove it")
    if ebs.volume_size is not None:
        yield from _size_problems(join(path, "volumeSize"), ebs.volume_size, kind, family, device)
    yield from _performance_problems(path, ebs, kind)
    if kind in _NEED_IOPS and ebs.iops is None:
        yield Problem(join(path, "iops"), ABSENT, f"is required by EC2 for {kind}", "for example 3000, or use gp3")
    if kind in _NO_BOOT and device is not None and device == _BOOT_DEVICES.get(family or ""):
        rule = f"the {family} AMI needs an SSD on {device}: it boots from there, and not from {kind}"
        yield Problem(join(path, "volumeType"), kind, rule, "write gp3")
    if ebs.kms_key_id is not None and _KMS_KEY.match(ebs.kms_key_id) is None:
        rule = "must be a name that KMS knows: a key id, alias/<name>, or the ARN of either"
        remedy = f"write alias/{ebs.kms_key_id}" if _WORD.match(ebs.kms_key_id) else "for example alias/nodes"
        yield Problem(join(path, "kmsKeyID"), ebs.kms_key_id, rule, remedy)
    if ebs.kms_key_id is not None and ebs.encrypted is not True:
        found = ABSENT if ebs.encrypted is None else ebs.encrypted
        yield Problem(join(path, "encrypted"), found, "must be true with a kmsKeyID", "add encrypted: true")
    elif ebs.encrypted is False:
        rule = "the volume keeps images, logs and emptyDir volumes in clear text"
        yield Problem(join(path, "encrypted"), False, rule, "write true: it costs nothing", "warning")


def _device_problems(path: str, family: str | None, mappings: Sequence[BlockDeviceMapping]) -> Iterator[Problem]:
    names = [mapping.device_name for mapping in mappings if mapping.device_name is not None]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Problem(path, name, "a device stands only once", "remove one of the volumes")
    roots = [mapping for mapping in mappings if mapping.root_volume]
    if len(roots) > 1:
        yield Problem(path, len(roots), "at most one volume has rootVolume", "keep the one that holds the pods")
    data = DATA_DEVICE.get(family or "")
    if mappings and data is not None and data not in names:
        rule = f"{family} keeps images and pods on {data}: without an entry it stays as small as the AMI made it"
        yield Problem(path, names, rule, f"add {data}", "warning")
    if family == "Bottlerocket" and names and "/dev/xvda" not in names:
        rule = (
            "without an entry for /dev/xvda Bottlerocket's system volume is gp2, and encrypted only if the "
            "account says so"
        )
        yield Problem(path, names, rule, "add /dev/xvda with 4Gi, gp3, encrypted", "warning")


def check_volumes(path: str, spec: NodeClassSpec, family: str | None) -> Iterator[Problem]:
    """Problems of the volumes of a class."""
    mappings = spec.block_device_mappings
    if spec.disk_size is not None:
        where = join(path, "diskSize")
        if mappings is not None:
            rule = "is refused together with blockDeviceMappings"
            yield Problem(where, spec.disk_size, rule, "write the size into the mapping, or remove the mappings")
        elif family == "Custom":
            rule = "a Custom AMI has volumes that only it knows"
            yield Problem(where, spec.disk_size, rule, "use blockDeviceMappings")
        else:
            yield from _size_problems(where, spec.disk_size, "gp3", family, DATA_DEVICE.get(family or ""))
    where = join(path, "blockDeviceMappings")
    for index, mapping in enumerate(mappings or ()):
        each = join(where, index)
        if mapping.device_name is None:
            yield Problem(join(each, "deviceName"), ABSENT, "is required by EC2", "for example /dev/xvda")
        if mapping.ebs is None:
            yield Problem(
                join(each, "ebs"), ABSENT, "is required by EC2", ("for example {volumeSize: 100Gi, encrypted: true}")
            )
        else:
            yield from _ebs_problems(join(each, "ebs"), mapping.ebs, family, mapping.device_name)
    yield from _device_problems(where, family, mappings or ())
