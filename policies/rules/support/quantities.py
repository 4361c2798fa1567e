"""Durations and quantities, as Karpenter and Kubernetes write them."""

import re

from .reading import Node

SECONDS = {"s": 1, "m": 60, "h": 3600}
DURATION = re.compile(r"(?:[0-9]+[smh])+")
QUANTITY = re.compile(r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)(?P<unit>[numkKMGTPE]i?)?")
POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def seconds(text: str) -> float | None:
    """Seconds of a duration such as `1h30m`; infinite for `Never`, None for what is no duration."""
    if text == "Never":
        return float("inf")
    if DURATION.fullmatch(text) is None:
        return None
    return sum(int(part[:-1]) * SECONDS[part[-1]] for part in re.findall(r"[0-9]+[smh]", text))


def duration(node: Node) -> float | None:
    """Seconds of a duration in a resource; None if it is absent.

    Raises:
        CannotJudgeError: If it is unknown, or no duration.
    """
    text = node.text()
    if text is None:
        return None
    found = seconds(text)
    if found is None:
        node.refuse("a duration such as 720h, or Never")
    return found


def quantity(node: Node) -> float | None:
    """A quantity such as `1500m` or `2Gi` as a number; None if it is absent.

    Raises:
        CannotJudgeError: If it is unknown, or no quantity.
    """
    value = node.known()
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        node.refuse("a quantity such as 500m or 2Gi")
    unit = (match["unit"] or "").replace("K", "k")
    power = POWERS.get(unit.removesuffix("i"), 0)
    factor: float = 1024.0 ** (power / 3) if unit.endswith("i") else 10.0**power
    return float(match["number"]) * factor
