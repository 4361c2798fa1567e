"""Changes single values of a YAML text and leaves every other character as it is: comments, order, quotes."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StreamMark, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ops.errors import OpsError
from ops.render import Block, after_key, entry, inline

Path = Sequence[str | int]
_PLACEHOLDER: Final = r"[ ]*#[ ]*{key}:[^\n]*<[^\n]*>[^\n]*\n?"
"""A commented-out key whose value is still to be filled in, as in `# amis: {{amd64: <AMI id>}}`."""
_CONFLICT: Final = re.compile(r"^(<{7}|={7}|>{7})( .*)?$", re.MULTILINE)
"""What git leaves in a file that it could not merge."""


def plain(text: str, name: str) -> Any:  # what YAML holds
    """The data that a text holds.

    Args:
        text: The YAML.
        name: Name of the file, for the error.

    Raises:
        OpsError: If it is no YAML.
    """
    try:
        return _load(text)[1]
    except MarkedYAMLError as error:
        conflict = _CONFLICT.search(text)
        if conflict is not None:
            line = text.count("\n", 0, conflict.start()) + 1
            msg = f"{name}:{line}: a merge that was not finished; keep what both sides added, and remove git's marks"
            raise OpsError(msg) from error
        mark = error.problem_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark is not None else name
        found = (error.problem or "cannot be read").splitlines()[0]
        msg = f"{where}: no valid YAML: {found}; correct this place and run it again"
        raise OpsError(msg) from error
    except (YAMLError, ValueError) as error:
        msg = f"{name}: no valid YAML: {error}; correct it and run it again"
        raise OpsError(msg) from error


@functools.lru_cache(maxsize=4)
def _load(text: str) -> tuple[Node, Any]:  # what YAML holds; callers only read it
    """The nodes of a text, and its data: read once, since a large file takes its time."""
    yaml = YAML(typ="safe", pure=True)
    node = yaml.compose(text)
    return node, None if node is None else yaml.constructor.construct_document(node)


def set_value(text: str, path: Path, value: object, *, ordered: bool = False) -> str:
    """Write a value at a path; maps on the way that are missing are made.

    Args:
        text: The YAML.
        path: Keys and indices from the root on.
        value: The new value; `Block` and `Rows` get lines of their own where they are new.
        ordered: Puts a new key before the first one that is greater, so that two branches rarely touch the same line.

    Raises:
        OpsError: If the text is laid out in a way that cannot be changed safely.
    """
    node, key = _root(text), None
    for depth, step in enumerate(path):
        found = _child(node, step)
        if found is None:
            changed = _insert(text, node, key, path[depth:], value, ordered=ordered)
            break
        node, key = found
    else:
        changed = _replace(text, node, key, inline(value))
    return _proved(text, changed, path, value)


def append(text: str, path: Path, item: object) -> str:
    """Add an item at the end of the list at a path that is there already.

    Args:
        text: The YAML.
        path: Keys and indices from the root on.
        item: The new item.

    Raises:
        OpsError: If the text is laid out in a way that cannot be changed safely.
    """
    node, key = _root(text), None
    before: Any = plain(text, "file")
    for step in path:
        node, key = _child(node, step) or (node, None)
        before = before[step]
    if not isinstance(node, SequenceNode) or not node.value:
        changed = _replace(text, node, key, inline([item]))
    elif node.flow_style:
        end = _last_end(node.value[-1])
        changed = f"{text[:end]}, {inline(item)}{text[end:]}"
    else:
        changed = _line_after(text, node.value[-1], f"{' ' * node.start_mark.column}- {inline(item)}")
    return _proved(text, changed, path, [*before, item])


def _root(text: str) -> Node:
    return _load(text)[0]


def _child(node: Node, step: str | int) -> tuple[Node, Node | None] | None:
    """A child and its key; items of a list have none."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == step:
                return value, key
    if isinstance(node, SequenceNode) and isinstance(step, int) and -len(node.value) <= step < len(node.value):
        return node.value[step], None
    return None


def _span(text: str, node: Node, key: Node | None) -> tuple[int, int]:
    """Where a node stands; a value that is left out stands right behind its key's colon."""
    start, end = node.start_mark.index, node.end_mark.index
    if start == end and key is not None:
        start = end = text.index(":", key.end_mark.index) + 1
    return start, end


def _replace(text: str, node: Node, key: Node | None, new: str) -> str:
    start, end = _span(text, node, key)
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style:
        msg = "a block stands where one line is written; write it in brackets and run it again"
        raise OpsError(msg)
    space = " " if text[start - 1 : start] == ":" else ""
    return f"{text[:start]}{space}{new}{text[end:]}"


def _insert(text: str, node: Node, parent: Node | None, keys: Path, value: object, *, ordered: bool) -> str:
    key, nested = str(keys[0]), value
    for step in reversed(keys[1:]):
        nested = Block({str(step): nested}) if isinstance(nested, Block) else {str(step): nested}
    if isinstance(node, ScalarNode) and not node.value:
        return _fill(text, node, parent, {key: nested})
    if not isinstance(node, MappingNode):
        msg = f"no map to put {key} into; write it by hand"
        raise OpsError(msg)
    if not node.value:
        return _fill(text, node, parent, {key: nested})
    if node.flow_style:
        end = _last_end(node.value[-1][1])
        return f"{text[:end]}, {inline({key: nested})[1:-1]}{text[end:]}"
    lines = entry(key, nested, node.value[0][0].start_mark.column)
    commented = _placeholder(text, node, key)
    if commented is not None:
        return f"{text[: commented.start()]}{lines}\n{text[commented.end() :]}"
    before = [pair for pair in node.value if pair[0].value < key] if ordered else node.value
    if before:
        return _line_after(text, before[-1][1], lines)
    first = _start_with_comments(text, node.value[0][0].start_mark)
    return f"{text[:first]}{lines}\n{text[first:]}"


def _fill(text: str, node: Node, key: Node | None, value: dict[str, object]) -> str:
    """Give an empty map its first key."""
    column = key.start_mark.column if key is not None else -2
    new = after_key(Block(value) if isinstance(next(iter(value.values())), Block) else value, column)
    start, end = _span(text, node, key)
    return f"{text[:start].rstrip(' ')}{new}{text[end:]}"


def _placeholder(text: str, node: MappingNode, key: str) -> re.Match[str] | None:
    start, end = node.start_mark.index, node.end_mark.index
    pattern = re.compile(r"^" + _PLACEHOLDER.format(key=re.escape(key)), re.MULTILINE)
    column = node.value[0][0].start_mark.column
    found = pattern.search(text, start, max(end, _last_end(node.value[-1][1])))
    return found if found is not None and found[0].index("#") == column else None


def _line_after(text: str, node: Node, lines: str) -> str:
    end = _last_end(node)
    stop = text.find("\n", end)
    if end and text[end - 1] == "\n":
        return f"{text[:end]}{lines}\n{text[end:]}"
    if stop < 0:
        return f"{text}\n{lines}\n"
    return f"{text[: stop + 1]}{lines}\n{text[stop + 1 :]}"


def _start_with_comments(text: str, mark: StreamMark) -> int:
    """Where the line of a key begins, or the comments right above it that belong to it."""
    start, comment = mark.index - mark.column, f"{' ' * mark.column}#"
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].startswith(comment):
            break
        start = above
    return int(start)


def _last_end(node: Node) -> int:
    """Where a node's own text ends; a block's own mark lies behind the comments that follow it."""
    if not isinstance(node, MappingNode | SequenceNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _last_end(last[1] if isinstance(node, MappingNode) else last)


def _proved(before: str, after: str, path: Path, value: object) -> str:
    """The changed text, once it is certain that it holds the new value and everything else as before."""
    expected = _copied(plain(before, "file"))
    where = expected
    for step, following in zip(path, [*path[1:], None], strict=True):
        if following is None:
            where[step] = value
        elif where.get(step) is None if isinstance(where, dict) else False:
            where[step] = {}
        where = where[step]
    try:
        same = plain(after, "file") == expected
    except OpsError:
        same = False
    if not same:
        shown = ".".join(map(str, path))
        msg = f"{shown}: this part of the file cannot be changed safely; write {shown}: {inline(value)} by hand"
        raise OpsError(msg)
    return after


def _copied(value: Any) -> Any:  # what YAML holds
    """A copy in which an alias is no longer what its anchor is, so that a change of both shows."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
