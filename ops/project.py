"""Where the project's files are, and whether git holds their present content."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ops.errors import OpsError

_STACK = re.compile(r"^Pulumi\.([A-Za-z0-9_.-]+)\.yaml$")


@dataclass(frozen=True)
class Project:
    """The folder with Pulumi.yaml.

    Attributes:
        root: The folder.
    """

    root: Path

    @property
    def ledger(self) -> Path:
        """The ledger of AMIs."""
        return self.root / "amis" / "ledger.yaml"

    @property
    def stacks(self) -> list[str]:
        """Names of the stacks that have a configuration file."""
        found = (_STACK.match(path.name) for path in self.root.glob("Pulumi.*.yaml"))
        return sorted(match[1] for match in found if match)

    def stack_file(self, stack: str) -> Path:
        """The configuration file of a stack.

        Raises:
            OpsError: If there is none.
        """
        if stack not in self.stacks:
            known = ", ".join(self.stacks) or "none"
            msg = f"--stack: found {stack!r}; there is no Pulumi.{stack}.yaml; stacks here: {known}"
            raise OpsError(msg)
        return self.root / f"Pulumi.{stack}.yaml"


def find_project(start: Path) -> Project:
    """The project that a folder belongs to.

    Args:
        start: The folder to begin with; its parents come next.

    Raises:
        OpsError: If none of them holds a Pulumi.yaml.
    """
    for folder in (start, *start.parents):
        if (folder / "Pulumi.yaml").is_file():
            return Project(folder)
    msg = f"{start}: no Pulumi.yaml here or above; run the command in the project's folder"
    raise OpsError(msg)


def refuse_if_dirty(path: Path) -> None:
    """Keep people's uncommitted edits apart from those of a command.

    Args:
        path: The file that a command is about to change.

    Raises:
        OpsError: If git knows the file and it has changes that are not committed.
    """
    git = shutil.which("git")
    if git is None:
        return
    command = [git, "-C", str(path.parent), "status", "--porcelain", "--", path.name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (git, found on PATH)
    if done.returncode == 0 and done.stdout.strip():
        msg = f"{path}: has changes that are not committed; commit them first, or say --force"
        raise OpsError(msg)
