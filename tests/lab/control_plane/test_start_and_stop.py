"""Whatever happens to a lab, starting it gives a whole one and stopping it leaves nothing running."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lab.lab import start, stop
from lab.processes import Ledger
from lab.state import read_state
from tests.lab.control_plane.hand_made import eventually
from tests.support import ROOT

pytestmark = pytest.mark.lab


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "lab"
    yield path
    stop(path)


def running_in(folder: Path) -> list[str]:
    """Every process that was given this folder."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(folder) in line and process.pid != os.getpid():
            found.append(line[:120])
    return found


def test_an_interrupted_start_is_made_good_by_the_next(folder: Path, tools: Path) -> None:
    code = f"from pathlib import Path; from lab.lab import start; start(Path({str(folder)!r}), Path({str(tools)!r}))"
    first = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL)
    eventually("the start never began", lambda: len(Ledger(folder).processes()) >= 2)
    first.send_signal(signal.SIGTERM)  # a shell may have told its background jobs to ignore SIGINT
    first.wait(30)
    assert read_state(folder) is None, "half a lab would be taken for a whole one"
    state = start(folder, tools)
    assert set(state.pids) >= {"aws", "etcd", "kube-apiserver", "kwok", "kubelet", "controller"}
    stop(folder)
    assert running_in(folder) == [], "something of the interrupted start still runs"


def test_a_lab_that_lost_a_part_begins_afresh(folder: Path, tools: Path) -> None:
    before = start(folder, tools)
    os.kill(before.pids["controller"], signal.SIGKILL)
    eventually("a lab without its controllers is called whole", lambda: read_state(folder) is None)
    after = start(folder, tools)
    assert after.pids["etcd"] != before.pids["etcd"], "AWS's memory is gone, but Kubernetes still has its objects"
    stop(folder)
    stop(folder)
    assert running_in(folder) == [], "something still runs after stop"
    time.sleep(0.1)
    assert read_state(folder) is None
