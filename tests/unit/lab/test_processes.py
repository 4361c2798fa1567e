"""Only what the lab started is ended, all of it, and what does not come up says why."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

import psutil
import pytest

from lab import processes
from lab.processes import PORTS, Ledger, Process, ProcessError, free_ports

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
PARENT = [
    sys.executable,
    "-c",
    "import subprocess, sys, time\n"
    "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid, flush=True)\n"
    "time.sleep(600)",
]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)",
]


def said(ledger: Ledger, name: str) -> str:
    end = time.monotonic() + 20
    while not (text := ledger.log_of(name).read_text()):
        assert time.monotonic() < end, "the program said nothing"
        time.sleep(0.05)
    return text


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_was_started_is_known_to_a_later_program_and_ended_by_it(tmp_path: Path) -> None:
    started = Ledger(tmp_path).start("a", SLEEP)
    assert started.alive
    later = Ledger(tmp_path)
    assert later.processes() == [started], "`make demo-down` would not know what `make demo` started"
    later.stop()
    assert not started.alive, "it would run for ever"
    assert later.processes() == []


def test_children_end_with_their_parent(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.start("parent", PARENT)
    child = int(said(ledger, "parent"))
    ledger.stop()
    assert not runs(child), "a controller would go on without its lab"


@pytest.mark.parametrize("known", [True, False], ids=["whose end is known", "whose end nobody asked for"])
def test_children_end_even_when_their_parent_was_killed(tmp_path: Path, known: bool) -> None:
    ledger = Ledger(tmp_path)
    parent = ledger.start("parent", PARENT)
    child = int(said(ledger, "parent"))
    os.kill(parent.pid, signal.SIGKILL)
    if known:
        os.waitpid(parent.pid, 0)
    assert runs(child)
    ledger.stop()
    assert not runs(child), "a controller would go on for ever after a crash of its keeper"


def test_what_does_not_listen_is_ended_by_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.3)
    ledger = Ledger(tmp_path)
    stubborn = ledger.start("stubborn", STUBBORN)
    said(ledger, "stubborn")
    ledger.stop()
    assert not stubborn.alive


def test_another_process_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    stranger = ledger.start("stranger", SLEEP)
    mistaken = Process("ours", stranger.pid, stranger.created - 100)
    assert not mistaken.alive, "a lab of before a reboot would be called running"
    assert mistaken.family() == [], "somebody else's program would be ended"
    ledger.stop()


def test_a_program_that_ends_says_its_last_words(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    process = ledger.start("etcd", [sys.executable, "-c", "print('port is taken')"])
    with pytest.raises(ProcessError, match=r"(?s)etcd ended.*etcd\.log.*port is taken"):
        ledger.wait(process, lambda: False, 30)


def test_a_program_that_is_not_ready_in_time_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    process = ledger.start("kwok", SLEEP)
    with pytest.raises(ProcessError, match=r"(?s)kwok is not ready after 0 s.*said nothing"):
        ledger.wait(process, lambda: False, 0)
    ledger.stop()


def test_a_ready_program_is_waited_for_no_longer(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.wait(ledger.start("a", SLEEP), lambda: True, 0)
    ledger.stop()


@pytest.mark.enable_socket
def test_ports_are_different_and_free() -> None:
    found = free_ports(7)
    assert len(set(found)) == 7, "two programs would want the same port"
    assert set(found) <= set(PORTS), "a system's outgoing connections could take the port before the program does"
    for port in found:
        with socket.socket() as each:
            each.bind(("127.0.0.1", port))


@pytest.mark.enable_socket
def test_a_port_in_use_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    (port,) = free_ports(1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        monkeypatch.setattr(processes, "PORTS", range(port, port + 1))
        with pytest.raises(ProcessError, match="only 0 are free"):
            free_ports(1)
