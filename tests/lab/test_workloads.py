"""The sample workload of every preset lands on its pool and on no other; changed pools stay, renamed ones drain.

With KARPENTER_LAB_RECORD=1 the run is recorded in docs/lab-results, from which `make docs` fills docs/node-pools.md.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client, utils

from components.spec.presets import PRESETS
from components.spec.versions import DEFAULT_KARPENTER_VERSION
from lab import story
from tests.support import ROOT, Lab, copy_project, output_of

pytestmark = pytest.mark.lab

SAMPLES = ROOT / "examples" / "workloads"
RESULTS = ROOT / "docs" / "lab-results"
TIMEOUT = 150
QUICKLY = {"disruption": {"consolidateAfter": "1s"}}


class Fleet:
    """The lab's stack with pools of our own, deployed from a copy of the program."""

    def __init__(self, lab: Lab, project: Path) -> None:
        self.lab = lab
        self.project = copy_project(project)
        self.file = self.project / "Pulumi.lab.yaml"

    def configure(self, pools: dict[str, Any]) -> None:
        """Write the pools, and the classes that the presets name, into the configuration."""
        stack = yaml.safe_load(self.file.read_text())
        config = stack["config"]
        default = config["karpenter-eks:nodeClasses"]["default"]
        reservations = {"capacityReservationSelectorTerms": [{"tags": {"purpose": "lab"}}]}
        config["karpenter-eks:nodeClasses"] = {
            "default": default,
            "gpu": default,
            "reserved": {**default, **reservations},
        }
        config["karpenter-eks:nodePools"] = pools
        self.file.write_text(yaml.safe_dump(stack))

    def up(self) -> str:
        """Deploy, and return what Pulumi printed."""
        done = self.lab.pulumi("up", "--stack", "lab", "--yes", "--skip-preview", cwd=self.project)
        assert done.returncode == 0, f"a stack with these pools cannot be deployed: {output_of(done)}"
        return done.stdout

    def preview(self) -> list[tuple[str, str]]:
        """What a preview would do: operation and logical name of each resource that changes."""
        done = self.lab.pulumi("preview", "--stack", "lab", "--json", cwd=self.project)
        assert done.returncode == 0, output_of(done)
        steps = json.loads(done.stdout)["steps"]
        return [(step["op"], step["urn"].rsplit("::", 1)[1]) for step in steps if step["op"] != "same"]


@pytest.fixture(scope="module")
def fleet(deployed: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    made = Fleet(deployed, tmp_path_factory.mktemp("fleet") / "project")
    yield made
    done = deployed.pulumi("up", "--stack", "lab", "--yes", "--skip-preview")
    assert done.returncode == 0, f"the lab's own stack cannot be put back: {output_of(done)}"


def pods_of(lab: Lab, app: str) -> list[Any]:
    return lab.cluster.pods(f"app={app}")


def pools_of(lab: Lab, pods: list[Any]) -> set[str]:
    """The NodePools whose nodes the pods run on."""
    nodes = {node.metadata.name: node.metadata.labels[story.NODE_POOL_LABEL] for node in lab.cluster.nodes()}
    return {nodes.get(pod.spec.node_name, "no pool") for pod in pods}


def wait_until_running(lab: Lab, app: str, replicas: int) -> None:
    def missing() -> str | None:
        running = [pod for pod in pods_of(lab, app) if pod.status.phase == "Running"]
        return None if len(running) >= replicas else f"{len(running)} of {replicas} pods of {app} run"

    story.wait(f"waiting for {replicas} pods of {app}", missing, TIMEOUT)


def record(lab: Lab, preset: str, app: str) -> None:
    """Write down what Karpenter did with a sample."""
    rows = list(story.node_rows(lab.cluster, app))
    told = {
        "karpenter": DEFAULT_KARPENTER_VERSION,
        "kubernetes": "1.36",
        "nodePool": preset,
        "pods": sum(row.pods for row in rows),
        "secondsToRunning": max(row.seconds for row in rows),
        "nodes": [
            {"instanceType": row.instance_type, "zone": row.zone, "capacityType": row.capacity_type, "pods": row.pods}
            for row in rows
        ],
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{preset}.json").write_text(json.dumps(told, indent=1) + "\n")


def test_every_sample_lands_on_its_own_pool(fleet: Fleet) -> None:
    lab = fleet.lab
    fleet.configure({preset: {"preset": preset} for preset in PRESETS})
    fleet.up()
    story.wait_until_ready(lab.cluster, TIMEOUT)
    api = lab.cluster.core.api_client
    samples = {preset: list(yaml.safe_load_all((SAMPLES / f"{preset}.yaml").read_text())) for preset in PRESETS}
    try:
        for documents in samples.values():
            for document in documents:
                utils.create_from_dict(api, document)  # type: ignore[no-untyped-call]
        for preset, (workload, _) in samples.items():
            app = workload["metadata"]["name"]
            wait_until_running(lab, app, workload["spec"]["replicas"])
            landed = pools_of(lab, pods_of(lab, app))
            assert landed == {preset}, (
                f"pods of the {preset} sample run on {landed}: others pay for them, or wait for them"
            )
            zones = {row.zone for row in story.node_rows(lab.cluster, app)}
            spread = {"customer-facing": 2, "stateful": 2}.get(preset, 1)
            assert len(zones) >= spread, f"all pods of the {preset} sample are in {zones}: one zone's end is theirs"
            if os.environ.get("KARPENTER_LAB_RECORD"):
                record(lab, preset, app)
    finally:
        for workload, budget in samples.values():
            delete = {
                "Deployment": lab.cluster.apps.delete_namespaced_deployment,
                "StatefulSet": lab.cluster.apps.delete_namespaced_stateful_set,
            }[workload["kind"]]
            delete(workload["metadata"]["name"], "default", grace_period_seconds=0)
            policy = client.PolicyV1Api(api)
            policy.delete_namespaced_pod_disruption_budget(budget["metadata"]["name"], "default")


def test_a_changed_pool_is_an_update_in_place(fleet: Fleet) -> None:
    fleet.configure({"general": {"preset": "general", **QUICKLY}})
    fleet.up()
    changes = {
        "weight": 10,
        "limits": {"cpu": "500"},
        "expireAfter": "24h",
        "labels": {"team": "a"},
        "taints": [{"key": "workload", "value": "x", "effect": "NoSchedule"}],
        "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}],
        "nodeClass": "gpu",
    }
    fleet.configure({"general": {"preset": "general", **QUICKLY, **changes}})
    steps = fleet.preview()
    assert {operation for operation, _ in steps} == {"update"}, (
        f"a change of {', '.join(changes)} would delete the pool and all its nodes: {steps}"
    )


def test_a_renamed_pool_drains_before_it_goes(fleet: Fleet) -> None:
    lab = fleet.lab
    fleet.configure({"old": {"preset": "general", **QUICKLY}})
    fleet.up()
    story.wait_until_ready(lab.cluster, TIMEOUT)
    workload = yaml.safe_load_all((SAMPLES / "general.yaml").read_text()).__next__()
    app, replicas = workload["metadata"]["name"], workload["spec"]["replicas"]
    lab.cluster.apps.create_namespaced_deployment("default", workload)
    try:
        wait_until_running(lab, app, replicas)
        assert pools_of(lab, pods_of(lab, app)) == {"old"}
        fleet.configure({"new": {"preset": "general", **QUICKLY}})
        fleet.up()
        left = [pool["metadata"]["name"] for pool in lab.cluster.node_pools()]
        assert left == ["new"], "the old pool is still there after `pulumi up`"
        end = time.monotonic() + TIMEOUT
        while pools_of(lab, pods_of(lab, app)) != {"new"} and time.monotonic() < end:
            time.sleep(0.5)
        assert pools_of(lab, pods_of(lab, app)) == {"new"}, "the pods did not move to the new pool"
    finally:
        lab.cluster.apps.delete_namespaced_deployment(app, "default", grace_period_seconds=0)
