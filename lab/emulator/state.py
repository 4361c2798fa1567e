"""What the gap layers remember, in this process only."""

from __future__ import annotations

import datetime
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from lab.emulator.options import Options

DENIALS_KEPT = 500


@dataclass
class Lab:
    """The running emulator.

    Attributes:
        options: how it was started.
        loop: the server's event loop, once it runs; ministack's own state is changed on it only.
        ec2_lock: held around every use of moto's EC2 and of EKS, which know no threads of ours.
        denials: the newest refused calls, oldest first.
        shortages: (instance type or "*", zone or "*", "spot" or "on-demand" or "*") without capacity.
        published: AMI releases published while running, oldest first.
        withdrawn: ids of AMIs that their owner has deregistered.
        deprecated: id of an AMI -> the moment from which EC2 calls it deprecated, ISO 8601.
    """

    options: Options
    loop: asyncio.AbstractEventLoop | None = None
    ec2_lock: threading.RLock = field(default_factory=threading.RLock)
    denials: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=DENIALS_KEPT))
    shortages: set[tuple[str, str, str]] = field(default_factory=set)
    published: list[str] = field(default_factory=list)
    withdrawn: set[str] = field(default_factory=set)
    deprecated: dict[str, str] = field(default_factory=dict)

    def deny(self, principal: str, action: str, resource: str, reason: str) -> None:
        """Remember a refused call for `/_lab/denials`."""
        self.denials.append(
            {
                "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
                "principal": principal,
                "action": action,
                "resource": resource,
                "reason": reason,
            }
        )
