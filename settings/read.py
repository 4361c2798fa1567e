"""Reads what Pulumi hands the program: the only place that does."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.runtime import config as runtime_config

from components.spec.problems import ABSENT, Problem

NAMESPACE = "karpenter-eks"
TEXT_KEYS = frozenset({"environment"})
"""Keys whose value is text; Pulumi hands every other one over as JSON."""

AWS_KEYS = ("region", "profile")
"""Keys of the namespace `aws` that the stack's own AWS provider takes."""


@dataclass(frozen=True)
class Raw:
    """The configuration as plain data, before anything is known about it.

    Attributes:
        data: Values below `karpenter-eks:`, by key.
        region: `aws:region`, or None.
        profile: `aws:profile`, or None.
        stack: Name of the stack.
        secrets: Keys below `karpenter-eks:` that hold something encrypted.
        problems: What could not even be read.
    """

    data: dict[str, Any]
    region: str | None
    profile: str | None
    stack: str
    secrets: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = field(default=())


def read() -> Raw:
    """Take the configuration from Pulumi."""
    aws = pulumi.Config("aws")
    keys = _keys(NAMESPACE)
    problems = [*_foreign_aws_keys()]
    data: dict[str, Any] = {}
    own = pulumi.Config(NAMESPACE)
    for key in keys:
        text = own.require(key)
        try:
            data[key] = text if key in TEXT_KEYS else json.loads(text)
        except json.JSONDecodeError:
            data[key] = text  # plain text where a map belongs: the model says so
    return Raw(
        data=data,
        region=aws.get("region"),
        profile=aws.get("profile"),
        stack=pulumi.get_stack(),
        secrets=frozenset(key for key in keys if runtime_config.is_config_secret(own.full_key(key))),
        problems=tuple(problems),
    )


def _keys(namespace: str) -> list[str]:
    """Names of all values of a namespace; pulumi.Config can only be asked for names that are known already."""
    prefix = f"{namespace}:"
    known = {**runtime_config.get_config_env(), **runtime_config.CONFIG.get()}
    return sorted(key.removeprefix(prefix) for key in known if key.startswith(prefix))


def _foreign_aws_keys() -> list[Problem]:
    instead = {
        "defaultTags": "use karpenter-eks:tags",
        "allowedAccountIds": "use karpenter-eks:allowedAccountIds",
    }
    return [
        Problem(
            f"aws:{key}",
            ABSENT,
            "the stack makes its own AWS provider, which takes only aws:region and aws:profile",
            instead.get(key, "remove it; put credentials and roles to assume into an AWS profile or the environment"),
        )
        for key in _keys("aws")
        if key not in AWS_KEYS
    ]
