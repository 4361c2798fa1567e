"""Prints the JSON Schema of a whole `Pulumi.<stack>.yaml`, for editors.

Run it as `python -m settings.schema`.
"""

from __future__ import annotations

import sys

from components.spec.schema import MODELS, EditorSchema, editor_schema, for_editors
from settings.model import Settings


def stack_schema() -> str:
    """The schema, as text."""
    schema = Settings.model_json_schema(schema_generator=EditorSchema)
    definitions = {name: for_editors(each) for name, each in schema.get("$defs", {}).items()}
    keys = {key: for_editors(each) for key, each in schema["properties"].items() if key not in MODELS}
    return editor_schema(keys, definitions)


if __name__ == "__main__":
    sys.stdout.write(stack_schema())
