"""The environment of a container, from its pod's spec: what the kubelet would resolve."""

from collections.abc import Callable, Mapping
from decimal import ROUND_UP, Decimal
from typing import Any

from kubernetes.utils.quantity import parse_quantity


def environment(pod: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, str]:
    """Every variable of a container.

    Args:
        pod: The pod, as the API server gives it in JSON.
        container: One of its containers.

    Raises:
        KeyError: For a source that this stand-in does not know.
    """
    found = {}
    for entry in container.get("env", []):
        source = entry.get("valueFrom")
        found[entry["name"]] = entry.get("value", "") if source is None else _resolve(source, pod, container)
    return found


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
