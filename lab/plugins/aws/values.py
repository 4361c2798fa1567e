"""Property values as they cross gRPC."""

from collections.abc import Mapping
from typing import Any

from google.protobuf import struct_pb2
from google.protobuf.json_format import MessageToDict, ParseDict

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What the engine sends for a value that is not known yet (pulumi: sdk/go/common/resource/plugin/rpc.go)."""


def from_struct(struct: Any) -> dict[str, Any]:
    """A message as plain data; whole numbers as int."""
    found: dict[str, Any] = _whole(MessageToDict(struct))
    return found


def _whole(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def to_struct(values: Mapping[str, Any]) -> Any:
    """Plain data as a message, without members that are None."""
    return ParseDict(_present(values), struct_pb2.Struct())


def _present(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _present(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_present(item) for item in value]
    return value


def has_unknown(value: Any) -> bool:
    """Whether a value or a part of it is not known yet."""
    if isinstance(value, Mapping):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return bool(value == UNKNOWN)
