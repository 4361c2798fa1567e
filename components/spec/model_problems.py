"""What pydantic finds wrong with an entry, told as problems: path, value found, rule, remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from components.spec.problems import ABSENT, Problem

Model = TypeVar("Model", bound=BaseModel)

_TYPES: Final = {
    "string_type": ("must be text", "write it in quotes"),
    "int_type": ("must be a whole number", "write a whole number without quotes"),
    "bool_type": ("must be true or false", "write true or false without quotes"),
    "tuple_type": ("must be a list", "write a list"),
    "dict_type": ("must be a map", "write keys and values"),
    "model_type": ("must be a map", "write keys and values"),
    "model_attributes_type": ("must be a map", "write keys and values"),
}
_MOVED: Final = {
    ("disruption", "expireAfter"): "it belongs to the pool itself since v1: move it one level up",
    ("kubelet",): "kubelet settings belong to the node class since v1: move them to nodeClasses",
    ("nodeClassRef",): "write `nodeClass` with the name of the class; group and kind follow from it",
    ("template",): "the fields of template.spec and template.metadata stand directly in the entry",
    ("spec",): "the fields of the spec stand directly in the entry",
    ("apiVersion",): "remove it: every entry becomes an object of v1, with the fields of v1",
    ("kind",): "remove it: the map that the entry stands in tells its kind",
    ("metadata",): "the name is the entry's key; labels and annotations of nodes stand directly in a pool's entry",
    ("amiID",): "write `amis` with one id for each architecture",
    ("ttlSecondsAfterEmpty",): "this field of v1alpha5 is now disruption.consolidateAfter",
    ("ttlSecondsUntilExpired",): "this field of v1alpha5 is now expireAfter",
    ("provider",): "this field of v1alpha5 is now nodeClass",
    ("subnetSelector",): "this field of v1alpha1 is now subnetSelectorTerms",
    ("securityGroupSelector",): "this field of v1alpha1 is now securityGroupSelectorTerms",
}


def join(path: str, *parts: str | int) -> str:
    """Lengthen a property path: indices in brackets, keys that are no plain words in brackets and quotes."""
    for part in parts:
        if isinstance(part, int):
            path = f"{path}[{part}]"
        elif part.replace("-", "").replace("_", "").isalnum():
            path = f"{path}.{part}" if path else part
        else:
            path = f'{path}["{part}"]'
    return path


def _model_in(annotation: Any) -> type[BaseModel] | None:  # any annotation of a field
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in get_args(annotation):
        if (found := _model_in(inner)) is not None:
            return found
    return None


def _known(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _locate(model: type[BaseModel], loc: Sequence[str | int]) -> tuple[type[BaseModel] | None, FieldInfo | None]:
    """The innermost model and field on the way to an error."""
    current: type[BaseModel] | None = model
    field: FieldInfo | None = None
    for part in loc:
        if isinstance(part, int):
            continue
        found = _known(current).get(part) if current is not None else None
        if found is None:
            break
        field = found
        inner = _model_in(found.annotation)
        current = inner if inner is not None else None
    return current, field


def _extra(field: FieldInfo | None, key: str) -> str | None:
    extra = field.json_schema_extra if field is not None else None
    value = extra.get(key) if isinstance(extra, dict) else None
    return str(value) if value is not None else None


def _unknown_key(model: type[BaseModel], loc: Sequence[str | int]) -> tuple[str, str]:
    names = tuple(part for part in loc if isinstance(part, str))
    for size in (2, 1):
        if names[-size:] in _MOVED:
            return "unknown field", _MOVED[names[-size:]]
    owner, _ = _locate(model, [*loc[:-1]])
    known = sorted(_known(owner)) if owner is not None else []
    homes = list(_homes(owner, str(loc[-1]))) if owner is not None else []
    if len(homes) == 1:
        return "unknown field", f"it belongs to {homes[0]}: move it there"
    close = difflib.get_close_matches(str(loc[-1]), known, n=1)
    return "unknown field", f"did you mean {close[0]}?" if close else f"remove it; known are {', '.join(known)}"


def _homes(owner: type[BaseModel], name: str, path: str = "") -> Iterator[str]:
    """Where below a model a field of this name stands."""
    for key, field in _known(owner).items():
        inner = _model_in(field.annotation)
        if inner is not None:
            place = f"{path}{key}"
            if name in _known(inner):
                yield place
            yield from _homes(inner, name, f"{place}.")


def _choice(error: ErrorDetails) -> tuple[str, str]:
    expected = str(error.get("ctx", {}).get("expected", ""))
    choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
    by_lower = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(str(error["input"]).lower(), list(by_lower), n=1, cutoff=0.4)
    remedy = f"did you mean {by_lower[close[0]]}?" if close else f"write {choices[0]}"
    return f"must be one of {', '.join(choices)}", remedy


def _rule_and_remedy(model: type[BaseModel], error: ErrorDetails, loc: Sequence[str | int]) -> tuple[str, str]:
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown_key(model, loc)
    if kind == "literal_error":
        return _choice(error)
    _, field = _locate(model, loc)
    example = _extra(field, "x-example")
    if kind == "missing":
        return "is required", f"set it, for example to {example}" if example else "set it"
    if kind in _TYPES:
        rule, remedy = _TYPES[kind]
        return rule, "write a value, or remove the line" if error["input"] is None else remedy
    if kind in {"string_too_short", "too_short"}:
        return "must not be empty", f"for example {example}" if example else "remove it"
    allowed = _extra(field, "x-allowed")
    built_in = "url" in error
    rule = f"must be {allowed}" if built_in and allowed else error["msg"].replace("Input should be", "must be")
    return rule, f"for example {example}" if example else "correct the value"


def _problem(path: str, model: type[BaseModel], error: ErrorDetails) -> Problem:
    is_key = error["loc"][-1:] == ("[key]",)
    loc = error["loc"][:-1] if is_key else error["loc"]
    found = ABSENT if error["type"] == "missing" else error["input"]
    rule, remedy = _rule_and_remedy(model, error, loc)
    return Problem(join(path, *loc), found, rule, remedy)


def _without_echoes(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """The errors, without lists that count as too short only because of the mistakes in their items."""
    places = [error["loc"] for error in errors]
    return [
        error
        for error in errors
        if error["type"] != "too_short"
        or not any(place[: len(error["loc"])] == error["loc"] != place for place in places)
    ]


def parse(model: type[Model], path: str, entry: object) -> tuple[Model | None, list[Problem], frozenset[str]]:
    """Read an entry as far as it can be read.

    Returns:
        The model, without the top-level fields that have errors (None when nothing is left to read); what is wrong; and
        the names of the fields that were left out.
    """
    try:
        return model.model_validate(entry), [], frozenset()
    except ValidationError as invalid:
        errors = _without_echoes(invalid.errors())
    problems = [_problem(path, model, error) for error in errors]
    broken = frozenset(str(error["loc"][0]) for error in errors if error["loc"])
    if not isinstance(entry, Mapping) or not broken:
        return None, problems, broken
    rest = {key: value for key, value in entry.items() if key not in broken}
    try:
        return model.model_validate(rest), problems, broken
    except ValidationError:
        return None, problems, broken
