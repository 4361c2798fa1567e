"""A recorded state, as `pulumi stack export --show-secrets` writes it, made of given resources."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
PROJECT, STACK = "pack", "lab"


def urn(type_: str, name: str) -> str:
    return f"urn:pulumi:{STACK}::{PROJECT}::{type_}::{name}"


def exported(resources: Iterable[tuple[str, str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The state of (type, name, properties)."""
    return {
        "version": 3,
        "deployment": {
            "manifest": {"time": "2026-11-30T00:00:00Z", "magic": "", "version": ""},
            "resources": [
                {
                    "urn": urn(type_, name),
                    "custom": True,
                    "id": name,
                    "type": type_,
                    "inputs": _stored(props),
                    "outputs": _stored(props),
                }
                for type_, name, props in resources
            ],
        },
    }


def _stored(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get(SIGNATURE) == SECRET:
            return {SIGNATURE: SECRET, "plaintext": json.dumps(value["value"])}
        return {key: _stored(inner) for key, inner in value.items()}
    return [_stored(inner) for inner in value] if isinstance(value, list) else value
