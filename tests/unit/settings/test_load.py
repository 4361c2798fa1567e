"""From Pulumi's configuration to settings, or to every mistake at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest
from pulumi.runtime import set_all_config

from settings import load
from settings.read import read
from tests.unit.settings.support import AMI, config, errors, told


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Warnings that Pulumi was asked to show."""
    found: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: found.append(text))
    return found


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    yield
    set_all_config({}, [])


def give(data: dict[str, Any], other: dict[str, str] | None = None, secrets: tuple[str, ...] = ()) -> None:
    """Hand a configuration over as the engine does: text by full key, JSON for what is no text."""
    values = {f"karpenter-eks:{k}": v if isinstance(v, str) else json.dumps(v) for k, v in data.items()}
    set_all_config({"aws:region": "us-west-2", **values, **(other or {})}, [f"karpenter-eks:{key}" for key in secrets])


def test_settings_come_from_pulumi(said: list[str]) -> None:
    give(config(environment="dev"), {"aws:profile": "deploy"})
    found = load()
    assert (found.region, found.profile) == ("us-west-2", "deploy")
    assert found.settings.cluster.name == "my-cluster"
    assert found.settings.node_classes == {"default": {"amiFamily": "AL2023", "amis": {"amd64": AMI}}}
    assert said == []


def test_every_mistake_ends_the_run_at_once_a_line_each() -> None:
    give(
        config(
            cluster={"name": "x" * 101, "version": "1.36.1", "publicAccess": {"cidrs": ["0.0.0.0/0"]}},
            network={"create": {"zones": 1}},
            nodePools={"default": {"limits": {"cpu": "lots"}, "weight": 101}},
            nodeClasses={"default": {"role": "elsewhere", "diskSize": "x"}},
            tags={"karpenter.sh/discovery": "x"},
            karpenter={"replicas": 0, "values": []},
            surprise={},
        )
    )
    with pytest.raises(pulumi.RunError) as raised:
        load()
    lines = str(raised.value).splitlines()
    assert {line.split(": found")[0].removeprefix("karpenter-eks:") for line in lines} >= {
        "cluster.name",
        "cluster.version",
        "cluster.publicAccess.cidrs[0]",
        "network.create.zones",
        "nodePools.default.limits.cpu",
        "nodePools.default.weight",
        "nodeClasses.default.diskSize",
        'tags["karpenter.sh/discovery"]',
        "karpenter.replicas",
        "karpenter.values",
        "surprise",
    }, "people mend one mistake a run"
    assert len(lines) == len(set(lines)), "a mistake is told twice"
    assert all(line.count("; ") >= 2 for line in lines), "a line lacks rule or remedy"


def test_warnings_are_told_and_end_nothing(said: list[str]) -> None:
    give(config(nodePools={"batch": {"requirements": [], "weight": 1}}))
    assert load().settings.node_pools == {
        "default": {"nodeClass": "default"},
        "batch": {"requirements": [], "weight": 1},
    }
    expected = ["karpenter-eks:spotServiceLinkedRole", "karpenter-eks:nodePools.batch.requirements"]
    assert [text.split(": found")[0] for text in said] == expected


def test_a_missing_region_is_told_beside_the_rest() -> None:
    set_all_config({"karpenter-eks:cluster": "{}"}, [])
    with pytest.raises(pulumi.RunError) as raised:
        load()
    paths = [line.split(": found")[0] for line in str(raised.value).splitlines()]
    assert "aws:region" in paths
    assert "karpenter-eks:cluster.name" in paths


def test_keys_of_the_aws_provider_are_not_taken_silently() -> None:
    give(config(), {"aws:assumeRoles": "[]", "aws:defaultTags": "{}", "aws:allowedAccountIds": "[]"})
    with pytest.raises(pulumi.RunError) as raised:
        load()
    rule = "found nothing; the stack makes its own AWS provider, which takes only aws:region and aws:profile; "
    assert str(raised.value).splitlines() == [
        f"aws:allowedAccountIds: {rule}use karpenter-eks:allowedAccountIds",
        f"aws:assumeRoles: {rule}remove it; put credentials and roles to assume into an AWS profile or the environment",
        f"aws:defaultTags: {rule}use karpenter-eks:tags",
    ], "people believe that they deploy to another account"


def test_text_where_a_map_belongs_is_a_mistake_and_no_crash() -> None:
    give({**config(), "karpenter": "{not json"})
    assert read().data["karpenter"] == "{not json"
    with pytest.raises(pulumi.RunError, match=r'^karpenter-eks:karpenter: found "{not json"; must be a map; '):
        load()


def test_a_number_is_a_fine_name_of_an_environment() -> None:
    give(config(environment="2"))
    assert load().settings.environment == "2"


def test_an_encrypted_value_is_never_shown(said: list[str]) -> None:
    token = "hunter2-hunter2"
    give(config(karpenter={"logLevel": token}, tags={"aws:x": token}), secrets=("karpenter", "tags"))
    with pytest.raises(pulumi.RunError) as raised:
        load()
    assert token not in str(raised.value), "the CI log shows the secret"
    assert 'karpenter-eks:karpenter.logLevel: found "[secret]"' in str(raised.value)
    assert said == [
        f'karpenter-eks:{key}: found "[secret]"; holds an encrypted value, which will be readable in AWS, in the '
        f"cluster and in "
        "the stack's state; write it in plain text if that is fine, else keep it in a secret store and name it here"
        for key in ("karpenter", "tags")
    ]


def test_an_encrypted_value_is_not_shown_in_rules_either() -> None:
    data = config(nodeClasses={"default": {"role": "secret-role-name"}}, nodeRole={"existing": "other-secret"})
    _, problems = told(data, secrets=frozenset({"nodeClasses"}))
    assert not [p for p in problems if "secret-role-name" in p.line()]


def test_a_secret_that_is_right_loads() -> None:
    give(config(administrators=None), secrets=("cluster",))
    assert load().settings.cluster.name == "my-cluster"


def test_the_same_mistake_is_told_once() -> None:
    assert len(errors(config(nodePools={"default": {"weight": 500}}))) == 1
