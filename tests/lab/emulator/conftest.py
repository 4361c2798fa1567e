"""One emulator process for all of these tests."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.lab.emulator.world import Emulator, World

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".lab" / "emulator-venv" / "bin" / "python"
PRICES = """
var InitialOnDemandPricesAWS = map[string]map[ec2types.InstanceType]float64{
	// us-east-1
	"us-east-1": {
		// m5 family
		"m5.large": 0.096000, "m5.xlarge": 0.192000, "m6g.large": 0.077000, "c5.large": 0.085000,
		"m5.metal": 4.608000,
	},
}
"""
SECONDS_TO_START = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    prices = folder / "zz_generated.pricing_aws.go"
    prices.write_text(PRICES)
    certificate = folder / "ca.pem"
    certificate.write_text("the lab's certificate authority")
    options = {
        "--port": str(port),
        "--region": "us-west-2",
        "--account": "123456789012",
        "--data": str(folder / "data"),
        "--pricing": str(prices),
        "--kubernetes-endpoint": "https://127.0.0.1:6443",
        "--kubernetes-ca-file": str(certificate),
    }
    command = [str(PYTHON), "-m", "lab.emulator", *(part for pair in options.items() for part in pair)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (folder / "emulator.log").open("wb") as log:
        return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)


def wait_until_healthy(emulator: Emulator, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while not emulator.healthy():
        assert process.poll() is None, f"the emulator ended: {(folder / 'emulator.log').read_text()[-2000:]}"
        assert time.monotonic() < deadline, "the emulator does not answer /_lab/health"
        time.sleep(0.1)


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    assert PYTHON.exists(), f"{PYTHON} is missing: make that environment from lab/emulator/requirements.txt"
    folder = tmp_path_factory.mktemp("emulator")
    running = Emulator(f"http://127.0.0.1:{free_port()}")
    process = start(folder, int(running.endpoint.rpartition(":")[2]))
    try:
        wait_until_healthy(running, process, folder)
        yield running
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture
def world(emulator: Emulator) -> World:
    """A cluster of the test's own with what the 1.14 template makes for it."""
    return World.make(emulator)
