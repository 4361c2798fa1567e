"""The scratch program's stack, driven by the real CLI."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Stack:
    """A project, and the environment that leads to the emulated AWS."""

    project: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["pulumi", *arguments, "--non-interactive", "--color", "never"]
        return subprocess.run(
            command, cwd=self.project, env=dict(self.environment), capture_output=True, text=True, check=False
        )

    def must(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, f"pulumi {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def preview(self, *arguments: str, **config: str) -> Any:
        """The changes of a preview by URN, in the engine's own words; what a refresh only reads again is none."""
        settings = [part for key, value in config.items() for part in ("--config", f"plugins:{key}={value}")]
        found = json.loads(self.must("preview", "--json", *arguments, *settings))
        return {step["urn"]: step for step in found["steps"] if step["op"] not in {"same", "refresh"}}

    def resources(self) -> list[dict[str, Any]]:
        exported = json.loads(self.must("stack", "export"))
        found: list[dict[str, Any]] = exported["deployment"]["resources"]
        return found
