"""The environment of a container, from its pod's spec: what the kubelet would resolve."""

import json
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_UP, Decimal
from typing import Any

from kubernetes.utils.quantity import parse_quantity

_REFERENCE = re.compile(r"\$?\$\((?P<name>[A-Za-z_][A-Za-z0-9_.-]*)\)")


class EnvironmentUnknownError(Exception):
    """A variable of a container comes from somewhere that the lab does not know; the text names it."""


def environment(pod: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, str]:
    """Every variable of a container.

    Args:
        pod: The pod, as the API server gives it in JSON.
        container: One of its containers.

    Raises:
        EnvironmentUnknownError: For a source that this stand-in cannot resolve.
    """
    if container.get("envFrom"):
        message = "envFrom: the lab resolves single variables only, write them as env"
        raise EnvironmentUnknownError(message)
    found = {}
    for entry in container.get("env", []):
        source = entry.get("valueFrom")
        if source is None:
            found[entry["name"]] = entry.get("value", "")
            continue
        try:
            found[entry["name"]] = _resolve(source, pod, container)
        except KeyError as error:
            message = f"{entry['name']}: the lab cannot resolve {error} of {json.dumps(source)}"
            raise EnvironmentUnknownError(message) from error
    return {name: _expand(value, found) for name, value in found.items()}


def _expand(value: str, known: Mapping[str, str]) -> str:
    """Replace ``$(NAME)`` where the container has such a variable, as the kubelet does; ``$$`` escapes it."""
    return _REFERENCE.sub(lambda match: _expanded(match, known), value)


def _expanded(match: re.Match[str], known: Mapping[str, str]) -> str:
    text = match.group(0)
    return text[1:] if text.startswith("$$") else known.get(match.group("name"), text)


def _resolve(source: Mapping[str, Any], pod: Mapping[str, Any], container: Mapping[str, Any]) -> str:
    if "fieldRef" in source:
        return _FIELDS[source["fieldRef"]["fieldPath"]](pod)
    reference = source["resourceFieldRef"]
    kind, _, name = reference["resource"].partition(".")
    quantity = _number(container["resources"][kind][name])
    divisor = _number(reference.get("divisor") or "1") or Decimal(1)
    return str((quantity / divisor).to_integral_value(rounding=ROUND_UP))


def _number(quantity: str) -> Decimal:
    return Decimal(parse_quantity(quantity))  # type: ignore[no-untyped-call]  # has no annotations


_FIELDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "metadata.name": lambda pod: str(pod["metadata"]["name"]),
    "metadata.namespace": lambda pod: str(pod["metadata"]["namespace"]),
    "metadata.uid": lambda pod: str(pod["metadata"]["uid"]),
    "spec.nodeName": lambda pod: str(pod["spec"]["nodeName"]),
    "spec.serviceAccountName": lambda pod: str(pod["spec"]["serviceAccountName"]),
    "status.podIP": lambda _: "127.0.0.1",
}
