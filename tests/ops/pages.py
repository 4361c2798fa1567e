"""Fills in what the lab printed in docs/ami-updates.md, from the recording that tests/lab/test_ami_life.py writes."""

import json
import re
from pathlib import Path
from typing import Any

RECORDING = Path(__file__).parents[2] / "docs" / "lab-results" / "ami-life.json"
PART = re.compile(r"(<!-- lab: (\S+) -->\n).*?(<!-- end of lab -->)", re.DOTALL)


def filled(page: str) -> str:
    """The page with each part between its marks written anew; a mark that the recording does not know is an error."""
    told = json.loads(RECORDING.read_text())
    return PART.sub(lambda found: f"{found[1]}{_part(told, found[2])}{found[3]}", page)


def _part(told: dict[str, Any], name: str) -> str:
    return _steps(told, name) if name in {"rollOut", "rollBack"} else _console(told["commands"][name])


def _console(commands: list[dict[str, str]]) -> str:
    lines = [line for each in commands for line in (f"$ {each['command']}", *each["output"].rstrip().splitlines())]
    return "\n".join(["```console", *(line.rstrip() for line in lines), "```\n"])


def _steps(told: dict[str, Any], name: str) -> str:
    rows = [f"| {' | '.join(map(str, step))} |" for step in told[name]]
    seconds = told[name][-1][0]
    setting = f'In the lab, with Karpenter {told["karpenter"]}, {told["replicas"]} nodes and `nodes: "1"`'
    titles = ["second", "old nodes", "draining", "ending", "new nodes", "ready pods"]
    head = [f"| {' | '.join(titles)} |", f"| {' | '.join('--:' for _ in titles)} |"]
    return "\n".join([f"{setting}: {seconds} s.\n", *head, *rows]) + "\n"
