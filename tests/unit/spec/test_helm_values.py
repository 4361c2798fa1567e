"""The chart's values: keys that the chart knows, and no override of what the stack sets itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from components.spec.helm_values import check_overrides, merge, values

GOLDEN = Path(__file__).parents[2] / "golden" / "documents" / "helm-values.json"


def built(**changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "cluster_name": "my-cluster",
        "queue_name": "my-cluster",
        "replicas": 2,
        "cpu": "1",
        "memory": "1Gi",
        "log_level": "info",
        "feature_gates": {},
        "zonal_shift": False,
        "cluster_endpoint": "https://0123.eks.amazonaws.com",
        "overrides": {},
    }
    return values(**{**given, **changes})


def test_values_are_those_that_were_reviewed(request: pytest.FixtureRequest) -> None:
    found = json.dumps(built(feature_gates={"nodeRepair": True}), indent=2, sort_keys=True) + "\n"
    if request.config.getoption("update_golden", default=False):
        GOLDEN.write_text(found)
    assert GOLDEN.read_text() == found, "the controller's settings changed: review, then run pytest --update-golden"


def test_the_queue_is_a_name_or_empty() -> None:
    assert built()["settings"]["interruptionQueue"] == "my-cluster"
    assert built(queue_name=None)["settings"]["interruptionQueue"] == "", "the controller would look for a queue"


def test_gates_that_nobody_chose_are_left_to_the_chart() -> None:
    assert "featureGates" not in built()["settings"], "an upgrade of the chart could not change its defaults"


def test_overrides_are_merged_key_by_key_and_last() -> None:
    found = built(overrides={"settings": {"batchIdleDuration": "2s"}, "nodeSelector": {"example.com/a": "b"}})
    assert found["settings"]["clusterName"] == "my-cluster", "an override of one setting would drop the others"
    assert found["settings"]["batchIdleDuration"] == "2s"
    assert found["nodeSelector"]["karpenter.sh/controller"] == "true"
    assert merge({"a": [1, 2]}, {"a": [3]}) == {"a": [3]}, "Helm takes lists whole"


@pytest.mark.parametrize(
    ("overrides", "path", "text"),
    [
        ({"settings": {"clusterName": "x"}}, "karpenter.values.settings.clusterName", "use cluster.name"),
        ({"settings": {"interruptionQueue": "x"}}, "karpenter.values.settings.interruptionQueue", "interruptionQueue."),
        ({"serviceAccount": {"name": "x"}}, "karpenter.values.serviceAccount", "pod identity"),
        ({"replicas": 3}, "karpenter.values.replicas", "use karpenter.replicas"),
        ({"controller": {"resources": {}}}, "karpenter.values.controller.resources", "use karpenter.resources"),
        (
            {"settings": {"featureGates": {"nodeRepair": True}}},
            "karpenter.values.settings.featureGates",
            "featureGates",
        ),
        ({"webhook": {"enabled": False}}, "karpenter.values.webhook", "no webhook"),
        ({"settings": {"aws": {}}}, "karpenter.values.settings.aws", "directly under settings"),
        ({"settings": {"interruptionQueueName": "x"}}, "karpenter.values.settings.interruptionQueueName", "reads"),
        ({"settings": {"featureGates": {"drift": True}}}, "karpenter.values.settings.featureGates.drift", "always on"),
    ],
)
def test_what_the_stack_owns_or_the_chart_has_dropped_is_refused(
    overrides: dict[str, Any], path: str, text: str
) -> None:
    [problem] = check_overrides(overrides)
    assert problem.path == path
    assert text in problem.line(), problem.line()


def affinity(*terms: object) -> dict[str, Any]:
    required = {"nodeSelectorTerms": list(terms)}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


OFF_OWN_NODES = {"matchExpressions": [{"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}]}


@pytest.mark.parametrize("terms", [(), ({},), ({"matchExpressions": None},), ("x",), (OFF_OWN_NODES, {})])
def test_an_affinity_that_lets_the_controller_on_its_own_nodes_is_refused(terms: tuple[object, ...]) -> None:
    problems = check_overrides(affinity(*terms))
    if terms:
        assert len(problems) == 1, "the controller could take away the node that it runs on"
        assert "DoesNotExist" in problems[0].line()


def test_an_affinity_that_keeps_it_off_is_taken() -> None:
    assert check_overrides(affinity(OFF_OWN_NODES)) == []
    assert check_overrides({"serviceMonitor": {"enabled": True}, "affinity": {"podAntiAffinity": {}}}) == []
