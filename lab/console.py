"""What the lab says while it works: a spinner on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

console = Console(width=None if sys.stdout.isatty() else 200, soft_wrap=not sys.stdout.isatty(), highlight=False)


def duration(seconds: float) -> str:
    """A length of time as people say it: ``"8 s"``, ``"3 min 20 s"``.

    Args:
        seconds: Seconds, 0 or more.
    """
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def say(text: str) -> None:
    """Print one line."""
    console.print(text, markup=False)


def fail(text: str) -> None:
    """Print one line that tells of a failure, to standard error."""
    Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)


def show(table: Table) -> None:
    """Print a table."""
    console.print(table)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Tell that a piece of work goes on, and how long it took.

    Args:
        name: What is done, such as ``"building etcd v3.7.3"``.
    """
    started = time.monotonic()
    if console.is_terminal:
        with console.status(name):
            yield
    else:
        say(f"{name} ...")
        yield
    say(f"{name}: {duration(time.monotonic() - started)}")
