"""Runs the Pulumi CLI on a project inside the lab."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class PulumiError(Exception):
    """A Pulumi command failed; what it printed has told why."""


@dataclass(frozen=True)
class Stack:
    """One stack of one project.

    Attributes:
        project: The folder with ``Pulumi.yaml``.
        name: The stack's name, such as ``"lab"``.
        environment: The environment that the lab gives its programs.
    """

    project: Path
    name: str
    environment: Mapping[str, str]

    def select(self) -> None:
        """Select the stack; make it when there is none."""
        self._run(["stack", "select", "--create", self.name], quiet=True)

    def up(self) -> None:
        """Deploy, showing what the engine shows."""
        self._run(["up", "--yes", "--skip-preview", "--suppress-outputs", *self._plain()])

    def destroy(self) -> None:
        """Destroy everything in the stack, showing what the engine shows."""
        self._run(["destroy", "--yes", "--skip-preview", "--suppress-outputs", *self._plain()])

    def exists(self) -> bool:
        """Tell whether the stack was made."""
        stacks = json.loads(self.output(["stack", "ls", "--json"]))
        return any(stack["name"] == self.name for stack in stacks)

    def remove(self) -> None:
        """Forget the destroyed stack; its configuration file stays."""
        self._run(["stack", "rm", self.name, "--yes", "--preserve-config"], quiet=True)

    def output(self, arguments: Sequence[str]) -> str:
        """Run a command and return what it prints.

        Raises:
            PulumiError: If it fails, with what it printed.
        """
        done = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=self.project,
            env=dict(self.environment),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise PulumiError(done.stderr.strip() or done.stdout.strip())
        return done.stdout

    def _plain(self) -> list[str]:
        return ["--stack", self.name, "--non-interactive", "--color", "auto"]

    def _run(self, arguments: Sequence[str], *, quiet: bool = False) -> None:
        if quiet:
            self.output(arguments)
            return
        done = subprocess.run(["pulumi", *arguments], cwd=self.project, env=dict(self.environment), check=False)
        if done.returncode != 0:
            message = f"pulumi {arguments[0]} of the stack {self.name} failed; the lines above say why"
            raise PulumiError(message)
