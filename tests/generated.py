"""Every file that is generated from models and recordings, whole or in part.

`python -m tests.generated --write` writes them anew.

Without `--write` it names those that are not, and fails.
"""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from components.spec import reference
from settings.reference import filled as with_tables
from settings.schema import stack_schema
from tests import mistakes
from tests.ops.pages import filled as with_what_the_lab_printed
from tests.unit.pools.pages import filled as with_presets

ROOT = Path(__file__).parents[1]


def readme(before: str) -> str:
    """README.md with its table of outputs, the stack file of dev, and a configuration with mistakes."""
    example = f"```yaml\n{(ROOT / 'Pulumi.dev.yaml').read_text()}```\n"
    after = _between("example", with_tables(before), example)
    return _between("mistakes", after, mistakes.block())


def _between(name: str, page: str, text: str) -> str:
    marks = re.compile(f"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
    return marks.sub(lambda found: f"{found[1]}{text}{found[2]}", page)


FILES: Mapping[str, Callable[[str], str]] = {
    "README.md": readme,
    "docs/ami-updates.md": with_what_the_lab_printed,
    "docs/node-pools.md": with_presets,
    "docs/reference-configuration.md": with_tables,
    "docs/reference-node-pools.md": lambda _: reference.node_pools(),
    "docs/reference-node-classes.md": lambda _: reference.node_classes(),
    "schema/karpenter-eks.schema.json": lambda _: stack_schema(),
}
"""Path -> what the file should say, from what it says."""


def outdated() -> dict[Path, str]:
    """Files that tell of another version than this one, and what they should say."""
    found = {}
    for name, make in FILES.items():
        path = ROOT / name
        before = path.read_text() if path.exists() else ""
        if (after := make(before)) != before:
            found[path] = after
    return found


def main(arguments: list[str]) -> int:
    """Write, or name, what is not up to date."""
    found = outdated()
    for path, text in found.items():
        if arguments == ["--write"]:
            path.write_text(text)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    return 1 if found and arguments != ["--write"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
