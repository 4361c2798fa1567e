"""What the CRD lets through in disruption budgets although the controller refuses or misreads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from components.spec import cron, durations
from components.spec.model_problems import join
from components.spec.node_pool import Budget, Disruption, NodePoolSpec
from components.spec.patterns import BUDGET_SCHEDULE
from components.spec.problems import ABSENT, Problem

REASONS: Final = ("Underutilized", "Empty", "Drifted")
_SECONDS_PER_MINUTE: Final = 60
_DAY: Final = 86_400


def _blocks(budget: Budget) -> bool:
    return budget.nodes.rstrip("%").strip("0") == ""


def _schedule_problem(path: str, schedule: str) -> Problem | None:
    where = join(path, "schedule")
    if BUDGET_SCHEDULE.search(schedule) is None:
        return Problem(
            where, schedule, "must be five cron fields or a macro such as @daily", ('for example "0 9 * * 1-5"')
        )
    try:
        gap = cron.longest_gap(schedule)
    except cron.CronError as error:
        rule = f"Karpenter cannot read it ({error}), and with an unreadable budget it disrupts nothing at all"
        return Problem(where, schedule, rule, 'write cron in UTC, for example "0 9 * * 1-5"')
    if gap is None:
        return Problem(where, schedule, "this date never comes", "choose days that the months have")
    return None


def _window_problems(path: str, budget: Budget) -> Iterator[Problem]:
    if (budget.schedule is None) != (budget.duration is None):
        missing = "schedule" if budget.schedule is None else "duration"
        rule = "schedule and duration go together"
        yield Problem(join(path, missing), ABSENT, rule, f"add a {missing}, or remove the other one")
    if budget.duration is not None and durations.seconds(budget.duration) == 0:
        yield Problem(join(path, "duration"), budget.duration, "must be longer than nothing", 'for example "8h"')
    if budget.schedule is not None and (problem := _schedule_problem(path, budget.schedule)) is not None:
        yield problem
    elif budget.schedule is not None and budget.duration is not None and _blocks(budget):
        gap = cron.longest_gap(budget.schedule) or 0
        if (durations.seconds(budget.duration) or 0) >= gap * _SECONDS_PER_MINUTE:
            rule = (
                f"the window never lifts: the schedule hits again after at most {durations.spell(gap * 60)}, so with "
                f'nodes "{budget.nodes}" Karpenter never replaces a node, not even a drifted one'
            )
            yield Problem(join(path, "duration"), budget.duration, rule, "make it shorter than the schedule's period")


def _budget_problems(path: str, budget: Budget) -> Iterator[Problem]:
    yield from _window_problems(path, budget)
    if budget.reasons is not None and len(set(budget.reasons)) != len(budget.reasons):
        yield Problem(join(path, "reasons"), list(budget.reasons), "each reason stands once", "remove the repetition")
    if budget.reasons is not None and not budget.reasons:
        rule = "an empty list makes the budget limit nothing"
        yield Problem(join(path, "reasons"), [], rule, "name reasons, or remove the field to limit all of them")


def _reasons(budget: Budget) -> Sequence[str]:
    return REASONS if budget.reasons is None else budget.reasons


def _shown(budgets: Sequence[Budget]) -> list[dict[str, object]]:
    return [budget.model_dump(by_alias=True, exclude_none=True) for budget in budgets]


def _never_lifts(path: str, budgets: Sequence[Budget]) -> Iterator[Problem]:
    """Reasons for which budgets of 0 leave no time free, taken together."""
    blocking = [budget for budget in budgets if _blocks(budget)]
    stuck = _always_limited(blocking)
    if "Drifted" not in stuck:
        return
    if len(stuck) == len(REASONS):
        rule = "budgets of 0 cover all times: no node is ever consolidated, and drifted nodes are never replaced"
        yield Problem(path, _shown(blocking), rule, "leave hours in which nodes may go, or allow a node")
    else:
        rule = "budgets of 0 cover all times for Drifted: nodes keep their old AMI until they expire"
        yield Problem(path, _shown(blocking), rule, "leave hours in which drifted nodes may go", "warning")


def _always_limited(budgets: Sequence[Budget]) -> list[str]:
    """Reasons that the budgets, taken together, limit at all times."""
    return [reason for reason in REASONS if _cover_all([budget for budget in budgets if reason in _reasons(budget)])]


def _cover_all(budgets: Sequence[Budget]) -> bool:
    windows: list[tuple[int, int]] = []
    for budget in budgets:
        if budget.schedule is None or budget.duration is None:
            return True
        try:
            minutes = (durations.seconds(budget.duration) or 0) // _SECONDS_PER_MINUTE
            windows += cron.week_windows(budget.schedule, minutes) or []
        except cron.CronError:
            continue
    return cron.cover_week(windows)


def _always_on(path: str, budgets: Sequence[Budget]) -> Iterator[Problem]:
    limited = _always_limited(budgets)
    free = [reason for reason in REASONS if reason not in limited]
    if not free:
        return
    rule = (
        f"no budget without a schedule limits {', '.join(free)}: outside the windows nothing holds Karpenter back, it "
        "may take all nodes at once"
    )
    remedy = 'add {nodes: "10%"} without a schedule'
    yield Problem(path, _shown(budgets), rule, remedy, "warning")


def check_disruption(path: str, spec: NodePoolSpec) -> Iterator[Problem]:
    """Problems of the budgets, and of their combination with the expiry."""
    disruption: Disruption = spec.disruption
    where = join(path, "disruption", "budgets")
    budgets = disruption.budgets or ()
    alone = [
        problem for index, budget in enumerate(budgets) for problem in _budget_problems(join(where, index), budget)
    ]
    yield from alone
    if disruption.budgets is not None and not budgets:
        rule = "an empty list means no limit: Karpenter may take all nodes at once"
        yield Problem(where, [], rule, 'remove it (the default is one budget of "10%"), or add budgets', "warning")
    elif budgets:
        if not any("never lifts" in problem.rule for problem in alone):
            yield from _never_lifts(where, budgets)
        yield from _always_on(where, budgets)
    expiry = durations.seconds(spec.expire_after)
    if expiry is not None and expiry < _DAY and any(_blocks(budget) for budget in budgets):
        rule = "expiry takes no notice of budgets: nodes go at this age, also while a budget of 0 is active"
        remedy = "expire after a day or more, or do not rely on the budget"
        yield Problem(join(path, "expireAfter"), spec.expire_after, rule, remedy, "warning")
