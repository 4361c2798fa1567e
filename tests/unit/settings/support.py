"""Configurations for the tests of settings, and what the stack says about them."""

from __future__ import annotations

import copy
from typing import Any

from components.spec.problems import Problem
from settings.load import Loaded, examine, line
from settings.read import Raw

AMI = "ami-0123456789abcdef0"
BASE: dict[str, Any] = {
    "cluster": {"name": "my-cluster", "systemNodes": {"releaseVersion": "1.36.2-20261101"}},
    "nodeClasses": {"default": {"amiFamily": "AL2023", "amis": {"amd64": AMI}}},
    "nodePools": {"default": {"nodeClass": "default"}},
}


def config(**changes: Any) -> dict[str, Any]:
    """A configuration without a mistake, with some sections merged in. None takes a section out."""
    data = copy.deepcopy(BASE)
    for key, value in changes.items():
        if value is None:
            data.pop(key, None)
        elif isinstance(value, dict) and isinstance(data.get(key), dict):
            data[key] = _merged(data[key], value)
        else:
            data[key] = value
    return data


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return {
        **old,
        **{
            k: _merged(old[k], v) if isinstance(v, dict) and isinstance(old.get(k), dict) else v for k, v in new.items()
        },
    }


def told(
    data: dict[str, Any], region: str | None = "us-west-2", secrets: frozenset[str] = frozenset()
) -> tuple[Loaded | None, list[Problem]]:
    """What the stack makes of a configuration."""
    return examine(Raw(data=data, region=region, profile=None, stack="dev", secrets=secrets))


def errors(data: dict[str, Any], region: str | None = "us-west-2") -> list[str]:
    """The lines that end the run."""
    return [line(problem) for problem in told(data, region)[1] if problem.severity == "error"]


def warnings(data: dict[str, Any]) -> list[str]:
    """The lines that only tell something."""
    return [line(problem) for problem in told(data)[1] if problem.severity == "warning"]


def loaded(data: dict[str, Any]) -> Loaded:
    """The settings of a configuration that must be right."""
    found, problems = told(data)
    assert found is not None, f"a configuration without a mistake is refused: {[line(p) for p in problems]}"
    return found
