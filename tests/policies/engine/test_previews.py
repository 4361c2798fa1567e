"""`pulumi preview --policy-pack policies` and `pulumi up`, through the real engine, in the lab."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.policies.engine.conftest import PACK
from tests.support import Lab, copy_project, output_of

pytestmark = pytest.mark.engine
PROGRAM = Path(__file__).parents[1] / "programs" / "hostile"


@dataclass(frozen=True)
class Program:
    """A program with a state of its own."""

    lab: Lab
    folder: Path
    backend: Path

    def pulumi(self, *arguments: str) -> CompletedProcess[str]:
        return self.lab.pulumi(
            *arguments,
            cwd=self.folder,
            PULUMI_BACKEND_URL=f"file://{self.backend}",
            KUBECONFIG=self.lab.state.admin_kubeconfig,
        )

    def with_pack(self, *arguments: str, config: str = "lab") -> CompletedProcess[str]:
        pack = ("--policy-pack", str(PACK), "--policy-pack-config", str(PACK / f"config.{config}.json"))
        return self.pulumi(*arguments, "--stack", "lab", *pack)


@pytest.fixture
def hostile(lab: Lab, tmp_path: Path) -> Program:
    return _program(lab, Path(shutil.copytree(PROGRAM, tmp_path / "hostile")), tmp_path)


def _program(lab: Lab, folder: Path, tmp_path: Path) -> Program:
    backend = tmp_path / "state"
    backend.mkdir()
    program = Program(lab, folder, backend)
    done = program.pulumi("stack", "init", "lab")
    assert done.returncode == 0, output_of(done)
    return program


def test_unknown_and_secret_values_are_seen_or_said_to_be_unseen(hostile: Program) -> None:
    done = hostile.with_pack("preview")
    text = done.stdout + done.stderr
    assert done.returncode != 0, f"a preview with @latest passes: {text}"
    for seen in (
        'spec.amiSelectorTerms[1].alias: found "al2023@latest"',
        'spec.amiSelectorTerms[0].name: found "amazon-eks-*"',
        'imageId: found "resolve:ssm:/own/ami"',
        "policy.Statement: found iam:PassRole on *",
        "policy: found nothing; every queue must have a policy",
    ):
        assert seen in text, f"what can be seen is not reported, since something else is unknown: {text}"
    for unseen in (
        "unknown-id: not checked yet: spec.amiSelectorTerms[0].id is unknown until update",
        "unknown-beside-latest: not checked yet: spec.amiSelectorTerms[0].id is unknown until update",
        "unknown-terms: not checked yet: spec.amiSelectorTerms is unknown until update",
        "unknown-document: not checked yet: policy is unknown until update",
        "unknown-statement: not checked yet: policy is unknown until update",
    ):
        assert unseen in text, f"what could not be checked passes in silence: {text}"
    assert "Traceback" not in text, "a rule crashes"


def test_what_was_unknown_at_preview_is_decided_at_update(hostile: Program) -> None:
    hostile.pulumi("config", "set", "part", "late")
    preview = hostile.with_pack("preview")
    assert preview.returncode == 0, f"an unknown value blocks a preview: {output_of(preview)}"
    assert "late-latest: not checked yet" in preview.stdout, "an unknown value passes in silence"
    try:
        up = hostile.with_pack("up", "--yes", "--skip-preview")
        assert up.returncode != 0, f"@latest is deployed, because it was unknown at preview: {output_of(up)}"
        assert 'found "al2023@latest"' in up.stdout + up.stderr, output_of(up)
        urns = hostile.pulumi("stack", "export").stdout
        assert "EC2NodeClass" not in urns, "the class was made before the rule spoke"
    finally:
        hostile.pulumi("destroy", "--yes", "--skip-preview", "--stack", "lab")


def test_the_lab_s_own_stack_passes_production_s_rules(lab: Lab, tmp_path: Path) -> None:
    program = _program(lab, copy_project(tmp_path / "project"), tmp_path)
    done = program.with_pack("preview")
    assert done.returncode == 0, f"our own stack breaks our own rules: {output_of(done)}"
    assert "[mandatory]" not in done.stdout, done.stdout


ELSEWHERE = """\
schemaVersion: 1
amis:
  ami-0a1b2c3d4e5f60001:
    region: eu-west-1
    architecture: amd64
    kubernetesVersion: "1.36"
    release: v20261101
    environments:
      lab: {status: in-use}
"""


def test_without_parameters_environment_and_region_are_the_stack_s(deployed: Lab, tmp_path: Path) -> None:
    ledger, config = tmp_path / "ledger.yaml", tmp_path / "config.json"
    ledger.write_text(ELSEWHERE)
    given = {"ledger": str(ledger), "enforcementLevel": "advisory"}
    config.write_text(json.dumps({"ami-approved": given, "ami-approved-in-stack": given}))
    pack = ("--policy-pack", str(PACK), "--policy-pack-config", str(config))
    done = deployed.pulumi("preview", "--stack", "lab", *pack)
    assert done.returncode == 0, f"advice blocks: {output_of(done)}"
    seen = done.stdout
    assert 'found "ami-0a1b2c3d4e5f60002"; must stand in the ledger' in seen, output_of(done)
    assert "approved for lab" in seen, f"another environment's approvals count: {output_of(done)}"
    assert 'found "ami-0a1b2c3d4e5f60001"; must be approved' not in seen, f"lab's approval is not seen: {seen}"
    assert "must be of region us-west-2, but the ledger says eu-west-1" in seen, "an AMI of another region passes"


def test_the_lab_s_recorded_state_passes_production_s_rules(deployed: Lab) -> None:
    done = deployed.pulumi(
        "policy",
        "analyze",
        "--stack",
        "lab",
        "--policy-pack",
        str(PACK),
        "--policy-pack-config",
        str(PACK / "config.lab.json"),
    )
    assert done.returncode == 0, f"what `make demo` deployed breaks our own rules: {output_of(done)}"
