"""Runs the real Karpenter controller for each of its pods, with what the deployed stack gives the pod."""

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from botocore.exceptions import BotoCoreError, ClientError
from kubernetes import client, config

from lab.control_plane import kubeconfig
from lab.emulated_aws import own_url, root_client
from lab.player import play
from lab.pod_environment import EnvironmentUnknownError, environment
from lab.pod_status import Container, now, status
from lab.processes import free_ports
from lab.state import State

SELECTOR = "app.kubernetes.io/name=karpenter"
TOKEN_SECONDS = 3600
RENEW_SECONDS = 1800
LONGEST_PAUSE = 10.0
"""Seconds between a crash and the next start; the kubelet waits up to five minutes."""
POD_IDENTITY_AUDIENCE = "pods.eks.amazonaws.com"


@dataclass
class Run:
    """The process of one pod's container.

    Attributes:
        folder: Its kubeconfig and tokens.
        process: The process, or None while it waits to be started again.
        started: When it was started last.
        restarts: How often it was started again.
        last_exit: Exit code of its last end.
        last_words: The last line of its log before that.
        start_at: Not before this moment of the monotonic clock.
        renewed: When its tokens were made, on the same clock.
        health_port: Port of its probes.
        log_start: Where its log began, in bytes: earlier runs have written to the same file.
        written: The status that was written last.
    """

    folder: Path
    process: subprocess.Popen[bytes] | None = None
    started: datetime | None = None
    restarts: int = -1
    last_exit: int | None = None
    last_words: str = ""
    start_at: float = 0.0
    renewed: float = float("-inf")
    health_port: int = 0
    log_start: int = 0
    written: Container | None = None

    def end(self) -> None:
        """End the process: politely, since it has a leader's lease to give back."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class Controllers:
    """The controllers of a lab.

    Args:
        state: The lab.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._api = config.new_client_from_config(state.admin_kubeconfig)  # type: ignore[no-untyped-call]  # not annotated
        self._core: Any = client.CoreV1Api(self._api)
        self._runs: dict[str, Run] = {}

    def step(self) -> None:
        """Compare pods with processes once, and do what is missing."""
        pods = {pod["metadata"]["uid"]: pod for pod in self._pods()}
        for uid in set(self._runs) - set(pods):
            run = self._runs.pop(uid)
            run.end()
            shutil.rmtree(run.folder, ignore_errors=True)
        for uid, pod in pods.items():
            run = self._runs.setdefault(uid, Run(Path(self._state.folder) / "controllers" / uid))
            try:
                self._keep_running(pod, run)
                self._tell(pod, run)
            except (client.ApiException, BotoCoreError, ClientError, OSError) as error:
                # One pod that cannot be started must not keep the others from it.
                print(f"{pod['metadata']['name']}: will try again: {error}", flush=True)  # noqa: T201 (this is its log)

    def _pods(self) -> list[dict[str, Any]]:
        found = self._core.list_pod_for_all_namespaces(label_selector=SELECTOR)
        pods: list[dict[str, Any]] = [self._api.sanitize_for_serialization(pod) for pod in found.items]
        return [p for p in pods if p["spec"].get("nodeName") and "deletionTimestamp" not in p["metadata"]]

    def _keep_running(self, pod: Mapping[str, Any], run: Run) -> None:
        if time.monotonic() - run.renewed > RENEW_SECONDS:
            self._write_tokens(pod, run)
        if run.process is not None and (code := run.process.poll()) is not None:
            run.process, run.started, run.last_exit = None, None, code
            run.last_words = last_line(self._log(pod), run.log_start)
            run.start_at = time.monotonic() + min(2.0 ** (run.restarts + 1), LONGEST_PAUSE)
        if run.process is None and time.monotonic() >= run.start_at:
            self._start(pod, run)

    def _start(self, pod: Mapping[str, Any], run: Run) -> None:
        container = pod["spec"]["containers"][0]
        try:
            own = environment(pod, container)
        except EnvironmentUnknownError as error:
            run.last_words, run.start_at = str(error), time.monotonic() + LONGEST_PAUSE
            return
        metrics, run.health_port = free_ports(2)
        variables = {
            # The chart's own variables first: nothing here may hide that one of them is missing.
            **own,
            **self._credentials(pod, run),
            "AWS_ENDPOINT_URL": self._state.aws_endpoint,
            "AWS_REGION": self._state.region,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "KUBECONFIG": str(run.folder / "kubeconfig"),
            # In a cluster the controller reads it from a file that the kubelet mounts.
            "LEADER_ELECTION_NAMESPACE": str(pod["metadata"]["namespace"]),
            # Two pods on one machine can't share the chart's ports.
            "METRICS_PORT": str(metrics),
            "HEALTH_PROBE_PORT": str(run.health_port),
        }
        with self._log(pod).open("ab") as log:
            run.log_start = log.tell()
            run.process = subprocess.Popen(
                [Path(self._state.tools) / "karpenter"],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        run.started, run.restarts = now(), run.restarts + 1

    def _credentials(self, pod: Mapping[str, Any], run: Run) -> dict[str, str]:
        """What EKS puts into a pod whose service account has an association: where to get credentials, and how."""
        eks = root_client(self._state, "eks")
        wanted = {
            "namespace": pod["metadata"]["namespace"],
            "serviceAccount": pod["spec"]["serviceAccountName"],
        }
        for cluster in eks.list_clusters()["clusters"]:
            if eks.list_pod_identity_associations(clusterName=cluster, **wanted)["associations"]:
                url = own_url(self._state, f"pod-identity/credentials?cluster={cluster}")
                return {
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": url,
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(run.folder / "pod-identity-token"),
                }
        return {}

    def _write_tokens(self, pod: Mapping[str, Any], run: Run) -> None:
        run.folder.mkdir(parents=True, exist_ok=True)
        run.folder.chmod(0o700)
        (run.folder / "token").write_text(self._token(pod, None))
        (run.folder / "pod-identity-token").write_text(self._token(pod, POD_IDENTITY_AUDIENCE))
        ca_file = Path(self._state.folder) / "pki" / "ca.crt"
        user = {"tokenFile": str(run.folder / "token")}
        (run.folder / "kubeconfig").write_text(json.dumps(kubeconfig(self._state.kubernetes_endpoint, ca_file, user)))
        run.renewed = time.monotonic()

    def _token(self, pod: Mapping[str, Any], audience: str | None) -> str:
        """A token of the pod's own service account, which ends with the pod."""
        meta = pod["metadata"]
        bound = {"kind": "Pod", "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"]}
        spec: dict[str, Any] = {"expirationSeconds": TOKEN_SECONDS, "boundObjectRef": bound, "audiences": []}
        if audience is not None:
            spec["audiences"] = [audience]
        made = self._core.create_namespaced_service_account_token(
            pod["spec"]["serviceAccountName"], meta["namespace"], {"spec": spec}
        )
        return str(made.status.token)

    def _tell(self, pod: Mapping[str, Any], run: Run) -> None:
        ready = run.process is not None and answers(f"http://127.0.0.1:{run.health_port}/readyz")
        container = Container(ready, run.started, max(run.restarts, 0), run.last_exit, run.last_words)
        if container == run.written:
            return
        body = {"status": status(pod, container, self._address_of(pod["spec"]["nodeName"]))}
        meta = pod["metadata"]
        with suppress(client.ApiException):
            self._core.patch_namespaced_pod_status(meta["name"], meta["namespace"], body)
            run.written = container

    def _address_of(self, node: str) -> str:
        addresses = self._core.read_node(node).status.addresses
        return next(str(found.address) for found in addresses if found.type == "InternalIP")

    def _log(self, pod: Mapping[str, Any]) -> Path:
        return Path(self._state.folder) / "logs" / f"controller-{pod['metadata']['name']}.log"


def answers(url: str) -> bool:
    """Whether a probe passes."""
    try:
        with urllib.request.urlopen(url, timeout=1) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def last_line(log: Path, start: int) -> str:
    """What a program said last that says something: a panic's first line counts more than its stack.

    Args:
        log: Its log.
        start: Where to begin, in bytes.
    """
    text = log.read_bytes()[start:].decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith("panic:") or '"level":"ERROR"' in line]
    return (telling or lines or [""])[-1][:2000]


def run(folder: Annotated[Path, typer.Option("--dir")]) -> None:
    """Keep the controllers running until the lab ends."""
    play(folder, Controllers)


if __name__ == "__main__":
    typer.run(run)
