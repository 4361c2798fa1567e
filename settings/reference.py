"""What is generated from the models: the tables of configuration and outputs, and the keys of Pulumi.yaml.

`python -m settings.reference config|outputs|project` prints them; `filled` puts the tables between a page's markers.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from settings import outputs
from settings.model import Settings

_SIMPLE: Final = {str: "text", int: "whole number", bool: "true or false"}


def config_table() -> str:
    """The table of docs/reference-configuration.md, in Markdown."""
    rows = [
        ("aws:region", "text", "must be given", "AWS region of everything."),
        ("aws:profile", "text", "the environment's credentials", "AWS profile that Pulumi deploys with."),
        *_rows(Settings, ""),
    ]
    return _table(("key below `karpenter-eks:`", "value", "default", "meaning"), rows)


def outputs_table() -> str:
    """The table of outputs in README.md, in Markdown."""
    return _table(("output", "meaning"), list(_documented_outputs()))


def filled(page: str) -> str:
    """A text with today's tables between its markers.

    Args:
        page: Text that may have the lines `<!-- config:begin -->` and `<!-- config:end -->`, or the same for `outputs`.
    """
    for name, table in (("config", config_table()), ("outputs", outputs_table())):
        head, begin, rest = page.partition(f"<!-- {name}:begin -->\n")
        _, end, tail = rest.partition(f"<!-- {name}:end -->")
        if begin and end:
            page = f"{head}{begin}\n{table}\n{end}{tail}"
    return page


def project_config() -> dict[str, dict[str, Any]]:
    """The `config` section of Pulumi.yaml.

    A key without a default is one that the CLI asks for by itself, and a key with a type is one that the CLI checks by
    itself, one mistake at a time. So that all mistakes are told at once, each key has an empty default and no type.
    """
    return {
        info.alias or name: {"description": f"{_kind(info)}. {info.description}", "default": _empty(info)}
        for name, info in Settings.model_fields.items()
    }


def _empty(info: FieldInfo) -> object:
    plain = _without_none(info.annotation)
    if plain is bool:
        return False
    if plain is str:
        return ""
    return [] if get_origin(plain) is tuple else {}


def _rows(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str, str]]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{info.alias or name}"
        yield path, _values(info), _default(info), info.description or ""
        inner = _without_none(info.annotation)
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _rows(inner, f"{path}.")


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        return _without_none(next(arg for arg in get_args(annotation) if arg is not type(None)))
    return annotation


def _kind(info: FieldInfo) -> str:
    """What sort of value a field takes, in one or two words."""
    plain = _without_none(info.annotation)
    if plain in _SIMPLE:
        return _SIMPLE[plain].capitalize()
    return "List" if get_origin(plain) is tuple else "Map"


def _values(info: FieldInfo) -> str:
    """What a field takes, with its choices, range and unit."""
    plain = _without_none(info.annotation)
    choices = plain if get_origin(plain) is Literal else None
    if get_origin(plain) is tuple and get_origin(get_args(plain)[0]) is Literal:
        choices = get_args(plain)[0]
    text = _kind(info).lower() if choices is None or get_origin(plain) is tuple else "one of"
    if choices is not None:
        separator = " of " if get_origin(plain) is tuple else " "
        return f"{text}{separator}{', '.join(str(choice) for choice in get_args(choices))}"
    allowed = _extra(info, "x-allowed")
    unit = _extra(info, "x-unit")
    if allowed:
        return allowed if unit is None or unit in allowed else f"{allowed} ({unit})"
    return text if unit is None else f"{text} ({unit})"


def _default(info: FieldInfo) -> str:
    told = _extra(info, "x-default")
    if told:
        return told
    if info.is_required():
        return "must be given"
    default = info.default
    if isinstance(default, BaseModel):
        return "see below"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return f"[{', '.join(default)}]"
    return str(default)


def _extra(info: FieldInfo, key: str) -> str | None:
    extra = info.json_schema_extra
    return str(extra[key]) if isinstance(extra, dict) and key in extra else None


def _documented_outputs() -> Iterator[tuple[str, str]]:
    """Names of the outputs and the texts that stand below them; Python keeps those only in the source."""
    tree = ast.parse(inspect.getsource(outputs.StackOutputs))
    body = next(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            yield f"`{field.target.id}`", str(ast.literal_eval(text.value))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, tuple("---" for _ in heads)]
    lines += [(f"`{row[0].strip('`')}`", *(_escaped(cell) for cell in row[1:])) for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _escaped(cell: str) -> str:
    """Text that Markdown takes neither for the end of a cell nor for a tag."""
    return cell.replace("|", "\\|").replace("<", "&lt;")


PRINTERS: Final[dict[str, Callable[[], str]]] = {
    "config": config_table,
    "outputs": outputs_table,
    "project": lambda: json.dumps(project_config(), indent=2) + "\n",
}

if __name__ == "__main__":
    sys.stdout.write(PRINTERS[sys.argv[1]]())
