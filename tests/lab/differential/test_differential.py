"""The checker against the real API server: nothing that we accept is refused there.

What the server accepts and we refuse is fine, as long as there is a reason for each: they stand in STRICTER.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.spec.checks import check_node_class, check_node_pool
from components.spec.extra_checks import check_buffer, check_overlay
from components.spec.manifests import (
    capacity_buffer_manifest,
    ec2_node_class_manifest,
    node_overlay_manifest,
    node_pool_manifest,
)
from components.spec.presets import PRESETS
from components.spec.problems import Problem
from tests.lab.differential.api_server import ApiServer, running
from tests.lab.differential.class_configurations import NODE_CLASSES
from tests.lab.differential.configurations import NODE_POOLS, Entry
from tests.lab.differential.extra_configurations import CAPACITY_BUFFERS, NODE_OVERLAYS

pytestmark = pytest.mark.lab

STRICTER: dict[str, str] = {
    # What the manifest does not carry, so that the server never sees it
    r"unknown field": "a misspelt field would be ignored in silence",
    r"must be one of general, ": "a misspelt preset would be ignored in silence",
    r"must be (00:00 to|text|a map|a list)|must differ from `from`": "business hours become budgets",
    r"each day stands once": "business hours become budgets",
    r"is no time zone|^is required(, since|$)": "business hours become budgets",
    r"is refused together with (blockDeviceMappings|amis|price)": "two ways to say one thing",
    # What Karpenter's controller cannot read
    r"Karpenter cannot read it": "an unreadable schedule stops all disruption",
    r"must be a Kubernetes quantity": "the controller could read no NodePool at all",
    r"must be a percentage such as": "the kubelet does not start",
    r"Go cannot count further": "the controller could read no NodePool at all",
    r'must be "name" or "domain/name"': "Karpenter's validation: the pool is never Ready",
    r"must be at most 63 letters": "Karpenter's validation: the pool is never Ready",
    r"stands in (taints|startupTaints) already": "Karpenter's validation: the pool is never Ready",
    r"NotIn needs at least one value|take[s]? no values|Exists takes": "Karpenter's validation, or a slip of the pen",
    r"knows only |must be one of (dedicated|amd64|linux|spot|on-demand|false)": "misspelt values never match",
    r"must be whole hours": "the kubelet cannot read it",
    r"is the kubelet's own": "the kubelet does not start",
    r"Karpenter knows .* itself|overlays cannot ask": "Karpenter's validation: the overlay is never Ready",
    r"Karpenter sets and removes this taint": "Karpenter would fight over the taint",
    # What never works, or never ends
    r"this date never comes|must be longer than nothing": "the window never opens",
    r"never lifts|cover all times": "no node is ever replaced",
    r"an empty list makes the budget limit nothing": "the budget limits nothing",
    r"exclude each other|no instance type satisfies|holds no numbers": "the pool never launches a node",
    r"every node would be replaced at once": "a loop of launches",
    r"must not be negative|must be a whole number of nodes|must be at least replicas": "a limit below nothing",
    r"a key stands in taints or in startupTaints": "what removes the one leaves the other",
    r"stands twice|each reason stands once": "a slip of the pen",
    r"launches only instances with": "a GPU pool without a limit on GPUs",
    r"leaves no room for any pod": "a node without pods",
    # What EC2 or IAM refuses at launch
    r"is required by EC2|is required without a snapshotID|needs a snapshotID": "EC2 refuses the launch",
    r"(volumes have|takes at most|takes \d|AMI needs|must be true with a kmsKeyID)": "EC2 refuses the launch",
    r"a device stands only once|must be at most \d+ bytes|is an empty user data": "EC2 refuses the launch",
    r"keys (of|that begin)|values of tags|must be at most \d+: EC2|characters, this has": "EC2 or IAM refuses the name",
    r"must be a name|must be letters, digits": "IAM knows names here, not ARNs",
    r'must be "(ami|subnet|sg|snap|cr|pg)-"': "EC2 refuses the id",
    r"must be gp3|must be \d+ to \d+|must be a whole number and its unit": "EC2 refuses the value",
    r"must be an account id": "EC2 refuses the value",
    r"must be an IP address": "the kubelet refuses the address",
    # AMIs: pinned, and of this Kubernetes version
    r"Amazon Linux 2 has no|Windows Server 2025 needs": "no such AMI exists",
    r"is older than Kubernetes|this date never was": "no such AMI exists",
    r"must be a dated version|must be a version of Bottlerocket": "no such AMI exists",
    r"is not pinned|matches every AMI|names no AMI|must name at least one AMI": "nodes change untested",
    r"stands alone in its term|only narrows a term down|must name at least one of": "unclear",
    # User data that the AMI cannot read, so that the node never joins
    r"Custom gets nothing|^(AL2|AL2023|Bottlerocket|Windows\d+): |Custom AMI has volumes": "the node never joins",
    r"the tag kubernetes.io/cluster/ alone": "breaks load balancers",
    # Buffers that mean nothing
    r"is a share of the workload|must have exactly one of podTemplateRef": "the buffer is empty",
    r"nothing tells how large": "the buffer is empty",
    r"is required with podTemplateRef|must be one of (Deployment|buffer)": "Karpenter ignores the buffer",
    r"must not be empty|must be a (whole|true)|must be true or false": "an empty or mistyped value",
}
"""Rules of ours that the API server does not have, and what happens without them."""


@dataclass
class Figures:
    """How often checker and server agreed."""

    verdicts: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        """The figures as a table."""
        lines = [f"{'kind':16} {'both accept':>12} {'both refuse':>12} {'only we refuse':>15} {'only the server':>16}"]
        for kind in sorted({kind for kind, _, _ in self.verdicts}):
            count = [
                self.verdicts[kind, ours, theirs]
                for ours, theirs in ((True, True), (False, False), (False, True), (True, False))
            ]
            lines.append(f"{kind:16} {count[0]:12} {count[1]:12} {count[2]:15} {count[3]:16}")
        lines.append(f"total: {sum(self.verdicts.values())} configurations")
        lines += [f"  stricter {count:5} x {reason}" for reason, count in self.reasons.most_common()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Kind:
    """A kind of object: how configurations of it are made, checked and laid out."""

    name: str
    configurations: st.SearchStrategy[Entry]
    check: Callable[[Entry], list[Problem]]
    build: Callable[[Entry], dict[str, Any]]
    examples: int


KINDS = (
    Kind("NodePool", NODE_POOLS, lambda e: check_node_pool("x", e), lambda e: node_pool_manifest("x", e), 1000),
    Kind(
        "EC2NodeClass",
        NODE_CLASSES,
        lambda e: check_node_class("x", e, "1.36"),
        lambda e: ec2_node_class_manifest("x", e, cluster_name="c", node_role_name="r"),
        1000,
    ),
    Kind(
        "NodeOverlay", NODE_OVERLAYS, lambda e: check_overlay("x", e, {}), lambda e: node_overlay_manifest("x", e), 150
    ),
    Kind(
        "CapacityBuffer",
        CAPACITY_BUFFERS,
        lambda e: check_buffer("x", e),
        lambda e: capacity_buffer_manifest("x", e),
        150,
    ),
)


@pytest.fixture(scope="module")
def api_server(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with running(tools, tmp_path_factory.mktemp("api-server")) as server:
        yield server


@pytest.fixture(scope="module")
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    gathered = Figures()
    yield gathered
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
        sys.stdout.write(f"\n{gathered.text()}\n")


def reason_for(problem: Problem) -> str | None:
    """Why we are stricter than the server; None for a rule without a reason."""
    return next((why for pattern, why in STRICTER.items() if re.search(pattern, problem.rule)), None)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_nothing_that_we_accept_is_refused_by_the_api_server(
    kind: Kind, api_server: ApiServer, figures: Figures
) -> None:
    @settings(max_examples=kind.examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(kind.configurations)
    def compare(entry: Entry) -> None:
        errors = [problem for problem in kind.check(entry) if problem.severity == "error"]
        verdict = api_server.judge(kind.build(entry))
        figures.verdicts[kind.name, not errors, verdict.accepted] += 1
        assert errors or verdict.accepted, (
            f"`pulumi up` would fail half way, after the checker said yes to {entry}: {verdict.message}"
        )
        if verdict.accepted:
            for problem in errors:
                why = reason_for(problem)
                assert why is not None, (
                    f"the API server takes {entry}, and nobody wrote down why we refuse it: {problem}"
                )
                figures.reasons[why] += 1

    compare()


@pytest.mark.parametrize("preset", PRESETS)
def test_the_api_server_takes_every_preset(preset: str, api_server: ApiServer) -> None:
    verdict = api_server.judge(node_pool_manifest(preset, {"preset": preset}))
    assert verdict.accepted, f"a pool with preset {preset} fails at `pulumi up`: {verdict.message}"


@pytest.mark.parametrize("family", ["AL2023", "Bottlerocket", "Windows2022", "Custom"])
def test_the_api_server_takes_the_defaults_of_every_ami_family(family: str, api_server: ApiServer) -> None:
    entry = {"amiFamily": family, "amis": {"amd64": "ami-0123456789abcdef0"}}
    verdict = api_server.judge(ec2_node_class_manifest("x", entry, cluster_name="c", node_role_name="r"))
    assert verdict.accepted, f"a class of {family} fails at `pulumi up`: {verdict.message}"
