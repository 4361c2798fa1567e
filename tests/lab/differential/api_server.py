"""The smallest API server that can judge manifests: etcd, kube-apiserver and the pinned CRDs; nothing runs in it."""

import http.client
import json
import secrets
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

READY_WITHIN = 90
PATHS = {
    "NodePool": "/apis/karpenter.sh/v1/nodepools",
    "EC2NodeClass": "/apis/karpenter.k8s.aws/v1/ec2nodeclasses",
    "NodeOverlay": "/apis/karpenter.sh/v1alpha1/nodeoverlays",
    "CapacityBuffer": "/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers",
}


@dataclass(frozen=True)
class Verdict:
    """What the API server says about a manifest."""

    accepted: bool
    message: str


class ApiServer:
    """Asks the API server, over one connection that stays open."""

    def __init__(self, port: int, token: str) -> None:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # its own certificate, on loopback, made a moment ago
        self.connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """One request; the answer's status and body."""
        text = None if body is None else json.dumps(body)
        try:
            self.connection.request(method, path, body=text, headers=self.headers)
            answer = self.connection.getresponse()
            raw = answer.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise
        return answer.status, json.loads(raw) if raw.startswith(b"{") else {"message": raw.decode()}

    def judge(self, manifest: Mapping[str, Any]) -> Verdict:
        """Whether a manifest would be created: a strict dry run on the server."""
        path = f"{PATHS[manifest['kind']]}?dryRun=All&fieldValidation=Strict"
        status, body = self.ask("POST", path, manifest)
        return Verdict(status in {200, 201}, str(body.get("message", "")))


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def signing_key(path: Path) -> Path:
    """A key for the tokens of service accounts."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return path


def wait_until_ready(server: ApiServer, processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait until the API server answers."""
    end = time.monotonic() + READY_WITHIN
    while time.monotonic() < end:
        dead = [process.args for process in processes if process.poll() is not None]
        assert not dead, f"{dead} ended before the API server was ready; its log lies beside its data"
        try:
            if server.ask("GET", "/readyz")[0] == 200:
                return
        except (http.client.HTTPException, OSError):
            pass
        time.sleep(0.2)
    message = f"the API server was not ready within {READY_WITHIN} s"
    raise AssertionError(message)


def install_crds(server: ApiServer, folder: Path) -> None:
    """Create the CRDs of a folder and wait until the API server serves them."""
    for file in sorted(folder.glob("*.yaml")):
        crd = yaml.safe_load(file.read_text())
        status, body = server.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
        assert status in {201, 409}, f"the API server refuses the pinned CRD {file.name}: {body}"
    end = time.monotonic() + READY_WITHIN
    while time.monotonic() < end:
        if all(server.ask("GET", path)[0] == 200 for path in PATHS.values()):
            return
        time.sleep(0.2)
    message = "the API server does not serve the CRDs that it took"
    raise AssertionError(message)


@contextmanager
def running(tools: Path, folder: Path) -> Iterator[ApiServer]:
    """An API server with the pinned CRDs, gone afterwards.

    Args:
        tools: Folder with etcd and kube-apiserver, and the CRDs in assets/crds.
        folder: An empty folder for data and logs.
    """
    etcd_port, peer_port, port, token = free_port(), free_port(), free_port(), secrets.token_hex(16)
    tokens = folder / "tokens.csv"
    tokens.write_text(f'{token},tester,tester,"system:masters"\n')
    key = signing_key(folder / "sa.key")
    etcd_url, peer_url = f"http://127.0.0.1:{etcd_port}", f"http://127.0.0.1:{peer_port}"
    commands: tuple[list[str | Path], ...] = (
        [
            tools / "etcd",
            f"--data-dir={folder / 'etcd'}",
            f"--listen-client-urls={etcd_url}",
            f"--advertise-client-urls={etcd_url}",
            f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}",
            f"--initial-cluster=default={peer_url}",
            "--unsafe-no-fsync",
        ],
        [
            tools / "kube-apiserver",
            f"--etcd-servers={etcd_url}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={port}",
            f"--cert-dir={folder / 'certificates'}",
            f"--token-auth-file={tokens}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.100.0.0/16",
        ],
    )
    processes: list[subprocess.Popen[bytes]] = []
    server = ApiServer(port, token)
    try:
        for command in commands:
            with (folder / f"{Path(command[0]).name}.log").open("wb") as log:
                processes.append(subprocess.Popen([str(part) for part in command], stdout=log, stderr=log))
        wait_until_ready(server, processes)
        install_crds(server, tools / "assets" / "crds")
        yield server
    finally:
        server.connection.close()
        for process in processes:
            process.kill()  # nothing in it is worth keeping, and a polite API server waits for its storage
            process.wait(timeout=30)
