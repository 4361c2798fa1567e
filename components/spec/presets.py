"""Presets: the settings of a NodePool for a kind of workload, by one word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def expand_node_pool(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with its preset and business hours written out."""
    del name
    return dict(entry)
