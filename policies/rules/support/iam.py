"""Statements of a policy document, however it is written."""

import json
from collections.abc import Iterator
from typing import Any

from .reading import CannotJudgeError, Node

ELEMENTS = {
    name.lower(): name
    for name in (
        "Statement",
        "Effect",
        "Principal",
        "NotPrincipal",
        "Action",
        "NotAction",
        "Resource",
        "NotResource",
        "Condition",
    )
}
"""Names of elements by their lower case: a rule reads them in any case."""
BINDING = frozenset({"stringequals", "stringequalsignorecase", "stringlike", "arnequals", "arnlike"})
"""Operators of conditions that fail where the request lacks the key."""


def document(node: Node) -> Node:
    """The document of a policy, from its text or as an object.

    Raises:
        CannotJudgeError: If it is unknown, no JSON, or gives one name twice.
    """
    value = node.known()
    if isinstance(value, str):
        try:
            return Node(json.loads(value, object_pairs_hook=_once), node.path)
        except _TwiceError as error:
            message = f"{node.path}: found {error} twice in one object; must stand once; it cannot be judged"
            raise CannotJudgeError(message) from None
        except (ValueError, RecursionError):
            message = f"{node.path}: found text that is no JSON; must be a policy document; it cannot be judged"
            raise CannotJudgeError(message) from None
    return node


class _TwiceError(Exception):
    """A name that stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name.lower() if name.lower() in ELEMENTS else name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise _TwiceError(name)
    return dict(pairs)


def _elements(node: Node) -> Node:
    if not isinstance(node.value, dict):
        return node
    return Node({ELEMENTS.get(name.lower(), name): value for name, value in node.value.items()}, node.path)


def statements(node: Node) -> Iterator[Node]:
    """The statements of a policy document; one statement may stand without a list.

    Raises:
        CannotJudgeError: If they cannot be read.
    """
    found = _elements(document(node))["Statement"]
    for statement in [found] if isinstance(found.value, dict) else found.items():
        yield _elements(statement)


def texts(node: Node) -> list[str]:
    """One text, or a list of them.

    Raises:
        CannotJudgeError: If it is neither.
    """
    if isinstance(node.known(), list):
        return [text for text in (item.text() for item in node.items()) if text is not None]
    text = node.text()
    return [] if text is None else [text]


def conditions(statement: Node) -> bool:
    """Whether a statement has a condition at all."""
    return bool(statement["Condition"].entries())


def bound_keys(statement: Node) -> set[str]:
    """The keys, in lower case, that a statement's condition ties to values: one of them is missing or other, no effect.

    A value of `*` ties nothing, and neither do operators that pass when the key is absent. `Null: false` ties the tags
    that a resource has.

    Raises:
        CannotJudgeError: If the condition cannot be read.
    """
    found = set()
    for operator, keys in statement["Condition"].entries().items():
        name = operator.lower().removeprefix("foranyvalue:")
        for key, values in keys.entries().items():
            lower = key.lower()
            if (name in BINDING and _ties(texts(values))) or (
                name == "null" and "resourcetag/" in lower and _no(values)
            ):
                found.add(lower)
    return found


def _ties(values: list[str]) -> bool:
    return bool(values) and all(set(value) - {"*", "?"} for value in values)


def _no(node: Node) -> bool:
    value = node.known()
    return [str(each).lower() for each in (value if isinstance(value, list) else [value])] == ["false"]
