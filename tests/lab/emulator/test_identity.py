"""Who gets credentials and who gets into the cluster: pod identity and token review."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lab.emulator.world import Emulator, Keys, World, trust

pytestmark = pytest.mark.lab

ACCOUNT_AND_POD = {"namespace": "kube-system", "serviceAccount": "karpenter", "podName": "karpenter-0", "podUid": "u-1"}
NAMESPACE_CONDITION = {"StringEquals": {"aws:RequestTag/kubernetes-namespace": "kube-system"}}


def associate(world: World, trust_policy: str, **more: Any) -> str:
    name = f"{world.cluster}-pods"
    role = world.as_root("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust_policy)["Role"]["Arn"]
    world.as_root("eks").create_pod_identity_association(
        clusterName=world.cluster, namespace="kube-system", serviceAccount="karpenter", roleArn=role, **more
    )
    return str(role)


def pods_trust(condition: dict[str, Any] | None = None) -> str:
    return trust("pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession", condition=condition)


def ask(world: World, **more: str) -> tuple[int, Any]:
    return world.emulator.lab("pod-identity", {"clusterName": world.cluster, **ACCOUNT_AND_POD, **more})


def test_the_association_gives_the_pod_its_roles_credentials(world: World) -> None:
    world.make_cluster()
    role = associate(world, pods_trust(NAMESPACE_CONDITION))
    status, answer = ask(world)
    assert status == 200, answer
    found = answer["credentials"]
    keys = Keys(found["accessKeyId"], found["secretAccessKey"], found["sessionToken"])
    who = world.emulator.aws("sts", keys).get_caller_identity()["Arn"]
    assert who.startswith(role.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/") + "/eks-")


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (trust("ec2.amazonaws.com", "sts:AssumeRole", "sts:TagSession"), "sts:AssumeRole"),
        (trust("pods.eks.amazonaws.com", "sts:AssumeRole"), "sts:TagSession"),
        (pods_trust({"StringEquals": {"aws:RequestTag/kubernetes-namespace": "karpenter"}}), "kube-system"),
        (pods_trust({"StringEquals": {"aws:SourceAccount": "000000000000"}}), "sts:AssumeRole"),
    ],
    ids=["another service", "no session tags", "another namespace", "another account"],
)
def test_the_trust_policy_decides(world: World, policy: str, words: str) -> None:
    world.make_cluster()
    role = associate(world, policy)
    status, answer = ask(world)
    assert (status, answer["code"]) == (403, "AccessDeniedException"), "a trust policy that AWS refuses would pass"
    assert role in answer["message"]
    assert words in answer["message"]


def test_without_an_association_there_are_no_credentials(world: World) -> None:
    world.make_cluster()
    status, answer = ask(world)
    assert status == 404
    assert answer["message"] == (
        f"No pod identity association found for service account kube-system/karpenter on cluster {world.cluster}."
    )
    associate(world, pods_trust())
    assert ask(world, serviceAccount="other")[0] == 404
    assert ask(world, clusterName="none")[0] == 404
    assert ask(world, podUid="")[0] == 400


def test_a_pods_token_is_enough_for_an_sdk(world: World, emulator: Emulator) -> None:
    world.make_cluster()
    associate(world, pods_trust())
    claims = {
        "kubernetes.io": {
            "namespace": "kube-system",
            "serviceaccount": {"name": "karpenter"},
            "pod": {"name": "karpenter-0", "uid": "u-1"},
        }
    }
    token = ".".join(["h", base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("="), "s"])
    path = f"pod-identity/credentials?cluster={world.cluster}"
    status, answer = emulator.lab(path, headers={"Authorization": token})
    assert status == 200, answer
    assert answer.keys() >= {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}
    assert emulator.lab(path, headers={"Authorization": "no token"})[0] == 400


def token_of(world: World, keys: Keys, cluster: str = "") -> str:
    """What `aws eks get-token` prints, as every kubeconfig of the stack calls it."""
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_ENDPOINT_URL": world.emulator.endpoint,
        "AWS_ACCESS_KEY_ID": keys.key,
        "AWS_SECRET_ACCESS_KEY": keys.secret,
        **({"AWS_SESSION_TOKEN": keys.token} if keys.token else {}),
    }
    aws = Path(sys.executable).with_name("aws")
    command = [str(aws), "eks", "get-token", "--cluster-name", cluster or world.cluster, "--region", "us-west-2"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return str(json.loads(done.stdout)["status"]["token"])


def review(world: World, token: str, query: str = "") -> dict[str, Any]:
    document = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    return dict(world.emulator.lab(f"token-review{query}", document)[1]["status"])


def test_the_creator_is_an_administrator(world: World) -> None:
    world.make_cluster()
    status = review(world, token_of(world, Keys()))
    assert status["authenticated"], "nobody could use the kubeconfig of a new cluster"
    assert "system:masters" in status["user"]["groups"]


def test_an_access_entry_lets_its_role_in_and_nobody_else(world: World) -> None:
    world.make_cluster()
    token = token_of(world, world.controller)
    assert review(world, token) == {"authenticated": False}, "a principal without an access entry would get in"
    eks, entry = world.as_root("eks"), {"clusterName": world.cluster, "principalArn": world.controller_role}
    eks.create_access_entry(**entry, kubernetesGroups=["readers"])
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    eks.associate_access_policy(**entry, policyArn=policy, accessScope={"type": "cluster"})
    user = review(world, token, f"?cluster={world.cluster}")["user"]
    assert user["username"] == f"arn:aws:sts::123456789012:assumed-role/{world.cluster}-karpenter/karpenter"
    assert user["groups"] == ["readers", "eks-access-policy:AmazonEKSViewPolicy"]
    eks.delete_access_entry(**entry)
    assert review(world, token) == {"authenticated": False}, "a removed administrator would keep access"


def test_a_token_for_another_cluster_or_with_a_broken_signature_is_refused(world: World) -> None:
    world.make_cluster()
    assert not review(world, token_of(world, Keys(), "another"))["authenticated"]
    assert not review(world, token_of(world, Keys("test", "wrong")))["authenticated"]
    assert not review(world, "k8s-aws-v1.nonsense")["authenticated"]
    assert not review(world, "")["authenticated"]
