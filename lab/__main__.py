"""The lab's commands: ``python -m lab --help``."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lab import demo as story
from lab.bench import bench as measure_previews
from lab.bench import table
from lab.console import show
from lab.diagnose import diagnose as find
from lab.lab import environment, start, stop
from lab.processes import ProcessError
from lab.state import read_state
from lab.toolchain import ToolchainError, ensure_tools

app = typer.Typer(add_completion=False, no_args_is_help=True, help="The whole stack on one machine, without AWS.")
Folder = Annotated[Path, typer.Option("--dir", envvar="LAB_DIR", help="the lab's folder; two folders are two labs")]
Seconds = Annotated[float, typer.Option("--timeout", help="seconds to wait for each thing that should happen")]
HERE = Path(__file__).parents[1] / ".lab"


@contextmanager
def _failing_in_lines() -> Iterator[None]:
    """Turn what can go wrong into lines and exit code 1; Ctrl-C into exit code 130."""
    try:
        yield
    except (ToolchainError, story.DemoError, ProcessError) as error:
        story.report(error)
        raise typer.Exit(1) from error
    except KeyboardInterrupt as error:
        raise typer.Exit(130) from error


@app.command()
def tools() -> None:
    """Build the lab's programs where they are not built yet, and print their folder."""
    with _failing_in_lines():
        typer.echo(ensure_tools())


@app.command()
def up(folder: Folder = HERE) -> None:
    """Start the lab; does nothing where it runs already."""
    with _failing_in_lines():
        state = start(folder.absolute(), ensure_tools())
        typer.echo(f"The lab is up. Kubernetes: {state.kubernetes_endpoint}, emulated AWS: {state.aws_endpoint}")


@app.command()
def down(folder: Folder = HERE) -> None:
    """Stop the lab and forget what was in it; use demo-down to destroy the stack first."""
    with _failing_in_lines():
        stop(folder.absolute())


@app.command()
def status(folder: Folder = HERE) -> None:
    """Print what runs, as JSON; exit code 1 when the lab is down."""
    state = read_state(folder.absolute())
    if state is None:
        typer.echo("{}")
        raise typer.Exit(1)
    typer.echo(json.dumps(asdict(state), indent=2))


@app.command()
def diagnose(folder: Folder = HERE) -> None:
    """Say what is wrong in the lab, a line each; exit code 1 when something is."""
    state = read_state(folder.absolute())
    findings = ["the lab is not running"] if state is None else find(state)
    for finding in findings:
        typer.echo(finding)
    raise typer.Exit(1 if findings else 0)


@app.command(context_settings={"ignore_unknown_options": True})
def run(command: list[str], folder: Folder = HERE) -> None:
    """Run a command with the lab's environment: ``python -m lab run -- pulumi preview --stack lab``."""
    state = read_state(folder.absolute())
    if state is None:
        typer.echo("the lab is not running: start it with `make lab-up`", err=True)
        raise typer.Exit(1)
    raise typer.Exit(subprocess.run(command, env=environment(state), check=False).returncode)


@app.command()
def demo(folder: Folder = HERE, timeout: Seconds = 180) -> None:
    """Run the whole story: pods, nodes that Karpenter launches, and back to none."""
    with _failing_in_lines():
        story.demo(folder.absolute(), timeout)


@app.command()
def bench(folder: Folder = HERE / "bench") -> None:
    """Time previews with 1 to 500 NodePools beside their floor, in a lab of its own."""
    with _failing_in_lines():
        state = start(folder.absolute(), ensure_tools())
        try:
            show(table(measure_previews(environment(state))))
        finally:
            stop(folder.absolute())


@app.command(name="demo-down")
def demo_down(folder: Folder = HERE, timeout: Seconds = 180) -> None:
    """Destroy the stack with pods still running, prove that nothing is left, stop the lab."""
    with _failing_in_lines():
        story.demo_down(folder.absolute(), timeout)


if __name__ == "__main__":
    sys.exit(app())
