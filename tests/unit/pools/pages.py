"""Fills in what is generated in docs/node-pools.md: one section for each preset.

Run it as `python -m tests.unit.pools.pages --write`.
"""

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import yaml

from components.spec.manifests import node_pool_manifest
from components.spec.presets import PRESETS

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "node-pools.md"
RESULTS = ROOT / "docs" / "lab-results"
BEGIN, END = "<!-- generated: presets, by `make docs` -->", "<!-- end of what is generated -->"

AMIS = "{amd64: ami-0123456789abcdef0}"
CLASSES = {
    "arm64": "  default:\n    amis: {amd64: ami-0123456789abcdef0, arm64: ami-0fedcba9876543210}\n",
    "gpu": f"  gpu:\n    amis: {AMIS}  # the nvidia variant\n    diskSize: 100Gi\n",
    "reserved": (
        f"  reserved:\n    amis: {AMIS}\n    capacityReservationSelectorTerms: [{{id: cr-0123456789abcdef0}}]\n"
    ),
}
"""Node classes that a preset needs beside the default one."""

ENTRIES: dict[str, dict[str, Any]] = {
    "customer-facing": {
        "preset": "customer-facing",
        "businessHours": {"timezone": "Europe/Berlin", "from": "10:00", "to": "22:00"},
    },
    "static": {"preset": "static", "replicas": 3},
}
"""Entries that say more than the preset's name."""


def entry_of(preset: str) -> dict[str, Any]:
    """The entry that the page shows for a preset."""
    return ENTRIES.get(preset, {"preset": preset})


def _yaml(data: object) -> str:
    return yaml.safe_dump(data, sort_keys=False, width=110, default_flow_style=None)


def _configuration(preset: str) -> str:
    pools = yaml.safe_dump({"karpenter-eks:nodePools": {preset: entry_of(preset)}}, sort_keys=False, width=110)
    classes = f"karpenter-eks:nodeClasses:\n{CLASSES[preset]}" if preset in CLASSES else ""
    return f"```yaml\n{classes}{pools}```\n"


def in_the_lab(preset: str) -> str:
    """What Karpenter did with the sample workload, from the recording of a lab run."""
    file = RESULTS / f"{preset}.json"
    if not file.exists():
        command = f"`KARPENTER_LAB_RECORD=1 make test-lab` writes docs/lab-results/{preset}.json"
        return f"There is no recording of a lab run yet: {command}.\n"
    told = json.loads(file.read_text())
    rows = [
        f"| {node['instanceType']} | {node['zone']} | {node['capacityType']} | {node['pods']} |"
        for node in told["nodes"]
    ]
    seconds = round(told["secondsToRunning"])
    head = (
        f"Karpenter {told['karpenter']} on Kubernetes {told['kubernetes']}: {told['pods']} pods of "
        f"examples/workloads/{preset}.yaml ran {seconds} s after they were created, on {len(rows)} "
        f"{'node' if len(rows) == 1 else 'nodes'} of pool {told['nodePool']} and on no other.\n"
    )
    table = "\n".join(["| instance type | zone | capacity type | pods |", "| --- | --- | --- | --- |", *rows])
    return f"{head}\n{table}\n"


def section(preset: str) -> str:
    """The section of one preset."""
    purpose = inspect.getdoc(PRESETS[preset])
    manifest = _yaml(node_pool_manifest(preset, entry_of(preset)))
    return (
        f"### {preset}\n\n{purpose}\n\n{_configuration(preset)}\n"
        f"Sample workload: [examples/workloads/{preset}.yaml](../examples/workloads/{preset}.yaml)\n\n"
        f"<details><summary>The NodePool that comes of it</summary>\n\n```yaml\n{manifest}```\n\n</details>\n\n"
        f"**In the lab.** {in_the_lab(preset)}"
    )


def filled(page: str) -> str:
    """The page with its generated part written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{chr(10).join(section(preset) for preset in PRESETS)}\n{END}{after}"


if __name__ == "__main__":
    text = filled(PAGE.read_text())
    PAGE.write_text(text) if sys.argv[1:] == ["--write"] else sys.stdout.write(text)
