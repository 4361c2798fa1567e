"""The ledger of AMIs (amis/ledger.yaml): which image may run where."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

PACK = Path(__file__).parents[2]
SCHEMA_VERSION = 1
APPROVED = frozenset({"approved", "in-use"})


class LedgerError(Exception):
    """A ledger that cannot be read.

    Args:
        message: What is wrong, where, and how to mend it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def read(path: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a ledger by AMI id.

    Args:
        path: The file; a relative path starts at the folder of the pack.

    Raises:
        LedgerError: If it is missing, no YAML, or of another form.
    """
    try:
        text = (PACK / path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise LedgerError(_unreadable(path, error)) from None
    entries = _entries(path, text)
    if isinstance(entries, str):
        raise LedgerError(entries)
    return entries


@lru_cache(maxsize=1)
def _entries(path: str, text: str) -> Mapping[str, Mapping[str, Any]] | str:
    """The entries, or why there are none. Kept: a ledger grows for years, and every resource is judged by it."""
    try:
        data = yaml.safe_load(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        return _unreadable(path, error)
    entries = data.get("amis") if isinstance(data, Mapping) else None
    if not isinstance(entries, Mapping) or data.get("schemaVersion") != SCHEMA_VERSION:
        return f"ledger: found {path} of another form; must have schemaVersion 1 and amis; mend the file"
    return {str(key): dict(value) if isinstance(value, Mapping) else {} for key, value in entries.items()}


def _unreadable(path: str, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or type(error).__name__
    return f"ledger: found {path}, which cannot be read ({reason}); must be a YAML file; set ledger to its path"


def status(entry: Mapping[str, Any], environment: str) -> str:
    """The status of an entry in an environment; `unknown there` when the ledger has none.

    Args:
        entry: An entry of the ledger.
        environment: Name of the environment.
    """
    environments = entry.get("environments")
    found = environments.get(environment) if isinstance(environments, Mapping) else None
    value = found.get("status") if isinstance(found, Mapping) else None
    return value if isinstance(value, str) else "unknown there"


def approved(entry: Mapping[str, Any], environment: str) -> bool:
    """Whether an entry may run in an environment."""
    return status(entry, environment) in APPROVED
