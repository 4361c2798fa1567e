"""One thing is broken at a time; `make demo` then fails and names it."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support import Lab, output_of

pytestmark = pytest.mark.lab
CONTROLLER = "app.kubernetes.io/name=karpenter"


def output(lab: Lab, name: str) -> str:
    return lab.pulumi("stack", "output", name, "--stack", "lab").stdout.strip()


def restart_controller(lab: Lab) -> None:
    """Have Karpenter forget what it has cached."""
    old = {pod.metadata.name for pod in lab.cluster.pods(CONTROLLER, "kube-system")}
    apps: Any = lab.cluster.apps
    wanted = apps.read_namespaced_deployment("karpenter", "kube-system").spec.replicas
    # One call for all: a pod of an earlier roll-out may be gone between a list and its deletion.
    lab.cluster.core.delete_collection_namespaced_pod("kube-system", label_selector=CONTROLLER, grace_period_seconds=0)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        new = {pod.metadata.name for pod in lab.cluster.pods(CONTROLLER, "kube-system")} - old
        if len(new) >= wanted:
            return
        time.sleep(0.5)


def mend(lab: Lab) -> None:
    """Put back what is missing in AWS, as a user would."""
    done = lab.pulumi("up", "--stack", "lab", "--yes", "--skip-preview", "--refresh")
    assert done.returncode == 0, f"`pulumi up --refresh` does not mend what somebody deleted: {output_of(done)}"


@contextmanager
def no_association(lab: Lab) -> Iterator[None]:
    eks, cluster = lab.aws("eks"), output(lab, "clusterName")
    for found in eks.list_pod_identity_associations(clusterName=cluster)["associations"]:
        eks.delete_pod_identity_association(clusterName=cluster, associationId=found["associationId"])
    restart_controller(lab)
    yield
    mend(lab)
    restart_controller(lab)


@contextmanager
def controller_environment(lab: Lab, name: str, value: str) -> Iterator[None]:
    """What a wrong or missing value of the chart makes of the controller's environment."""
    apps: Any = lab.cluster.apps
    deployment = apps.read_namespaced_deployment("karpenter", "kube-system")
    env = deployment.spec.template.spec.containers[0].env
    right = next(entry.value for entry in env if entry.name == name)

    def put(new: str) -> None:
        container = {"name": "controller", "env": [{"name": name, "value": new}]}
        apps.patch_namespaced_deployment(
            "karpenter", "kube-system", {"spec": {"template": {"spec": {"containers": [container]}}}}
        )

    # All at once, as a release that waits would find them: no old pod may go on working beside the new ones.
    recreate: dict[str, Any] = {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}
    apps.patch_namespaced_deployment("karpenter", "kube-system", recreate)
    put(value)
    yield
    put(right)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": "25%"}}
    apps.patch_namespaced_deployment("karpenter", "kube-system", {"spec": {"strategy": rolling}})


def wrong_queue(lab: Lab) -> AbstractContextManager[None]:
    return controller_environment(lab, "INTERRUPTION_QUEUE", "no-such-queue")


def no_cluster_value(lab: Lab) -> AbstractContextManager[None]:
    return controller_environment(lab, "CLUSTER_NAME", "")


@contextmanager
def no_subnet_tag(lab: Lab) -> Iterator[None]:
    ec2, cluster = lab.aws("ec2"), output(lab, "clusterName")
    tag = {"Key": "karpenter.sh/discovery", "Value": cluster}
    found = ec2.describe_subnets(Filters=[{"Name": f"tag:{tag['Key']}", "Values": [cluster]}])["Subnets"]
    subnets = [subnet["SubnetId"] for subnet in found]
    ec2.delete_tags(Resources=subnets, Tags=[tag])
    restart_controller(lab)
    yield
    ec2.create_tags(Resources=subnets, Tags=[tag])
    restart_controller(lab)


@contextmanager
def no_access_entry(lab: Lab) -> Iterator[None]:
    eks, cluster = lab.aws("eks"), output(lab, "clusterName")
    eks.delete_access_entry(clusterName=cluster, principalArn=output(lab, "nodeRoleArn"))
    yield
    mend(lab)


@contextmanager
def no_node_role(lab: Lab) -> Iterator[None]:
    custom = lab.cluster.custom
    right = output(lab, "nodeRoleName")

    def put(role: str) -> None:
        body = {"spec": {"role": role}}
        custom.patch_cluster_custom_object("karpenter.k8s.aws", "v1", "ec2nodeclasses", "default", body)

    put("no-such-role")
    yield
    put(right)


@contextmanager
def no_run_instances(lab: Lab) -> Iterator[None]:
    iam, cluster = lab.aws("iam"), output(lab, "clusterName")
    policies = iam.list_policies(Scope="Local")["Policies"]
    arn = next(p["Arn"] for p in policies if "NodeLifecycle" in p["PolicyName"] and p["PolicyName"].endswith(cluster))
    first = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
    document = iam.get_policy_version(PolicyArn=arn, VersionId=first)["PolicyVersion"]["Document"]
    document = json.loads(document) if isinstance(document, str) else document
    right = json.dumps(document)
    for statement in document["Statement"]:
        if isinstance(statement["Action"], list):
            statement["Action"] = [action for action in statement["Action"] if action != "ec2:RunInstances"]
    made = iam.create_policy_version(PolicyArn=arn, PolicyDocument=json.dumps(document), SetAsDefault=True)
    restart_controller(lab)
    yield
    # The emulator has no SetDefaultPolicyVersion: the right document comes back as a new version.
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=right, SetAsDefault=True)
    for version in (first, made["PolicyVersion"]["VersionId"]):
        iam.delete_policy_version(PolicyArn=arn, VersionId=version)
    restart_controller(lab)


@dataclass(frozen=True)
class Breakage:
    """One thing that is broken.

    Attributes:
        broken: Breaks it on entry and mends it on exit.
        named: Texts that the demo's message must hold.
    """

    broken: Callable[[Lab], AbstractContextManager[None]]
    named: tuple[str, ...]


BREAKAGES = {
    "no pod identity association": Breakage(no_association, ("pod identity association", "kube-system", "karpenter")),
    "wrong queue name": Breakage(wrong_queue, ("no-such-queue",)),
    "no value for the cluster": Breakage(no_cluster_value, ("CLUSTER_NAME", "settings.clusterName")),
    "subnet tag removed": Breakage(no_subnet_tag, ("subnet", "karpenter.sh/discovery")),
    "access entry removed": Breakage(no_access_entry, ("access entry", "EC2_LINUX", "KarpenterNodeRole")),
    "node role that does not exist": Breakage(no_node_role, ("no-such-role",)),
    "policy without RunInstances": Breakage(no_run_instances, ("ec2:RunInstances",)),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_demo_fails_and_names_what_is_broken(deployed: Lab, name: str) -> None:
    breakage = BREAKAGES[name]
    with breakage.broken(deployed):
        done = deployed.command("demo", "--timeout", "25")
    deployed.cluster.scale("inflate", 0)
    assert done.returncode == 1, f"the demo passes with: {name}. {output_of(done)}"
    for text in breakage.named:
        assert text in done.stderr, f"with {name}, people would have to search for the cause: {output_of(done)}"
    assert "Traceback" not in done.stderr, "people would read a traceback"


def test_the_lab_is_whole_again_after_all_that(deployed: Lab) -> None:
    done = deployed.command("demo", "--timeout", "120")
    assert done.returncode == 0, f"a mended cluster does not work again: {output_of(done)}"
