"""Starts programs, remembers them by pid and start time, and ends only what it started."""

import json
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

GRACE_SECONDS = 3
"""A lab is thrown away: nobody has anything to save."""
ROUNDS = 2
"""The second one is for what a program started while it was being ended."""
POLL_SECONDS = 0.1
TAIL_LINES = 12
PORTS = range(20_000, 32_000)
"""Where free ports are looked for: below those that systems give to outgoing connections, which would take them."""


class ProcessError(Exception):
    """A program of the lab does not run; the text says which, and what it said last."""


@dataclass(frozen=True)
class Process:
    """A program that the lab started.

    Attributes:
        name: What it is, such as ``"etcd"``; also the name of its log.
        pid: Its process id.
        created: When it started, in seconds since the epoch. With the pid it names one process and no later one.
    """

    name: str
    pid: int
    created: float

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._found() is not None

    def _found(self) -> psutil.Process | None:
        with suppress(psutil.Error):
            found = psutil.Process(self.pid)
            if found.create_time() == self.created and _runs(found):
                return found
        return None

    def family(self) -> list[psutil.Process]:
        """It and everything that it started, as far as that still runs."""
        found = self._found()
        if found is None:
            return self._orphans()
        with suppress(psutil.NoSuchProcess):
            return [found, *found.children(recursive=True)]
        return self._orphans()

    def _orphans(self) -> list[psutil.Process]:
        """What it started and left behind: a session keeps its number as long as somebody is in it."""
        with suppress(psutil.Error):
            if psutil.Process(self.pid).create_time() != self.created:
                return []
        found = []
        for member in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if os.getsid(member.pid) == self.pid and member.create_time() >= self.created and _runs(member):
                    found.append(member)
        return found


def _runs(process: psutil.Process) -> bool:
    """Whether it does more than wait for its parent to take note of its end."""
    return bool(process.status() != psutil.STATUS_ZOMBIE)


class Ledger:
    """The processes of one lab, in a file that is written before anything waits for them.

    Args:
        folder: The lab's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "processes.json"
        self._logs = folder / "logs"

    def log_of(self, name: str) -> Path:
        """The log of a program."""
        return self._logs / f"{name}.log"

    def processes(self) -> list[Process]:
        """What was started, the oldest first."""
        if not self._file.exists():
            return []
        return [Process(**entry) for entry in json.loads(self._file.read_text())]

    def start(self, name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Process:
        """Start a program that goes on when this one ends.

        Args:
            name: What it is.
            command: The program and its arguments.
            environment: Its environment; None means this program's own.
        """
        self._logs.mkdir(parents=True, exist_ok=True)
        with self.log_of(name).open("w") as log:
            started = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(environment) if environment is not None else None,
                start_new_session=True,
            )
        process = Process(name, started.pid, psutil.Process(started.pid).create_time())
        self._write([*self.processes(), process])
        return process

    def wait(self, process: Process, ready: Callable[[], bool], timeout: float) -> None:
        """Wait until a program is ready.

        Raises:
            ProcessError: If it ends or is not ready in time, with the end of its log.
        """
        end = time.monotonic() + timeout
        while not ready():
            if not process.alive:
                raise ProcessError(self._told(process, "ended"))
            if time.monotonic() > end:
                raise ProcessError(self._told(process, f"is not ready after {timeout:.0f} s"))
            time.sleep(POLL_SECONDS)

    def _told(self, process: Process, what: str) -> str:
        log = self.log_of(process.name)
        lines = log.read_text(errors="replace").splitlines()[-TAIL_LINES:] or ["(it said nothing)"]
        return "\n".join([f"{process.name} {what}; the end of {log}:", *(f"  {line}" for line in lines)])

    def stop(self) -> None:
        """End every process with all that it started, and forget them: first politely, after a while by force."""
        processes = list(reversed(self.processes()))
        for _ in range(ROUNDS):
            family = [member for process in processes for member in process.family()]
            for member in family:
                with suppress(psutil.NoSuchProcess):
                    member.terminate()
            _, left = psutil.wait_procs(family, timeout=GRACE_SECONDS)
            for member in left:
                with suppress(psutil.NoSuchProcess):
                    member.kill()
            psutil.wait_procs(left, timeout=GRACE_SECONDS)
        self._file.unlink(missing_ok=True)

    def _write(self, processes: Sequence[Process]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._file.with_suffix(".unfinished")
        unfinished.write_text(json.dumps([vars(process) for process in processes], indent=1))
        unfinished.replace(self._file)


def free_ports(count: int) -> list[int]:
    """So many different TCP ports of loopback that nobody listens on.

    Args:
        count: How many.

    Raises:
        ProcessError: If so many cannot be had.
    """
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        if len(found) == count:
            break
        with socket.socket() as each, suppress(OSError):
            each.bind(("127.0.0.1", port))
            found.append(port)
    if len(found) < count:
        message = f"of the ports {PORTS.start} to {PORTS.stop - 1} only {len(found)} are free, {count} are needed"
        raise ProcessError(message)
    return found


def become_quiet() -> None:
    """Let a long-running stand-in end on SIGTERM and SIGINT without a traceback."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
