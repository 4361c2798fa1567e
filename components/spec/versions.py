"""Which versions of Karpenter and Kubernetes go together."""

from __future__ import annotations

import re
from typing import Final

from components.spec.problems import Problem

DEFAULT_KUBERNETES_VERSION: Final = "1.36"
DEFAULT_KARPENTER_VERSION: Final = "1.14.3"

LEAST_KARPENTER_OF_STACK: Final = (1, 14, 0)
"""The IAM policies, the chart's values and the models of this stack are those of 1.14."""

LEAST_KARPENTER: Final = {
    "1.30": (0, 37, 0),
    "1.31": (1, 0, 5),
    "1.32": (1, 2, 0),
    "1.33": (1, 5, 0),
    "1.34": (1, 6, 0),
    "1.35": (1, 9, 0),
    "1.36": (1, 13, 0),
}
"""Kubernetes version -> the oldest Karpenter that works with it.

Source: website/content/en/docs/upgrading/compatibility.md of karpenter-provider-aws at v1.14.3.
"""

_VERSION: Final = re.compile(r"^v?(\d+)\.(\d+)\.(\d+)$")


def check_versions(kubernetes: str, karpenter: str) -> list[Problem]:
    """What is wrong with a pair of versions, before anything is created.

    Args:
        kubernetes: Kubernetes version, such as ``"1.36"``.
        karpenter: Karpenter version, such as ``"1.14.3"``.
    """
    known = ", ".join(LEAST_KARPENTER)
    problems = []
    if kubernetes not in LEAST_KARPENTER:
        problems.append(
            Problem(
                "cluster.version",
                kubernetes,
                f"must be a version that Karpenter {DEFAULT_KARPENTER_VERSION} is known to work with: {known}",
                f'write one of them in quotes, such as "{DEFAULT_KUBERNETES_VERSION}"',
            )
        )
    found = _VERSION.match(karpenter)
    if found is None:
        rule = "must be a full version"
        return [*problems, Problem("karpenter.version", karpenter, rule, f"write {DEFAULT_KARPENTER_VERSION}")]
    number = tuple(int(part) for part in found.groups())
    if number < LEAST_KARPENTER_OF_STACK:
        problems.append(
            Problem(
                "karpenter.version",
                karpenter,
                "must be 1.14.0 or newer: the IAM policies, chart values and field checks here are those of 1.14",
                f"write {DEFAULT_KARPENTER_VERSION}, or use a release of this stack that is made for {karpenter}",
            )
        )
    least = LEAST_KARPENTER.get(kubernetes)
    if least is not None and number < least:
        needed = ".".join(map(str, least))
        problems.append(
            Problem(
                "karpenter.version",
                karpenter,
                f"must be {needed} or newer with Kubernetes {kubernetes}",
                f"update Karpenter to {DEFAULT_KARPENTER_VERSION} first, then Kubernetes",
            )
        )
    return problems
