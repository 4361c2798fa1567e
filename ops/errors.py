"""How commands tell people what went wrong."""

from __future__ import annotations

from collections.abc import Iterable


class OpsError(Exception):
    """A command could not do what it was asked for, and changed nothing.

    Args:
        lines: What is wrong, one line for each thing, with the remedy.
    """

    def __init__(self, lines: str | Iterable[str]) -> None:
        found = [lines] if isinstance(lines, str) else list(lines)
        self.lines = tuple(" ".join(line.split()) for line in found)
        super().__init__("\n".join(self.lines))
