"""Presets: the settings of a NodePool for a kind of workload, by one word.

Every preset but `general` taints its nodes and labels them `workload: <preset>`, so a pod lands there only when it asks
for it, and a pod that asks for nothing lands on `general`. What an entry says itself comes before its preset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from components.spec import business_hours, labels
from components.spec.defaults import (
    ARCH,
    CAPACITY_TYPE,
    CATEGORY,
    CPU,
    DEFAULT_NODE_CLASS,
    FAMILY,
    GENERATION,
    GPU_MANUFACTURER,
    MEMORY,
    OS,
    default_requirements,
    requirement,
)

WORKLOAD: Final = "workload"
"""Key of the label and the taint that bind pods to the pool of a preset."""

GPU_TAINT: Final = "nvidia.com/gpu"
DEFAULT_BUDGET: Final = {"nodes": "10%"}
_MERGED: Final = ("labels", "annotations", "limits", "disruption", "businessHours")


def _labelled(preset: str) -> dict[str, Any]:
    return {"labels": {WORKLOAD: preset}}


def _tainted(preset: str) -> dict[str, Any]:
    return {**_labelled(preset), "taints": [{"key": WORKLOAD, "value": preset, "effect": "NoSchedule"}]}


def _base(*, arch: str = "amd64", capacity: tuple[str, ...] = ("on-demand",)) -> list[dict[str, Any]]:
    return [
        requirement(ARCH, "In", arch),
        requirement(OS, "In", "linux"),
        requirement(CAPACITY_TYPE, "In", *capacity),
    ]


def general() -> dict[str, Any]:
    """For everything that asks for nothing special: on-demand, amd64, untainted, consolidated as soon as it pays."""
    return {
        **_labelled("general"),
        "requirements": default_requirements(),
        "limits": {"cpu": "1000"},
        "expireAfter": "720h",
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "1m",
            "budgets": [DEFAULT_BUDGET],
        },
    }


def customer_facing() -> dict[str, Any]:
    """For services that people wait for: nodes stay, above all in business hours, and no node is large enough to hurt.

    On-demand, since two minutes' notice are short for long connections. At most 16 vCPUs, so that a service spread
    over nodes and zones loses little with any one of them. Consolidation only of empty nodes, half an hour after the
    last pod left. One node at a time otherwise, and none in business hours: state your own `businessHours`, the
    preset's are UTC. Expiry would take no notice of any of this, so it is off: AMI updates (drift) replace nodes,
    within the budgets.
    """
    return {
        **_tainted("customer-facing"),
        "requirements": [
            *_base(),
            requirement(CATEGORY, "In", "c", "m", "r"),
            requirement(GENERATION, "Gt", "4"),
            requirement(CPU, "Lt", "17"),
        ],
        "limits": {"cpu": "1000"},
        "expireAfter": "Never",
        "terminationGracePeriod": "24h",
        "businessHours": {
            "timezone": "UTC",
            "days": ["mon", "tue", "wed", "thu", "fri"],
            "from": "08:00",
            "to": "18:00",
        },
        "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30m", "budgets": [{"nodes": "1"}]},
    }


def batch_spot() -> dict[str, Any]:
    """For work that can start again: Spot, from as many instance types and sizes as there are.

    The more types, the deeper the pools that EC2 chooses from, and the rarer the interruptions: at least five families
    must stay possible at every launch. Consolidated quickly, a third of the nodes at once, and renewed weekly.
    """
    return {
        **_tainted("batch-spot"),
        "requirements": [
            *_base(capacity=("spot",)),
            requirement(CATEGORY, "In", "c", "m", "r"),
            requirement(GENERATION, "Gt", "4"),
            {"key": FAMILY, "operator": "Exists", "minValues": 5},
        ],
        "limits": {"cpu": "1000"},
        "expireAfter": "168h",
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "1m",
            "budgets": [{"nodes": "33%"}],
        },
    }


def arm64() -> dict[str, Any]:
    """For images built for arm64: Graviton, from its second generation on.

    Tainted, since a pod with an amd64 image that lands here crashes at once; `taints: []` opens the pool to pods that
    name the architecture. The class needs an AMI for arm64.
    """
    return {
        **_tainted("arm64"),
        "requirements": [
            *_base(arch="arm64"),
            requirement(CATEGORY, "In", "c", "m", "r"),
            requirement(GENERATION, "Gt", "5"),
        ],
        "limits": {"cpu": "1000"},
        "expireAfter": "720h",
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "1m",
            "budgets": [DEFAULT_BUDGET],
        },
    }


def gpu() -> dict[str, Any]:
    """For pods that ask for `nvidia.com/gpu`: NVIDIA GPUs of the G family, their number limited, nobody else on them.

    The taint is the one that NVIDIA's device plugin and GPU operator tolerate by default. The class, `gpu` by default,
    needs AMIs of the nvidia variant (or an alias, which picks the variant by itself). Empty nodes go after ten minutes:
    GPUs are dear, but starting one and loading a model takes a while.
    """
    return {
        "labels": {WORKLOAD: "gpu"},
        "nodeClass": "gpu",
        "taints": [{"key": GPU_TAINT, "value": "present", "effect": "NoSchedule"}],
        "requirements": [
            *_base(),
            requirement(CATEGORY, "In", "g"),
            requirement(GENERATION, "Gt", "3"),
            requirement(GPU_MANUFACTURER, "In", "nvidia"),
        ],
        "limits": {"nvidia.com/gpu": "8", "cpu": "400"},
        "expireAfter": "720h",
        "disruption": {
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": "10m",
            "budgets": [DEFAULT_BUDGET],
        },
    }


def high_memory() -> dict[str, Any]:
    """For pods that need much memory for each CPU: families r and x, 64 GiB and more."""
    return {
        **_tainted("high-memory"),
        "requirements": [
            *_base(),
            requirement(CATEGORY, "In", "r", "x"),
            requirement(GENERATION, "Gt", "4"),
            requirement(MEMORY, "Gt", "65535"),
        ],
        "limits": {"cpu": "500", "memory": "4Ti"},
        "expireAfter": "720h",
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "10m",
            "budgets": [DEFAULT_BUDGET],
        },
    }


def stateful() -> dict[str, Any]:
    """For databases and queues with volumes: a volume lives in one zone and takes minutes to move to another node.

    Only empty nodes are consolidated, an hour after the last pod left; nodes are replaced one at a time, and a node has
    48 hours to hand over. No expiry: it takes no notice of budgets. Give the pods' volumes a StorageClass with
    WaitForFirstConsumer, so that the volume follows the pod's zone.
    """
    return {
        **_tainted("stateful"),
        "requirements": [
            *_base(),
            requirement(CATEGORY, "In", "m", "r"),
            requirement(GENERATION, "Gt", "4"),
        ],
        "limits": {"cpu": "500"},
        "expireAfter": "Never",
        "terminationGracePeriod": "48h",
        "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "1h", "budgets": [{"nodes": "1"}]},
    }


def reserved() -> dict[str, Any]:
    """For capacity that is paid for already: reservations first, on-demand when they are used up.

    The class, `reserved` by default, names the reservations (capacityReservationSelectorTerms). Karpenter counts
    reserved capacity as free, so it uses it first by itself.
    """
    return {
        **_tainted("reserved"),
        "nodeClass": "reserved",
        "requirements": [
            *_base(capacity=("reserved", "on-demand")),
            requirement(CATEGORY, "In", "c", "m", "r"),
            requirement(GENERATION, "Gt", "2"),
        ],
        "limits": {"cpu": "1000"},
        "expireAfter": "720h",
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "5m",
            "budgets": [DEFAULT_BUDGET],
        },
    }


def static() -> dict[str, Any]:
    """For capacity that must be there before it is asked for: a fixed number of nodes, `replicas`.

    Static pools know neither weight nor limits other than `nodes`, and no consolidation. The stack sets their feature
    gate, staticCapacity. A pool cannot change between static and dynamic: rename it.
    """
    return {
        **_tainted("static"),
        "replicas": 1,
        "requirements": [
            *_base(),
            requirement(CATEGORY, "In", "c", "m", "r"),
            requirement(GENERATION, "Gt", "4"),
            requirement(CPU, "Lt", "9"),
        ],
        "expireAfter": "720h",
        "disruption": {"budgets": [{"nodes": "1"}]},
    }


PRESETS: Final[Mapping[str, Callable[[], dict[str, Any]]]] = {
    "general": general,
    "customer-facing": customer_facing,
    "batch-spot": batch_spot,
    "arm64": arm64,
    "gpu": gpu,
    "high-memory": high_memory,
    "stateful": stateful,
    "reserved": reserved,
    "static": static,
}


def _key(one: object) -> object:
    key = one.get("key") if isinstance(one, Mapping) else None
    return labels.normalized(key) if isinstance(key, str) else None


def _merge(preset: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """The preset, overridden field by field."""
    merged = {**preset, **entry}
    for field in _MERGED:
        ours, theirs = preset.get(field), entry.get(field)
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            merged[field] = {**ours, **theirs}
    own = entry.get("requirements")
    if isinstance(own, list | tuple):
        named = [_key(one) for one in own]
        merged["requirements"] = [one for one in preset["requirements"] if _key(one) not in named] + list(own)
    return without_nulls(merged)


def without_nulls(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry without what is null, in itself and in the maps that are merged key by key."""
    return {
        field: {key: item for key, item in value.items() if item is not None}
        if field in _MERGED and isinstance(value, Mapping)
        else value
        for field, value in entry.items()
        if value is not None
    }


def node_class_of(name: str, entry: Mapping[str, Any]) -> str:
    """Name of the node class of a pool: its own, its preset's, or the default one."""
    return str(expand_node_pool(name, entry).get("nodeClass", DEFAULT_NODE_CLASS))


def with_preset_hours(entry: object) -> object:
    """The entry with the business hours of its preset below its own, key by key."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("preset"), str):
        return entry
    hours = PRESETS.get(entry["preset"], dict)().get("businessHours")
    own = entry.get("businessHours")
    return {**entry, "businessHours": {**hours, **own}} if hours and isinstance(own, Mapping) else entry


def _with_business_hours(entry: dict[str, Any]) -> dict[str, Any]:
    hours = entry.pop("businessHours", None)
    if not isinstance(hours, Mapping):
        return entry
    try:
        windows = business_hours.budgets(
            hours["timezone"], hours.get("days", business_hours.WEEKDAYS[1:6]), hours["from"], hours["to"]
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return entry  # the checker tells what is wrong with them
    disruption = entry.get("disruption", {})
    if not isinstance(disruption, Mapping):
        return entry
    budgets = disruption.get("budgets")
    kept = list(budgets) if isinstance(budgets, list | tuple) else [DEFAULT_BUDGET]
    return {**entry, "disruption": {**disruption, "budgets": kept + windows}}


def expand_node_pool(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with its preset and business hours written out, neither of the two words left in it.

    Maps are merged key by key, requirements replace those of the preset with the same key, everything else is replaced
    whole; null removes what the preset sets. Entries that make no sense are passed on as they are: the checker tells.

    Args:
        name: Name of the NodePool; the same presets apply to every name.
        entry: Entry of `nodePools`.
    """
    del name
    plain = {field: value for field, value in entry.items() if field != "preset"}
    preset = entry.get("preset")
    make = PRESETS.get(preset) if isinstance(preset, str) else None
    merged = _merge(make(), plain) if make is not None else without_nulls(plain)
    return _with_business_hours(merged)
