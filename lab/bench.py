"""`make bench`: previews with many NodePools, beside what the engine needs at least.

That is a program of plain custom resources: as many as the stack's preview has resources (the floor, which the ratio is
of), and as many as there are NodePools.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from rich.table import Table

from lab.console import step
from lab.pulumi import Stack

SIZES = (1, 10, 100, 500)
RUNS = 3
"""Previews of each kind and size: a single one tells as much about the machine's other work as about the stack."""
SAMPLE_SECONDS = 0.05
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
ROOT = Path(__file__).parents[1]

PREVIEW = ("pulumi", "preview", "--stack", "bench", "--json", "--non-interactive")
NO_CLUSTER = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "none", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "none", "user": {}}],
        "contexts": [{"name": "none", "context": {"cluster": "none", "user": "none"}}],
        "current-context": "none",
    }
)

FLOOR_PROGRAM = '''"""As many plain custom resources as asked for, and nothing else."""

import pulumi
import pulumi_kubernetes as k8s

provider = k8s.Provider("floor", kubeconfig=pulumi.Config().require("kubeconfig"))
for number in range(pulumi.Config().require_int("count")):
    k8s.apiextensions.CustomResource(
        f"pool-{number}",
        api_version="karpenter.sh/v1",
        kind="NodePool",
        metadata={"name": f"pool-{number}"},
        spec={"template": {"spec": {"requirements": [], "nodeClassRef": {"name": "default"}}}},
        opts=pulumi.ResourceOptions(provider=provider),
    )
'''


@dataclass(frozen=True)
class Measure:
    """One run of a command.

    Attributes:
        seconds: Wall-clock time, in seconds.
        megabytes: The highest sum of the resident memory of the command and everything that it started, in MB.
        output: What it printed.
    """

    seconds: float
    megabytes: float
    output: str


@dataclass(frozen=True)
class Row:
    """Previews side by side.

    Attributes:
        pools: The stack's number of NodePools.
        resources: How many resources each preview has.
        stack: The stack's previews.
        floor: The previews of as many plain custom resources, each taken after the stack's.
        pools_only: The previews of one plain custom resource for each NodePool, each taken after the floor's.
        checker: Seconds that the checks of so many NodePools take alone.
    """

    pools: int
    resources: int
    stack: Sequence[Measure]
    floor: Sequence[Measure]
    pools_only: Sequence[Measure]
    checker: float

    @property
    def ratio(self) -> float:
        """How many times longer the stack's preview takes, in the median."""
        return median_seconds(self.stack) / median_seconds(self.floor)


def median_seconds(measures: Sequence[Measure]) -> float:
    """The middle one of the times, in seconds."""
    return statistics.median(each.seconds for each in measures)


def peak_megabytes(measures: Sequence[Measure]) -> float:
    """The most memory that any of them took, in MB."""
    return max(each.megabytes for each in measures)


def measure(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Measure:
    """Run a command and measure it.

    Raises:
        subprocess.CalledProcessError: If it fails.
    """
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    peak = 0
    finished = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not finished.wait(SAMPLE_SECONDS):
            peak = max(peak, session_memory(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    output, errors = process.communicate()
    finished.set()
    sampler.join()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command, output, errors)
    return Measure(time.monotonic() - started, peak / 1e6, output)


def session_memory(session: int) -> int:
    """The resident memory of every process of a session, in bytes (Linux; elsewhere 0)."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it ended meanwhile
            continue
        # proc(5): after the name come state, ppid, pgrp, session, ... and resident pages as the 22nd of these.
        if int(fields[3]) == session:
            total += int(fields[21]) * PAGE_BYTES
    return total


def bench(environment: Mapping[str, str], sizes: Sequence[int] = SIZES, runs: int = RUNS) -> list[Row]:
    """Measure previews of a new stack and of the floor by turns, in one run.

    Args:
        environment: The environment of a running lab.
        sizes: Numbers of NodePools.
        runs: Previews of each kind and size.

    Returns:
        One row for each size.
    """
    rows = []
    with TemporaryDirectory() as folder:
        for count in sizes:
            project = _stack_project(Path(folder) / f"stack-{count}", count, environment)
            # Not measured: it tells the number of resources, and fills the caches for the others.
            with step(f"counting the resources of the stack with {count} NodePools"):
                resources = json.loads(measure(PREVIEW, project, environment).output)["changeSummary"]["create"]
            floor_project = _floor_project(Path(folder) / f"floor-{count}", resources, environment)
            pools_project = _floor_project(Path(folder) / f"pools-{count}", count, environment)
            stack, floor, pools_only = [], [], []
            for run in range(1, runs + 1):
                with step(f"previewing the stack, run {run} of {runs}"):
                    stack.append(measure(PREVIEW, project, environment))
                with step(f"previewing {resources} plain custom resources, run {run} of {runs}"):
                    floor.append(measure(PREVIEW, floor_project, environment))
                with step(f"previewing {count} plain custom resources, run {run} of {runs}"):
                    pools_only.append(measure(PREVIEW, pools_project, environment))
            rows.append(Row(count, resources, stack, floor, pools_only, _checker(count)))
    return rows


def table(rows: Sequence[Row]) -> Table:
    """The rows as a table for people."""
    shown = Table(
        title="pulumi preview of a new stack, beside as many plain custom resources, and beside its NodePools alone"
    )
    peaks = ("stack's peak", "floor's peak")
    for heading in ("NodePools", "resources", "stack", "floor", "ratio", "pools only", *peaks, "checker"):
        shown.add_column(heading, justify="right")
    for row in rows:
        shown.add_row(
            str(row.pools),
            str(row.resources),
            f"{median_seconds(row.stack):.1f} s",
            f"{median_seconds(row.floor):.1f} s",
            f"{row.ratio:.2f}",
            f"{median_seconds(row.pools_only):.1f} s",
            f"{peak_megabytes(row.stack):.0f} MB",
            f"{peak_megabytes(row.floor):.0f} MB",
            f"{row.checker:.2f} s",
        )
    return shown


def _checker(pools: int) -> float:
    """Seconds that the checker alone takes, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.checker", "--here", str(pools)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["seconds"])


def _stack_project(folder: Path, pools: int, environment: Mapping[str, str]) -> Path:
    """The stack's own program, with the lab's configuration and so many NodePools."""
    folder.mkdir()
    for name in ("Pulumi.yaml", "__main__.py", "wiring.py", "settings", "components", ".venv", ".lab"):
        (folder / name).symlink_to(ROOT / name)
    text = (ROOT / "Pulumi.lab.yaml").read_text()
    content = yaml.safe_load(text)
    pool = content["config"]["karpenter-eks:nodePools"]["default"]
    content["config"]["karpenter-eks:nodePools"] = {
        f"pool-{number}": {**pool, "labels": {"example.com/team": f"team-{number}"}} for number in range(pools)
    }
    (folder / "Pulumi.bench.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return _with_stack(folder, environment)


def _floor_project(folder: Path, resources: int, environment: Mapping[str, str]) -> Path:
    folder.mkdir()
    (folder / ".venv").symlink_to(ROOT / ".venv")
    runtime = {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump({"name": "floor", "runtime": runtime}))
    # The new stack's provider has no cluster yet either, so neither of the two asks an API server.
    config = {"floor:count": resources, "floor:kubeconfig": NO_CLUSTER}
    (folder / "Pulumi.bench.yaml").write_text(yaml.safe_dump({"config": config}))
    (folder / "__main__.py").write_text(FLOOR_PROGRAM)
    return _with_stack(folder, environment)


def _with_stack(folder: Path, environment: Mapping[str, str]) -> Path:
    """Give a project an empty stack; the lab's own backend is left alone."""
    Stack(folder, "bench", environment).select()
    return folder
