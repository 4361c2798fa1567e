"""The loop of a program that plays a part in the lab: a step, a pause, until the lab ends."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from lab.processes import become_quiet
from lab.state import State, await_state, state_file

POLL_SECONDS = 0.5
START_SECONDS = 60


class Player(Protocol):
    """Something that looks around and does what is due."""

    def step(self) -> None:
        """Do what is due; calls that fail may raise, and are made again in the next step."""


def play(folder: Path, make: Callable[[State], Player]) -> None:
    """Take steps until the lab in a folder ends.

    Args:
        folder: Folder of the lab.
        make: Makes the player once the lab's state is known.

    Raises:
        SystemExit: If no lab appears there.
    """
    become_quiet()
    state = await_state(folder, START_SECONDS)
    if state is None:
        sys.exit("the lab is not running")
    player = make(state)
    while state_file(folder).exists():
        try:
            player.step()
        except Exception as error:  # noqa: BLE001 (a call that failed is made again; the lab must not stop for it)
            print(f"will try again: {error}", flush=True)  # noqa: T201 (this is its log)
        time.sleep(POLL_SECONDS)
