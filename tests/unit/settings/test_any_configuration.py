"""Whatever stands in the file, the answer is a line or settings, never a traceback."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from settings.load import line
from settings.model import Settings
from tests.unit.settings.support import config, told

KEYS = [info.alias or name for name, info in Settings.model_fields.items()]
WORDS = [
    *KEYS,
    *("name", "version", "create", "existing", "privateSubnetIds", "systemNodes", "releaseVersion", "amis", "amd64"),
    *("requirements", "key", "operator", "values", "kubernetes.io/arch", "karpenter.sh/capacity-type", "spot", "role"),
    *("nodeClass", "default", "kubelet", "maxPods", "preset", "batch-spot", "extraStatements", "Effect", "Allow"),
    *("settings", "publicAccess", "cidrs", "administrators", "addons", "vpc-cni", "configuration", "env", "limits"),
    *("cpu", "businessHours", "replicas", "spec", "namespace", "Action"),
]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.sampled_from(WORDS), st.text()
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.sampled_from(WORDS), st.text()), inner, max_size=4)
    ),
    max_leaves=12,
)


def paths(value: object, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [before] if before else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths(item, (*before, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += paths(item, (*before, index))
    return found


RICH = config(
    network={"create": {"zones": 3, "natGateways": "none", "interfaceEndpoints": ["ec2"]}},
    controllerRole={"extraStatements": [{"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": ["*"]}]},
    tags={"team": "platform"},
    nodePools={
        "batch": {
            "preset": "batch-spot",
            "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}],
        },
        "hours": {"businessHours": {"timezone": "Europe/Berlin", "days": ["mon"], "from": "08:00", "to": "18:00"}},
    },
    nodeClasses={"second": {"role": "x", "kubelet": {"maxPods": 110}}},
)


def check(data: dict[str, Any]) -> None:
    loaded, problems = told(data)
    lines = [line(problem) for problem in problems]
    assert all(len(text.splitlines()) == 1 and text.count("; ") >= 2 for text in lines), (
        "a message is no line of value, rule and remedy"
    )
    errors = [problem for problem in problems if problem.severity == "error"]
    assert (loaded is None) == bool(errors), "a configuration is refused without a word, or taken although it is wrong"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(KEYS), JSON)
def test_a_section_of_anything(key: str, value: Any) -> None:
    check({**copy.deepcopy(RICH), key: value})


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(paths(RICH)), JSON)
def test_anything_at_any_place(path: tuple[Any, ...], value: Any) -> None:
    data = copy.deepcopy(RICH)
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    check(data)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text()), JSON, max_size=6))
def test_a_file_of_anything(data: dict[str, Any]) -> None:
    check(data)
