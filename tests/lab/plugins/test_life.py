"""What people do to a stack besides deploying it, through the engine and the stand-ins."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.lab.plugins.stack import Stack
from tests.support import ROOT, Lab, output_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.lab

PROJECT = "name: plugins\nmain: program.py\nruntime: python\n"
DEAD_END = "http://127.0.0.1:9"
"""The environment's AWS in these tests: only a provider's own endpoints lead to the emulator."""
SECONDS_TO_END = 30


def stack_of(lab: Lab, folder: Path, program: str) -> Stack:
    (folder / "state").mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text(PROJECT)
    (folder / "program.py").write_text(program)
    environment = {
        **lab.environment,
        "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
        "AWS_ENDPOINT_URL": DEAD_END,
        "EMULATOR": lab.state.aws_endpoint,
    }
    stack = Stack(folder, environment)
    stack.must("stack", "init", "plugins")
    return stack


TWO_PROVIDERS = """
import os
import pulumi
import pulumi_aws as aws

def provider(name):
    endpoints = [dict.fromkeys(("sts", "sqs", "logs"), os.environ["EMULATOR"])]
    tags = aws.ProviderDefaultTagsArgs(tags={"team": pulumi.Config().get(name) or name})
    return pulumi.ResourceOptions(provider=aws.Provider(
        name, region="us-west-2", endpoints=endpoints, default_tags=tags, skip_metadata_api_check=True
    ))

aws.sqs.Queue("one", message_retention_seconds=300, opts=provider("one"))
aws.cloudwatch.LogGroup("two", retention_in_days=7, opts=provider("two"))
"""


@pytest.fixture(scope="module")
def two(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Two resources by two providers."""
    stack = stack_of(lab, tmp_path_factory.mktemp("life") / "project", TWO_PROVIDERS)
    stack.must("up", "--yes", "--skip-preview")
    yield stack
    stack.run("destroy", "--yes", "--skip-preview")


def queue_of(lab: Lab) -> str:
    [url] = lab.aws("sqs").list_queues(QueueNamePrefix="one-")["QueueUrls"]
    return str(url)


def queue_tags(lab: Lab) -> dict[str, str]:
    found: dict[str, str] = lab.aws("sqs").list_queue_tags(QueueUrl=queue_of(lab))["Tags"]
    return found


def log_groups(lab: Lab) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lab.aws("logs").describe_log_groups(logGroupNamePrefix="two-")["logGroups"]
    return found


@pytest.mark.usefixtures("two")
def test_each_provider_has_its_own_endpoints_and_tags(lab: Lab) -> None:
    assert queue_tags(lab) == {"team": "one"}, "one provider's tags reach the other's resources"


def test_other_default_tags_are_set_in_place(lab: Lab, two: Stack) -> None:
    before = queue_of(lab)
    two.must("up", "--yes", "--skip-preview", "--config", "plugins:one=payments")
    assert queue_tags(lab) == {"team": "payments"}, "a new default tag never reaches AWS"
    assert queue_of(lab) == before, "a new default tag replaces what it is put on"


def test_what_was_deleted_by_hand_comes_back(lab: Lab, two: Stack) -> None:
    [group] = log_groups(lab)
    lab.aws("logs").delete_log_group(logGroupName=group["logGroupName"])
    two.must("up", "--yes", "--skip-preview", "--refresh")
    again = [found["retentionInDays"] for found in log_groups(lab)]
    assert again == [7], f"a log group deleted by hand stays away: {again}"


def test_what_is_gone_already_can_be_destroyed(lab: Lab, two: Stack) -> None:
    lab.aws("sqs").delete_queue(QueueUrl=queue_of(lab))
    done = two.run("destroy", "--yes", "--skip-preview")
    assert done.returncode == 0, f"a stack can't be destroyed once somebody tidied up by hand: {output_of(done)}"


def test_a_mistake_that_the_program_reports_ends_without_a_traceback(lab: Lab, tmp_path: Path) -> None:
    failing = 'import pulumi\nraise pulumi.RunError("node pools: nothing named default")\n'
    done = stack_of(lab, tmp_path / "project", failing).run("preview")
    text = done.stdout + done.stderr
    assert done.returncode != 0, f"wrong configuration is deployed: {output_of(done)}"
    assert "nothing named default" in text, f"the message gets lost: {text}"
    assert "Traceback" not in text, f"a user's mistake ends in a traceback: {text}"


UNKNOWN_EKS_INPUT = """
import pulumi_eks as eks
eks.Cluster(
    "cluster", name="cluster", vpc_id="vpc-1", subnet_ids=["subnet-1"], fargate=True,
    authentication_mode=eks.AuthenticationMode.API, skip_default_node_group=True, skip_default_security_groups=True,
    coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
    vpc_cni_options=eks.VpcCniOptionsArgs(enable_prefix_delegation=True),
)
"""


def test_inputs_of_a_cluster_that_the_eks_plugin_does_not_know_are_refused(lab: Lab, tmp_path: Path) -> None:
    done = stack_of(lab, tmp_path / "project", UNKNOWN_EKS_INPUT).run("preview", "--config", "aws:region=us-west-2")
    text = done.stdout + done.stderr
    assert done.returncode != 0, f"an input is dropped silently: {output_of(done)}"
    for name in ("fargate", "vpcCniOptions.enablePrefixDelegation"):
        assert f"does not know {name}" in text, f"it does not say that {name} is the reason: {text}"


@pytest.mark.parametrize("plugin", ["aws", "language_host"])
def test_a_plugin_ends_with_its_engine(plugin: str) -> None:
    engine = (
        "import subprocess, sys\n"
        f"p = subprocess.Popen([sys.executable, '-m', 'lab.plugins.{plugin}', '127.0.0.1:1'], stdout=subprocess.PIPE)\n"
        "p.stdout.readline()\n"
        "print(p.pid)\n"
    )
    done = subprocess.run([sys.executable, "-c", engine], cwd=ROOT, capture_output=True, text=True, check=True)
    pid = int(done.stdout)
    end = time.monotonic() + SECONDS_TO_END
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        time.sleep(0.2)
    left = psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    if left:
        psutil.Process(pid).kill()
    assert not left, "a killed `pulumi up` leaves plugins running for ever"
