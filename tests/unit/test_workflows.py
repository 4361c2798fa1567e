"""What the workflows run, as far as that can be seen without GitHub."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from ops.cli import app
from tests.support import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


def steps(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text())["jobs"].values()
    return [step for job in jobs for step in job.get("steps", ())]


def commands(workflow: Path) -> list[list[str]]:
    """The words of every command of a workflow; expressions are a stack's name."""
    lines = [EXPRESSION.sub("dev", step["run"]) for step in steps(workflow) if "run" in step]
    return [shlex.split(command) for line in lines for command in re.split(r"&&|\n", line) if command.strip()]


def requirements(name: str) -> list[str]:
    """The entries of a requirements file, each with its hashes."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def installed(workflow: Path) -> list[str]:
    """The requirements files that a workflow installs."""
    words = [command for command in commands(workflow) if "install" in command]
    return [command[index + 1] for command in words for index, word in enumerate(command) if word == "-r"]


INSTALLING = [(workflow.name, name) for workflow in WORKFLOWS for name in installed(workflow)]


def test_workflows_install_something() -> None:
    assert {workflow for workflow, _ in INSTALLING} == {"drift.yml", "preview.yml", "up-stack.yml"}


@pytest.mark.parametrize(("workflow", "name"), INSTALLING)
def test_what_a_workflow_installs_by_hash_has_hashes(workflow: str, name: str) -> None:
    loose = [line for line in requirements(name) if "==" not in line or "--hash=sha256:" not in line]
    assert not loose, f"pip stops {workflow} before anything is previewed: {loose}"


@pytest.mark.parametrize("workflow", [each for each in WORKFLOWS if "policyPacks" in each.read_text()], ids=str)
def test_a_workflow_with_policies_installs_what_the_pack_needs(workflow: Path) -> None:
    there = {re.split(r"[=\s]", line)[0].lower() for name in installed(workflow) for line in requirements(name)}
    needed = {re.split(r"[<>=]", line)[0].lower() for line in requirements("policies/requirements.txt")}
    assert needed <= there, f"the policy pack does not start: {needed - there} is missing"


def test_the_pack_runs_in_the_stack_s_environment_and_finds_its_packages_there() -> None:
    pack = yaml.safe_load((ROOT / "policies" / "PulumiPolicy.yaml").read_text())["runtime"]["options"]
    stack = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())["runtime"]["options"]
    found = (ROOT / "policies" / pack["virtualenv"]).resolve()
    assert found == (ROOT / stack["virtualenv"]).resolve(), "the pack runs with any python3 that is first on PATH"
    there = {re.split(r"[=\s]", line)[0].lower() for line in requirements("requirements.txt")}
    assert {"pulumi-policy", "pyyaml"} <= there, "after `pulumi install` a preview with policies does not start"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_commands_of_workflows_exist(workflow: Path) -> None:
    for command in commands(workflow):
        if command[:1] == ["make"]:
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert set(command[1:]) <= set(targets), f"{workflow.name} stops: no such target in {command}"
        elif "ops" in command:
            arguments = command[command.index("ops") + 1 :]
            result = CliRunner().invoke(app, [*arguments, "--help"])
            assert result.exit_code == 0, f"{workflow.name} stops at {command}: {result.output}"
