"""Version pairs, partitions, the kubeconfig, tags, and the form of a problem."""

import json

import pytest

from components.spec import tags
from components.spec.kubeconfig import kubeconfig
from components.spec.partitions import cluster_arn, ec2_principal, managed_policy_arn, role_name
from components.spec.problems import ABSENT, Problem
from components.spec.versions import LEAST_KARPENTER, check_versions


@pytest.mark.parametrize("kubernetes", LEAST_KARPENTER)
def test_the_default_karpenter_goes_with_every_listed_kubernetes(kubernetes: str) -> None:
    assert check_versions(kubernetes, "1.14.3") == [], "an upgrade of Kubernetes would be refused without need"


@pytest.mark.parametrize(
    ("kubernetes", "karpenter", "path", "text"),
    [
        ("1.36", "1.12.0", "karpenter.version", "1.13.0 or newer"),
        ("1.35", "1.8.9", "karpenter.version", "1.9.0 or newer"),
        ("1.34", "1.5.0", "karpenter.version", "1.6.0 or newer"),
        ("1.33", "1.4.9", "karpenter.version", "1.5.0 or newer"),
        ("1.32", "1.1.0", "karpenter.version", "1.2.0 or newer"),
        ("1.31", "1.0.4", "karpenter.version", "1.0.5 or newer"),
        ("1.30", "0.36.0", "karpenter.version", "0.37.0 or newer"),
        ("1.36", "1.13.9", "karpenter.version", "1.14.0 or newer"),
        ("1.29", "1.14.3", "cluster.version", "1.30, 1.31"),
        ("1.37", "1.14.3", "cluster.version", "1.36"),
        ("1.36", "latest", "karpenter.version", "full version"),
    ],
)
def test_a_pair_that_does_not_work_is_refused(kubernetes: str, karpenter: str, path: str, text: str) -> None:
    problems = [p for p in check_versions(kubernetes, karpenter) if text in p.line()]
    assert problems, f"Karpenter {karpenter} would panic on Kubernetes {kubernetes}"
    assert problems[0].path == path


def test_both_wrong_versions_are_told_at_once() -> None:
    assert [p.path for p in check_versions("1.99", "new")] == ["cluster.version", "karpenter.version"]


@pytest.mark.parametrize(
    ("region", "partition", "principal"),
    [
        ("us-west-2", "aws", "ec2.amazonaws.com"),
        ("cn-north-1", "aws-cn", "ec2.amazonaws.com.cn"),
        ("us-gov-west-1", "aws-us-gov", "ec2.amazonaws.com"),
    ],
)
def test_partitions(region: str, partition: str, principal: str) -> None:
    assert ec2_principal(partition) == principal
    assert managed_policy_arn(partition, "X") == f"arn:{partition}:iam::aws:policy/X"
    assert cluster_arn(partition, region, "1", "c") == f"arn:{partition}:eks:{region}:1:cluster/c"


@pytest.mark.parametrize("given", ["arn:aws:iam::1:role/team/name", "team/name", "name"])
def test_a_role_s_name_has_no_path(given: str) -> None:
    assert role_name(given) == "name"


def test_a_kubeconfig_holds_no_credential_and_is_the_same_every_time() -> None:
    text = kubeconfig("c", "https://e", "Q0E=", "us-west-2")
    assert text == kubeconfig("c", "https://e", "Q0E=", "us-west-2"), "every update would change the provider"
    content = json.loads(text)
    [user] = content["users"]
    assert set(user["user"]) == {"exec"}, "a credential would stand in the state"
    assert user["user"]["exec"]["args"] == [
        "eks", "get-token", "--cluster-name", "c", "--region", "us-west-2", "--output", "json"
    ]  # fmt: skip
    assert content["clusters"][0]["cluster"] == {"server": "https://e", "certificate-authority-data": "Q0E="}


def test_tags_that_something_selects_by() -> None:
    private = tags.private_subnet_tags("c", "n")
    assert private["karpenter.sh/discovery"] == "c", "Karpenter would find no subnet"
    assert private["kubernetes.io/role/internal-elb"] == "1"
    assert tags.public_subnet_tags("n") == {"Name": "n", "kubernetes.io/role/elb": "1"}, (
        "Karpenter would launch nodes into public subnets"
    )


def test_a_problem_is_one_line_with_everything_in_it() -> None:
    assert Problem("a.b", 0, "must be > 0", "write 1").line("x:") == "x:a.b: found 0; must be > 0; write 1"
    assert Problem("a", ABSENT, "must be given", "write it").line() == "a: found nothing; must be given; write it"
    assert "\n" not in Problem("a", {"multi\nline"}, "r", "m").line(), "one mistake would fill several lines"
