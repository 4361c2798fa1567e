"""Options of the unit tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files change only when somebody says so, and somebody else reviews the difference."""
    parser.addoption("--update-golden", action="store_true", dest="update_golden", help="write golden files again")
