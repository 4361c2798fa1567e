"""The life of an AMI: found, approved, rolled out node by node under a budget, promoted to production, rolled back.

What is deployed is the lab's own stack in the part of the environment dev, so that the commands are those of
docs/ami-updates.md. With KARPENTER_LAB_RECORD=1 they are recorded in docs/lab-results, and `make docs` fills that page.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client

from components.spec.versions import DEFAULT_KARPENTER_VERSION
from lab import story
from lab.emulated_aws import tell
from tests.support import ROOT, Lab, copy_project, output_of

pytestmark = pytest.mark.lab

OLD, NEW = "ami-0a1b2c3d4e5f60001", "ami-0b1b2c3d4e5f60001"
RELEASE = "20261115"
REPLICAS, TIMEOUT = 4, 240
WORKLOAD = "ami-life"
RECORDING = ROOT / "docs" / "lab-results" / "ami-life.json"
PRODUCTION = ("--policy-pack", "policies", "--policy-pack-config", "policies/config.prod.json")


@dataclass
class RollOut:
    """What was seen while nodes were replaced.

    Attributes:
        least_ready: Smallest number of ready pods.
        most_disrupted: Largest number of nodes that were being taken away at once.
    """

    least_ready: int = REPLICAS
    most_disrupted: int = 0


@dataclass
class Team:
    """A clone of the project in git, whose stack dev is what the lab runs.

    Attributes:
        lab: The lab.
        folder: The clone.
        said: Commands and what they printed, by the name that docs/ami-updates.md knows them by.
    """

    lab: Lab
    folder: Path
    said: dict[str, list[dict[str, str]]] = field(default_factory=dict)

    def ops(self, part: str, *arguments: str) -> str:
        """Run `ops ami` and note what it printed."""
        done = self.lab.run([sys.executable, "-m", "ops", "ami", *arguments], cwd=self.folder)
        command = f"python -m ops ami {shlex.join(arguments)}"
        assert done.returncode == 0, f"{command} fails: {output_of(done)}"
        self.said.setdefault(part, []).append({"command": command, "output": done.stdout})
        return done.stdout

    def commit(self) -> None:
        """Commit what a command wrote, as its last lines say."""
        for arguments in (["add", "--all"], ["commit", "--quiet", "--message", "AMIs"]):
            identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com")
            subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True)

    def pulumi(self, *arguments: str, stack: str = "dev") -> subprocess.CompletedProcess[str]:
        """Run Pulumi on the lab's stack, with the configuration of one of the environments."""
        named = ("--stack", "lab", "--config-file", f"Pulumi.{stack}.yaml")
        return self.lab.pulumi(*arguments, *named, cwd=self.folder)

    def up(self) -> None:
        done = self.pulumi("up", "--yes", "--skip-preview")
        assert done.returncode == 0, f"the pins cannot be deployed: {output_of(done)}"

    def pins(self, stack: str) -> dict[str, str]:
        config = yaml.safe_load((self.folder / f"Pulumi.{stack}.yaml").read_text())["config"]
        return dict(config["karpenter-eks:nodeClasses"]["default"]["amis"])

    def status_in(self, environment: str, ami_id: str) -> str:
        ledger = yaml.safe_load((self.folder / "amis" / "ledger.yaml").read_text())
        return str(ledger["amis"][ami_id]["environments"][environment]["status"])


@pytest.fixture
def team(deployed: Lab, tmp_path: Path) -> Iterator[Team]:
    """A team without any AMI yet; the lab's stack is as before afterwards."""
    folder = copy_project(tmp_path / "project")
    lab_file = folder / "Pulumi.lab.yaml"
    dev = yaml.safe_load(lab_file.read_text())
    config = dev["config"]
    config["karpenter-eks:environment"] = "dev"
    del config["karpenter-eks:nodeClasses"]["default"]["amis"]
    del config["karpenter-eks:cluster"]["systemNodes"]["releaseVersion"]
    # One node at a time, at the pace that production asks for.
    disruption = {"consolidateAfter": "15m", "budgets": [{"nodes": "1"}]}
    config["karpenter-eks:nodePools"]["default"]["disruption"].update(disruption)
    (folder / "Pulumi.dev.yaml").write_text(yaml.safe_dump(dev, sort_keys=False))
    charts = "  karpenter-eks:karpenter:\n    chartRepository: ./.lab/charts\n"
    for stack in ("staging", "prod"):  # their charts are in a registry, which the lab does not reach
        path = folder / f"Pulumi.{stack}.yaml"
        # Without the salt, the first preview writes one, and the file has edits that nobody committed.
        path.write_text(f"{path.read_text()}{charts}encryptionsalt: {dev['encryptionsalt']}\n")
    lab_file.unlink()
    days = "promotion:\n  minDays: {staging: 0, prod: 0}\n"
    (folder / "amis" / "ledger.yaml").write_text(f"schemaVersion: 1\n{days}amis: {{}}\npins: {{}}\n")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    made = Team(deployed, folder)
    made.commit()
    yield made
    deployed.cluster.apps.delete_namespaced_deployment(WORKLOAD, "default", grace_period_seconds=0)
    policy_api(deployed).delete_namespaced_pod_disruption_budget(WORKLOAD, "default")
    done = deployed.pulumi("up", "--stack", "lab", "--yes", "--skip-preview")
    assert done.returncode == 0, f"the lab's own stack cannot be put back: {output_of(done)}"


def policy_api(lab: Lab) -> client.PolicyV1Api:
    return client.PolicyV1Api(lab.cluster.core.api_client)


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
    budget: Any = {
        "metadata": {"name": WORKLOAD},
        "spec": {"minAvailable": REPLICAS - 1, "selector": {"matchLabels": labels}},
    }
    policy_api(lab).create_namespaced_pod_disruption_budget("default", budget)
    story.wait_until_running(lab.cluster, WORKLOAD, REPLICAS, TIMEOUT)


def ready_pods(lab: Lab) -> int:
    found: Any = lab.cluster.apps.read_namespaced_deployment(WORKLOAD, "default")
    return int(found.status.ready_replicas or 0)


def is_going(claim: dict[str, Any]) -> bool:
    return "deletionTimestamp" in claim["metadata"]


def images(lab: Lab) -> set[str]:
    """The images of the NodeClaims that stay."""
    return {each.get("status", {}).get("imageID", "") for each in lab.cluster.node_claims() if not is_going(each)}


def watch(lab: Lab, image: str) -> RollOut:
    """Look on until every node has an image."""
    seen = RollOut()

    def left() -> str | None:
        ready, claims = ready_pods(lab), lab.cluster.node_claims()
        going = [each for each in claims if is_going(each)]
        seen.least_ready = min(seen.least_ready, ready)
        seen.most_disrupted = max(seen.most_disrupted, len(going))
        found = images(lab)
        if not going and found == {image} and ready == REPLICAS:
            return None
        return f"nodes run {', '.join(sorted(found))}; {len(going)} of them go; {ready} of {REPLICAS} pods are ready"

    story.wait(f"waiting for nodes of {image} only", left, TIMEOUT)
    return seen


def rolls_out(team: Team, image: str) -> tuple[RollOut, float]:
    """Deploy the pins and look on; pods must stay available, and the budget must hold."""
    started = time.monotonic()
    team.up()
    seen = watch(team.lab, image)
    assert seen.least_ready >= REPLICAS - 1, f"pods were not kept available: {seen}"
    assert seen.most_disrupted == 1, f"the disruption budget of one node did not hold: {seen}"
    return seen, time.monotonic() - started


def test_an_ami_goes_from_candidate_to_production_and_back(team: Team) -> None:
    lab = team.lab

    # The first set, in every environment.
    assert OLD in team.ops("first", "resolve", "--stack", "dev")
    notes = ("--notes", "release notes read, no open CVE above medium")
    team.ops("first", "approve", OLD, "--environment", "dev", "--reviewer", "ann", *notes)
    team.ops("first", "use", "--stack", "dev", "--why", "first set")
    team.commit()
    for lower, upper in (("dev", "staging"), ("staging", "prod")):
        team.ops("first", "resolve", "--stack", upper)
        steps = ("promote", "--from", lower, "--to", upper, "--allow-untried")
        team.ops("first", *steps, "--reviewer", "bo", "--notes", f"ran in {lower} without findings")
        team.commit()
    team.up()
    start_workload(lab)
    assert images(lab) == {OLD}, "nodes do not run the AMI that is pinned"

    # A new release appears.
    tell(lab.state, "images/publish", release=RELEASE)
    assert NEW in team.ops("resolve", "resolve", "--stack", "dev"), "the new release is not found"
    assert team.pins("dev")["amd64"] == OLD, "looking for AMIs must not change a stack"
    team.ops("review", "diff", OLD, NEW)
    team.ops("review", "approve", NEW, "--environment", "dev", "--reviewer", "ann", *notes)
    assert team.pins("dev")["amd64"] == OLD, "an approval must not change a stack"
    team.ops("use", "use", "--stack", "dev", "--why", "monthly update")
    team.commit()
    forth, seconds = rolls_out(team, NEW)

    # Production takes it, by way of staging.
    refused = team.pulumi("preview", *PRODUCTION)
    assert refused.returncode != 0, "production's rules take an AMI that nobody approved for production"
    assert f"{NEW}" in refused.stdout + refused.stderr, f"the refused AMI is not named: {output_of(refused)}"
    team.ops("arm64", "resolve", "--stack", "staging")
    promotion = ("--reviewer", "bo", "--notes", "ran in dev without findings", "--allow-untried")
    team.ops("staging", "promote", "--from", "dev", "--to", "staging", *promotion, "--dry-run")
    team.ops("staging", "promote", "--from", "dev", "--to", "staging", *promotion)
    team.commit()
    approval = ("--reviewer", "cy", "--notes", "a week in staging, load test fine")
    team.ops("prod", "promote", "--from", "staging", "--to", "prod", *approval)
    team.ops("prod", "diff", "staging", "prod")
    team.commit()
    assert team.pins("prod")["amd64"] == NEW, "production does not get what staging proved"
    team.ops("status", "status")
    for stack, what in (("dev", "the lab's own stack"), ("prod", "production's stack")):
        allowed = team.pulumi("preview", *PRODUCTION, stack=stack)
        assert allowed.returncode == 0, f"{what} breaks production's rules: {output_of(allowed)}"

    # It turns out to be bad.
    assert OLD in team.ops("rollback", "rollback", "--stack", "prod", "--why", "nodes lose their disks")
    assert team.pins("prod")["amd64"] == OLD, "the set before does not come back in one step"
    assert team.status_in("prod", NEW) == "retired", "the bad AMI could come back by itself"
    team.ops("rollback-dev", "rollback", "--stack", "dev", "--why", "nodes lose their disks")
    team.commit()
    back, _ = rolls_out(team, OLD)
    if os.environ.get("KARPENTER_LAB_RECORD"):
        record(team, forth, back, seconds)


def record(team: Team, forth: RollOut, back: RollOut, seconds: float) -> None:
    """Write down what was run, what it printed, and how the roll-outs went."""
    told = {
        "karpenter": DEFAULT_KARPENTER_VERSION,
        "nodes": REPLICAS,
        "secondsToRollOut": round(seconds),
        "leastReadyPods": min(forth.least_ready, back.least_ready),
        "mostNodesDisruptedAtOnce": max(forth.most_disrupted, back.most_disrupted),
        "commands": team.said,
    }
    RECORDING.write_text(json.dumps(told, indent=1) + "\n")
