"""The commands; `python -m ops --help` lists them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ops.ami.cli import app as ami
from ops.errors import OpsError
from ops.project import find_project
from ops.show import complain

FINDINGS, ERROR = 1, 2
"""Exit codes: something should be mended; the command could not do its work and changed nothing."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(ami, name="ami")


@app.callback()
def _project(
    context: typer.Context,
    directory: Annotated[Path, typer.Option("--directory", "-C", help="Folder of the project.")] = Path(),
) -> None:
    """Commands that people run beside Pulumi."""
    context.obj = find_project(directory.resolve())


def main(arguments: Sequence[str]) -> int:
    """Run a command.

    Args:
        arguments: What follows `python -m ops`.

    Returns:
        The exit code: 0 fine, 1 findings, 2 error.
    """
    try:
        app(list(arguments), prog_name="python -m ops")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except OpsError as error:
        for text in error.lines:
            complain(text)
        return ERROR
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}; make it readable and writable, and run the command again")
        return ERROR
    return 0


def run() -> None:
    """Run the command of this process."""
    sys.exit(main(sys.argv[1:]))
