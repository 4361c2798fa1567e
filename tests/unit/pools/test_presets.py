"""Presets, and how an entry overrides them."""

from typing import Any

import pytest

from components.spec.node_pool import NodePoolSpec
from components.spec.presets import GPU_TAINT, PRESETS, WORKLOAD, expand_node_pool


def keys(entry: dict[str, Any]) -> list[str]:
    return [requirement["key"] for requirement in entry["requirements"]]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_a_whole_pool(preset: str) -> None:
    entry = expand_node_pool("x", {"preset": preset})
    spec = NodePoolSpec.model_validate(entry)
    assert spec.preset is None, "the preset is written out, and must not be applied a second time"
    assert entry["labels"] == {"workload": preset}, "pods cannot ask for the pool"
    assert expand_node_pool("x", entry) == entry, "expanding twice changes the pool"
    taints = {taint["key"] for taint in entry.get("taints", [])}
    assert taints <= {WORKLOAD, GPU_TAINT}, "no sample workload tolerates the taint"
    assert bool(taints) == (preset != "general"), "a pod that asks for nothing lands on a special pool"


def test_presets_make_new_data_each_time() -> None:
    expand_node_pool("x", {"preset": "general"})["limits"]["cpu"] = "1"
    assert expand_node_pool("x", {"preset": "general"})["limits"]["cpu"] == "1000", "one pool changes all others"


def test_fields_are_overridden_one_by_one() -> None:
    entry = expand_node_pool(
        "x",
        {
            "preset": "gpu",
            "limits": {"nvidia.com/gpu": "2"},
            "labels": {"team": "a"},
            "disruption": {"consolidateAfter": "1h"},
            "expireAfter": "24h",
        },
    )
    assert entry["limits"] == {"nvidia.com/gpu": "2", "cpu": "400"}
    assert entry["labels"] == {"workload": "gpu", "team": "a"}
    assert entry["disruption"]["consolidationPolicy"] == "WhenEmpty"
    assert entry["disruption"]["consolidateAfter"] == "1h"
    assert entry["expireAfter"] == "24h"


def test_a_requirement_replaces_those_with_the_same_key_only() -> None:
    own = {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["m"]}
    entry = expand_node_pool("x", {"preset": "general", "requirements": [own]})
    assert keys(entry).count("karpenter.k8s.aws/instance-category") == 1
    assert entry["requirements"][-1] == own
    assert "kubernetes.io/arch" in keys(entry), "the rest of the preset is lost"


def test_null_removes_and_an_empty_list_opens() -> None:
    entry = expand_node_pool("x", {"preset": "arm64", "taints": [], "limits": {"cpu": None}, "expireAfter": None})
    assert entry["taints"] == []
    assert entry["limits"] == {}
    assert "expireAfter" not in entry


def test_an_old_name_of_a_label_replaces_the_preset_s_requirement_too() -> None:
    own = {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["arm64"]}
    found = keys(expand_node_pool("x", {"preset": "general", "requirements": [own]}))
    assert "kubernetes.io/arch" not in found, "the two exclude each other, and the preset cannot be overridden"


def test_null_in_a_map_removes_with_and_without_a_preset() -> None:
    entry = {"labels": {"team": None}, "annotations": {"a": None, "b": "c"}, "disruption": {"consolidateAfter": None}}
    for whole in (entry, {**entry, "preset": "general"}):
        expanded = expand_node_pool("x", whole)
        assert "team" not in expanded["labels"], "the API server refuses a label that is null"
        assert expanded["annotations"] == {"b": "c"}
        assert "consolidateAfter" not in expanded["disruption"]


def test_requirements_without_a_preset_are_taken_as_they_are() -> None:
    own = [{"key": "a", "operator": "Exists"}]
    assert expand_node_pool("x", {"requirements": own, "weight": None}) == {"requirements": own}


def test_business_hours_come_beside_the_budgets() -> None:
    hours = {"timezone": "UTC", "from": "09:00", "to": "17:00"}
    window = {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}
    assert expand_node_pool("x", {"businessHours": hours})["disruption"] == {"budgets": [{"nodes": "10%"}, window]}
    entry = expand_node_pool("x", {"businessHours": hours, "disruption": {"budgets": [{"nodes": "1"}]}})
    assert entry["disruption"]["budgets"] == [{"nodes": "1"}, window], (
        "outside business hours nothing limits disruption"
    )
    assert "businessHours" not in entry


def test_business_hours_of_a_preset_are_overridden_key_by_key() -> None:
    entry = expand_node_pool("x", {"preset": "customer-facing", "businessHours": {"timezone": "Asia/Tokyo"}})
    assert entry["disruption"]["budgets"][-1]["schedule"] == "0 23 * * sun-thu"
    without = expand_node_pool("x", {"preset": "customer-facing", "businessHours": None})
    assert without["disruption"]["budgets"] == [{"nodes": "1"}]


@pytest.mark.parametrize(
    "entry",
    [
        {"businessHours": "always"},
        {"businessHours": {"timezone": "UTC"}},
        {"businessHours": {"timezone": "Mars/Base", "from": "09:00", "to": "17:00"}},
        {"businessHours": {"timezone": "UTC", "from": 9, "to": "17:00"}},
        {"businessHours": {"timezone": "UTC", "from": "09:00", "to": "17:00", "days": 5}},
        {"businessHours": {"timezone": "UTC", "from": "09:00", "to": "17:00"}, "disruption": 5},
        {"preset": "general", "requirements": 5},
        {"preset": "general", "requirements": ["x"]},
        {"preset": "general", "limits": 5},
        {"preset": ["general"]},
        {"preset": "unknown"},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_passed_on_for_the_checker_to_tell(entry: dict[str, Any]) -> None:
    assert isinstance(expand_node_pool("x", entry), dict), "a typing mistake ends in a traceback"
