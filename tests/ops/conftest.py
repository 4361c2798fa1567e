"""A project of its own for every test, with moto in this process for AWS, and a clock that a test can move."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import botocore.loaders
import botocore.session
import pytest
from moto import mock_aws

from ops.ami import cli, cli_reports
from ops.cli import main
from tests.ops.support import Ops, SeededAws

STACK = """\
# {name}: kept by people
config:
  aws:region: us-west-2
  karpenter-eks:environment: {name}
  karpenter-eks:cluster:
    name: karpenter-{name}   # never rename
    version: "1.36"
    systemNodes:
      instanceTypes: [m5.large]
      # releaseVersion: "<release of the EKS-optimized AMI>"
  karpenter-eks:nodeClasses:
    default:
      amiFamily: AL2023
      # amis: {{amd64: <AMI id>, arm64: <AMI id>}}
  karpenter-eks:nodePools:
    default:
      nodeClass: default
    arm:
      preset: arm64
      nodeClass: default
"""


PROMOTED: dict[Path, str] = {}
"""The files of `promoted`, made once for all tests."""

LOADER = botocore.loaders.Loader()
"""Reads botocore's large service models once for all tests."""


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(botocore.session, "create_loader", lambda *_: LOADER)
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # 1,300 images a test, and none of EKS's among them
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def ops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ops:
    root = tmp_path / "project"
    (root / "amis").mkdir(parents=True)
    (root / "Pulumi.yaml").write_text("name: karpenter-eks\nruntime: python\n")
    for name in ("dev", "staging", "prod"):
        (root / f"Pulumi.{name}.yaml").write_text(STACK.format(name=name))
    (root / "amis" / "ledger.yaml").write_text("# our ledger\nschemaVersion: 1\namis: {}\n")
    for command in (["init", "-q"], ["config", "user.email", "a@b"], ["config", "user.name", "n"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["-C", str(root), "ami", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    found = Ops(root, run, datetime(2026, 11, 10, 12, tzinfo=UTC))
    for module in (cli, cli_reports):
        monkeypatch.setattr(module, "now", lambda: found.clock)
    found.commit()
    return found


@pytest.fixture
def aws() -> Iterator[SeededAws]:
    with mock_aws():
        seeded = SeededAws("us-west-2")
        seeded.publish("20261101")
        yield seeded


@pytest.fixture
def promoted(ops: Ops, aws: SeededAws) -> Ops:
    """Release 1101 runs everywhere; release 1115 runs in dev and staging since ten days, approved everywhere."""
    aws.publish("20261115")
    if not PROMOTED:
        _promote(ops, aws)
        PROMOTED.update({path.relative_to(ops.root): path.read_text() for path in ops.root.rglob("*.yaml")})
    for path, text in PROMOTED.items():
        (ops.root / path).write_text(text)
    ops.commit()
    ops.clock = datetime(2026, 11, 27, tzinfo=UTC)
    return ops


def _promote(ops: Ops, aws: SeededAws) -> None:
    for release in ("20261101", "20261115"):
        aws.publish(release)
        ops.clock = datetime.strptime(release, "%Y%m%d").replace(tzinfo=UTC) + timedelta(days=2)
        for name in ("dev", "staging", "prod"):
            ops.good("resolve", "--stack", name)
            ops.good("approve", *aws.ids(release), "--environment", name, "--reviewer", "ann", "--notes", "read it")
            if (release, name) != ("20261115", "prod"):
                ops.good("use", "--stack", name, "--offline", "--force")
