"""Reading the properties of a resource without ever crashing, or passing over what cannot be seen.

A rule walks a tree of `Node`. A value that is unknown until update, or that has a type which the rule cannot read,
raises `CannotJudgeError` where it is read; `judged` turns that into a message, and the rest is still judged.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pulumi_policy.proxy import UnknownValueError

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - marks a secret, is none
UNKNOWNS = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""What stands in for unknown values of each type (pulumi_policy/proxy.py)."""
SHOWN = 60
"""Characters of a value that a message shows at most."""


class NotChecked(str):
    """A message about what is unknown until update: advice at preview, decided at update."""

    __slots__ = ()


class CannotJudgeError(Exception):
    """A value that a rule cannot read.

    Args:
        message: What to tell the user.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Unknown:
    """Stands for a value that is unknown until update."""


UNKNOWN = Unknown()


def plain(value: Any) -> Any:
    """The value as dicts, lists and scalars, without proxies and secret marks; unknown values become `UNKNOWN`."""
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWNS else value
    if isinstance(value, Mapping):
        if value.get(SIGNATURE) == SECRET and "value" in value:
            return _item(value, "value")
        return {str(key): _item(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_item(value, index) for index in range(len(value))]
    # The engine sends every number as a float; people wrote 2, and read 2.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _item(container: Any, key: Any) -> Any:
    try:
        return plain(container[key])
    except UnknownValueError:
        return UNKNOWN


def shown(value: Any) -> str:
    """The value for a message, cut at 60 characters."""
    if value is None:
        return "nothing"
    try:
        text = json.dumps(value, sort_keys=True, default=lambda other: f"<{type(other).__name__}>")
    except (TypeError, ValueError):
        text = f"<{type(value).__name__}>"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


@dataclass(frozen=True)
class Node:
    """A value inside a resource, and its place.

    Attributes:
        value: The plain value; None when it is missing.
        path: Where it is, such as `spec.amiSelectorTerms[0].id`; empty for the resource itself.
    """

    value: Any
    path: str = ""

    @property
    def absent(self) -> bool:
        """Whether there is no value at all. An unknown value is not absent."""
        return self.value is None

    def problem(self, rule: str, remedy: str) -> str:
        """A message about this value.

        Args:
            rule: What must hold.
            remedy: How to mend it.
        """
        return f"{self.path or 'properties'}: found {shown(self.value)}; {rule}; {remedy}"

    def known(self) -> Any:
        """The value.

        Raises:
            CannotJudgeError: If it is unknown until update.
        """
        if self.value is UNKNOWN:
            raise CannotJudgeError(NotChecked(f"not checked yet: {self.path or 'properties'} is unknown until update"))
        return self.value

    def refuse(self, expected: str) -> NoReturn:
        """Give up on a value of a type that the rule cannot read.

        Args:
            expected: What belongs there.

        Raises:
            CannotJudgeError: Always.
        """
        raise CannotJudgeError(self.problem(f"must be {expected}", "a value of another type cannot be judged"))

    def __getitem__(self, key: str) -> "Node":
        """The property of that name, absent if this is absent.

        Raises:
            CannotJudgeError: If this is unknown, or is no object.
        """
        value = self.known()
        if value is not None and not isinstance(value, dict):
            self.refuse("an object")
        return Node((value or {}).get(key), f"{self.path}.{key}" if self.path else key)

    def at(self, path: str) -> "Node":
        """The property at a dotted path below this."""
        node = self
        for key in path.split("."):
            node = node[key]
        return node

    def entries(self) -> dict[str, "Node"]:
        """The properties of an object by name; none if it is absent.

        Raises:
            CannotJudgeError: If this is unknown, or is no object.
        """
        value = self.known()
        if value is not None and not isinstance(value, dict):
            self.refuse("an object")
        return {key: Node(inner, f"{self.path}.{key}" if self.path else key) for key, inner in (value or {}).items()}

    def items(self) -> list["Node"]:
        """The items of a list; none if it is absent.

        Raises:
            CannotJudgeError: If this is unknown, or is no list.
        """
        value = self.known()
        if value is not None and not isinstance(value, list):
            self.refuse("a list")
        return [Node(inner, f"{self.path}[{index}]") for index, inner in enumerate(value or [])]

    def text(self) -> str | None:
        """The text; None if it is absent.

        Raises:
            CannotJudgeError: If this is unknown, or is no text.
        """
        value = self.known()
        if value is not None and not isinstance(value, str):
            self.refuse("text")
        return value

    def number(self) -> float | None:
        """The number, also where it is written as text; None if it is absent.

        Raises:
            CannotJudgeError: If this is unknown, or is no number.
        """
        value = self.known()
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            self.refuse("a number")
        try:
            return float(value)
        except (ValueError, OverflowError):
            self.refuse("a number")

    def flag(self) -> bool | None:
        """The boolean, also where it is written as text; None if it is absent.

        Raises:
            CannotJudgeError: If this is unknown, or is no boolean.
        """
        value = self.known()
        if value is None or isinstance(value, bool):
            return value
        if not isinstance(value, str) or value.lower() not in {"true", "false"}:
            self.refuse("true or false")
        return value.lower() == "true"


def judged(check: Callable[..., Iterator[str]], *arguments: Any) -> Iterator[str]:
    """The messages of a check; what it cannot read becomes one more message."""
    try:
        yield from check(*arguments)
    except CannotJudgeError as error:
        yield error.message


def each(check: Callable[..., Iterator[str]], nodes: Sequence[Node], *arguments: Any) -> Iterator[str]:
    """The messages of a check on every item; one that cannot be read does not hide the others."""
    for node in nodes:
        yield from judged(check, node, *arguments)
