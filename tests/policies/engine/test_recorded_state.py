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


def events(done: Any) -> list[dict[str, Any]]:
    """The policy events that the engine printed."""
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [line["policyEvent"] for line in lines if "policyEvent" in line]


def test_a_right_state_passes(engine: Engine, tmp_path: Path) -> None:
    done = analyze(engine, [(type_, name, props) for name, (type_, props) in COMPLIANT.items()], tmp_path)
    assert done.returncode == 0, f"a right stack cannot be deployed: {done.stdout}{done.stderr}"
    assert events(done) == [], f"a right stack is complained about: {done.stdout}"


def test_each_hostile_variant_is_answered(engine: Engine, tmp_path: Path) -> None:
    done = analyze(engine, [(case.type, case.label, case.props) for case in CASES], tmp_path)
    assert done.returncode != 0, "a stack full of violations passes"
    found = {
        (event["resourceUrn"].rpartition("::")[2], event["policyName"], message_of(event)) for event in events(done)
    }
    advice = " ".join(event["message"] for event in events(done) if event["enforcementLevel"] == "advisory")
    unanswered = [
        case.label
        for case in CASES
        if (case.label, case.rule, case.message) not in found and f"{case.label}: {case.message}" not in advice
    ]
    assert unanswered == [], "these ways around the rules pass, or are answered by other words"


def message_of(event: dict[str, Any]) -> str:
    return str(event["message"]).partition("\n")[2]
