"""From a pure check to a policy of the pack.

Unknown values: every message about what can be seen is reported at the rule's level, and then one
`UnknownValueError` is raised, which Pulumi shows as advice. At update nothing is unknown, and the rule decides.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi_policy as policy
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError

from .reading import CannotJudgeError, Node, NotChecked, plain

DOCS = "docs/policies.md"


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource as the checks see it.

    Attributes:
        type: Its Pulumi type, such as `aws:ec2/instance:Instance`.
        name: Its logical name.
        props: Its properties.
        urn: Its URN.
        provider: The properties of its provider.
        sources: URNs of the resources that a property was made from, by the property's name.
    """

    type: str
    name: str
    props: Node
    urn: str = ""
    provider: Node = field(default_factory=lambda: Node(None, "provider"))
    sources: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def stack(self) -> str:
        """Name of the stack, from the URN: in a pack, pulumi.get_stack() says "stack" to every stack."""
        return self.urn.removeprefix("urn:pulumi:").partition("::")[0]

    @property
    def region(self) -> str:
        """Region of the provider of a resource of `aws`; empty where it is unknown, and for every other resource."""
        found = self.provider.value
        region = found.get("region") if isinstance(found, dict) and self.type.startswith("aws:") else None
        return region if isinstance(region, str) else ""


@dataclass(frozen=True)
class Finding:
    """A message about one resource of a stack."""

    resource: Resource
    message: str


Config = Mapping[str, Any]
ResourceCheck = Callable[[Resource, Config], Iterator[str]]
StackCheck = Callable[[list[Resource], Config], Iterator[Finding]]


@dataclass(frozen=True)
class About:
    """What a user reads about a rule.

    Attributes:
        name: Kebab-case name in configuration and messages.
        description: What must hold, in a sentence.
        steps: What to do about a violation.
        severity: How bad a violation is.
        level: Enforcement where the configuration says nothing.
        parameters: Configuration properties by name, as JSON schema with a default each.
    """

    name: str
    description: str
    steps: str
    severity: policy.Severity
    level: policy.EnforcementLevel = policy.EnforcementLevel.MANDATORY
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """The arguments that every kind of policy takes."""
        return {
            "name": self.name,
            "description": self.description,
            "enforcement_level": self.level,
            "config_schema": policy.PolicyConfigSchema(properties=self.parameters) if self.parameters else None,
            "severity": self.severity,
            "remediation_steps": self.steps,
            "url": f"{DOCS}#{self.name.removesuffix('-in-stack')}",
        }

    def config(self, given: Config | None) -> dict[str, Any]:
        """The configuration with every default filled in."""
        return {name: schema["default"] for name, schema in self.parameters.items()} | dict(given or {})


def not_checked(messages: list[str]) -> UnknownValueError:
    """The error that Pulumi shows as advice.

    Args:
        messages: What could not be checked.
    """
    error = UnknownValueError(UNKNOWN_STRING_VALUE, [])
    error.message = "; ".join(dict.fromkeys(messages))
    return error


def resource_policy(about: About, check: ResourceCheck) -> policy.ResourceValidationPolicy:
    """A policy that judges one resource at a time.

    Args:
        about: Its description.
        check: Yields a message for every violation; nothing for types that it does not judge.
    """

    def validate(args: policy.ResourceValidationArgs, report: Callable[..., None]) -> None:
        provider = Node(plain(args.provider.props) if args.provider else None, "provider")
        resource = Resource(args.resource_type, args.name, Node(plain(args.props)), args.urn, provider)
        messages = list(dict.fromkeys(_all(check, resource, about.config(args.get_config()))))
        for message in messages:
            if not isinstance(message, NotChecked):
                report(message)
        unknown = [f"{resource.name}: {message}" for message in messages if isinstance(message, NotChecked)]
        if unknown:
            raise not_checked(unknown)

    return policy.ResourceValidationPolicy(validate=validate, **about.arguments())


def _all(check: ResourceCheck, resource: Resource, config: Config) -> Iterator[str]:
    try:
        yield from check(resource, config)
    except CannotJudgeError as error:
        yield error.message


def stack_policy(about: About, check: StackCheck) -> policy.StackValidationPolicy:
    """A policy that judges the resources of a stack together.

    Args:
        about: Its description.
        check: Yields a finding for every violation.
    """

    def validate(args: policy.StackValidationArgs, report: Callable[..., None]) -> None:
        unknown = []
        for finding in dict.fromkeys(check(resources_of(args), about.config(args.get_config()))):
            if isinstance(finding.message, NotChecked):
                unknown.append(f"{finding.resource.name}: {finding.message}")
            else:
                report(finding.message, finding.resource.urn)
        if unknown:
            raise not_checked(unknown)

    return policy.StackValidationPolicy(validate=validate, **about.arguments())


def resources_of(args: policy.StackValidationArgs) -> list[Resource]:
    """The resources of a stack, as the checks see them."""
    return [
        Resource(
            each.resource_type,
            each.name,
            Node(plain(each.props)),
            each.urn,
            Node(plain(each.provider.props) if each.provider else None, "provider"),
            {name: frozenset(other.urn for other in others) for name, others in each.property_dependencies.items()},
        )
        for each in args.resources
    ]


def findings(resource: Resource, messages: Iterator[str]) -> Iterator[Finding]:
    """Findings about one resource; what cannot be read becomes one more."""
    try:
        for message in messages:
            yield Finding(resource, message)
    except CannotJudgeError as error:
        yield Finding(resource, error.message)
