"""What one emulator process was started with."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Options:
    """The command line of `python -m lab.emulator`.

    Attributes:
        port: TCP port on loopback, 1-65535.
        region: home region of the lab; every other region works too.
        account_id: the one account that all credentials belong to, 12 digits.
        data: folder for files that the emulators write.
        kubernetes_endpoint: URL that DescribeCluster answers; empty when no control plane runs.
        kubernetes_ca_file: PEM file of the control plane's CA; None when no control plane runs.
        oidc_issuer: issuer URL of every cluster; empty for one in EKS's own shape.
        pricing: file or folder with Karpenter's generated price table; None for estimates.
    """

    port: int
    region: str
    account_id: str
    data: Path
    kubernetes_endpoint: str = ""
    kubernetes_ca_file: Path | None = None
    oidc_issuer: str = ""
    pricing: Path | None = None


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; argparse ends the program on a wrong one."""
    parser = argparse.ArgumentParser(prog="python -m lab.emulator", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--region", default="us-west-2")
    parser.add_argument("--account", default="123456789012")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kubernetes-endpoint", default="")
    parser.add_argument("--kubernetes-ca-file", type=Path)
    parser.add_argument("--oidc-issuer", default="")
    parser.add_argument("--pricing", type=Path)
    given = parser.parse_args(arguments)
    return Options(
        port=given.port,
        region=given.region,
        account_id=given.account,
        data=given.data,
        kubernetes_endpoint=given.kubernetes_endpoint,
        kubernetes_ca_file=given.kubernetes_ca_file,
        oidc_issuer=given.oidc_issuer,
        pricing=given.pricing,
    )
