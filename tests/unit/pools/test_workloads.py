"""The sample workloads: each can land on the pool of its preset and on no other."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from components.spec.presets import PRESETS, expand_node_pool

FOLDER = Path(__file__).parents[3] / "examples" / "workloads"
POOLS = {preset: expand_node_pool(preset, {"preset": preset}) for preset in PRESETS}


def documents(preset: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The workload of a sample, and its PodDisruptionBudget."""
    workload, budget = yaml.safe_load_all((FOLDER / f"{preset}.yaml").read_text())
    return workload, budget


def tolerates(pod: dict[str, Any], taint: dict[str, str]) -> bool:
    return any(
        toleration["key"] == taint["key"]
        and toleration.get("effect", taint["effect"]) == taint["effect"]
        and (toleration.get("operator") == "Exists" or toleration.get("value") == taint["value"])
        for toleration in pod.get("tolerations", [])
    )


def fits(pod: dict[str, Any], pool: dict[str, Any]) -> bool:
    """Whether the pool's taints and labels let a pod in."""
    known = dict(pool["labels"])
    for requirement in pool["requirements"]:
        if requirement["operator"] == "In" and len(requirement["values"]) == 1:
            known[requirement["key"]] = requirement["values"][0]
    selected = all(known.get(key) == value for key, value in pod.get("nodeSelector", {}).items())
    return selected and all(tolerates(pod, taint) for taint in pool.get("taints", []))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_sample_lands_on_its_pool_and_on_no_other(preset: str) -> None:
    pod = documents(preset)[0]["spec"]["template"]["spec"]
    assert [name for name, pool in POOLS.items() if fits(pod, pool)] == [preset], (
        "the sample shows another pool than its own"
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_taints_alone_keep_a_sample_off_the_other_special_pools(preset: str) -> None:
    pod = {**documents(preset)[0]["spec"]["template"]["spec"], "nodeSelector": {}}
    assert [name for name, pool in POOLS.items() if fits(pod, pool)] in (
        ["general"],
        ["general", preset],
        [preset, "general"],
    ), "a toleration opens more than one special pool"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_sample_is_a_workload_to_copy(preset: str) -> None:
    workload, budget = documents(preset)
    template = workload["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert workload["spec"]["selector"]["matchLabels"] == labels
    assert budget["spec"]["selector"]["matchLabels"] == labels, "the budget protects other pods than the sample's"
    assert "maxUnavailable" in budget["spec"], "a budget by minAvailable blocks every drain of a single pod for ever"
    [container] = template["spec"]["containers"]
    assert set(container["resources"]["requests"]) == {"cpu", "memory"}, "Karpenter chooses instances by the requests"
    assert container["resources"]["limits"]["memory"] == container["resources"]["requests"]["memory"]
    for constraint in template["spec"].get("topologySpreadConstraints", []):
        assert constraint["labelSelector"]["matchLabels"] == labels, "the spread counts other pods than the sample's"
        assert constraint["whenUnsatisfiable"] == "ScheduleAnyway" or constraint["minDomains"] > 1, (
            "all pods land on the first node that is up, since the other zones have no node yet"
        )


def test_a_gpu_sample_asks_for_a_gpu() -> None:
    [container] = documents("gpu")[0]["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1", "the pod would wait on a GPU node without a GPU"


def test_there_is_a_sample_for_every_preset() -> None:
    assert {file.stem for file in FOLDER.glob("*.yaml")} == set(PRESETS)
