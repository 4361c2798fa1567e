"""What a node's user data says about its labels and taints."""

import email
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

_FLAG = re.compile(r"--(node-labels|register-with-taints)[= ]\"?([^\"\n]*)\"?")


@dataclass(frozen=True)
class Registration:
    """What a kubelet registers its node with.

    Attributes:
        labels: Labels.
        taints: Taints as Kubernetes writes them: maps of key, value and effect.
    """

    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[dict[str, str], ...] = ()


def registration(user_data: str) -> Registration:
    """Read user data of AL2023 (NodeConfig, MIME or not) or Bottlerocket (TOML).

    Args:
        user_data: Decoded user data; empty gives no labels and taints.
    """
    if "[settings" in user_data:
        return _bottlerocket(tomllib.loads(user_data))
    labels: dict[str, str] = {}
    taints: list[dict[str, str]] = []
    for part in _node_configs(user_data):
        kubelet = part.get("spec", {}).get("kubelet", {})
        taints += [
            {key: str(value) for key, value in taint.items()}
            for taint in kubelet.get("config", {}).get("registerWithTaints", [])
        ]
        for flag, value in _FLAG.findall("\n".join(map(str, kubelet.get("flags", [])))):
            if flag == "node-labels":
                labels |= dict(pair.split("=", 1) for pair in value.split(",") if "=" in pair)
            else:
                taints += [_taint(text) for text in value.split(",") if text]
    return Registration(labels, tuple(taints))


def _node_configs(user_data: str) -> Iterator[Mapping[str, Any]]:
    message = email.message_from_string(user_data)
    for part in message.walk():
        if part.is_multipart():
            continue
        payload = part.get_payload(decode=True)
        text = payload.decode() if isinstance(payload, bytes) and message.is_multipart() else user_data
        if "kind: NodeConfig" not in text:
            continue
        yield from (document for document in yaml.safe_load_all(text) if isinstance(document, Mapping))


def _taint(text: str) -> dict[str, str]:
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return {"key": key, "value": value, "effect": effect}


def _bottlerocket(settings: Mapping[str, Any]) -> Registration:
    kubernetes = settings.get("settings", {}).get("kubernetes", {})
    taints = [
        {"key": key, "value": value.rpartition(":")[0], "effect": value.rpartition(":")[2]}
        for key, values in kubernetes.get("node-taints", {}).items()
        for value in values
    ]
    return Registration(dict(kubernetes.get("node-labels", {})), tuple(taints))
