"""Statements of a policy document, however it is written."""

import json
from collections.abc import Iterator

from .reading import CannotJudgeError, Node


def document(node: Node) -> Node:
    """The document of a policy, from its text or as an object.

    Raises:
        CannotJudgeError: If it is unknown, or no JSON.
    """
    value = node.known()
    if isinstance(value, str):
        try:
            return Node(json.loads(value), node.path)
        except (ValueError, RecursionError):
            message = f"{node.path}: found text that is no JSON; must be a policy document; it cannot be judged"
            raise CannotJudgeError(message) from None
    return node


def statements(node: Node) -> Iterator[Node]:
    """The statements of a policy document; one statement may stand without a list.

    Raises:
        CannotJudgeError: If they cannot be read.
    """
    found = document(node)["Statement"]
    if isinstance(found.value, dict):
        yield found
    else:
        yield from found.items()


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
