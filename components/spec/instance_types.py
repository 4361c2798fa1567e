"""The instance types of EC2, as far as NodePool requirements ask about them.

The table in data/instance_types.json is what `aws ec2 describe-instance-types` says in us-east-1 (mid-2026), packed.
Renew it with `aws ec2 describe-instance-types --output json | python -m components.spec.instance_types`. It serves
estimates only: a type or family that it does not know is taken as newer than the table, never as a mistake.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

_ARCHITECTURES: Final = {"x86_64": "amd64", "arm64": "arm64"}
_NAME: Final = re.compile(r"^([a-z]+)(-[0-9]+tb)?([0-9]+).*\.")
"""Category and generation, read from the name as Karpenter does (pkg/providers/instancetype/types.go)."""

_AWS: Final = "karpenter.k8s.aws/"


def _word(text: str) -> str:
    return re.sub(r"\s+", "-", text.strip().lower())


def _family_facts(described: Mapping[str, Any]) -> dict[str, Any]:
    """What all sizes of a family share."""
    supported = described["ProcessorInfo"]["SupportedArchitectures"]
    facts: dict[str, Any] = {
        "arch": next((_ARCHITECTURES[arch] for arch in supported if arch in _ARCHITECTURES), None),
        "manufacturer": _word(described["ProcessorInfo"].get("Manufacturer", "")),
        "spot": "spot" in described["SupportedUsageClasses"],
    }
    gpus = described.get("GpuInfo", {}).get("Gpus", [])
    if len(gpus) == 1:
        gpu = gpus[0]
        facts["gpu"] = [_word(gpu["Name"]), _word(gpu["Manufacturer"])]
    if devices := described.get("NeuronInfo", {}).get("NeuronDevices", []):
        facts["accelerator"] = [_word(devices[0]["Name"]), "aws"]
    return facts


def _size_facts(described: Mapping[str, Any]) -> list[int]:
    """vCPUs, memory in MiB, NVMe in GB, GPUs, accelerators; trailing zeros left out."""
    storage = described.get("InstanceStorageInfo", {})
    gpus = described.get("GpuInfo", {}).get("Gpus", [])
    devices = described.get("NeuronInfo", {}).get("NeuronDevices", [])
    facts = [
        described["VCpuInfo"]["DefaultVCpus"],
        described["MemoryInfo"]["SizeInMiB"],
        storage.get("TotalSizeInGB", 0) if storage.get("NvmeSupport", "unsupported") != "unsupported" else 0,
        gpus[0]["Count"] if len(gpus) == 1 else 0,
        devices[0]["Count"] if devices else 0,
    ]
    while not facts[-1]:
        facts.pop()
    return facts


def pack(described: Iterable[Mapping[str, Any]]) -> str:
    """The table, as text, from the entries of DescribeInstanceTypes; one family a line."""
    families: dict[str, dict[str, Any]] = {}
    for one in sorted(described, key=lambda entry: (entry["VCpuInfo"]["DefaultVCpus"], entry["InstanceType"])):
        facts = _family_facts(one)
        if facts["arch"] is None:  # macOS
            continue
        family, size = one["InstanceType"].split(".", 1)
        known = families.setdefault(family, {**facts, "sizes": {}})
        known.update({key: value for key, value in facts.items() if key not in known})
        known["sizes"][size] = _size_facts(one)
    lines = (f"{json.dumps(name)}:{json.dumps(families[name], separators=(',', ':'))}" for name in sorted(families))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _labels(name: str, family: Mapping[str, Any], size: list[int]) -> dict[str, str]:
    """Labels of a node of this type, as text."""
    cpu, memory, nvme, gpus, accelerators = (*size, 0, 0, 0)[:5]
    short, size_name = name.split(".", 1)
    labels = {
        "node.kubernetes.io/instance-type": name,
        "kubernetes.io/arch": family["arch"],
        f"{_AWS}instance-family": short,
        f"{_AWS}instance-size": size_name,
        f"{_AWS}instance-cpu": str(cpu),
        f"{_AWS}instance-cpu-manufacturer": family["manufacturer"],
        f"{_AWS}instance-memory": str(memory),
        f"{_AWS}instance-capability-flex": "true" if "-flex" in short else "false",
    }
    if (match := _NAME.match(name)) is not None:
        labels |= {f"{_AWS}instance-category": match[1], f"{_AWS}instance-generation": match[3]}
    if nvme:
        labels[f"{_AWS}instance-local-nvme"] = str(nvme)
    if gpus:
        gpu, manufacturer = family["gpu"]
        labels |= {
            f"{_AWS}instance-gpu-name": gpu,
            f"{_AWS}instance-gpu-manufacturer": manufacturer,
            f"{_AWS}instance-gpu-count": str(gpus),
        }
    if accelerators:
        accelerator, manufacturer = family["accelerator"]
        labels |= {
            f"{_AWS}instance-accelerator-name": accelerator,
            f"{_AWS}instance-accelerator-manufacturer": manufacturer,
            f"{_AWS}instance-accelerator-count": str(accelerators),
        }
    return labels


class Table:
    """All instance types, each a bit; for each label and value the set of types that carry it."""

    def __init__(self, families: Mapping[str, Mapping[str, Any]]) -> None:
        self.names: list[str] = []
        self.masks: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.spot = 0
        for short, family in families.items():
            for size_name, size in family["sizes"].items():
                name = f"{short}.{size_name}"
                bit = 1 << len(self.names)
                self.names.append(name)
                for key, value in _labels(name, family, size).items():
                    self.masks[key][value] |= bit
                if family["spot"]:
                    self.spot |= bit
        self.everything = (1 << len(self.names)) - 1

    def values(self, key: str) -> Mapping[str, int]:
        """Values of a label and the types that carry each; empty for labels that the table knows nothing about."""
        return self.masks.get(key, {})


@cache
def table() -> Table:
    """The table, read once when first asked for."""
    text = files("components.spec").joinpath("data/instance_types.json").read_text(encoding="utf-8")
    return Table(json.loads(text))


def main() -> None:
    """Pack what DescribeInstanceTypes says on standard input."""
    sys.stdout.write(pack(json.load(sys.stdin)["InstanceTypes"]))


if __name__ == "__main__":
    main()
