"""Starts and stops a lab as a whole."""

import fcntl
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lab.console import step
from lab.control_plane import ControlPlane
from lab.kwok import start_kwok
from lab.processes import Ledger, ProcessError, free_ports
from lab.state import ACCOUNT_ID, REGION, State, read_state, state_file, write_state
from lab.toolchain import official_plugin, official_pulumi

ROOT = Path(__file__).parents[1]
EMULATOR_PYTHON = ROOT / ".lab" / "emulator-venv" / "bin" / "python"
PORTS = ("aws", "etcd", "etcd-peer", "kubernetes", "controller-manager", "scheduler", "kwok")
OF_ONE_RUN = ("etcd", "pki", "pulumi-state", "aws", "controllers", "state.json", "refused-nodes.json")
"""What belongs to one run: the emulated AWS keeps everything in memory, so nothing of this may outlive it."""
READY_SECONDS = 90
STAND_INS = {
    "pulumi-language-python": "language_host",
    "pulumi-resource-aws": "aws",
    "pulumi-resource-eks": "eks",
}
"""Program on PATH -> our module that stands in for it."""


def start(folder: Path, tools: Path) -> State:
    """Start a lab; where it runs as a whole already, do nothing.

    Args:
        folder: Its folder; two folders are two labs.
        tools: Folder of the lab's programs.

    Raises:
        ProcessError: If a program does not come up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        found = read_state(folder)
        if found is not None:
            return found
        _clear(folder)
        with step("starting the lab"):
            return _start(folder, tools)


def stop(folder: Path) -> None:
    """End everything that runs in a lab and forget what was in it; logs stay.

    Args:
        folder: Its folder.
    """
    if folder.exists():
        with _alone(folder):
            _clear(folder)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _clear(folder: Path) -> None:
    Ledger(folder).stop()
    state_file(folder).unlink(missing_ok=True)
    for name in OF_ONE_RUN:
        target = folder / name
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)


def _start(folder: Path, tools: Path) -> State:
    if not EMULATOR_PYTHON.exists():
        message = "the emulated AWS has no Python environment yet: run `make lab-up`, which sets it up"
        raise ProcessError(message)
    ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    ledger = Ledger(folder)
    plane = ControlPlane(folder, tools, ports, ledger)
    aws = f"http://127.0.0.1:{ports['aws']}"
    plane.prepare(f"{aws}/_lab/token-review")
    state = State(
        folder=str(folder),
        aws_endpoint=aws,
        kubernetes_endpoint=plane.endpoint,
        admin_kubeconfig=str(plane.kubeconfig),
        region=REGION,
        account_id=ACCOUNT_ID,
        ports=ports,
        tools=str(tools),
    )
    emulator = ledger.start("aws", _emulator_command(folder, tools, ports["aws"], plane), _python_environment())
    plane.start_etcd()
    plane.start_api_server()
    plane.start_controllers()
    start_kwok(folder, tools, ports["kwok"], plane.kubeconfig, ledger)
    ledger.wait(emulator, lambda: _answers(f"{aws}/_lab/health"), READY_SECONDS)
    _write_programs(folder, tools)
    for name in ("kubelet", "controller"):
        ledger.start(name, [sys.executable, "-m", f"lab.{name}", "--dir", str(folder)], _python_environment())
    # Written once and last: whoever is interrupted before finds no lab, and the next start begins afresh.
    whole = replace(state, pids={process.name: process.pid for process in ledger.processes()})
    write_state(whole)
    return whole


def _emulator_command(folder: Path, tools: Path, port: int, plane: ControlPlane) -> list[str | Path]:
    return [
        EMULATOR_PYTHON,
        "-m",
        "lab.emulator",
        f"--port={port}",
        f"--region={REGION}",
        f"--account={ACCOUNT_ID}",
        f"--data={folder / 'aws'}",
        f"--kubernetes-endpoint={plane.endpoint}",
        f"--kubernetes-ca-file={plane.ca_file}",
        f"--pricing={tools / 'assets' / 'pricing'}",
    ]


def _python_environment() -> dict[str, str]:
    return {**_clean(), "PYTHONPATH": str(ROOT)}


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _write_programs(folder: Path, tools: Path) -> None:
    """Programs by the names that the engine looks for, and the charts where Pulumi.lab.yaml finds them."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, module in STAND_INS.items():
        program = programs / name
        if _is_official(name):
            program.unlink(missing_ok=True)
            continue
        # "exec" keeps the pid: the engine ends its plugins by it.
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{ROOT}/.venv/bin/python" -m lab.plugins.{module} "$@"\n'
        )
        program.chmod(0o755)
    plugins = folder / "pulumi-home" / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    for kind in ("aws", "eks", "kubernetes"):
        own = official_plugin(kind) if official_pulumi() else None
        if own is not None and not (plugins / own.name).exists():
            (plugins / own.name).symlink_to(own)
    charts = ROOT / ".lab" / "charts"
    charts.parent.mkdir(exist_ok=True)
    fresh = charts.with_name(f"charts.{os.getpid()}")
    fresh.symlink_to(tools / "assets" / "charts")
    fresh.replace(charts)


def _is_official(name: str) -> bool:
    if official_pulumi() is None:
        return False
    kind = name.removeprefix("pulumi-resource-")
    return kind == "pulumi-language-python" or official_plugin(kind) is not None


def _clean() -> dict[str, str]:
    """This program's environment without anything that could lead to a real account, cluster or stack."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "PULUMI_", "KUBE")) and name != "LAB_DIR"
    }


def environment(state: State) -> dict[str, str]:
    """The environment of programs inside a lab: Pulumi, the AWS CLI, kubectl.

    Args:
        state: A running lab.
    """
    folder = Path(state.folder)
    (folder / "pulumi-state").mkdir(exist_ok=True)
    path = [folder / "bin", state.tools, ROOT / ".venv" / "bin", os.environ.get("PATH", os.defpath)]
    return {
        **_clean(),
        "PATH": os.pathsep.join(map(str, path)),
        "AWS_ENDPOINT_URL": state.aws_endpoint,
        "AWS_REGION": state.region,
        "AWS_DEFAULT_REGION": state.region,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        # Nothing of the user's own may be read: no profile, no instance's metadata.
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "KUBECONFIG": str(folder / "no-kubeconfig"),
        "LAB_DIR": state.folder,
        "PULUMI_BACKEND_URL": (folder / "pulumi-state").as_uri(),
        "PULUMI_HOME": str(folder / "pulumi-home"),
        "PULUMI_CONFIG_PASSPHRASE": "lab",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
