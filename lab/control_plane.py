"""etcd, kube-apiserver, kube-controller-manager and kube-scheduler, on loopback."""

import base64
import json
import secrets
import ssl
import urllib.error
import urllib.request
from pathlib import Path

from lab.certificates import write_certificates
from lab.processes import Ledger, Process

SERVICE_RANGE = "10.100.0.0/16"
SERVICE_IP = "10.100.0.1"
ISSUER = "https://kubernetes.default.svc"
READY_SECONDS = 90


class ControlPlane:
    """The programs of one lab's control plane.

    Args:
        folder: The lab's folder.
        tools: Folder of the lab's programs.
        ports: Ports named ``etcd``, ``etcd-peer``, ``kubernetes``, ``controller-manager`` and ``scheduler``.
        ledger: Where what runs is written down.
    """

    def __init__(self, folder: Path, tools: Path, ports: dict[str, int], ledger: Ledger) -> None:
        self._folder, self._tools, self._ports, self._ledger = folder, tools, ports, ledger
        self.endpoint = f"https://127.0.0.1:{ports['kubernetes']}"
        self.ca_file = folder / "pki" / "ca.crt"
        self.kubeconfig = folder / "admin.kubeconfig"

    def prepare(self, token_review_url: str) -> None:
        """Write certificates, tokens and kubeconfigs.

        Args:
            token_review_url: Where the API server asks who the owner of a token of ``aws eks get-token`` is.
        """
        write_certificates(self._folder / "pki", SERVICE_IP)
        token = secrets.token_hex(16)
        tokens = self._folder / "pki" / "tokens.csv"
        tokens.touch(mode=0o600)
        tokens.write_text(f'{token},lab,lab,"system:masters"\n')
        self.kubeconfig.touch(mode=0o600)
        self.kubeconfig.write_text(json.dumps(kubeconfig(self.endpoint, self.ca_file, {"token": token})))
        (self._folder / "pki" / "token-review.kubeconfig").write_text(json.dumps(_webhook(token_review_url)))

    def start_etcd(self) -> Process:
        """Start the store."""
        client, peer = (f"http://127.0.0.1:{self._ports[name]}" for name in ("etcd", "etcd-peer"))
        return self._ledger.start(
            "etcd",
            [
                self._tools / "etcd",
                f"--data-dir={self._folder / 'etcd'}",
                f"--listen-client-urls={client}",
                f"--advertise-client-urls={client}",
                f"--listen-peer-urls={peer}",
                f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=default={peer}",
                # Nothing in a lab has to outlive a power cut.
                "--unsafe-no-fsync",
                "--log-level=warn",
            ],
        )

    def start_api_server(self) -> Process:
        """Start the API server and wait for it."""
        pki = self._folder / "pki"
        process = self._ledger.start(
            "kube-apiserver",
            [
                self._tools / "kube-apiserver",
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                f"--secure-port={self._ports['kubernetes']}",
                f"--etcd-servers=http://127.0.0.1:{self._ports['etcd']}",
                f"--tls-cert-file={pki / 'apiserver.crt'}",
                f"--tls-private-key-file={pki / 'apiserver.key'}",
                f"--service-account-key-file={pki / 'service-account.key'}",
                f"--service-account-signing-key-file={pki / 'service-account.key'}",
                f"--service-account-issuer={ISSUER}",
                f"--token-auth-file={pki / 'tokens.csv'}",
                f"--authentication-token-webhook-config-file={pki / 'token-review.kubeconfig'}",
                "--authentication-token-webhook-version=v1",
                # A removed access entry has to count at once.
                "--authentication-token-webhook-cache-ttl=1s",
                "--authorization-mode=Node,RBAC",
                f"--service-cluster-ip-range={SERVICE_RANGE}",
                "--endpoint-reconciler-type=none",
            ],
        )
        self._ledger.wait(process, self._ready, READY_SECONDS)
        return process

    def start_controllers(self) -> list[Process]:
        """Start the controller manager and the scheduler."""
        pki = self._folder / "pki"
        manager = self._ledger.start(
            "kube-controller-manager",
            [
                self._tools / "kube-controller-manager",
                f"--kubeconfig={self.kubeconfig}",
                "--bind-address=127.0.0.1",
                f"--secure-port={self._ports['controller-manager']}",
                f"--service-account-private-key-file={pki / 'service-account.key'}",
                f"--root-ca-file={self.ca_file}",
                "--use-service-account-credentials",
                "--leader-elect=false",
                "--controllers=*,-nodeipam,-cloud-node-lifecycle",
            ],
        )
        scheduler = self._ledger.start(
            "kube-scheduler",
            [
                self._tools / "kube-scheduler",
                f"--kubeconfig={self.kubeconfig}",
                "--bind-address=127.0.0.1",
                f"--secure-port={self._ports['scheduler']}",
                "--leader-elect=false",
            ],
        )
        return [manager, scheduler]

    def _ready(self) -> bool:
        token = json.loads(self.kubeconfig.read_text())["users"][0]["user"]["token"]
        request = urllib.request.Request(f"{self.endpoint}/readyz", headers={"Authorization": f"Bearer {token}"})
        try:
            context = ssl.create_default_context(cafile=str(self.ca_file))
            with urllib.request.urlopen(request, timeout=2, context=context) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def kubeconfig(endpoint: str, ca_file: Path, user: dict[str, str]) -> dict[str, object]:
    """A kubeconfig for one user.

    Args:
        endpoint: URL of the API server.
        ca_file: Certificate of its authority.
        user: What the user shows: ``token`` or ``tokenFile``.
    """
    authority = base64.b64encode(ca_file.read_bytes()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "lab", "cluster": {"server": endpoint, "certificate-authority-data": authority}}],
        "users": [{"name": "lab", "user": user}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
        "current-context": "lab",
    }


def _webhook(url: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "token-review", "cluster": {"server": url}}],
        "users": [{"name": "kube-apiserver", "user": {}}],
        "contexts": [{"name": "webhook", "context": {"cluster": "token-review", "user": "kube-apiserver"}}],
        "current-context": "webhook",
    }
