"""Kubernetes quantities as exact numbers, for comparing them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

_PARTS: Final = re.compile(r"^([+-]?)([0-9]*)\.?([0-9]*)(.*)\Z")
_SUFFIXES: Final = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    **{letter: Fraction(1000**power) for power, letter in enumerate("MGTPE", start=2)},
    **{f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", start=1)},
}
GIB: Final = 1024**3
_MAX_EXPONENT: Final = 30
"""Beyond it every resource is as good as unlimited, and exact powers would only cost time."""


def value(text: str) -> Fraction:
    """The number that a quantity stands for; it must have passed its pattern."""
    sign, whole, decimals, suffix = _PARTS.match(text).groups()  # type: ignore[union-attr]  # the pattern matches any text
    number = Fraction(int(whole + decimals or "0"), 10 ** len(decimals))
    if suffix[:1] in {"e", "E"} and len(suffix) > 1 and suffix != "Ei":
        exponent = max(-_MAX_EXPONENT, min(_MAX_EXPONENT, int(float(suffix[1:]))))
        number *= Fraction(10) ** exponent
    else:
        number *= _SUFFIXES[suffix]
    return -number if sign == "-" else number
