"""Loads the settings: every error at once, before the first resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import pulumi

from components.spec.model_problems import parse
from components.spec.problems import Problem
from settings.checks import check
from settings.draft import Draft
from settings.model import Settings
from settings.read import NAMESPACE, Raw, read

HIDDEN: Final = "[secret]"
ENTRIES: Final = ("nodeClasses", "nodePools", "nodeOverlays", "capacityBuffers")


@dataclass(frozen=True)
class Loaded:
    """Settings that have passed every check.

    Attributes:
        settings: What the configuration file says below `karpenter-eks:`.
        region: AWS region, from `aws:region`.
        profile: AWS profile, from `aws:profile`; None means the environment's credentials.
    """

    settings: Settings
    region: str
    profile: str | None


def load() -> Loaded:
    """Read and check the configuration of the stack.

    Raises:
        pulumi.RunError: If anything is wrong: one line for each mistake, and no traceback.
    """
    loaded, problems = examine(read())
    for problem in problems:
        if problem.severity == "warning":
            pulumi.log.warn(line(problem))
    errors = [line(problem) for problem in problems if problem.severity == "error"]
    if errors or loaded is None:
        raise pulumi.RunError("\n".join(errors))
    return loaded


def examine(raw: Raw) -> tuple[Loaded | None, list[Problem]]:
    """Everything that can be said about a configuration, without a word to Pulumi.

    Args:
        raw: The configuration as plain data.

    Returns:
        The settings, or None when something is wrong; and the problems, errors and warnings.
    """
    data = {**raw.data, **_maps_without_nulls(raw.data), "environment": raw.data.get("environment") or raw.stack}
    settings, formal, _ = parse(Settings, "", data)
    problems = [*raw.problems, *formal, *check(Draft(data), raw.region), *_encrypted(raw.secrets)]
    shown = list({line(hidden): hidden for hidden in (_hide(p, data, raw.secrets) for p in problems)}.values())
    if settings is None or raw.region is None or any(problem.severity == "error" for problem in shown):
        return None, shown
    return Loaded(settings, raw.region, raw.profile), shown


def _maps_without_nulls(data: Mapping[str, object]) -> dict[str, object]:
    """The maps of entries, where `default:` with nothing after it is an entry with nothing in it."""
    return {
        key: {name: {} if entry is None else entry for name, entry in found.items()}
        for key in ENTRIES
        if isinstance(found := data.get(key), Mapping)
    }


def line(problem: Problem) -> str:
    """The problem as people see it.

    Args:
        problem: The problem; its path is below `karpenter-eks:` unless it begins with another namespace.
    """
    text = problem.line("" if problem.path.startswith("aws:") else f"{NAMESPACE}:")
    return " ".join(text.splitlines())


def _encrypted(keys: Iterable[str]) -> Iterator[Problem]:
    for key in sorted(keys):
        yield Problem(
            key,
            HIDDEN,
            "holds an encrypted value, which will be readable in AWS, in the cluster and in the stack's state",
            "write it in plain text if that is fine, else keep it in a secret store and name it here",
            "warning",
        )


def _hide(problem: Problem, data: Mapping[str, object], secrets: frozenset[str]) -> Problem:
    """The problem without values that were encrypted in the configuration file."""
    key = problem.path.partition(".")[0].partition("[")[0]
    if key not in secrets:
        return problem
    rule, remedy = problem.rule, problem.remedy
    for text in sorted(_leaves(data[key]), key=len, reverse=True):
        rule, remedy = rule.replace(text, HIDDEN), remedy.replace(text, HIDDEN)
    return replace(problem, found=HIDDEN, rule=rule, remedy=remedy)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str) and len(value) > len("true"):
        yield value
