"""What people and the workflows run finds its packages, as far as that can be seen without GitHub and AWS."""

import ast
import re
import shlex
import subprocess
import sys
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
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


def name_of(requirement: str) -> str:
    """The name of a package as the index has it."""
    return re.split(r"[\s=<>~\[]", requirement)[0].lower().replace("_", "-").replace(".", "-")


def imports(file: Path) -> set[str]:
    """The top-level packages that a module imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in plain | named}


def test_what_people_run_needs_nothing_that_pulumi_install_does_not_install() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [name for name in listed.stdout.splitlines() if not name.startswith(("tests/", "lab/"))]
    own = {name.partition("/")[0].removesuffix(".py") for name in files} | sys.stdlib_module_names
    there = {name_of(line) for line in requirements("requirements.txt")}
    known = packages_distributions()
    missing = {
        (name, package)
        for name in files
        for package in imports(ROOT / name) - own
        if not {name_of(each) for each in known.get(package, ())} & there
    }
    assert not missing, f"after the README's `pulumi install` these end in a ModuleNotFoundError: {sorted(missing)}"


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_what_is_needed_with_extras_is_locked_with_extras(name: str) -> None:
    locked = {name_of(line): Requirement(re.split(r"[;\s]+--hash| --hash", line)[0]) for line in requirements(name)}
    needs = [
        (package, Requirement(text))
        for package, entry in locked.items()
        if entry.marker is None or entry.marker.evaluate()
        for text in distribution(package).requires or ()
    ]
    loose = [
        f"{package} needs {need}"
        for package, need in needs
        if need.extras
        and (need.marker is None or need.marker.evaluate({"extra": ""}))
        and not need.extras <= locked[name_of(need.name)].extras
    ]
    assert not loose, f"an older pip refuses to set up, from the day on that a newer release appears: {loose}"


def test_workflows_install_something() -> None:
    assert {workflow for workflow, _ in INSTALLING} == {"drift.yml", "preview.yml", "up-stack.yml"}


@pytest.mark.parametrize(("workflow", "name"), INSTALLING)
def test_what_a_workflow_installs_by_hash_has_hashes(workflow: str, name: str) -> None:
    loose = [line for line in requirements(name) if "==" not in line or "--hash=sha256:" not in line]
    assert not loose, f"pip stops {workflow} before anything is previewed: {loose}"


@pytest.mark.parametrize("workflow", [each for each in WORKFLOWS if "policyPacks" in each.read_text()], ids=str)
def test_a_workflow_with_policies_installs_what_the_pack_needs(workflow: Path) -> None:
    there = {name_of(line) for name in installed(workflow) for line in requirements(name)}
    needed = {name_of(line) for line in requirements("policies/requirements.txt")}
    assert needed <= there, f"the policy pack does not start: {needed - there} is missing"


def test_the_pack_runs_in_the_stack_s_environment() -> None:
    pack = yaml.safe_load((ROOT / "policies" / "PulumiPolicy.yaml").read_text())["runtime"]["options"]
    stack = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())["runtime"]["options"]
    found = (ROOT / "policies" / pack["virtualenv"]).resolve()
    assert found == (ROOT / stack["virtualenv"]).resolve(), "the pack runs with any python3 that is first on PATH"


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
