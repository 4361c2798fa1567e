"""Writes plain data as YAML: one line for everything that is not said to be a block."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

_PLAIN: Final = re.compile(
    r"^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z/]([A-Za-z0-9_./:+-]*[A-Za-z0-9_/-])?$", re.I
)
"""Text that means itself without quotes, in and outside of brackets."""


class Block(dict[str, Any]):  # values of any YAML type
    """A map that gets a line for each of its keys."""


class Rows(list[Any]):  # items of any YAML type
    """A list that gets a line for each of its items."""


def inline(value: object) -> str:
    """A value in one line.

    Args:
        value: Text, number, date, time with a zone, or a map or list of such.
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(str(key))}: {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    return _scalar(value)


def entry(key: str, value: object, indent: int) -> str:
    """A key and its value as lines of a block, without the last line's end.

    Args:
        key: The key.
        value: Its value.
        indent: Column of the key.
    """
    return f"{' ' * indent}{_scalar(key)}:{after_key(value, indent)}"


def after_key(value: object, indent: int) -> str:
    """What follows a key's colon.

    Args:
        value: The value.
        indent: Column of the key.
    """
    if isinstance(value, Block) and value:
        return "".join("\n" + entry(str(key), item, indent + 2) for key, item in value.items())
    if isinstance(value, Rows) and value:
        return "".join(f"\n{' ' * (indent + 2)}- {inline(item)}" for item in value)
    return f" {inline(value)}"


def _scalar(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value if _PLAIN.match(value) else _quoted(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    """Text in double quotes; what cannot be printed is escaped, as YAML wants it."""
    return '"' + "".join(_character(each) for each in text) + '"'


def _character(each: str) -> str:
    if each in {'"', "\\"}:
        return f"\\{each}"
    return each if each.isprintable() else f"\\U{ord(each):08x}"
