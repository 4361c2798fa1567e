"""JSON Schema of the entries of a fleet, for editors that complete and check YAML while it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from components.spec.capacity_buffer import CapacityBufferEntry
from components.spec.node_class import NodeClassSpec
from components.spec.node_overlay import NodeOverlaySpec
from components.spec.node_pool import NodePoolSpec
from components.spec.patterns import OBJECT_NAME

MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "nodeClasses": NodeClassSpec,
    "nodePools": NodePoolSpec,
    "nodeOverlays": NodeOverlaySpec,
    "capacityBuffers": CapacityBufferEntry,
}
"""Keys of the configuration and the models of their entries."""


class EditorSchema(GenerateJsonSchema):
    """JSON Schema as editors want it: no titles, and null wherever a field may be left empty."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Titles only repeat the names."""
        del schema
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> dict[str, Any]:
        """Leave defaults out: the descriptions tell them, and editors would write them into every file."""
        return self.generate_inner(schema["schema"])


def for_editors(node: Any) -> Any:
    """Python's end of text as JSON's, and every description with its unit, range, default and example."""
    if isinstance(node, list):
        return [for_editors(each) for each in node]
    if not isinstance(node, dict):
        return node
    cleaned = {key: for_editors(value) for key, value in node.items() if not (key == "title" or key.startswith("x-"))}
    if isinstance(cleaned.get("patternProperties"), dict):
        cleaned["patternProperties"] = {
            key.replace("\\Z", "$"): value for key, value in cleaned["patternProperties"].items()
        }
    if isinstance(cleaned.get("pattern"), str):
        cleaned["pattern"] = cleaned["pattern"].replace("\\Z", "$")
    told = {"x-allowed": "Values", "x-unit": "Unit", "x-default": "Default", "x-example": "Example"}
    lines = [f"{word}: {node[key]}" for key, word in told.items() if key in node]
    if lines and isinstance(cleaned.get("description"), str):
        cleaned["description"] = "\n".join([cleaned["description"], *lines])
    return cleaned


def definitions(mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Schemas of the four kinds of entries and of everything in them, by name of the model."""
    found: dict[str, Any] = {}
    for model in MODELS.values():
        schema = model.model_json_schema(schema_generator=EditorSchema, mode=mode)
        found |= schema.pop("$defs", {})
        found[model.__name__] = schema
    return {name: for_editors(schema) for name, schema in sorted(found.items())}


def fleet_properties() -> dict[str, Any]:
    """Schemas of the four keys, each a map of names to entries, referring to `definitions`."""
    names = {"pattern": OBJECT_NAME.pattern.replace("\\Z", "$")}
    return {
        key: {"type": "object", "propertyNames": names, "additionalProperties": {"$ref": f"#/$defs/{model.__name__}"}}
        for key, model in MODELS.items()
    }


def editor_schema(other_keys: Mapping[str, Any], other_definitions: Mapping[str, Any]) -> str:
    """The schema of a whole `Pulumi.<stack>.yaml`, as text.

    Args:
        other_keys: Schemas of the keys below `karpenter-eks:` that are not the fleet's.
        other_definitions: Definitions that those refer to.
    """
    keys = {f"karpenter-eks:{key}": schema for key, schema in {**other_keys, **fleet_properties()}.items()}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A stack of karpenter-eks",
        "description": "Generated from the models by `make docs`.",
        "type": "object",
        "properties": {"config": {"type": "object", "properties": dict(sorted(keys.items()))}},
        "$defs": dict(sorted({**other_definitions, **definitions()}.items())),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
