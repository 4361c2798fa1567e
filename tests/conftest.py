"""One lab for all tests of a run that need one; it starts when the first of them asks for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support import Lab

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the lab's programs, built where they are missing."""
    from lab.toolchain import ensure_tools

    return ensure_tools()


@pytest.fixture(scope="session")
def lab(tools: Path) -> Iterator[Lab]:
    """A running lab of the tests' own, apart from the one that `make demo` leaves up."""
    import psutil

    from lab.lab import environment, start, stop
    from tests.support import Lab

    labs = ROOT / ".lab" / "tests"
    for left in labs.glob("*"):  # by a run that was killed
        if not psutil.pid_exists(int(left.name)):
            stop(left)
            shutil.rmtree(left)
    folder = labs / str(os.getpid())
    state = start(folder, tools)
    yield Lab(folder, state, environment(state))
    stop(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def deployed(lab: Lab) -> Lab:
    """The lab after `make demo`: the stack is deployed, its pools are Ready, and no pod waits."""
    from tests.support import output_of

    done = lab.command("demo", "--timeout", "120")
    assert done.returncode == 0, f"make demo fails on a machine where everything is in order: {output_of(done)}"
    lab.demo_output = done.stdout
    return lab


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The test that takes the lab down comes last, whatever the names of the files are."""
    items.sort(key=lambda item: item.get_closest_marker("takes_the_lab_down") is not None)
