"""A lab is whole or it is none; programs inside it see nothing of the user's own accounts."""

import datetime
import json
import os
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from lab import lab
from lab.certificates import write_certificates
from lab.control_plane import ControlPlane
from lab.kwok import stages_of
from lab.lab import environment, start, stop
from lab.processes import Ledger, ProcessError
from lab.state import State, await_state, read_state, state_file, write_state

USERS_OWN = {
    "AWS_PROFILE": "work",
    "AWS_SESSION_TOKEN": "real",
    "AWS_ENDPOINT_URL_EC2": "https://real",
    "KUBECONFIG": "/home/me/.kube/config",
    "PULUMI_ACCESS_TOKEN": "real",
    "PULUMI_BACKEND_URL": "https://real",
}


def state_in(folder: Path, pids: dict[str, int] | None = None) -> State:
    tools = str(folder / "tools")
    endpoints = ("http://127.0.0.1:1", "https://127.0.0.1:2")
    kubeconfig = str(folder / "admin.kubeconfig")
    return State(str(folder), *endpoints, kubeconfig, "us-west-2", "123456789012", {"aws": 1}, tools, pids or {})


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = state_in(tmp_path)
    write_state(written)
    assert read_state(tmp_path) == written
    assert await_state(tmp_path, 0) == written


def test_a_folder_without_a_lab_has_none(tmp_path: Path) -> None:
    assert read_state(tmp_path) is None
    assert await_state(tmp_path, 0) is None


def test_a_lab_that_lost_a_program_is_none(tmp_path: Path) -> None:
    write_state(state_in(tmp_path, pids={"etcd": 1}))
    assert read_state(tmp_path) is None, "`make demo` would wait for a control plane that is not there"


def test_programs_in_the_lab_see_nothing_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in USERS_OWN.items():
        monkeypatch.setenv(name, value)
    found = environment(state_in(tmp_path))
    for name, value in USERS_OWN.items():
        assert found.get(name) != value, f"{name} leads to something real: the lab could change it"
    assert not Path(found["KUBECONFIG"]).exists(), "a real cluster could be reached"
    assert found["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert found["PULUMI_BACKEND_URL"].startswith("file://")


def test_the_labs_own_programs_come_first_on_the_path(tmp_path: Path) -> None:
    first, second, *_ = environment(state_in(tmp_path))["PATH"].split(os.pathsep)
    assert (first, second) == (str(tmp_path / "bin"), str(tmp_path / "tools"))


def test_a_missing_emulator_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "EMULATOR_PYTHON", tmp_path / "none")
    with pytest.raises(ProcessError, match="make lab-up") as caught:
        start(tmp_path / "lab", tmp_path / "tools")
    assert "\n" not in str(caught.value)


def test_stopping_forgets_everything_but_the_logs(tmp_path: Path) -> None:
    write_state(state_in(tmp_path))
    for name in ("etcd", "pulumi-state", "logs"):
        (tmp_path / name).mkdir()
    stop(tmp_path)
    stop(tmp_path)
    left = {found.name for found in tmp_path.iterdir()}
    assert not left & {"etcd", "pulumi-state", state_file(tmp_path).name}, (
        "the next lab would have a state of resources that are in no AWS any more"
    )
    assert "logs" in left, "nobody could read afterwards what went wrong"


def test_stopping_what_never_was_does_nothing(tmp_path: Path) -> None:
    stop(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_the_servers_certificate_is_signed_by_the_labs_authority(tmp_path: Path) -> None:
    write_certificates(tmp_path, "10.100.0.1")
    authority, server = (
        x509.load_pem_x509_certificate((tmp_path / n).read_bytes()) for n in ("ca.crt", "apiserver.crt")
    )
    key = authority.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    assert server.signature_hash_algorithm is not None
    key.verify(server.signature, server.tbs_certificate_bytes, padding.PKCS1v15(), server.signature_hash_algorithm)
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {str(ip) for ip in names.get_values_for_type(x509.IPAddress)} == {"127.0.0.1", "10.100.0.1"}
    assert server.not_valid_after_utc > datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=30)


def test_keys_and_tokens_are_for_their_owner_only(tmp_path: Path) -> None:
    plane = ControlPlane(tmp_path, tmp_path, {"kubernetes": 1}, Ledger(tmp_path))
    plane.prepare("http://127.0.0.1:3/_lab/token-review")
    for file in ("pki/apiserver.key", "pki/service-account.key", "pki/tokens.csv", "admin.kubeconfig"):
        mode = (tmp_path / file).stat().st_mode & 0o777
        assert mode == 0o600, f"others on this machine could read {file} and be the lab's administrator"
    webhook = json.loads((tmp_path / "pki" / "token-review.kubeconfig").read_text())
    assert webhook["clusters"][0]["cluster"]["server"] == "http://127.0.0.1:3/_lab/token-review"


def test_kwok_leaves_karpenters_pods_alone(tmp_path: Path) -> None:
    stages = tmp_path / "pod" / "fast"
    stages.mkdir(parents=True)
    for name in ("pod-ready", "pod-delete"):
        stage = {
            "kind": "Stage",
            "metadata": {"name": name},
            "spec": {"selector": {"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}},
        }
        (stages / f"{name}.yaml").write_text(yaml.safe_dump(stage))
    found = {stage["metadata"]["name"]: stage for stage in stages_of(tmp_path)}
    ready = found["pod-ready"]["spec"]["selector"]["matchExpressions"]
    assert {"operator": "NotIn", "values": ["karpenter"]}.items() <= ready[-1].items(), (
        "a controller that never started would be called ready"
    )
    assert len(found["pod-delete"]["spec"]["selector"]["matchExpressions"]) == 1, "its pods would never go away"
