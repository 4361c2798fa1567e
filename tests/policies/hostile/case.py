"""A resource that tries to pass a rule."""

from dataclasses import dataclass
from typing import Any

SECRET = "1b47061264138c4ac30d75fd1eb44270"
SIGNATURE = "4dabf18193072939515e22adb298388d"


@dataclass(frozen=True)
class Case:
    """A resource that one rule answers.

    Attributes:
        rule: Name of the policy.
        label: What is tried, in kebab-case; the resource's name.
        type: Type of the resource.
        props: Its properties.
        message: What the rule says; it starts with `not checked yet` where the rule waits for the update.
    """

    rule: str
    label: str
    type: str
    props: dict[str, Any]
    message: str


def secret(value: Any) -> dict[str, Any]:
    """A value as the engine hands a secret on."""
    return {SIGNATURE: SECRET, "value": value}
