"""What is wrong with a value, in the one form that every check of this project uses."""

import json
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal


class _Absent(Enum):
    """The type of ``ABSENT``."""

    ABSENT = "nothing"


ABSENT: Final = _Absent.ABSENT
"""Stands for the value found where there is none."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with the configuration.

    Attributes:
        path: Where it stands, such as ``"nodePools.gpu.limits.cpu"``.
        found: The value found there, or ``ABSENT``.
        rule: What must hold, as a sentence's second half: ``"must be greater than 0"``.
        remedy: How to mend it: ``"write a number of CPUs, such as 100"``.
        severity: An error ends the run before the first resource; a warning is only told.
    """

    path: str
    found: object
    rule: str
    remedy: str
    severity: Literal["error", "warning"] = "error"

    def line(self, prefix: str = "") -> str:
        """The problem in one line.

        Args:
            prefix: Text before the path, such as ``"karpenter-eks:"``.
        """
        return f"{prefix}{self.path}: found {_shown(self.found)}; {self.rule}; {self.remedy}"


def _shown(value: object) -> str:
    if value is ABSENT:
        return "nothing"
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return " ".join(repr(value).split())
