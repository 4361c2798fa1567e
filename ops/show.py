"""Prints tables: with rich on a terminal, as plain columns into a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table.

    Args:
        headings: A heading for each column.
        rows: The rows, as many cells each as there are headings.
    """
    if sys.stdout.isatty():
        found = Table(*headings, box=None, pad_edge=False)
        for row in rows:
            found.add_row(*row)
        Console().print(found)
        return
    widths = [max(len(row[index]) for row in (headings, *rows)) for index in range(len(headings))]
    for row in (headings, *rows):
        line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def line(text: str) -> None:
    """Print one line of result."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print one line about what is wrong."""
    sys.stderr.write(f"{text}\n")
