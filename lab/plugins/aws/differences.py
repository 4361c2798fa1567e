"""What differs between what was asked for and what is there, property by property."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi.runtime.proto import provider_pb2

from lab.plugins.aws.kind import Kind, Props

FILLED_IN = "__defaults"
"""Input that names the properties with a default of the plugin, as the official one keeps them."""


def difference(kind: Kind, old: Props, new: Props) -> Any:
    """What has changed between two sets of inputs.

    Args:
        kind: The resource's type.
        old: Inputs of before.
        new: Inputs of now.
    """
    names = sorted((set(old) | set(new)) - {FILLED_IN})
    changed = [name for name in names if not kind.same(name, old.get(name), new.get(name))]
    replaces = [name for name in changed if name in kind.replaces]
    detailed = {
        path: provider_pb2.PropertyDiff(kind=_verb(verb, replaced=name in kind.replaces), inputDiff=True)
        for name in changed
        for path, verb in _paths(kind, name, old.get(name), new.get(name))
    }
    response = provider_pb2.DiffResponse
    return response(
        changes=response.DIFF_SOME if changed else response.DIFF_NONE,
        replaces=replaces,
        diffs=changed,
        detailedDiff=detailed,
        hasDetailedDiff=True,
        # Two of one name can't stand side by side; a name that the plugin chose is another one each time.
        deleteBeforeReplace=bool(replaces and kind.autoname and kind.autoname not in new.get(FILLED_IN, [])),
    )


def _verb(verb: str, *, replaced: bool) -> Any:
    return getattr(provider_pb2.PropertyDiff, f"{verb}_REPLACE" if replaced else verb)


def _paths(kind: Kind, name: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Each changed place inside a property, and what happened there."""
    if name in kind.documents or name in kind.unordered:
        yield name, _event(old, new)
        return
    yield from _inside(kind, name, old, new)


def _inside(kind: Kind, path: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(set(old) | set(new)):
            if not kind.same(key, old.get(key), new.get(key)):
                yield from _inside(kind, path + _member(key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            if not kind.same("", one, other):
                yield from _inside(kind, f"{path}[{index}]", one, other)
    else:
        yield path, _event(old, new)


def _event(old: Any, new: Any) -> str:
    if old is None:
        return "ADD"
    return "DELETE" if new is None else "UPDATE"


def _member(key: str) -> str:
    return f".{key}" if key.isidentifier() else f'["{key}"]'


def covers(kind: Kind, name: str, asked: Any, found: Any) -> bool:
    """Whether what is there has everything that was asked for; AWS adds members of its own to maps."""
    if isinstance(asked, Mapping) and isinstance(found, Mapping) and name not in kind.documents:
        return all(kind.same(key, value, found.get(key)) for key, value in asked.items())
    return kind.same(name, asked, found)


def merged(found: Props, inputs: Props) -> Props:
    """What is there, in the words of the inputs; a map keeps the members that AWS added to it."""
    result = {**found, **{name: value for name, value in inputs.items() if name != FILLED_IN}}
    for name, value in inputs.items():
        if isinstance(value, dict) and isinstance(found.get(name), dict) and name not in {"tags", "tagsAll"}:
            result[name] = {**found[name], **value}
    return result
