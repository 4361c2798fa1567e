"""`make demo` tells the whole story, and what it leaves is stable."""

import re

import pytest

from lab.emulated_aws import ask
from tests.support import Lab, output_of

pytestmark = pytest.mark.lab


def test_demo_shows_the_nodes_that_karpenter_launched(deployed: Lab) -> None:
    text = deployed.demo_output
    assert "Nodes that Karpenter launched" in text, "people would not see what their pods run on"
    assert re.search(r"us-west-2[a-d]", text), "the zone is missing"
    assert re.search(r"on-demand|spot", text), "the capacity type is missing"
    assert re.search(r"\d\.\d{4}", text), "the price an hour is missing"


def test_demo_runs_again_without_changing_the_stack(deployed: Lab) -> None:
    done = deployed.command("demo", "--timeout", "120")
    assert done.returncode == 0, f"a second `make demo` fails: {output_of(done)}"
    assert not re.search(r"^\s*[+~-]", done.stdout, re.MULTILINE), "a second `make demo` changes resources"


@pytest.mark.parametrize("refresh", [(), ("--refresh",)], ids=["without refresh", "after refresh"])
def test_a_second_preview_is_empty(deployed: Lab, refresh: tuple[str, ...]) -> None:
    done = deployed.pulumi("preview", "--stack", "lab", "--diff", "--expect-no-changes", *refresh)
    assert done.returncode == 0, f"every pull request would show changes that nobody made: {output_of(done)}"


def test_foreign_changes_of_other_controllers_are_left_alone(deployed: Lab) -> None:
    cluster = deployed.pulumi("stack", "output", "clusterName", "--stack", "lab").stdout.strip()
    eks, ec2 = deployed.aws("eks"), deployed.aws("ec2")
    group = eks.list_nodegroups(clusterName=cluster)["nodegroups"][0]
    subnets = ec2.describe_subnets(Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": [cluster]}])["Subnets"]
    subnet = subnets[0]["SubnetId"]
    foreign = [{"Key": f"kubernetes.io/cluster/{cluster}", "Value": "shared"}]
    eks.update_nodegroup_config(clusterName=cluster, nodegroupName=group, scalingConfig={"desiredSize": 3})
    ec2.create_tags(Resources=[subnet], Tags=foreign)
    try:
        done = deployed.pulumi("preview", "--stack", "lab", "--diff", "--refresh", "--expect-no-changes")
        assert done.returncode == 0, f"the stack would fight with EKS over what EKS sets: {output_of(done)}"
    finally:
        ec2.delete_tags(Resources=[subnet], Tags=foreign)
        eks.update_nodegroup_config(clusterName=cluster, nodegroupName=group, scalingConfig={"desiredSize": 2})


def test_the_controller_has_no_denied_call_in_a_healthy_lab(deployed: Lab) -> None:
    denials = ask(deployed.state, "denials")
    assert not denials, f"our policies miss something that Karpenter calls: {denials}"
