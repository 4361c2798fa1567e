"""The life of an AMI in the lab: found, approved, rolled out node by node under a budget, promoted, rolled back."""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import Lab, copy_project, output_of

pytestmark = pytest.mark.lab

OLD, NEW, RELEASE = "ami-0a1b2c3d4e5f60001", "ami-0b1b2c3d4e5f60001", "20261115"
REPLICAS, TIMEOUT = 4, 180
WORKLOAD = "ami-life"


@dataclass
class Seen:
    """What was seen of a roll-out.

    Attributes:
        least_ready: Smallest number of ready pods.
        most_disrupted: Largest number of nodes that were being taken away at once.
    """

    least_ready: int = REPLICAS
    most_disrupted: int = 0


@pytest.fixture
def project(deployed: Lab, tmp_path: Path) -> Iterator[Path]:
    """A copy of the project whose pins a test may change; the lab's stack is as before afterwards."""
    folder = copy_project(tmp_path / "project")
    staging = (folder / "Pulumi.lab.yaml").read_text().replace("environment: lab", "environment: staging")
    (folder / "Pulumi.staging.yaml").write_text(staging)
    yield folder
    deployed.cluster.apps.delete_namespaced_deployment(WORKLOAD, "default")
    policy_api(deployed).delete_namespaced_pod_disruption_budget(WORKLOAD, "default")
    done = deployed.pulumi("up", "--stack", "lab", "--yes", "--skip-preview")
    assert done.returncode == 0, output_of(done)


def policy_api(lab: Lab) -> Any:
    from kubernetes import client

    return client.PolicyV1Api(lab.cluster.core.api_client)


def ops(lab: Lab, project: Path, *arguments: str) -> str:
    done = lab.run([sys.executable, "-m", "ops", "ami", *arguments], cwd=project)
    assert done.returncode == 0, f"ops ami {' '.join(arguments)} fails: {output_of(done)}"
    return done.stdout


def up(lab: Lab, project: Path) -> None:
    done = lab.pulumi("up", "--stack", "lab", "--yes", "--skip-preview", cwd=project)
    assert done.returncode == 0, f"the new pins cannot be deployed: {output_of(done)}"


def publish(lab: Lab) -> None:
    url = f"{lab.state.aws_endpoint}/_lab/images/publish"
    body = json.dumps({"release": RELEASE}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, method="POST")) as answer:
        assert answer.status == 200


def start_workload(lab: Lab) -> None:
    """Pods that share no node, so that each node that goes takes one of them along."""
    labels = {"app": WORKLOAD}
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    anti = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    requests = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}}
    pause = {"name": "pause", "image": "public.ecr.aws/eks-distro/kubernetes/pause:3.10", "resources": requests}
    pod = {"terminationGracePeriodSeconds": 0, "affinity": anti, "containers": [pause]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"replicas": REPLICAS, "selector": {"matchLabels": labels}, "template": template}
    body: Any = {"metadata": {"name": WORKLOAD}, "spec": spec}
    lab.cluster.apps.create_namespaced_deployment("default", body)
    policy = {"minAvailable": REPLICAS - 1, "selector": {"matchLabels": labels}}
    policy_api(lab).create_namespaced_pod_disruption_budget("default", {"metadata": {"name": WORKLOAD}, "spec": policy})
    wait(lambda: ready_pods(lab) == REPLICAS, "the workload's pods never run")


def ready_pods(lab: Lab) -> int:
    found: Any = lab.cluster.apps.read_namespaced_deployment(WORKLOAD, "default")
    return int(found.status.ready_replicas or 0)


def images(lab: Lab) -> list[str]:
    """The image of every NodeClaim that is not going away."""
    claims = lab.cluster.node_claims()
    staying = [each for each in claims if not each["metadata"].get("deletionTimestamp")]
    return [each.get("status", {}).get("imageID", "") for each in staying]


def watch(lab: Lab, image: str) -> Seen:
    """Look on until every node has an image."""
    seen = Seen()

    def is_over() -> bool:
        seen.least_ready = min(seen.least_ready, ready_pods(lab))
        going = [each for each in lab.cluster.node_claims() if each["metadata"].get("deletionTimestamp")]
        seen.most_disrupted = max(seen.most_disrupted, len(going))
        found = images(lab)
        return not going and bool(found) and set(found) == {image} and ready_pods(lab) == REPLICAS

    wait(is_over, f"nodes are never replaced by ones with {image}")
    return seen


def wait(is_over: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + TIMEOUT
    while not is_over():
        assert time.monotonic() < end, otherwise
        time.sleep(0.5)


def pinned(project: Path, stack: str) -> str:
    return (project / f"Pulumi.{stack}.yaml").read_text()


def test_an_ami_goes_from_candidate_to_promotion_and_back(deployed: Lab, project: Path) -> None:
    lab = deployed
    # One node at a time, which is what the story is about; the lab's own pool would replace 10 %, rounded up, as well.
    path = project / "Pulumi.lab.yaml"
    budget = '        budgets: [{nodes: "1"}]\n'
    path.write_text(path.read_text().rstrip("\n") + "\n" + budget)
    up(lab, project)
    start_workload(lab)
    assert set(images(lab)) == {OLD}, "the lab does not begin with the pinned AMI"

    publish(lab)
    assert NEW in ops(lab, project, "resolve", "--stack", "lab"), "the new release is not found"
    ids = [NEW, NEW.replace("60001", "60002")]
    approval = ("--reviewer", "ann", "--notes", "release notes read")
    ops(lab, project, "approve", *ids, "--environment", "lab", *approval)
    assert OLD in pinned(project, "lab"), "an approval must not change a stack"
    ops(lab, project, "use", "--stack", "lab", "--why", "the monthly update")
    up(lab, project)
    seen = watch(lab, NEW)
    assert seen.least_ready >= REPLICAS - 1, f"pods were not kept available: {seen}"
    assert seen.most_disrupted <= 1, f"the disruption budget did not hold: {seen}"

    promotion = ("promote", "--from", "lab", "--to", "staging", "--min-days", "0", *approval)
    ops(lab, project, *promotion)
    assert NEW in pinned(project, "staging"), "the next environment does not get what this one proved"

    ops(lab, project, "rollback", "--stack", "lab", "--why", "rehearsal", "--force")
    assert OLD in pinned(project, "lab"), "the set before does not come back in one step"
    up(lab, project)
    seen = watch(lab, OLD)
    assert seen.least_ready >= REPLICAS - 1, f"pods were not kept available on the way back: {seen}"
    assert "retired" in (project / "amis" / "ledger.yaml").read_text(), "the bad AMI would come back by itself"
