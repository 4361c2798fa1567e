"""Prices of instance types: AWS's own on-demand table as Karpenter carries it, and steady spot prices."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_REGION = re.compile(r'^\t"([a-z0-9-]+)": \{', re.MULTILINE)
_PRICE = re.compile(r'"([a-z0-9-]+\.[a-z0-9-]+)": ([0-9.]+)')
_HOME = "us-east-1"
_PER_VCPU = 0.04
_SPOT_FLOOR, _SPOT_STEPS = 0.30, 16
_DEFAULT_VCPUS = 2
_VCPUS = {"nano": 2, "micro": 2, "small": 2, "medium": 2, "large": 2, "xlarge": 4}


def read_tables(source: Path | None) -> dict[str, dict[str, float]]:
    """Region -> instance type -> USD an hour, from Karpenter's generated Go files.

    Args:
        source: one `zz_generated.pricing_aws.go`, a folder with such files, or None.
    """
    if source is None:
        return {}
    files = sorted(source.rglob("zz_generated.pricing_aws*.go")) if source.is_dir() else [source]
    tables: dict[str, dict[str, float]] = {}
    for file in files:
        pieces = _REGION.split(file.read_text(encoding="utf-8"))
        for region, text in zip(pieces[1::2], pieces[2::2], strict=True):
            tables.setdefault(region, {}).update({kind: float(price) for kind, price in _PRICE.findall(text)})
    return tables


class Prices:
    """What an hour costs; a region without a table of its own pays us-east-1's prices.

    Args:
        tables: as `read_tables` gives them.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, float]]) -> None:
        self._tables = tables

    def table(self, region: str) -> Mapping[str, float]:
        """Instance type -> USD an hour on demand."""
        return self._tables.get(region) or self._tables.get(_HOME) or {}

    def of(self, instance_type: str, spot_zone: str = "") -> float:
        """USD an hour; a spot price when a zone is given, on demand otherwise."""
        region = spot_zone[:-1] if spot_zone else _HOME
        price = self.table(region).get(instance_type) or _estimate(instance_type)
        return round(price * spot_fraction(instance_type, spot_zone), 6) if spot_zone else price


def spot_fraction(instance_type: str, zone: str) -> float:
    """Spot as part of on demand, 0.30 to 0.45, the same at every call for one type and zone."""
    return _SPOT_FLOOR + (zlib.crc32(f"{instance_type}/{zone}".encode()) % _SPOT_STEPS) / 100


def _estimate(instance_type: str) -> float:
    size = instance_type.partition(".")[2]
    many = re.match(r"(\d+)xlarge", size)
    vcpus = int(many[1]) * 4 if many else _VCPUS.get(size, _DEFAULT_VCPUS)
    return vcpus * _PER_VCPU
