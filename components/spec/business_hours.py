"""Business hours in local time as disruption budgets in UTC.

Karpenter's schedules know no time zones. A zone with daylight saving has two offsets, and a schedule cannot say which
one counts today: so the windows cover both. In Berlin, 08:00 to 18:00 becomes 06:00 to 17:00 UTC, which is 08:00 to
19:00 in summer and 07:00 to 18:00 in winter.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from components.spec import durations
from components.spec.cron import MINUTES_PER_DAY

WEEKDAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
"""In cron's order."""

_FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
_DAYS: Final = 3653
"""Ten years from the first one: long enough for rules that change with a calendar other than ours."""


@lru_cache(maxsize=1024)
def offsets(timezone: str) -> tuple[int, int]:
    """Least and greatest offset of a zone from UTC, in minutes, rounded outwards.

    Raises:
        ValueError: There is no such zone.
    """
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        message = f"there is no time zone {timezone!r}"
        raise ValueError(message) from error
    seen = [
        moment.utcoffset() or timedelta()
        for moment in (datetime.fromtimestamp(_FIRST.timestamp() + day * 86_400, zone) for day in range(_DAYS))
    ]
    minute = timedelta(minutes=1)
    return min(seen) // minute, -(-max(seen) // minute)


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _spell_days(days: Iterable[int]) -> str:
    """Weekdays as cron writes them: runs of three and more as ranges."""
    ordered = sorted(set(days))
    if len(ordered) == len(WEEKDAYS):
        return "*"
    words: list[str] = []
    while ordered:
        run = 1
        while run < len(ordered) and ordered[run] == ordered[0] + run:
            run += 1
        if run > 2:  # noqa: PLR2004  # two days read better with a comma
            words.append(f"{WEEKDAYS[ordered[0]]}-{WEEKDAYS[ordered[run - 1]]}")
        else:
            words += [WEEKDAYS[day] for day in ordered[:run]]
        ordered = ordered[run:]
    return ",".join(words)


def budgets(timezone: str, days: Iterable[str], begin: str, end: str) -> list[dict[str, str]]:
    """Budgets that keep nodes in place in business hours.

    Args:
        timezone: IANA name of the zone.
        days: Weekdays on which the hours begin, "mon" to "sun".
        begin: Local time at which they begin, HH:MM.
        end: Local time at which they end, HH:MM; not after `begin` means the next day.

    Returns:
        One budget of 0 nodes, as plain data.

    Raises:
        ValueError: There is no such zone, or the hours are empty.
    """
    start, stop = _minutes(begin), _minutes(end)
    if start == stop:
        message = "the hours end when they begin"
        raise ValueError(message)
    if stop < start:
        stop += MINUTES_PER_DAY
    least, greatest = offsets(timezone)
    first, last = start - greatest, stop - least
    shift, minute = divmod(first, MINUTES_PER_DAY)
    shifted = [(WEEKDAYS.index(day) + shift) % len(WEEKDAYS) for day in days]
    schedule = f"{minute % 60} {minute // 60} * * {_spell_days(shifted)}"
    return [{"nodes": "0", "schedule": schedule, "duration": durations.spell((last - first) * 60)}]
