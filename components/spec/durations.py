"""Durations as Karpenter's CRDs write them: "720h", "1h30m", "Never"."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from components.spec.patterns import BUDGET_DURATION, DURATION, NILLABLE_DURATION

NEVER: Final = "Never"
MAX_SECONDS: Final = 9_223_372_036
"""Go counts a duration in nanoseconds in 63 bits: about 292 years, 2,562,047 hours."""

_PART = re.compile(r"([0-9]+)([smh])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> int | None:
    """Seconds of a duration that has passed its pattern; None for "Never"."""
    if text == NEVER:
        return None
    return sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(text))


def spell(total: int) -> str:
    """Write seconds as hours and minutes, as budgets want them: 5400 -> "1h30m"."""
    hours, minutes = divmod(total // 60, 60)
    if not hours:
        return f"{minutes}m"
    return f"{hours}h{minutes}m" if minutes else f"{hours}h"


def _check(pattern: re.Pattern[str], words: str) -> AfterValidator:
    def check(value: str) -> str:
        if pattern.search(value) is None:
            kind, message = "duration", words
            raise PydanticCustomError(kind, message)
        if (seconds(value) or 0) > MAX_SECONDS:
            kind, message = "duration", "must be at most 2562047h: Go cannot count further"
            raise PydanticCustomError(kind, message)
        return value

    return AfterValidator(check)


NillableDuration = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": NILLABLE_DURATION.pattern}),
    _check(
        NILLABLE_DURATION,
        'must be whole hours, minutes and seconds with the units h, m and s, or "Never" (there is no unit for days)',
    ),
]
Duration = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": DURATION.pattern}),
    _check(DURATION, "must be whole hours, minutes and seconds with the units h, m and s (there is no unit for days)"),
]
BudgetDuration = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": BUDGET_DURATION.pattern}),
    _check(BUDGET_DURATION, "must be whole hours and minutes with the units h and m (no days, no seconds)"),
]
