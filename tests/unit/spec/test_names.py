"""Names stay within AWS's limits for every legal cluster name, and never meet."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from components.spec import names
from components.spec.events import EVENT_PATTERNS
from components.spec.iam_documents import CONTROLLER_POLICIES

CLUSTER_NAMES = st.from_regex(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", fullmatch=True)


def all_names(cluster: str) -> dict[str, tuple[str, int]]:
    return {
        "node role": (names.node_role_name(cluster), names.ROLE_LIMIT),
        "controller role": (names.controller_role_name(cluster), names.ROLE_LIMIT),
        "system role": (names.system_node_role_name(cluster), names.ROLE_LIMIT),
        "queue": (names.queue_name(cluster), names.QUEUE_LIMIT),
        "node group": (names.node_group_name(cluster), 63),
        **{k: (names.controller_policy_name(k, cluster), names.POLICY_LIMIT) for k in (*CONTROLLER_POLICIES, "Extra")},
        **{kind: (names.rule_name(kind, cluster), names.RULE_LIMIT) for kind in EVENT_PATTERNS},
    }


@given(CLUSTER_NAMES)
def test_every_name_fits(cluster: str) -> None:
    for what, (name, limit) in all_names(cluster).items():
        assert 0 < len(name) <= limit, f"AWS refuses the {what} of {cluster}: {len(name)} characters"


@pytest.mark.parametrize("length", range(1, 101))
def test_every_name_fits_at_every_length(length: int) -> None:
    for what, (name, limit) in all_names("c" * length).items():
        assert len(name) <= limit, f"AWS refuses the {what} of a cluster name of {length} characters"


@given(CLUSTER_NAMES, CLUSTER_NAMES)
def test_two_clusters_never_share_a_name(one: str, other: str) -> None:
    assume(one != other)
    shared = {v[0] for v in all_names(one).values()} & {v[0] for v in all_names(other).values()}
    assert not shared or one in shared or other in shared, f"two clusters of one account would fight over {shared}"


def test_long_names_with_a_common_beginning_differ() -> None:
    one, other = "team-platform-production-europe-" + "a" * 60, "team-platform-production-europe-" + "a" * 59 + "b"
    for what in all_names(one):
        assert all_names(one)[what] != all_names(other)[what], f"both clusters would use the same {what}"


def test_short_names_are_the_documented_ones() -> None:
    assert names.node_role_name("demo") == "KarpenterNodeRole-demo"
    assert names.controller_role_name("demo") == "demo-karpenter"
    assert names.queue_name("demo") == "demo"
    assert names.controller_policy_name("NodeLifecycle", "demo") == "KarpenterControllerNodeLifecyclePolicy-demo"
