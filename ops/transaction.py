"""Changes several files together or not at all, also when killed half-way or when somebody edits meanwhile."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ops.errors import OpsError

JOURNAL: Final = ".unfinished.json"
"""Holds the new content of every file of a change, from before the first one is replaced until after the last one."""


@dataclass(frozen=True)
class Change:
    """One file's new content.

    Attributes:
        path: The file.
        before: The content that the new one was made from.
        after: The new content.
    """

    path: Path
    before: str
    after: str


def commit(folder: Path, changes: list[Change]) -> None:
    """Write all changes.

    Args:
        folder: The folder whose lock is held meanwhile and that holds the journal.
        changes: The changes; those that change nothing are left out.

    Raises:
        OpsError: If a file is no longer what its change was made from; then nothing is written.
    """
    real = [change for change in changes if change.before != change.after]
    if not real:
        return
    with _locked(folder):
        _finish(folder)
        moved = [change.path for change in real if _hash(_read(change.path)) != _hash(change.before)]
        if moved:
            raise OpsError(
                f"{path}: somebody changed this file meanwhile; nothing was written: run the command again"
                for path in moved
            )
        steps = [
            {"path": os.path.relpath(change.path, folder), "before": _hash(change.before), "after": change.after}
            for change in real
        ]
        journal = folder / JOURNAL
        if len(real) > 1:
            _write(journal, json.dumps(steps))
        for change in real:
            _write(change.path, change.after)
        journal.unlink(missing_ok=True)


def recover(folder: Path) -> None:
    """Finish what a killed command had begun.

    Args:
        folder: The folder with the journal.

    Raises:
        OpsError: If a file of that change was edited since.
    """
    if (folder / JOURNAL).exists():
        with _locked(folder):
            _finish(folder)


def _finish(folder: Path) -> None:
    journal = folder / JOURNAL
    if not journal.exists():
        return
    steps: list[dict[str, Any]] = json.loads(journal.read_text(encoding="utf-8"))
    found = [(folder / step["path"], step, _hash(_read(folder / step["path"]))) for step in steps]
    edited = [path for path, step, now in found if now not in {step["before"], _hash(step["after"])}]
    if edited:
        raise OpsError(
            f"{path.resolve()}: edited after a command was killed half-way; compare it with the content in {journal}, "
            "then remove that file and run the command again"
            for path in edited
        )
    for path, step, _ in found:
        _write(path, step["after"])
    journal.unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One command at a time writes below a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""


def _write(path: Path, text: str) -> None:
    """Replace a file in one step; a reader sees the old content or the new one, never half of it."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        beside.chmod(path.stat().st_mode)
    beside.replace(path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
