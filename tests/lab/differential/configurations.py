"""NodePools as people write them: right, and slightly wrong; and what all kinds of configurations are made with."""

from typing import Any

from hypothesis import strategies as st

Entry = dict[str, Any]

SCHEDULES = (
    "0 9 * * mon-fri", "@daily", "@hourly", "30 22 * * 0,6", "*/15 * * * *", "0 0 1 1 *", "0 0 29 2 *",
    "0 8-17/2 * * 1-5",
    "@dailyish", "@every 1h", "99 99 * * *", "0 0 * * sat-sun", "30 10 * * 1-7", "0 0 31 2 *", "0 9 * *",
    "TZ=UTC 0 9 * * *",
    "0 9 * * *\n", " 0 9 * * *", "0\u00a09 * * *", "a b c d e", "0 9 * * * *", "", "*-5 * * * *", "1,, * * * *",
    "@daily 1",
)  # fmt: skip
DURATIONS = (
    "8h", "1h30m", "90m", "8h0s", "24h", "0h", "720h", "0s", "15m", "1h30m15s", "Never", "never", "30d", "1hr", "60",
    "1d",
    "30s", "8h30m15s", "-1h", "", "9999999999h", "1h\n", "99999999999999999999h", "1.5h",
)  # fmt: skip
QUANTITIES: tuple[object, ...] = (
    "1000", "0", "64Gi", "500m", "1e3", "1.5", ".5", "5.", "+3", "-1", "10K", "10Ki", "1e1.5", "x", "", "1,000",
    1000, 1.5,
    True, None, "1e", "Gi", "1 Gi",
)  # fmt: skip
KEYS = (
    "kubernetes.io/arch", "kubernetes.io/os", "karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-generation", "karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-gpu-count", "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone",
    "topology.k8s.aws/zone-id", "example.com/team", "team", "karpenter.sh/nodepool", "kubernetes.io/hostname",
    "karpenter.sh/x",
    "karpenter.k8s.aws/x", "karpenter.k8s.aws/instance-tenancy", "karpenter.k8s.aws/placement-group-id",
    "x.karpenter.sh/y",
    "evilkarpenter.sh/y", "UPPER.com/x", "a/b/c", "-x", "karpenter.sh", "karpenter.k8s.aws/ec2nodeclass", "",
    "x" * 64,
    "beta.kubernetes.io/arch", "kubernetes.io/x", "node-restriction.kubernetes.io/x", "a" * 60 + ".com/" + "b" * 63,
)  # fmt: skip
VALUES: tuple[object, ...] = (
    "amd64", "arm64", "linux", "windows", "spot", "on-demand", "reserved", "xspot", "c", "m", "r", "g", "2", "4",
    "8", "100", "-1",
    "2.5", "m5.large", "us-west-2a", "a b", "", "x" * 64, "x" * 63, "-x", 4, True, "m7i", "g5",
    "99999999999999999999", "+5", "05",
    "default", "dedicated", "Ünicode",
)  # fmt: skip
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte", "in", "Equals")
NAMES = ("default", "gpu", "a.b", "x" * 63, "x" * 64, "Upper", "under_score", "-x", "a..b", "")
JUNK = st.sampled_from([None, True, 0, -1, 1, 3.5, "", "x", "1", [], {}, ["x"], {"x": "y"}, 10**20, [None], {"": ""}])


def some(values: Any) -> st.SearchStrategy[Any]:
    """One of these values; the first ones, which are right, more often."""
    plain = list(values)
    return st.one_of(st.sampled_from(plain[: max(1, len(plain) // 2)]), st.sampled_from(plain))


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Entry]:
    """A map with some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def broken_map(draw: st.DrawFn, whole: st.SearchStrategy[Entry]) -> Entry:
    """A map with one of its values replaced by something odd."""
    entry = draw(whole)
    return {**entry, draw(st.sampled_from(sorted(entry))): draw(JUNK)}


@st.composite
def broken(draw: st.DrawFn, whole: st.SearchStrategy[Entry]) -> Entry:
    """A configuration; one in four with something odd somewhere in it."""
    entry = draw(whole)
    if draw(st.integers(0, 3)) or not entry:
        return entry
    field = draw(st.sampled_from(sorted(entry)))
    return {**entry, draw(st.sampled_from([field, field, f"{field}x"])): draw(JUNK)}


@st.composite
def few_fields(draw: st.DrawFn, whole: st.SearchStrategy[Entry]) -> Entry:
    """A configuration with few of its fields, so that many are right as a whole."""
    entry = draw(whole)
    kept = draw(st.sets(st.sampled_from(sorted(entry)), max_size=3)) if entry else set()
    return {key: value for key, value in entry.items() if key in kept}


REQUIREMENT = st.fixed_dictionaries(
    {"key": some(KEYS), "operator": some(OPERATORS)},
    optional={
        "values": st.lists(some(VALUES), max_size=3),
        "minValues": st.sampled_from([1, 2, 3, 50, 0, 51, "1"]),
    },
)
PLAIN: list[Entry] = [
    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]},
    {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["2"]},
    {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lte", "values": [16]},
    {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["us-west-2d"]},
    {"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "DoesNotExist"},
    {"key": "example.com/team", "operator": "In", "values": ["a"]},
]
WITH_MINIMUM: list[Entry] = [
    {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"], "minValues": 2},
    {"key": "karpenter.k8s.aws/instance-family", "operator": "Exists", "minValues": 5},
]
GOOD_REQUIREMENT = st.sampled_from([*PLAIN, *WITH_MINIMUM])
GOOD_REQUIREMENTS = st.lists(st.sampled_from(PLAIN), max_size=3, unique_by=str)
TAINT = st.fixed_dictionaries(
    {"key": some(KEYS[8:]), "effect": some(["NoSchedule", "NoExecute", "PreferNoSchedule", "Never"])},
    optional={
        "value": some(["true", "batch", "a/b", "a b", "", "-", "x" * 64]),
        "timeAdded": some(["2026-01-01T00:00:00Z", "yesterday"]),
    },
)
BUDGET = st.fixed_dictionaries(
    {
        "nodes": some(
            ["10%", "1", "5", "100%", "0", 3, "0%", "101%", "-1", "x", "", "999", "1.5%", "12345678901234567890"]
        )
    },
    optional={
        "schedule": some(SCHEDULES),
        "duration": some(DURATIONS),
        "reasons": st.lists(some(["Empty", "Drifted", "Underutilized", "Expired"]), max_size=3),
    },
)
WINDOW = st.builds(
    lambda schedule, duration, nodes: {"nodes": nodes, "schedule": schedule, "duration": duration},
    st.sampled_from(SCHEDULES[:8]),
    st.sampled_from(["1h", "30m", "8h"]),
    st.sampled_from(["0", "1", "20%"]),
)
DISRUPTION = maybe(
    consolidationPolicy=some(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced", "WhenUnderutilized"]),
    consolidateAfter=some(["1m", "0s", "Never", "1h30m", *DURATIONS]),
    budgets=st.lists(st.one_of(WINDOW, WINDOW, BUDGET), max_size=3),
)
NODE_POOL = maybe(
    nodeClass=some(["default", "gpu", ""]),
    preset=some(["general", "batch-spot", "gpu", "static", "stateful", "customer-facing", "generel"]),
    businessHours=st.fixed_dictionaries(
        {
            "timezone": some(["Europe/Berlin", "UTC", "Asia/Kolkata", "Mars/Base"]),
            "from": some(["08:00", "23:30", "25:00"]),
        }
        | {"to": some(["18:00", "06:00", "08:00", "24:00"])}
    ),
    requirements=st.one_of(
        st.lists(GOOD_REQUIREMENT, max_size=4, unique_by=str),
        st.lists(st.one_of(GOOD_REQUIREMENT, REQUIREMENT), max_size=4),
    ),
    labels=st.dictionaries(some(KEYS[9:]), some(["a", "x" * 63, "x" * 64, "a b", "", 5, True]), max_size=2),
    annotations=st.dictionaries(some(["example.com/a", "a", "a b", ""]), some(["x", "a b\n", 5]), max_size=2),
    taints=st.lists(TAINT, max_size=2),
    startupTaints=st.lists(TAINT, max_size=1),
    expireAfter=some(["720h", "Never", *DURATIONS]),
    terminationGracePeriod=some(["48h", "30m", *DURATIONS]),
    limits=st.dictionaries(some(["cpu", "memory", "nodes", "nvidia.com/gpu", "a b"]), some(QUANTITIES), max_size=3),
    weight=some([1, 10, 100, 50, 0, 101, "10", 1.5]),
    replicas=some([1, 0, 3, -1, "2"]),
    disruption=DISRUPTION,
)

NODE_POOLS = broken(st.one_of(few_fields(NODE_POOL), few_fields(NODE_POOL), NODE_POOL))
