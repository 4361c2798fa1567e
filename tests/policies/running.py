"""Runs a policy on resources the way Pulumi's own server does."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi_policy as policy
from pulumi_policy.deserialize import deserialize_properties
from pulumi_policy.proxy import UnknownValueError, unknown_checking_proxy

from policies.rules import POLICIES

BY_NAME = {each.name: each for each in POLICIES}
OPTIONS = policy.PolicyResourceOptions(False, [], None, [], policy.PolicyCustomTimeouts(0, 0, 0), [])
LEDGER = "../amis/ledger.yaml"


@dataclass
class Outcome:
    """What a policy said.

    Attributes:
        violations: Messages at the policy's level.
        advice: The advisory message about what could not be checked.
    """

    violations: list[str] = field(default_factory=list)
    advice: str = ""


def urn(type_: str, name: str, stack: str = "lab") -> str:
    return f"urn:pulumi:{stack}::test::{type_}::{name}"


def on_resource(
    rule: str,
    type_: str,
    props: Mapping[str, Any],
    *,
    name: str = "it",
    config: Mapping[str, Any] | None = None,
    stack: str = "lab",
) -> Outcome:
    args = policy.ResourceValidationArgs(
        type_,
        unknown_checking_proxy(deserialize_properties(dict(props))),
        urn(type_, name, stack),
        name,
        OPTIONS,
        None,
        config,
    )
    return _run(rule, args)


def on_stack(
    rule: str,
    resources: Iterable[tuple[str, str, Mapping[str, Any]]],
    *,
    config: Mapping[str, Any] | None = None,
    links: Mapping[tuple[str, str], str] | None = None,
    providers: Mapping[str, Mapping[str, Any]] | None = None,
) -> Outcome:
    """Run a stack policy on (type, name, properties).

    Args:
        rule: Name of the policy.
        resources: Type, name and properties of each resource.
        config: The policy's configuration.
        links: Which resource a property of one comes from.
        providers: Properties of the provider of a resource, by its name.
    """
    made = {
        name: policy.PolicyResource(
            type_,
            unknown_checking_proxy(deserialize_properties(dict(props))),
            urn(type_, name),
            name,
            OPTIONS,
            None,
            None,
            [],
            {},
        )
        for type_, name, props in resources
    }
    for name, given in (providers or {}).items():
        made[name].provider = policy.PolicyProviderResource("pulumi:providers:aws", dict(given), "", "aws")
    for (name, key), target in (links or {}).items():
        made[name].property_dependencies[key] = [made[target]]
    return _run(rule, policy.StackValidationArgs(list(made.values()), config))


def on_any(rule: str, type_: str, props: Mapping[str, Any], config: Mapping[str, Any] | None = None) -> Outcome:
    """Run a policy of either kind on one resource."""
    if isinstance(BY_NAME[rule], policy.StackValidationPolicy):
        return on_stack(rule, [(type_, "it", props)], config=config)
    return on_resource(rule, type_, props, config=config)


def _run(rule: str, args: Any) -> Outcome:
    outcome = Outcome()
    try:
        BY_NAME[rule].validate(args, lambda message, urn=None: outcome.violations.append(message))  # type: ignore[attr-defined]
    except UnknownValueError as error:
        outcome.advice = error.message
    return outcome
