"""Schedules as Karpenter reads them."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from croniter import croniter
from hypothesis import given, settings
from hypothesis import strategies as st

from components.spec import cron

RECORDED = Path(__file__).parents[2] / "golden" / "robfig-cron-3.0.1.json"
"""Schedules, and what robfig/cron 3.0.1 itself made of them: null where it refused, else the first hits from 2024."""

FIELD = st.sampled_from(["*", "0", "5", "*/7", "1-5", "0-6/2", "1,3", "2/3"])
WEEKDAYS = st.sampled_from(["*", "0", "mon-fri", "sun,sat", "1-5", "6", "SUN", "?", "0-6/2"])
DAYS = st.sampled_from(["*", "1", "15", "1-7", "*/10", "31", "30,31"])
MONTHS = st.sampled_from(["*", "1", "feb", "jan-mar", "*/4", "2", "apr,jun"])


@settings(max_examples=60, deadline=None)
@given(FIELD, st.sampled_from(["*", "0", "9", "8-17", "*/6", "22"]), DAYS, MONTHS, WEEKDAYS)
def test_hits_are_those_of_an_independent_reader(minute: str, hour: str, day: str, month: str, weekday: str) -> None:
    schedule = cron.parse(f"{minute} {hour} {day} {month} {weekday}")
    other = croniter(
        f"{minute} {hour} {day} {month} {weekday.replace('?', '*')}", datetime(2025, 12, 31, 23, 59, tzinfo=UTC)
    )
    start = datetime(2026, 1, 1, tzinfo=UTC)
    ours = [
        date + timedelta(minutes=time)
        for date in (start + timedelta(days=number) for number in range(90))
        if schedule.hits_on(date.month, date.day, (date.weekday() + 1) % 7)
        for time in schedule.times()
    ]
    step_starts_with_star = day.startswith("*/")
    if step_starts_with_star and weekday not in {"*", "?"}:
        return  # robfig takes `*/10` as a restriction, croniter as a star: an honest difference
    for moment in ours[:40]:
        assert other.get_next(datetime) == moment, (
            f"a budget would be active at other times than the checker thinks: {moment}"
        )


@pytest.mark.parametrize(
    ("schedule", "minutes"),
    [
        ("@hourly", 60),
        ("@daily", 1440),
        ("@midnight", 1440),
        ("@weekly", 7 * 1440),
        ("@monthly", 31 * 1440),
        ("@yearly", 366 * 1440),
        ("@annually", 366 * 1440),
        ("0 9 * * mon-fri", 3 * 1440),
        ("*/15 * * * *", 15),
        ("*/15 9 * * *", 1440 - 45),
        ("0 9,17 * * *", 16 * 60),
        ("0 0 29 2 *", (4 * 365 + 1) * 1440),
        ("0 0 31 2 *", None),
        ("0 0 1 * mon", 7 * 1440),
    ],
)
def test_the_longest_time_between_two_hits(schedule: str, minutes: int | None) -> None:
    assert cron.longest_gap(schedule) == minutes, "a window that never lifts is let through, or a good one refused"


def test_a_star_with_a_step_restricts_the_day() -> None:
    schedule = cron.parse("0 0 */10 * mon")
    assert schedule.hits_on(1, 11, 3), "robfig/cron takes either of two restricted fields"
    assert cron.parse("0 0 */1 * mon").hits_on(1, 11, 3) is False, "a step of 1 is a plain star"


def test_week_windows_wrap_around_the_end_of_the_week() -> None:
    assert cron.week_windows("0 23 * * sat", 120) == [(9_720 - 60 + 360, 10_080), (0, 60)]
    assert cron.week_windows("0 0 1 * *", 60) is None, "a monthly schedule has no weekly windows"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_079), st.integers(1, 10_080)), max_size=6))
def test_covering_a_week_is_what_counting_minutes_says(windows: list[tuple[int, int]]) -> None:
    spans = [(start, min(10_080, start + length)) for start, length in windows]
    minutes = set().union(*(range(start, end) for start, end in spans))
    assert cron.cover_week(spans) == (len(minutes) == 10_080)


def test_macros_mean_what_their_fields_say() -> None:
    for macro, fields in cron.MACROS.items():
        assert cron.parse(macro) == cron.parse(fields)
        assert list(pairwise(cron.parse(macro).times())) == list(pairwise(cron.parse(fields).times()))


@pytest.mark.parametrize(("schedule", "hits"), json.loads(RECORDED.read_text()), ids=lambda value: str(value)[:40])
def test_schedules_are_read_as_robfig_cron_reads_them(schedule: str, hits: list[int] | None) -> None:
    if hits is None:
        with pytest.raises(cron.CronError):
            cron.parse(schedule)
        return
    parsed = cron.parse(schedule)
    if not hits:
        assert cron.longest_gap(schedule) is None, "a window that never opens is let through"
        return
    ours: list[int] = []
    day = datetime(2024, 1, 1, tzinfo=UTC)
    while len(ours) < len(hits):
        if parsed.hits_on(day.month, day.day, (day.weekday() + 1) % 7):
            ours += [int(day.timestamp()) + time * 60 for time in parsed.times()]
        day += timedelta(days=1)
    assert ours[: len(hits)] == hits, "Karpenter's budget is active at other times than the checker thinks"
