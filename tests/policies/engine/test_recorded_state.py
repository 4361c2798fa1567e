"""`pulumi policy analyze` on recorded states, through the real engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.policies.builders import COMPLIANT
from tests.policies.engine.conftest import PACK, Engine
from tests.policies.engine.state import exported
from tests.policies.hostile import CASES

pytestmark = pytest.mark.engine


def config_file(folder: Path, level: str) -> Path:
    """The production configuration with the lab's approvals, every rule at one level."""
    config = json.loads((PACK / "config.prod.json").read_text())
    for values in config.values():
        values["enforcementLevel"] = level
        if "environment" in values:
            values["environment"] = "lab"
    file = folder / f"config.{level}.json"
    file.write_text(json.dumps(config))
    return file


def analyze(engine: Engine, resources: Any, folder: Path, level: str = "mandatory") -> Any:
    state = folder / "state.json"
    state.write_text(json.dumps(exported(resources)))
    return engine.run(
        "policy",
        "analyze",
        "--json",
        "--file",
        str(state),
        "--policy-pack",
        str(PACK),
        "--policy-pack-config",
        str(config_file(folder, level)),
    )


def test_a_right_state_passes(engine: Engine, tmp_path: Path) -> None:
    done = analyze(engine, [(type_, name, props) for name, (type_, props) in COMPLIANT.items()], tmp_path)
    assert done.returncode == 0, f"a right stack cannot be deployed: {done.stdout}{done.stderr}"
    assert "policyEvent" not in done.stdout, f"a right stack is complained about: {done.stdout}"


def test_each_hostile_variant_is_answered(engine: Engine, tmp_path: Path) -> None:
    done = analyze(engine, [(case.type, case.label, case.props) for case in CASES], tmp_path)
    print(done.stdout[:3000], done.stderr[:2000])
    assert done.returncode != 0
