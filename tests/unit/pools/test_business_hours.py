"""Business hours, minute by minute against the time zones themselves."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.spec import business_hours, cron, durations

YEAR = datetime(2027, 1, 1, tzinfo=UTC)
MINUTES = 365 * 1440
MARGIN = 3 * 1440
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Pacific/Chatham",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Asia/Tokyo",
)
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CLOCK = st.builds(lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.sampled_from([0, 15, 30, 59]))


def offset_runs(zone: ZoneInfo) -> list[tuple[int, int, int]]:
    """Runs of minutes (start, end, offset) of the year in which a zone's offset stays the same."""

    def offset(minute: int) -> int:
        moment = datetime.fromtimestamp(YEAR.timestamp() + minute * 60, zone)
        return (moment.utcoffset() or timedelta()) // timedelta(minutes=1)

    runs: list[tuple[int, int, int]] = []
    start = -MARGIN
    for minute in range(-MARGIN, MINUTES + MARGIN, 15):
        if offset(minute) != offset(start):
            runs.append((start, minute, offset(start)))
            start = minute
    return [*runs, (start, MINUTES + MARGIN, offset(start))]


def wanted(zone: ZoneInfo, days: list[str], begin: str, end: str) -> bytearray:
    """A byte for each minute of the year: 1 while a clock on the wall shows business hours."""
    start, stop = business_hours._minutes(begin), business_hours._minutes(end)
    if stop <= start:
        stop += 1440
    year = bytearray(MINUTES)
    for first, last, offset in offset_runs(zone):
        for day in range(first // 1440 - 3, last // 1440 + 3):
            weekday = DAYS[(YEAR.weekday() + day) % 7]
            if weekday in days:
                opens, closes = max(first, day * 1440 + start - offset), min(last, day * 1440 + stop - offset)
                opens, closes = max(0, opens), min(MINUTES, closes)
                if opens < closes:
                    year[opens:closes] = b"\x01" * (closes - opens)
    return year


def kept(budgets: list[dict[str, str]]) -> bytearray:
    """A byte for each minute of the year: 1 while a budget keeps the nodes in place."""
    year = bytearray(MINUTES)
    for budget in budgets:
        schedule, length = cron.parse(budget["schedule"]), (durations.seconds(budget["duration"]) or 0) // 60
        for day in range(-3, 366):
            date = YEAR + timedelta(days=day)
            if schedule.hits_on(date.month, date.day, (date.weekday() + 1) % 7):
                for time in schedule.times():
                    opens, closes = max(0, day * 1440 + time), min(MINUTES, day * 1440 + time + length)
                    if opens < closes:
                        year[opens:closes] = b"\x01" * (closes - opens)
    return year


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(ZONES), st.sets(st.sampled_from(DAYS), min_size=1), CLOCK, CLOCK)
def test_nodes_stay_in_every_minute_of_business_hours(zone: str, days: set[str], begin: str, end: str) -> None:
    if begin == end:
        return
    asked = wanted(ZoneInfo(zone), sorted(days), begin, end)
    given_ = kept(business_hours.budgets(zone, sorted(days), begin, end))
    missing = int.from_bytes(asked, "big") & ~int.from_bytes(given_, "big")
    assert not missing, f"in {zone} nodes go during business hours, {missing.bit_count()} minutes a year"


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(ZONES), CLOCK, CLOCK)
def test_the_windows_are_no_longer_than_the_change_of_offset_asks(zone: str, begin: str, end: str) -> None:
    if begin == end:
        return
    least, greatest = business_hours.offsets(zone)
    length = (business_hours._minutes(end) - business_hours._minutes(begin)) % 1440
    budget = business_hours.budgets(zone, ["mon"], begin, end)[0]
    assert durations.seconds(budget["duration"]) == (length + greatest - least) * 60, (
        "nodes stay in place for longer than anybody asked"
    )


def test_a_zone_without_daylight_saving_gets_exactly_its_hours() -> None:
    asked = wanted(ZoneInfo("Asia/Kolkata"), ["mon", "fri"], "09:00", "17:30")
    assert asked == kept(business_hours.budgets("Asia/Kolkata", ["mon", "fri"], "09:00", "17:30"))


@pytest.mark.parametrize(
    ("zone", "days", "begin", "end", "expected"),
    [
        ("Europe/Berlin", ["mon", "tue", "wed", "thu", "fri"], "08:00", "18:00", ("0 6 * * mon-fri", "11h")),
        ("UTC", ["sat", "sun"], "00:00", "24:00", ("0 0 * * sun,sat", "24h")),
        ("Pacific/Kiritimati", ["mon"], "08:00", "09:30", ("0 18 * * sun", "1h30m")),
        ("Pacific/Pago_Pago", ["sat"], "20:00", "21:00", ("0 7 * * sun", "1h")),
        ("America/New_York", list(DAYS), "22:00", "06:00", ("0 2 * * *", "9h")),
        ("UTC", ["sun", "mon", "tue", "thu", "fri", "sat"], "09:00", "09:45", ("0 9 * * sun-tue,thu-sat", "45m")),
    ],
)
def test_budgets_of_known_hours(zone: str, days: list[str], begin: str, end: str, expected: tuple[str, str]) -> None:
    [budget] = business_hours.budgets(zone, days, begin, end)
    assert (budget["nodes"], budget["schedule"], budget["duration"]) == ("0", *expected)


def test_hours_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        business_hours.budgets("Mars/Base", ["mon"], "08:00", "18:00")
    with pytest.raises(ValueError, match="end when they begin"):
        business_hours.budgets("UTC", ["mon"], "08:00", "08:00")
