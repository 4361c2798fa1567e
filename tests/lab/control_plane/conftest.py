"""A lab of these tests' own: they break things that other tests need."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.control_plane.hand_made import World
from tests.support import Lab


@pytest.fixture(scope="package")
def plain(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running lab with nothing in it."""
    from lab.lab import environment, start, stop

    folder = tmp_path_factory.mktemp("control-plane") / "lab"
    state = start(folder, tools)
    yield Lab(folder, state, environment(state))
    stop(folder)


@pytest.fixture(scope="package")
def world(plain: Lab) -> World:
    """A hand-made cluster in it."""
    return World(plain)
