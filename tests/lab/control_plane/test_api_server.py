"""The control plane is a real one, and who may use it is decided as EKS decides it."""

import subprocess
import sys
from pathlib import Path

import pytest
from kubernetes import client, config

from lab.control_plane import kubeconfig
from tests.lab.control_plane.hand_made import CLUSTER, World, eventually
from tests.support import Lab, output_of

pytestmark = pytest.mark.lab


def core_with(lab: Lab, token: str) -> client.CoreV1Api:
    ca_file = lab.folder / "pki" / "ca.crt"
    user = kubeconfig(lab.state.kubernetes_endpoint, ca_file, {"token": token})
    api = config.new_client_from_config_dict(user)  # type: ignore[no-untyped-call]  # has no annotations
    return client.CoreV1Api(api)


def eks_token(lab: Lab, environment: dict[str, str]) -> str:
    aws = Path(sys.executable).with_name("aws")
    command = [aws, "eks", "get-token", "--cluster-name", CLUSTER, "--query", "status.token", "--output", "text"]
    done = lab.run([str(part) for part in command], cwd=None, **environment)
    assert done.returncode == 0, output_of(done)
    return done.stdout.strip()


def test_the_version_is_the_one_that_the_stack_asks_for(plain: Lab) -> None:
    found = client.VersionApi(plain.cluster.core.api_client).get_code()
    assert found.git_version == "v1.36.3", "charts would see another Kubernetes than EKS has"


def test_who_made_the_cluster_may_use_it(plain: Lab, world: World) -> None:
    core = core_with(plain, eks_token(plain, {}))
    assert core.list_namespace().items, "the stack's own provider could install nothing"


def test_whoever_has_no_access_entry_may_not(plain: Lab, world: World) -> None:
    user = world.iam.create_user(UserName="stranger")["User"]
    keys = world.iam.create_access_key(UserName="stranger")["AccessKey"]
    secret = {"AWS_ACCESS_KEY_ID": keys["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"]}
    token = eks_token(plain, secret)
    with pytest.raises(client.ApiException) as caught:
        core_with(plain, token).list_namespace()
    assert caught.value.status == 401, "the lab lets in whom EKS keeps out"
    world.eks.create_access_entry(clusterName=CLUSTER, principalArn=user["Arn"])
    world.eks.associate_access_policy(
        clusterName=CLUSTER,
        principalArn=user["Arn"],
        policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        accessScope={"type": "cluster"},
    )

    def allowed() -> bool:
        try:
            return bool(core_with(plain, token).list_namespace().items)
        except client.ApiException:
            return False

    eventually("a new access entry does not help", allowed)


@pytest.mark.parametrize("token", ["nonsense", "k8s-aws-v1.bm9uc2Vuc2U"])
def test_a_made_up_token_is_refused(plain: Lab, token: str) -> None:
    with pytest.raises(client.ApiException) as caught:
        core_with(plain, token).list_namespace()
    assert caught.value.status == 401


def test_everything_listens_on_loopback_only(plain: Lab) -> None:
    for name, port in plain.state.ports.items():
        command = ["ss", "-Hltn", f"sport = :{port}"]
        try:
            found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            pytest.skip("no ss on this machine")
        addresses = {line.split()[3].rpartition(":")[0] for line in found.splitlines()}
        assert addresses <= {"127.0.0.1"}, f"others on the network reach the lab's {name}: {addresses}"
