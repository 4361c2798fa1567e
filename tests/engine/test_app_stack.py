"""An application stack that reads the platform's outputs through a StackReference and runs on its cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Lab, copy_project, output_of

pytestmark = [pytest.mark.engine, pytest.mark.lab]
PLATFORM = "organization/karpenter-eks/lab"


@pytest.fixture
def app(deployed: Lab, tmp_path: Path) -> Iterator[Path]:
    """The example, as a stack of its own beside the platform's."""
    folder = copy_project(tmp_path / "project") / "examples" / "app-stack"
    for command in (("stack", "init", "test"), ("config", "set", "platform", PLATFORM, "--stack", "test")):
        done = deployed.pulumi(*command, cwd=folder)
        assert done.returncode == 0, output_of(done)
    yield folder
    done = deployed.pulumi("destroy", "--yes", "--skip-preview", "--stack", "test", cwd=folder)
    assert done.returncode == 0, output_of(done)
    deployed.pulumi("stack", "rm", "test", "--yes", cwd=folder)


def test_an_application_runs_on_the_platform_it_names(deployed: Lab, app: Path) -> None:
    done = deployed.pulumi("up", "--yes", "--skip-preview", "--stack", "test", cwd=app)
    assert done.returncode == 0, f"the outputs are not enough to deploy an application: {output_of(done)}"
    outputs = json.loads(deployed.pulumi("stack", "output", "--json", "--stack", "test", cwd=app).stdout)
    assert outputs["cluster"] == deployed.pulumi("stack", "output", "clusterName", "--stack", "lab").stdout.strip()
    assert outputs["nodePools"] == ["default"]
    live = deployed.cluster.apps.read_namespaced_deployment_status(outputs["deployment"], "default")
    assert live.status is not None
    assert live.status.ready_replicas == 3, "no pod of the application runs"


def test_an_application_cannot_ask_for_a_pool_that_is_not_there(deployed: Lab, app: Path) -> None:
    deployed.pulumi("config", "set", "nodePool", "gpu", "--stack", "test", cwd=app)
    done = deployed.pulumi("preview", "--stack", "test", cwd=app)
    assert done.returncode != 0, "pods would stay pending for ever"
    assert 'nodePool: found "gpu"; must be a pool of the platform; write one of default' in done.stdout + done.stderr
    deployed.pulumi("config", "rm", "nodePool", "--stack", "test", cwd=app)


def test_the_kubeconfig_stays_a_secret_in_both_stacks(deployed: Lab, app: Path) -> None:
    shown = json.loads(deployed.pulumi("stack", "output", "--json", "--stack", "lab").stdout)
    assert shown["kubeconfig"] == "[secret]", "the kubeconfig is printed in every CI log"
    done = deployed.pulumi("up", "--yes", "--skip-preview", "--stack", "test", cwd=app)
    assert done.returncode == 0, output_of(done)
    state = deployed.pulumi("stack", "export", "--stack", "test", cwd=app).stdout
    assert "get-token" not in state, "the kubeconfig lies readable in the application's state"
