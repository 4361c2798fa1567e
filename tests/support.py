"""A running lab as the tests use it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lab import story
from lab.emulated_aws import root_client
from lab.state import State

ROOT = Path(__file__).parents[1]
PROJECT_FILES = (
    "Pulumi.yaml",
    "Pulumi.dev.yaml",
    "Pulumi.staging.yaml",
    "Pulumi.prod.yaml",
    "Pulumi.lab.yaml",
    "__main__.py",
    "wiring.py",
    "settings",
    "components",
    "policies",
    "amis",
    "ops",
    "examples",
    "requirements.txt",
)


def copy_project(target: Path) -> Path:
    """Copy the stack's program, so that a test can change its configuration.

    Args:
        target: A folder that is not there yet.

    Returns:
        The same folder.
    """
    target.mkdir(parents=True)
    for name in PROJECT_FILES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, target / name)
    (target / ".venv").symlink_to(ROOT / ".venv")
    (target / ".lab").symlink_to(ROOT / ".lab")
    return target


@dataclass
class Lab:
    """A lab that runs.

    Attributes:
        folder: Its folder (LAB_DIR).
        state: What it says of itself.
        environment: The environment of programs inside it.
        project: The stack's program: the repository itself, or a copy.
        demo_output: What `make demo` printed, once it ran.
    """

    folder: Path
    state: State
    environment: Mapping[str, str]
    project: Path = field(default=ROOT)
    demo_output: str = ""

    @cached_property
    def cluster(self) -> story.Cluster:
        """The cluster, with the lab's own rights."""
        return story.Cluster(Path(self.state.admin_kubeconfig), self.aws)

    def aws(self, service: str) -> Any:
        """A boto3 client of the emulated AWS, as its root."""
        return root_client(self.state, service)

    def run(
        self, command: Sequence[str], *, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the lab's environment, and return it whatever its exit code.

        Args:
            command: The program and its arguments.
            cwd: The folder to run it in; the stack's program by default.
            environment: Variables to add.
        """
        return subprocess.run(
            [str(part) for part in command],
            cwd=cwd or self.project,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def pulumi(self, *arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a Pulumi command in the lab's environment."""
        return self.run(["pulumi", *arguments, "--non-interactive", "--color", "never"], cwd=cwd, **environment)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of the lab's own commands, such as ``demo``, on this lab."""
        return subprocess.run(
            [sys.executable, "-m", "lab", *arguments, "--dir", str(self.folder)],
            cwd=ROOT,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=False,
        )


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """Everything that a command printed, for an assert message."""
    return f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
