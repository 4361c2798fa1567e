"""A configuration with mistakes and what the stack says about it, as README.md shows them."""

from pathlib import Path
from typing import Any

import yaml

from settings.load import examine, line
from settings.read import NAMESPACE, Raw

ROOT = Path(__file__).parents[1]
MISTAKES = """\
karpenter-eks:nodeClasses:
  default:
    amiSelectorTerms: [{alias: al2023@latest}]
karpenter-eks:nodePools:
  batch:
    nodeClass: spot
    requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [Spot]}
    disruption:
      budgets: [{nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}]
"""


def block() -> str:
    """The mistakes and the stack's answer, in Markdown."""
    config = yaml.safe_load((ROOT / "Pulumi.dev.yaml").read_text())["config"]
    config[f"{NAMESPACE}:cluster"]["systemNodes"]["releaseVersion"] = "1.36.0-20261101"
    config.update(yaml.safe_load(MISTAKES))
    data: dict[str, Any] = {
        key.partition(":")[2]: value for key, value in config.items() if key.startswith(f"{NAMESPACE}:")
    }
    _, problems = examine(Raw(data=data, region=config["aws:region"], profile=None, stack="dev"))
    lines = "\n".join(f"{problem.severity}: {line(problem)}" for problem in problems)
    return f"```yaml\n{MISTAKES}```\n\n```text\n{lines}\n```\n"
