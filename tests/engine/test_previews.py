"""What people see at their first `pulumi preview`, through the real engine, with nothing deployed and no kubeconfig."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support import Lab, copy_project, output_of

pytestmark = pytest.mark.engine

AMD64, ARM64 = "ami-0a1b2c3d4e5f60001", "ami-0a1b2c3d4e5f60002"
RELEASE = "1.36.0-20261101"
OWN_LINE = re.compile(r"^(karpenter-eks|aws):\S.*: found ")


@dataclass(frozen=True)
class Fresh:
    """A copy of the program with a state of its own, in which there is nothing yet."""

    lab: Lab
    project: Path
    backend: Path

    def pulumi(self, *arguments: str) -> CompletedProcess[str]:
        return self.lab.pulumi(*arguments, cwd=self.project, PULUMI_BACKEND_URL=f"file://{self.backend}")

    def set(self, stack: str, path: str, value: str) -> None:
        done = self.pulumi("config", "set", "--stack", stack, "--path", f"karpenter-eks:{path}", value)
        assert done.returncode == 0, output_of(done)

    def pin(self, stack: str) -> None:
        """Do what the README's third step says."""
        self.set(stack, "cluster.systemNodes.releaseVersion", RELEASE)
        self.set(stack, "nodeClasses.default.amis.amd64", AMD64)
        if stack != "dev":
            self.set(stack, "nodeClasses.default.amis.arm64", ARM64)


@pytest.fixture
def fresh(lab: Lab, tmp_path: Path) -> Fresh:
    backend = tmp_path / "state"
    backend.mkdir()
    fresh = Fresh(lab, copy_project(tmp_path / "project"), backend)
    for stack in ("dev", "staging", "prod"):
        done = fresh.pulumi("stack", "init", stack)
        assert done.returncode == 0, output_of(done)
    return fresh


def own_lines(done: CompletedProcess[str]) -> list[str]:
    """The stack's own messages in what the engine printed."""
    lines = (line.strip().removeprefix("error: ") for line in (done.stdout + done.stderr).splitlines())
    return [line for line in lines if OWN_LINE.match(line)]


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_a_new_environment_can_be_previewed(fresh: Fresh, stack: str) -> None:
    fresh.pin(stack)
    done = fresh.pulumi("preview", "--stack", stack)
    assert done.returncode == 0, (
        f"the first preview of {stack} fails, so no pull request can be reviewed: {output_of(done)}"
    )
    created = re.search(r"\+ (\d+) to create", done.stdout)
    assert created, output_of(done)
    assert int(created[1]) > 40, f"the preview lacks resources: {done.stdout}"


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_missing_amis_stop_with_one_line_whose_command_prints_them(fresh: Fresh, stack: str) -> None:
    done = fresh.pulumi("preview", "--stack", stack)
    printed = done.stdout + done.stderr
    assert done.returncode != 0, "a stack without AMIs is previewed as if it could run"
    assert "Traceback" not in printed, printed
    [line] = own_lines(done)
    assert "AMIs are pinned, and yours are still to be chosen" in line
    command = shlex.split(line.partition("print them with: ")[2])
    assert command[:2] == ["aws", "ssm"]
    shown = fresh.lab.run(command)
    assert shown.returncode == 0, f"the command that people are given fails: {output_of(shown)}"
    found = dict(text.split() for text in shown.stdout.splitlines())
    assert set(found) == set(command[command.index("--names") + 1 : command.index("--query")])
    assert {RELEASE, AMD64} <= set(found.values()), "the command prints something else than what belongs into the file"


def test_a_wrong_configuration_tells_everything_at_once(fresh: Fresh) -> None:
    fresh.pin("dev")
    for path, value in {
        "cluster.version": "1.29",
        "cluster.publicAccess.cidrs[0]": "0.0.0.0/0",
        "network.create.zones": "7",
        "nodePools.default.limits.cpu": "plenty",
        "nodePools.gpu.nodeClass": "missing",
        "interruptionQueue": "arn:aws:sqs:us-west-2:123456789012:mine",
        "surprise": "1",
    }.items():
        fresh.set("dev", path, value)
    done = fresh.pulumi("preview", "--stack", "dev")
    printed = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in printed, f"people read Python instead of their mistake: {printed}"
    paths = {line.split(": found")[0].removeprefix("karpenter-eks:") for line in own_lines(done)}
    assert {
        "cluster.version",
        "cluster.publicAccess.cidrs[0]",
        "network.create.zones",
        "nodePools.default.limits.cpu",
        "interruptionQueue",
        "surprise",
    } <= paths, f"people mend one mistake a run: {printed}"
    planned = re.search(r"\+ (\d+) to create", printed)
    assert planned is None or planned[1] == "1", (
        "more than the stack itself is planned, although its configuration is wrong"
    )
