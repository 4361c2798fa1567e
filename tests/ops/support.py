"""What the tests of the commands share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ssm.models import Parameter, ssm_backends

ACCOUNT = "123456789012"
ARCHITECTURES = {"x86_64": "1", "arm64": "2"}


@dataclass
class Ops:
    """A project and its commands.

    Attributes:
        root: The project's folder.
        run: Runs `python -m ops ami ...`; answers exit code, output and errors.
        clock: The present moment.
    """

    root: Path
    run: Callable[..., tuple[int, str, str]]
    clock: datetime

    def good(self, *arguments: str) -> str:
        code, out, err = self.run(*arguments)
        assert code == 0, f"{arguments} fails where everything is in order: {out}{err}"
        return out

    def bad(self, *arguments: str) -> list[str]:
        """Lines of an error; nothing may be written then."""
        before = self.contents()
        code, out, err = self.run(*arguments)
        assert code == 2, f"{arguments} is no error for CI: exit code {code}\n{out}{err}"
        assert "Traceback" not in err, "people would read a traceback"
        assert self.contents() == before, f"{arguments} failed and left something half-written"
        return err.splitlines()

    def contents(self) -> dict[str, str]:
        return {str(path): path.read_text() for path in sorted(self.root.rglob("*.yaml"))}

    def stack(self, name: str) -> str:
        return (self.root / f"Pulumi.{name}.yaml").read_text()

    @property
    def ledger_path(self) -> Path:
        return self.root / "amis" / "ledger.yaml"

    def commit(self) -> None:
        for command in (["add", "."], ["commit", "-q", "-m", "x", "--allow-empty"]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True)


class SeededAws:
    """moto with EKS's parameters and images in one region."""

    def __init__(self, region: str) -> None:
        self.ec2: Any = ec2_backends[ACCOUNT][region]
        self.parameters: Any = ssm_backends[ACCOUNT][region]._parameters
        self.region = region

    def ids(self, release: str) -> list[str]:
        return [f"ami-0{release}0000000{number}" for number in ARCHITECTURES.values()]

    def publish(self, release: str, version: str = "1.36", variant: str = "standard") -> None:
        for arch, ami_id in zip(ARCHITECTURES, self.ids(release), strict=True):
            self._publish(release, version, variant, arch, ami_id)

    def _publish(self, release: str, version: str, variant: str, arch: str, ami_id: str) -> None:
        name = f"amazon-eks-node-al2023-{arch}-{variant}-{version}-v{release}"
        root = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/{variant}"
        for place in ("recommended", name):
            self.put(f"{root}/{place}/image_id", ami_id)
            self.put(f"{root}/{place}/release_version", f"{version}.0-{release}")
        self.ec2.amis[ami_id] = Ami(
            self.ec2,
            ami_id,
            name=name,
            owner_id="602401143452",
            owner_alias="amazon",
            public=True,
            virtualization_type="hvm",
            architecture=arch,
            creation_date=datetime.strptime(release, "%Y%m%d").replace(tzinfo=UTC),
            region_name=f"{self.region}a",
        )

    def put(self, name: str, value: str) -> None:
        made: Any = Parameter  # moto's own code makes them like this too
        self.parameters[name] = [made(ACCOUNT, name, value, "String", "", None, None, datetime.now(UTC), 1, "text")]
