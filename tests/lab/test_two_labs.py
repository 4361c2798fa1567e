"""Two labs side by side do each other no harm, and starting a lab twice is starting it once."""

import urllib.request
from pathlib import Path

import pytest

from lab.lab import start, stop
from tests.support import Lab

pytestmark = pytest.mark.lab


def healthy(endpoint: str) -> bool:
    with urllib.request.urlopen(f"{endpoint}/_lab/health", timeout=10) as answer:
        return bool(answer.status == 200)


def test_a_second_lab_leaves_the_first_alone(lab: Lab, tools: Path, tmp_path: Path) -> None:
    folder = tmp_path / "second"
    try:
        second = start(folder, tools)
        ports = set(lab.state.ports.values()) & set(second.ports.values())
        assert not ports, "two labs would take each other's calls"
        assert healthy(second.aws_endpoint)
    finally:
        stop(folder)
    assert healthy(lab.state.aws_endpoint), "stopping one lab stops the other"
    assert lab.cluster.core.list_namespace().items, "stopping one lab stops the other's control plane"


def test_starting_a_running_lab_changes_nothing(lab: Lab, tools: Path) -> None:
    again = start(lab.folder, tools)
    assert again.pids == lab.state.pids, "a second start would lose what runs in the lab"
