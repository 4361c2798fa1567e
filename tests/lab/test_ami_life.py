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
from typing import Any, NamedTuple

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


class Nodes(NamedTuple):
    """How far a roll-out is: numbers of nodes, and of ready pods.

    Attributes:
        old: Nodes of the old AMI that stay.
        draining: Nodes of it that Karpenter takes away and whose instances still run: what a budget counts.
        ending: Nodes of it that are drained and whose instances EC2 was told to terminate; no budget counts them
            (source: BuildDisruptionBudgetMapping in pkg/controllers/disruption/helpers.go of Karpenter 1.14.3).
        new: Nodes of the new AMI, launching ones too.
        ready: Ready pods.
    """

    old: int
    draining: int
    ending: int
    new: int
    ready: int


@dataclass
class RollOut:
    """What was seen while nodes were replaced.

    Attributes:
        steps: What changed, and how many seconds after the update began.
    """

    steps: list[tuple[int, Nodes]] = field(default_factory=list)

    def note(self, second: int, nodes: Nodes) -> None:
        """Note it unless nothing changed."""
        if not self.steps or self.steps[-1][1] != nodes:
            self.steps.append((second, nodes))

    @property
    def most_disrupted(self) -> int:
        """Largest number of nodes that were being drained at once."""
        return max(nodes.draining for _, nodes in self.steps)

    @property
    def least_ready(self) -> int:
        """Smallest number of ready pods."""
        return min(nodes.ready for _, nodes in self.steps)

    def rows(self) -> list[list[int]]:
        """The steps as docs/ami-updates.md shows them."""
        return [[second, *nodes] for second, nodes in self.steps]


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


def image_of(claim: dict[str, Any]) -> str:
    return str(claim.get("status", {}).get("imageID", ""))


def is_going(claim: dict[str, Any]) -> bool:
    return "deletionTimestamp" in claim["metadata"]


def is_ending(claim: dict[str, Any]) -> bool:
    conditions = claim.get("status", {}).get("conditions", [])
    return is_going(claim) and any(
        each["type"] == "InstanceTerminating" and each["status"] == "True" for each in conditions
    )


def images(lab: Lab) -> set[str]:
    """The images of the NodeClaims that stay."""
    return {image_of(each) for each in lab.cluster.node_claims() if not is_going(each)}


def nodes_of(claims: list[dict[str, Any]], image: str, ready: int) -> Nodes:
    """Sort NodeClaims by how far they are on the way to an image."""
    going, ending = sum(map(is_going, claims)), sum(map(is_ending, claims))
    # A NodeClaim has no image before it is launched; what is launched now is new.
    new = sum(image_of(each) in {"", image} and not is_going(each) for each in claims)
    return Nodes(len(claims) - going - new, going - ending, ending, new, ready)


def rolls_out(team: Team, image: str) -> RollOut:
    """Deploy the pins and look on; pods must stay available, and the budget must hold."""
    started, seen = time.monotonic(), RollOut()
    team.up()

    def left() -> str | None:
        nodes = nodes_of(team.lab.cluster.node_claims(), image, ready_pods(team.lab))
        seen.note(round(time.monotonic() - started), nodes)
        if not (nodes.old or nodes.draining or nodes.ending) and nodes.ready == REPLICAS:
            return None
        return (
            f"{nodes.old} old nodes, {nodes.draining} draining, {nodes.ending} ending, {nodes.new} new; "
            f"{nodes.ready} of {REPLICAS} pods are ready"
        )

    story.wait(f"waiting for nodes of {image} only", left, TIMEOUT)
    assert seen.least_ready >= REPLICAS - 1, f"pods were not kept available: {seen}"
    assert seen.most_disrupted == 1, f"the disruption budget of one node did not hold: {seen}"
    return seen


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
    forth = rolls_out(team, NEW)

    # Production takes it, by way of staging.
    refused = team.pulumi("preview", *PRODUCTION)
    assert refused.returncode != 0, "production's rules take an AMI that nobody approved for production"
    assert NEW in output_of(refused), f"the refused AMI is not named: {output_of(refused)}"
    team.said["refused"] = [
        {"command": "pulumi preview " + " ".join(PRODUCTION), "output": policies_of(refused.stdout)}
    ]
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
    back = rolls_out(team, OLD)
    if os.environ.get("KARPENTER_LAB_RECORD"):
        record(team, forth, back)


def policies_of(output: str) -> str:
    """The part of a preview's output that tells what the policies say."""
    return output[output.index("Policies:") :].partition("Diagnostics:")[0].rstrip()


def record(team: Team, forth: RollOut, back: RollOut) -> None:
    """Write down what was run, what it printed, and how the roll-outs went."""
    told = {
        "karpenter": DEFAULT_KARPENTER_VERSION,
        "replicas": REPLICAS,
        "rollOut": forth.rows(),
        "rollBack": back.rows(),
        "commands": team.said,
    }
    RECORDING.write_text(json.dumps(told, indent=1) + "\n")
