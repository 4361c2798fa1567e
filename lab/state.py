"""What a running lab says of itself."""

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lab.processes import Ledger

REGION = "us-west-2"
ACCOUNT_ID = "123456789012"
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class State:
    """A running lab.

    Attributes:
        folder: Its folder.
        aws_endpoint: URL of the emulated AWS.
        kubernetes_endpoint: URL of the API server.
        admin_kubeconfig: File of a kubeconfig with the lab's own rights.
        region: AWS region.
        account_id: AWS account.
        ports: TCP ports by what listens on them.
        pids: Process ids by name.
        tools: Folder of the lab's programs.
    """

    folder: str
    aws_endpoint: str
    kubernetes_endpoint: str
    admin_kubeconfig: str
    region: str
    account_id: str
    ports: dict[str, int]
    tools: str
    pids: dict[str, int] = field(default_factory=dict)


def state_file(folder: Path) -> Path:
    """Where a lab's state stands."""
    return folder / "state.json"


def write_state(state: State) -> None:
    """Write the state whole or not at all."""
    file = state_file(Path(state.folder))
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(state), indent=2))
    unfinished.replace(file)


def await_state(folder: Path, timeout: float) -> State | None:
    """The state of a lab that is about to be whole, or None where it is not in time.

    Args:
        folder: The lab's folder.
        timeout: Seconds.
    """
    end = time.monotonic() + timeout
    while (found := read_state(folder)) is None and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    return found


def read_state(folder: Path) -> State | None:
    """The state of a lab, or None where it does not run as a whole.

    Args:
        folder: The lab's folder.
    """
    file = state_file(folder)
    if not file.exists():
        return None
    state = State(**json.loads(file.read_text()))
    alive = {process.name for process in Ledger(folder).processes() if process.alive}
    return state if set(state.pids) <= alive else None
