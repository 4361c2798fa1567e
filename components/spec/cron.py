"""Cron schedules as Karpenter reads them: robfig/cron's ParseStandard, always in UTC.

The API server only asks for five words or a macro, so `99 99 * * *`, `0 0 * * sat-sun` and `30 10 * * 1-7` pass there
and then fail in the controller, which from then on disrupts nothing at all.
Source: parser.go and spec.go of github.com/robfig/cron/v3@v3.0.1; Budget.IsActive in sigs.k8s.io/karpenter@1.14.3.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

MINUTES_PER_DAY: Final = 1440
MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_DAYS: Final = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_FIELDS: Final[tuple[tuple[str, int, int, dict[str, int]], ...]] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of month", 1, 31, {}),
    ("month", 1, 12, _MONTHS),
    ("day of week", 0, 6, _DAYS),
)
_NUMBER: Final = re.compile(r"[0-9]{1,9}\Z")
_CYCLE_YEARS: Final = 28
"""After 28 years weekdays and dates meet again in the same way (2100 aside)."""


class CronError(ValueError):
    """A schedule that Karpenter cannot read; the text says which field and why."""


@dataclass(frozen=True)
class Schedule:
    """A parsed schedule: the sets of values at which it hits."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    def hits_on(self, month: int, day: int, weekday: int) -> bool:
        """Whether a day (weekday 0 = Sunday) has hits. With both kinds of day restricted, either is enough."""
        if month not in self.months:
            return False
        by_day, by_weekday = day in self.days, weekday in self.weekdays
        if self.any_day or self.any_weekday:
            return by_day and by_weekday
        return by_day or by_weekday

    def times(self) -> list[int]:
        """Minutes of the day at which the schedule hits, in order."""
        return [hour * 60 + minute for hour in sorted(self.hours) for minute in sorted(self.minutes)]


def _number(text: str, names: dict[str, int], field: str) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if _NUMBER.match(text) is None:
        known = f", or one of {', '.join(names)}" if names else ""
        message = f"{text!r} in the {field} field is no number{known}"
        raise CronError(message)
    return int(text)


def _bounds(span: str, names: dict[str, int], field: str, low: int, high: int) -> tuple[int, int, bool]:
    """First and last value of a range, and whether it is a star."""
    ends = span.split("-")
    if ends[0] in {"*", "?"}:
        return low, high, True
    start = _number(ends[0], names, field)
    if len(ends) == 1:
        return start, start, False
    if len(ends) > 2:  # noqa: PLR2004  # a range has two ends
        message = f"{span!r} in the {field} field has too many hyphens"
        raise CronError(message)
    return start, _number(ends[1], names, field), False


def _range(text: str, position: int) -> tuple[frozenset[int], bool]:
    field, low, high, names = _FIELDS[position]
    parts = text.split("/")
    if len(parts) > 2:  # noqa: PLR2004  # a range and its step
        message = f"{text!r} in the {field} field has too many slashes"
        raise CronError(message)
    start, end, star = _bounds(parts[0], names, field, low, high)
    step = 1
    if len(parts) > 1:
        step = _number(parts[1], {}, field)
        if "-" not in parts[0]:
            end = high
        star = star and step <= 1
    if start < low or end > high:
        message = f"{text!r} in the {field} field is outside {low}-{high}"
        raise CronError(message)
    if start > end:
        message = f"{text!r} in the {field} field runs backwards; ranges do not wrap: write two, separated by a comma"
        raise CronError(message)
    if step == 0:
        message = f"{text!r} in the {field} field has a step of 0"
        raise CronError(message)
    return frozenset(range(start, end + 1, step)), star


def _field(text: str, position: int) -> tuple[frozenset[int], bool]:
    values: frozenset[int] = frozenset()
    star = False
    for part in text.split(","):
        if part:
            more, is_star = _range(part, position)
            values, star = values | more, star or is_star
    if not values:
        message = f"{text!r} in the {_FIELDS[position][0]} field names no value"
        raise CronError(message)
    return values, star


@lru_cache(maxsize=4096)
def parse(text: str) -> Schedule:
    """Read a schedule as Karpenter's controller will.

    Raises:
        CronError: The controller cannot read it.
    """
    stripped = text.strip()
    if stripped.startswith("@"):
        if stripped not in MACROS:
            message = f"{stripped!r} is no macro; there are {', '.join(MACROS)}"
            raise CronError(message)
        stripped = MACROS[stripped]
    if stripped.startswith(("TZ=", "CRON_TZ=")):
        message = "time zones are not supported: schedules are always UTC"
        raise CronError(message)
    words = stripped.split()
    if len(words) != len(_FIELDS):
        message = f"it has {len(words)} fields, cron has five: minute, hour, day of month, month, day of week"
        raise CronError(message)
    (minutes, _), (hours, _), (days, any_day), (months, _), (weekdays, any_weekday) = (
        _field(word, position) for position, word in enumerate(words)
    )
    return Schedule(minutes, hours, days, months, weekdays, any_day, any_weekday)


def is_weekly(schedule: Schedule) -> bool:
    """Whether the schedule looks the same every week: it names no days of the month and no months."""
    return schedule.any_day and len(schedule.months) == len(_MONTHS)


def _days_with_hits(schedule: Schedule) -> Iterator[int]:
    """Numbers of the days with hits, from 1 January 2024 through one whole cycle of weekdays and dates."""
    if is_weekly(schedule):
        yield from (number for number in range(15) if (number + 1) % 7 in schedule.weekdays)
        return
    number = 0
    for year in range(2024, 2024 + _CYCLE_YEARS):
        for month in range(1, 13):
            for day in range(1, calendar.monthrange(year, month)[1] + 1):
                weekday = (number + 1) % 7  # 1 January 2024 was a Monday
                if schedule.hits_on(month, day, weekday):
                    yield number
                number += 1


@lru_cache(maxsize=4096)
def longest_gap(text: str) -> int | None:
    """Most minutes between two hits of a schedule; None when it never hits, as on 31 February.

    A window at least this long never lifts: the next hit comes before it is over.
    """
    schedule = parse(text)
    times = schedule.times()
    within = max((later - earlier for earlier, later in pairwise(times)), default=0)
    days = list(_days_with_hits(schedule))
    if not days:
        return None
    between = max(later - earlier for earlier, later in pairwise(days)) * MINUTES_PER_DAY
    return max(within, between + times[0] - times[-1])


def week_windows(text: str, minutes: int) -> list[tuple[int, int]] | None:
    """Windows that a weekly schedule opens, as minutes from Sunday 00:00; None for schedules of other kinds.

    A window that runs past the end of the week comes back at its beginning.
    """
    schedule = parse(text)
    if not is_weekly(schedule):
        return None
    week = 7 * MINUTES_PER_DAY
    windows: list[tuple[int, int]] = []
    for weekday in sorted(schedule.weekdays):
        for time in schedule.times():
            start = weekday * MINUTES_PER_DAY + time
            end = start + min(minutes, week)
            windows.append((start, min(end, week)))
            if end > week:
                windows.append((0, end - week))
    return windows


def cover_week(windows: list[tuple[int, int]]) -> bool:
    """Whether windows of a week leave no minute free."""
    reached = 0
    for start, end in sorted(windows):
        if start > reached:
            return False
        reached = max(reached, end)
    return reached >= 7 * MINUTES_PER_DAY
