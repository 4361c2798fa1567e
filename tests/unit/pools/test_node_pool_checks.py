"""Every way in which one NodePool can be wrong, with what its author would suffer."""

from typing import Any

import pytest

from components.spec.checks import check_node_pool
from components.spec.problems import Problem

ON_DEMAND = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
MORE = {"key": "example.com/team", "operator": "Exists"}


def requirement(key: str, operator: str, *values: object, **more: object) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values), **more}


def budget(nodes: object, **fields: object) -> dict[str, Any]:
    return {"disruption": {"budgets": [{"nodes": "10%"}, {"nodes": nodes, **fields}]}}


def only_budget(nodes: object, **fields: object) -> dict[str, Any]:
    return {"disruption": {"budgets": [{"nodes": nodes, **fields}]}}


def window(schedule: str, duration: str = "1h") -> dict[str, Any]:
    return budget("0", schedule=schedule, duration=duration)


def hours(**fields: object) -> dict[str, Any]:
    return {"businessHours": {"timezone": "Europe/Berlin", "from": "08:00", "to": "18:00", **fields}}


def only(*requirements: dict[str, Any]) -> dict[str, Any]:
    return {"requirements": list(requirements)}


DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
ARCH = requirement("kubernetes.io/arch", "In", "amd64")
CATEGORY = "karpenter.k8s.aws/instance-category"
GENERATION = "karpenter.k8s.aws/instance-generation"
FAMILY = "karpenter.k8s.aws/instance-family"
ZONE = "topology.kubernetes.io/zone"
CAPACITY = "karpenter.sh/capacity-type"

ERRORS = [
    # schedules
    (window("0 0 * * sat-sun"), "disruption.budgets[1].schedule", "runs backwards"),
    (window("30 10 * * 1-7"), "disruption.budgets[1].schedule", "outside 0-6"),
    (window("99 99 * * *"), "disruption.budgets[1].schedule", "outside 0-59"),
    (window("@dailyish"), "disruption.budgets[1].schedule", "is no macro"),
    (window("@every 1h x y z"), "disruption.budgets[1].schedule", "is no macro"),
    (window("TZ=Europe/Berlin 0 9 * * *"), "disruption.budgets[1].schedule", "time zones are not supported"),
    (window("0 9 * * * *"), "disruption.budgets[1].schedule", "it has 6 fields"),
    (window("0 9 * *"), "disruption.budgets[1].schedule", "five cron fields or a macro"),
    (window("0 9 1-2-3 * *"), "disruption.budgets[1].schedule", "too many hyphens"),
    (window("0/1/2 9 * * *"), "disruption.budgets[1].schedule", "too many slashes"),
    (window("*/0 9 * * *"), "disruption.budgets[1].schedule", "a step of 0"),
    (window(", 9 * * *"), "disruption.budgets[1].schedule", "names no value"),
    (window("x 9 * * *"), "disruption.budgets[1].schedule", "is no number"),
    (window("0 9 * * fry"), "disruption.budgets[1].schedule", "one of sun, mon"),
    (window("0 0 31 2 *"), "disruption.budgets[1].schedule", "this date never comes"),
    # windows
    (window("0 0 * * *", "24h"), "disruption.budgets[1].duration", "never lifts"),
    (window("@hourly", "1h"), "disruption.budgets[1].duration", "never lifts"),
    (window("0 0 * * mon", "168h"), "disruption.budgets[1].duration", "never lifts"),
    (window("0 0 1 1 *", "99999h"), "disruption.budgets[1].duration", "never lifts"),
    (window("0 9 * * *", "0h"), "disruption.budgets[1].duration", "longer than nothing"),
    (window("0 9 * * *", "1d"), "disruption.budgets[1].duration", "no days, no seconds"),
    (window("0 9 * * *", "30s"), "disruption.budgets[1].duration", "no days, no seconds"),
    (window("0 9 * * *", "8h30m15s"), "disruption.budgets[1].duration", "no days, no seconds"),
    (budget("0", schedule="0 9 * * *"), "disruption.budgets[1].duration", "go together"),
    (budget("0", duration="8h"), "disruption.budgets[1].schedule", "go together"),
    # budgets
    (budget("0"), "disruption.budgets", "cover all times"),
    (only_budget("0%"), "disruption.budgets", "cover all times"),
    (
        {
            "disruption": {
                "budgets": [
                    {"nodes": "0", "schedule": "0 0 * * *", "duration": "12h"},
                    {"nodes": "0", "schedule": "0 12 * * *", "duration": "12h"},
                ]
            }
        },
        "disruption.budgets",
        "cover all times",
    ),
    (budget("101%"), "disruption.budgets[1].nodes", 'from "0%" to "100%"'),
    (budget("-1"), "disruption.budgets[1].nodes", 'from "0%" to "100%"'),
    (budget("1", reasons=["Expired"]), "disruption.budgets[1].reasons[0]",
    "must be one of Underutilized, Empty, Drifted"),
    (budget("1", reasons=["Empty", "Empty"]), "disruption.budgets[1].reasons", "each reason stands once"),
    (budget("1", reasons=[]), "disruption.budgets[1].reasons", "limit nothing"),
    # durations
    ({"expireAfter": "30d"}, "expireAfter", "no unit for days"),
    ({"expireAfter": "60"}, "expireAfter", "hours, minutes and seconds"),
    ({"expireAfter": "never"}, "expireAfter", '"Never"'),
    ({"expireAfter": "0s"}, "expireAfter", "replaced at once"),
    ({"expireAfter": "9999999999h"}, "expireAfter", "Go cannot count further"),
    ({"terminationGracePeriod": "Never"}, "terminationGracePeriod", "hours, minutes and seconds"),
    ({"disruption": {"consolidateAfter": "1hr"}}, "disruption.consolidateAfter", "hours, minutes and seconds"),
    ({"disruption": {"expireAfter": "720h"}}, "disruption.expireAfter", "unknown field"),
    ({"disruption": {"consolidationPolicy": "WhenUnderutilized"}}, "disruption.consolidationPolicy",
    "WhenEmptyOrUnder"),
    # fields of other places and times
    ({"kubelet": {"maxPods": 110}}, "kubelet", "unknown field"),
    ({"weigth": 1}, "weigth", "unknown field"),
    ({"ttlSecondsAfterEmpty": 30}, "ttlSecondsAfterEmpty", "unknown field"),
    ({"disruption": {"budgets": [{"node": "1"}]}}, "disruption.budgets[0].node", "unknown field"),
    ({"preset": "batch"}, "preset", "must be one of general, customer-facing"),
    # requirements
    (only({"key": CAPACITY, "operator": "In"}), "requirements[0].values", "needs at least one value"),
    (only({"key": CAPACITY, "operator": "NotIn"}), "requirements[0].values", "needs at least one value"),
    (only(requirement(CAPACITY, "Exists", "spot")), "requirements[0].values", "takes no values"),
    (only(requirement(CAPACITY, "In", "xspot")), "requirements[0].values", "knows only on-demand, reserved, spot"),
    (only(requirement("beta.kubernetes.io/arch", "In", "x86_64")), "requirements[0].values",
    "knows only amd64, arm64"),
    (only(requirement("kubernetes.io/os", "In", "macos")), "requirements[0].values", "knows only linux, windows"),
    (only(requirement(GENERATION, "Gt", "2", "3")), "requirements[0].values", "exactly one whole number"),
    (only(requirement(GENERATION, "Gt", "two")), "requirements[0].values", "exactly one whole number"),
    (only(requirement(GENERATION, "Gt", "-1")), "requirements[0].values[0]", "letters, digits"),
    (only(requirement(GENERATION, "Lt")), "requirements[0].values", "exactly one whole number"),
    (only(requirement(CATEGORY, "Gt", "2")), "requirements[0].operator", "holds no numbers"),
    (only(requirement(CATEGORY, "In", "c", "m", minValues=3)), "requirements[0].minValues",
    "number of different values (2)"),
    (only(requirement(CATEGORY, "In", "c", minValues=51)), "requirements[0].minValues", "1 to 50"),
    (only(requirement(CATEGORY, "In", "c d")), "requirements[0].values[0]", "letters, digits"),
    (only(ARCH, ARCH), "requirements[1]", "stands twice"),
    (only(requirement("karpenter.sh/nodepool", "In", "x")), "requirements[0].key", "is reserved"),
    (only(requirement("kubernetes.io/hostname", "In", "x")), "requirements[0].key", "is reserved"),
    (only(requirement("karpenter.sh/x", "In", "x")), "requirements[0].key", "belong to Karpenter"),
    (only(requirement("x.karpenter.k8s.aws/x", "In", "x")), "requirements[0].key", "belong to Karpenter"),
    (only(requirement("karpenter.sh", "In", "x")), "requirements[0].key", "a domain of Karpenter's own"),
    (only(requirement("UPPER.com/x", "In", "x")), "requirements[0].key", '"domain/name"'),
    ({"requirements": "amd64"}, "requirements", "must be a list"),
    ({"requirements": [MORE] * 101}, "requirements", "at most 100"),
    ({"labels": {f"x{i}": "y" for i in range(60)}, "requirements": [requirement(f"r{i}",
    "Exists") for i in range(60)]},
     "requirements", "together must be at most 100"),
    # requirements that exclude each other
    (only(ARCH, requirement("kubernetes.io/arch", "In", "arm64")), "requirements", "exclude each other"),
    (only(ARCH, requirement("beta.kubernetes.io/arch", "NotIn", "amd64")), "requirements", "exclude each other"),
    (only(requirement(GENERATION, "Gt", "5"), requirement(GENERATION, "Lt", "6")), "requirements",
    "exclude each other"),
    (only(requirement(GENERATION, "Gte", "5"), requirement(GENERATION, "Lte", "4")), "requirements",
    "exclude each other"),
    (only(requirement(GENERATION, "In", "4"), requirement(GENERATION, "Gt", "5")), "requirements",
    "exclude each other"),
    (only(requirement("x", "Exists"), requirement("x", "DoesNotExist")), "requirements", "exclude each other"),
    ({"labels": {"x": "a"}, **only(requirement("x", "In", "b"))}, "requirements", "exclude each other"),
    (only(requirement(FAMILY, "In", "g5"), requirement(CATEGORY, "In", "c")), "requirements",
    "no instance type satisfies"),
    (only(requirement(FAMILY, "In", "m7g"), ARCH), "requirements", "no instance type satisfies"),
    (only({"key": CAPACITY, "operator": "DoesNotExist"}), "requirements", "exclude each other"),
    (only({"key": ZONE, "operator": "DoesNotExist"}), "requirements", "exclude each other"),
    (only(requirement(CAPACITY, "NotIn", "spot", "on-demand", "reserved")), "requirements", "exclude each other"),
    (only(requirement("kubernetes.io/os", "NotIn", "linux", "windows")), "requirements", "exclude each other"),
    (only(requirement(FAMILY, "In", "m5", "m6i", minValues=2), requirement(FAMILY, "NotIn", "m5"), ARCH),
     "requirements", "they leave 1 of 2 values"),
    (only({"key": FAMILY, "operator": "Exists", "minValues": 3}, requirement(FAMILY, "In", "m5", "m6i"), ARCH),
     "requirements", "they leave 2 of 3 values"),
    # values that no label has
    (only(requirement(CATEGORY, "In", "C")), "requirements[0].values", "only values in lower case"),
    (only(requirement(ZONE, "NotIn", "us-west-2A")), "requirements[0].values", "only values in lower case"),
    (only(requirement("karpenter.k8s.aws/instance-gpu-name", "In", "T4")), "requirements[0].values", "lower case"),
    # labels
    ({"labels": {"karpenter.sh/x": "y"}}, 'labels["karpenter.sh/x"]', "belong to Karpenter"),
    ({"labels": {"kubernetes.io/arch": "x86"}}, 'labels["kubernetes.io/arch"]', "must be one of amd64, arm64"),
    ({"labels": {"team": "a b"}}, "labels.team", "letters, digits"),
    ({"labels": {"team": True}}, "labels.team", "must be text"),
    ({"labels": {"te am": "a"}}, 'labels["te am"]', '"domain/name"'),
    # taints
    ({"taints": [{"key": "workload", "effect": "NoSchedul"}]}, "taints[0].effect", "must be one of NoSchedule"),
    ({"taints": [{"key": "workload", "effect": "NoSchedule"}] * 2}, "taints[1]", "stands in taints already"),
    ({"taints": [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]}, "taints[0].key", "removes this taint"),
    (
        {"startupTaints": [{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}]},
        "startupTaints[0].key",
        "removes this taint",
    ),
    ({"taints": [{"key": "workload", "effect": "NoSchedule", "timeAdded": "now"}]}, "taints[0].timeAdded",
    "RFC 3339"),
    (
        {"taints": [{"key": "workload", "effect": "NoSchedule", "timeAdded": "2026-13-01T00:00:00Z"}]},
        "taints[0].timeAdded",
        "RFC 3339",
    ),
    (
        {
            "taints": [{"key": "workload", "effect": "NoSchedule"}],
            "startupTaints": [{"key": "workload", "effect": "NoExecute"}],
        },
        "startupTaints",
        "not in both",
    ),
    # limits, weight, replicas
    ({"limits": {"cpu": "1,000"}}, "limits.cpu", "Kubernetes quantity"),
    ({"limits": {"cpu": "1e1.5"}}, "limits.cpu", "Kubernetes quantity"),
    ({"limits": {"cpu": "-1"}}, "limits.cpu", "must not be negative"),
    ({"limits": {"CPU": "10"}}, "limits.CPU", "no node has such a resource"),
    ({"limits": {"gpu": 1}}, "limits.gpu", "no node has such a resource"),
    ({"limits": {"nodes": "1500m"}}, "limits.nodes", "whole number of nodes"),
    ({"limits": {"cpu": 1.5}}, "limits.cpu", "must be text"),
    ({"weight": 101}, "weight", "1 to 100"),
    ({"weight": "10"}, "weight", "must be a whole number"),
    ({"replicas": 1, "weight": 10}, "weight", "static pool"),
    ({"replicas": 1, "limits": {"cpu": "10"}}, "limits", "static pool"),
    ({"replicas": 3, "limits": {"nodes": 2}}, "limits.nodes", "at least replicas (3)"),
    ({"replicas": -1}, "replicas", "0 and more"),
    (only(requirement(FAMILY, "In", "g5")), "limits", "only instances with GPUs"),
    ({**only(requirement(FAMILY, "In", "g5")), "limits": {"amd.com/gpu": 8}}, "limits", "only instances with GPUs"),
    ({"preset": "gpu", "limits": {"nvidia.com/gpu": None}}, "limits", "only instances with GPUs"),
    ({"preset": "gpu", "limits": None}, "limits", "only instances with GPUs"),
    (only(requirement(FAMILY, "In", "inf2")), "limits", "only instances with Neuron devices"),
    # business hours
    (hours(timezone="Europe/Berln"), "businessHours.timezone", "no time zone"),
    (hours(timezone="Nowhere"), "businessHours.timezone", "no time zone"),
    (hours(to="08:00"), "businessHours.to", "must differ"),
    (hours(days=["mon", "mon"]), "businessHours.days", "each day stands once"),
    (hours(days=["monday"]), "businessHours.days[0]", "must be one of mon"),
    (hours(days=[]), "businessHours.days", "must not be empty"),
    (hours(**{"from": "8:00"}), "businessHours.from", "00:00 to 23:59"),
    ({"businessHours": {"from": "08:00", "to": "18:00"}}, "businessHours.timezone", "is required"),
    (hours(days=DAYS, to="24:00", **{"from": "00:00"}), "businessHours", "1h of daylight saving leave no minute"),
    (hours(days=DAYS, to="07:30", timezone="Australia/Lord_Howe"), "businessHours", "30m of daylight saving"),
    (hours(days=DAYS, to="24:00", timezone="UTC", **{"from": "00:00"}), "businessHours", "these hours leave no minute"),
    (hours(timezone=""), "businessHours.timezone", "no time zone"),
    (hours(timezone="localtime"), "businessHours.timezone", "no time zone"),
    (hours(timezone="europe/berlin"), "businessHours.timezone", "no time zone"),
    ({"preset": "customer-facing", "businessHours": {"timezone": None}}, "businessHours.timezone", "is required"),
    ({"nodeClass": ""}, "nodeClass", "must not be empty"),
    ({"nodeClassRef": {"name": "default"}}, "nodeClassRef", "unknown field"),
]  # fmt: skip

WARNINGS = [
    (
        only_budget("35%", schedule="0 9 * * mon", duration="8h"),
        "disruption.budgets",
        "outside the windows nothing holds",
    ),
    (only_budget("1", reasons=["Drifted"]), "disruption.budgets", "limits Underutilized, Empty"),
    (budget("0", reasons=["Drifted"]), "disruption.budgets", "keep their old AMI"),
    ({"disruption": {"budgets": []}}, "disruption.budgets", "no limit"),
    (only(requirement("topology.kubernetes.io/zone", "In", "us-west-2a")), "requirements", "launches Spot"),
    (only(), "requirements", "launches Spot"),
    ({"expireAfter": "12h", **window("0 9 * * *")}, "expireAfter", "takes no notice of budgets"),
    *(
        ({"taints": [taint]}, "taints", "no preset's sample workload tolerates")
        for taint in (
            {"key": "mine", "effect": "NoSchedule"},
            {"key": "workload", "effect": "NoSchedule"},
            {"key": "workload", "value": "bacth-spot", "effect": "NoSchedule"},
            {"key": "workload", "value": "batch-spot", "effect": "NoExecute"},
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoExecute"},
            {"key": "karpenter.sh/capacity-type", "value": "spot", "effect": "NoSchedule"},
        )
    ),
    ({"replicas": 2, "limits": {"nodes": 2}}, "limits.nodes", "a drifted node is never replaced"),
    ({"limits": {"memory": 4000}}, "limits.memory", "less than the smallest instance has"),
    ({"limits": {"memory": "4000m"}}, "limits.memory", "less than the smallest instance has"),
    ({"limits": {"cpu": "500m"}}, "limits.cpu", "less than the smallest instance has"),
    (
        only({"key": FAMILY, "operator": "Exists", "minValues": 50}, ARCH, requirement(CATEGORY, "In", "x")),
        "requirements",
        "different values of karpenter.k8s.aws/instance-family",
    ),
    (only(ARCH, requirement(CAPACITY, "In", "spot"), requirement(FAMILY, "In", "m5")), "requirements", "fewer than 15"),
    (only(requirement(FAMILY, "In", "m99")), "requirements", "no instance type known to this version"),
    (only(requirement(GENERATION, "Gt", "90")), "requirements", "no instance type known to this version"),
    (only(requirement("karpenter.k8s.aws/instance-gpu-manufacturer", "In", "habana")), "requirements", "known to this"),
]

FINE = [
    {},
    {"nodeClass": "default"},
    {"weight": None, "labels": None},
    budget(1),
    budget("0", reasons=["Underutilized"]),
    window("0 9 * * mon-fri", "8h"),
    window("@daily", "8h"),
    window("0 0 29 2 *", "8h"),
    window("*/15 8-17 1,15 jan-mar ?", "5m"),
    window("0 9 1 * mon", "8h0s"),
    {"expireAfter": "Never", "terminationGracePeriod": "1h30m", "weight": 100},
    only(requirement(GENERATION, "Gte", 3), requirement("karpenter.k8s.aws/instance-cpu", "Lte", "16"), ON_DEMAND),
    only(requirement("karpenter.k8s.aws/instance-gpu-count", "DoesNotExist"), ON_DEMAND),
    only(requirement("x", "NotIn", "a"), requirement("x", "DoesNotExist"), ON_DEMAND),
    only(requirement(CAPACITY, "In", "spot", "on-demand")),
    only(requirement("topology.kubernetes.io/zone", "In", "us-west-2a"), ON_DEMAND),
    {**only(), "labels": {CAPACITY: "on-demand"}},
    {"preset": "general", "requirements": [requirement("topology.kubernetes.io/zone", "In", "us-west-2a")]},
    {"limits": {"cpu": 1000, "memory": "4Ti", "nodes": 10, "nvidia.com/gpu": "0"}},
    {
        **only(requirement(FAMILY, "In", "g5"), requirement(CAPACITY, "In", "on-demand")),
        "limits": {"nvidia.com/gpu": 8},
    },
    {"replicas": 2, "limits": {"nodes": "3"}},
    only_budget("10%", schedule="@daily", duration="24h"),
    {
        "disruption": {
            "budgets": [
                {"nodes": "50%", "schedule": "0 18 * * *", "duration": "14h"},
                {"nodes": "1", "schedule": "0 8 * * *", "duration": "10h"},
            ]
        }
    },
    {"limits": {"hugepages-2Mi": "1Gi", "example.com/fpga": 2, "pods": 500, "ephemeral-storage": "1Ti"}},
    {"taints": [{"key": "workload", "value": "batch-spot", "effect": "NoSchedule"}]},
    {"taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}]},
    {"labels": {"team": None}, "disruption": {"consolidateAfter": None}, "limits": {"cpu": None, "memory": "4Ti"}},
    {"preset": "general", "labels": {"workload": None}, "disruption": {"consolidateAfter": None, "budgets": None}},
    {"preset": "customer-facing", "businessHours": {"days": None, "timezone": "Asia/Tokyo"}},
    {"preset": "general", "requirements": [requirement("beta.kubernetes.io/arch", "In", "arm64")]},
    only(requirement(CAPACITY, "NotIn", "spot"), requirement("kubernetes.io/os", "NotIn", "windows"), ARCH),
    only(
        requirement(FAMILY, "In", "m5", "m6i", "m7i", minValues=2), requirement(FAMILY, "NotIn", "m5"), ARCH, ON_DEMAND
    ),
    hours(days=DAYS, to="07:00", timezone="Australia/Lord_Howe"),
    hours(timezone="Pacific/Auckland", to="06:00"),
    {"taints": [{"key": "mine", "effect": "PreferNoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}]},
    {"startupTaints": [{"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}]},
    {"annotations": {"example.com/owner": "any text\n"}},
    hours(),
    hours(timezone="Asia/Kolkata", to="06:00", days=["sat"]),
]


def problems(entry: dict[str, Any], severity: str) -> list[Problem]:
    return [problem for problem in check_node_pool("x", entry) if problem.severity == severity]


@pytest.mark.parametrize(("entry", "path", "rule"), ERRORS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_pool_that_would_fail_later_is_refused_now(entry: dict[str, Any], path: str, rule: str) -> None:
    found = problems(entry, "error")
    assert any(p.path.startswith(f"nodePools.x.{path}") and rule in p.rule for p in found), (
        f"{entry} would fail or be misread after `pulumi up`; the checker only says {[p.line() for p in found]}"
    )
    assert all(problem.remedy for problem in found), "a message without a remedy leaves its reader alone"


@pytest.mark.parametrize(("entry", "path", "rule"), WARNINGS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_doubtful_pool_is_let_through_with_a_warning(entry: dict[str, Any], path: str, rule: str) -> None:
    assert not problems(entry, "error"), "a mere doubt would stop a deployment"
    found = problems(entry, "warning")
    assert any(p.path == f"nodePools.x.{path}" and rule in p.rule for p in found), (
        f"{entry} does something that nobody wants, and nobody is told: {[p.line() for p in found]}"
    )


@pytest.mark.parametrize("entry", FINE, ids=str)
def test_a_good_pool_is_let_through_in_silence(entry: dict[str, Any]) -> None:
    found = check_node_pool("x", entry)
    assert not found, f"a good pool is complained about: {[p.line() for p in found]}"


@pytest.mark.parametrize("name", ["Upper", "under_score", "x" * 64, "-x", "x-", "", "a..b", "a\n"])
def test_a_name_that_kubernetes_refuses_is_refused(name: str) -> None:
    assert any("lower-case letters" in problem.rule for problem in check_node_pool(name, {})), (
        f"a pool named {name!r} fails in the API server"
    )


def test_all_mistakes_are_told_at_once() -> None:
    entry = {
        "weight": 0,
        "expireAfter": "30d",
        "limits": {"cpu": "x"},
        "taints": [{"key": "a"}],
        **window("99 * * * *"),
    }
    paths = {problem.path.removeprefix("nodePools.x.") for problem in problems(entry, "error")}
    expected = {"weight", "expireAfter", "limits.cpu", "taints[0].effect", "disruption.budgets[1].schedule"}
    assert paths == expected, "a person would mend one mistake a run, and run five times"


def test_hours_that_never_end_are_told_once_and_where_they_were_written() -> None:
    paths = [problem.path for problem in check_node_pool("x", hours(days=DAYS, to="24:00", **{"from": "00:00"}))]
    assert paths == ["nodePools.x.businessHours"], "the reader looks for a budget that nobody wrote"
    wrong = {**hours(timezone="Mars/Base"), **window("99 9 * * *")}
    paths = [problem.path.removeprefix("nodePools.x.") for problem in problems(wrong, "error")]
    assert paths == ["businessHours.timezone", "disruption.budgets[1].schedule"], "wrong hours hide a wrong budget"


def test_a_budget_that_never_lifts_is_told_once() -> None:
    assert len(problems(window("0 0 * * *", "24h"), "error")) == 1, "one mistake reads like two"


@pytest.mark.parametrize(
    ("entry", "remedy"),
    [
        ({"preset": "GPU"}, "did you mean gpu?"),
        ({"taints": [{"key": "a", "effect": "noschedule"}]}, "did you mean NoSchedule?"),
        ({"nodeClass": 5}, "write it in quotes"),
        ({"disruption": {"budgets": [{"nodes": None}]}}, "write a value, or remove the line"),
        (only(requirement(CATEGORY, "In", "C", "m")), "write c, m"),
        ({"limits": {"CPU": 1}}, "did you mean cpu?"),
        (
            {"apiVersion": "karpenter.sh/v1beta1"},
            "remove it: every entry becomes an object of v1, with the fields of v1",
        ),
        ({"limits": {"gpu": 1}}, "did you mean nvidia.com/gpu?"),
    ],
)
def test_the_remedy_fits_what_was_written(entry: dict[str, Any], remedy: str) -> None:
    assert [p.remedy for p in problems(entry, "error")] == [remedy], "the reader is sent to write something else"


@pytest.mark.parametrize("value", ["ARM64", "x86_64"])
def test_a_misspelt_value_is_told_once(value: str) -> None:
    assert len(check_node_pool("x", only(requirement("kubernetes.io/arch", "In", value), ON_DEMAND))) == 1, (
        "one mistake reads like two"
    )


def test_a_message_about_a_list_points_to_where_it_stands_in_the_configuration() -> None:
    entry = {"preset": "general", "requirements": [requirement(CAPACITY, "In", "xspot")]}
    found = problems(entry, "error")
    assert found[0].path == "nodePools.x.requirements[0].values", (
        "the preset's requirements come first in the manifest, and the index would point to nothing that was written"
    )


def test_an_entry_that_is_no_map_is_refused() -> None:
    assert check_node_pool("x", "default")[0].rule == "must be a map"  # type: ignore[arg-type]
    nothing: Any = None
    assert check_node_pool("x", nothing) == [], "`default:` with nothing after it is the default pool"


def test_a_wrong_field_does_not_hide_what_is_wrong_elsewhere_nor_cause_echoes() -> None:
    entry = {"requirements": [{"key": 5}], "limits": {"cpu": "-1"}}
    paths = [problem.path for problem in check_node_pool("x", entry)]
    assert paths.count("nodePools.x.limits.cpu") == 1, "a second mistake stays hidden until the first is mended"
    assert all(path.startswith(("nodePools.x.limits", "nodePools.x.requirements[0]")) for path in paths), (
        "one mistake is told in several places"
    )
