"""Prints what is generated from the models of NodePools and EC2NodeClasses.

Run it as `python -m components.spec.reference node-pools|node-classes`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from components.spec.capacity_buffer import CapacityBufferEntry
from components.spec.node_class import NodeClassSpec
from components.spec.node_overlay import NodeOverlaySpec
from components.spec.node_pool import NodePoolSpec

_HEADER: Final = "<!-- Generated from the models in components/spec by `make docs`; a test fails when it differs. -->\n"
_SIMPLE: Final = {str: "text", int: "whole number", bool: "true or false"}


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _inner_model(inner)) is not None), None)


def _type(annotation: Any) -> str:
    """The type of a field, in words."""
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if isinstance(annotation, type):
        return "map"
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in inner)
    if origin is tuple:
        return f"list of {_plural(_type(inner[0]))}"
    if origin is dict:
        return "map of text to text"
    plain = [each for each in inner if each is not type(None)]
    return _type(plain[0])


def _plural(word: str) -> str:
    return {"text": "texts", "map": "maps"}.get(word, word)


def _extra(info: FieldInfo, key: str) -> str | None:
    extra = info.json_schema_extra
    return str(extra[key]) if isinstance(extra, dict) and key in extra else None


def _allowed(info: FieldInfo) -> str:
    parts = [_extra(info, "x-allowed") or _type(info.annotation)]
    unit = _extra(info, "x-unit")
    return parts[0] if unit is None or unit in parts[0] else f"{parts[0]} ({unit})"


def _default(info: FieldInfo) -> str:
    told = _extra(info, "x-default")
    if told is not None:
        return told
    if info.is_required():
        return "must be given"
    if info.default is None:
        return "none"
    if isinstance(info.default, bool):
        return str(info.default).lower()
    if isinstance(info.default, tuple):
        return f"[{', '.join(info.default)}]"
    return str(info.default)


def _rows(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, ...]]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{info.alias or name}"
        example = _extra(info, "x-example") or ""
        yield path, _allowed(info), _default(info), info.description or "", example
        inner = _inner_model(info.annotation)
        if inner is not None:
            listed = "[]" if _type(info.annotation).startswith("list") else ""
            yield from _rows(inner, f"{path}{listed}.")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(model: type[BaseModel]) -> str:
    lines = ["| field | values | default | meaning | example |", "| --- | --- | --- | --- | --- |"]
    for path, allowed, default, meaning, example in _rows(model, ""):
        cells = (_code(path), _cell(allowed), _cell(default), _cell(meaning), _cell(_code(example)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _sources(*models: type[BaseModel]) -> str:
    found = {_extra(info, "x-source") for model in models for info in model.model_fields.values()}
    files = sorted(source for source in found if source is not None and "@" in source)
    return f"Source of what is not this stack's own: {', '.join(_code(file) for file in files)}.\n"


def node_pools() -> str:
    """The reference of `nodePools`, `nodeOverlays` and `capacityBuffers`, in Markdown."""
    return (
        f"{_HEADER}\n# Reference: nodePools, nodeOverlays, capacityBuffers\n\n"
        "Each is a map of names to entries below `karpenter-eks:` in `Pulumi.<stack>.yaml`. What the kinds of workload "
        "need is in [node-pools.md](node-pools.md).\n\n"
        f"{_sources(NodePoolSpec, NodeOverlaySpec, CapacityBufferEntry)}\n"
        f"## nodePools.&lt;name>\n\n{_table(NodePoolSpec)}\n"
        "## nodeOverlays.&lt;name>\n\nAlpha; the stack sets the feature gate nodeOverlay as soon as there is one.\n\n"
        f"{_table(NodeOverlaySpec)}\n"
        "## capacityBuffers.&lt;name>\n\nAlpha; the stack sets the feature gate capacityBuffer as soon as there is "
        f"one.\n\n{_table(CapacityBufferEntry)}"
    )


def node_classes() -> str:
    """The reference of `nodeClasses`, in Markdown."""
    return (
        f"{_HEADER}\n# Reference: nodeClasses\n\n"
        "A map of names to entries below `karpenter-eks:nodeClasses` in `Pulumi.<stack>.yaml`.\n\n"
        f"{_sources(NodeClassSpec)}\n{_table(NodeClassSpec)}"
    )


PAGES: Final[Mapping[str, Callable[[], str]]] = {"node-pools": node_pools, "node-classes": node_classes}


def main(arguments: list[str]) -> int:
    """Print one page."""
    if len(arguments) != 1 or arguments[0] not in PAGES:
        sys.stderr.write(f"usage: python -m components.spec.reference {'|'.join(PAGES)}\n")
        return 2
    sys.stdout.write(PAGES[arguments[0]]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
