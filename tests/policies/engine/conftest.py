"""Pulumi's own CLI on states and programs of the tests' own; nothing runs in an AWS, not even in the lab's."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACK = ROOT / "policies"
PLUGINS = {
    "pulumi-language-python": "lab.plugins.language_host",
    "pulumi-resource-aws": "lab.plugins.aws",
    "pulumi-resource-eks": "lab.plugins.eks",
}


@dataclass(frozen=True)
class Engine:
    """The Pulumi CLI with a state of its own.

    Attributes:
        folder: Where the CLI runs, and where the project is.
        environment: Its environment.
    """

    folder: Path
    environment: dict[str, str]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command, whatever its exit code."""
        return subprocess.run(
            ["pulumi", *arguments, "--non-interactive", "--color", "never"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="session")
def engine(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("pack")
    programs, home, states = folder / "bin", folder / "home", folder / "states"
    for each in (programs, home, states):
        each.mkdir()
    for name, module in PLUGINS.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)
    (folder / "Pulumi.yaml").write_text("name: pack\nruntime: python\nmain: program\n")
    environment = {
        "HOME": os.environ.get("HOME", str(folder)),
        "PATH": os.pathsep.join([str(programs), str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PULUMI_BACKEND_URL": f"file://{states}",
        "PULUMI_HOME": str(home),
        "PULUMI_CONFIG_PASSPHRASE": "lab",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "true",
        "AWS_REGION": "us-west-2",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "KUBECONFIG": str(folder / "none"),
    }
    engine = Engine(folder, environment)
    done = engine.run("stack", "init", "lab")
    assert done.returncode == 0, f"the Pulumi CLI of the lab's tools does not start: {done.stderr}"
    return engine
