"""The list of fields that the fast tests use, against the CRDs that the lab installs."""

import json
from pathlib import Path

import pytest

from tests.unit.pools.crd_fields import GOLDEN, fields_of_crds

pytestmark = pytest.mark.lab


def test_the_list_of_fields_is_that_of_the_real_crds(tools: Path) -> None:
    assert json.loads(GOLDEN.read_text()) == fields_of_crds(tools / "assets" / "crds"), (
        "a field that a chart bump brought would stay unknown: write the list again with "
        "`python -m tests.unit.pools.crd_fields FOLDER`"
    )
