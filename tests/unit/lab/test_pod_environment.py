"""The controller's process gets its container's environment, resolved as the kubelet would, and nothing else."""

from typing import Any

import pytest

from lab.pod_environment import EnvironmentUnknownError, environment

POD: dict[str, Any] = {
    "metadata": {"name": "karpenter-1", "namespace": "kube-system", "uid": "u"},
    "spec": {"nodeName": "n", "serviceAccountName": "karpenter"},
}


def resolved(*env: dict[str, Any], **container: Any) -> dict[str, str]:
    return environment(POD, {"env": list(env), **container})


def test_plain_values_and_a_value_that_is_not_there() -> None:
    assert resolved({"name": "A", "value": "x"}, {"name": "B"}) == {"A": "x", "B": ""}


@pytest.mark.parametrize(
    ("path", "value"),
    [("metadata.namespace", "kube-system"), ("metadata.name", "karpenter-1"), ("spec.nodeName", "n")],
)
def test_fields_of_the_pod(path: str, value: str) -> None:
    assert resolved({"name": "A", "valueFrom": {"fieldRef": {"fieldPath": path}}}) == {"A": value}


@pytest.mark.parametrize(
    ("quantity", "divisor", "value"),
    [("1Gi", "0", "1073741824"), ("1Gi", "1Mi", "1024"), ("500m", "1", "1"), ("2", None, "2"), ("1500m", "1m", "1500")],
)
def test_resources_are_divided_and_rounded_up(quantity: str, divisor: str | None, value: str) -> None:
    reference = {"resource": "limits.memory", **({"divisor": divisor} if divisor else {})}
    found = resolved(
        {"name": "A", "valueFrom": {"resourceFieldRef": reference}}, resources={"limits": {"memory": quantity}}
    )
    assert found == {"A": value}, "the controller would size its caches for another pod than the one deployed"


def test_references_between_variables() -> None:
    found = resolved(
        {"name": "A", "value": "x"}, {"name": "B", "value": "$(A)-$(NONE)-$$(A)"}, {"name": "C", "value": "a$b"}
    )
    assert found == {"A": "x", "B": "x-$(NONE)-$(A)", "C": "a$b"}, "a value would differ from the one in a cluster"


@pytest.mark.parametrize(
    "source",
    [
        {"secretKeyRef": {"name": "s", "key": "k"}},
        {"fieldRef": {"fieldPath": "metadata.labels['x']"}},
        {"resourceFieldRef": {"resource": "limits.cpu"}},
    ],
)
def test_an_unknown_source_is_named(source: dict[str, Any]) -> None:
    with pytest.raises(EnvironmentUnknownError, match="TOKEN"):
        resolved({"name": "TOKEN", "valueFrom": source})


def test_whole_sources_are_refused() -> None:
    with pytest.raises(EnvironmentUnknownError, match="envFrom"):
        resolved(envFrom=[{"configMapRef": {"name": "x"}}])
