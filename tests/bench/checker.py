"""Measures the checker alone: `python -m tests.bench.checker 1 10 100 500` prints a line of JSON for each number.

Every measure is a process of its own, so that nothing is left in a cache, and counts from before the first import.
"""

import json
import resource
import subprocess
import sys
import time
from typing import Any


def fleet(pools: int) -> dict[str, Any]:
    """Pools that are all different, as they would be in a large cluster: presets, schedules, families, weights."""
    presets = ("general", "batch-spot", "high-memory", "customer-facing", "stateful")
    zones = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney")
    return {
        f"team-{number}": {
            "preset": presets[number % len(presets)],
            "labels": {"team": f"team-{number}"},
            "weight": number % 100 + 1,
            "requirements": [
                {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lt", "values": [str(8 + number % 60)]},
                {"key": "karpenter.k8s.aws/instance-memory", "operator": "Gt", "values": [str(number)]},
            ],
            "businessHours": {
                "timezone": zones[number % len(zones)],
                "from": f"{number % 12:02}:00",
                "to": f"{12 + number % 12:02}:30",
            },
        }
        for number in range(pools)
    }


def measure(pools: int) -> dict[str, float]:
    """Check so many pools, in this process."""
    started = time.perf_counter()
    from components.spec.checks import check_fleet

    imported = time.perf_counter()
    problems = check_fleet(
        fleet(pools), {"default": {"amis": {"amd64": "ami-0123456789abcdef0"}}}, kubernetes_version="1.36"
    )
    errors = [problem for problem in problems if problem.severity == "error"]
    assert not errors, errors[0].line()
    return {
        "pools": pools,
        "seconds": round(time.perf_counter() - imported, 3),
        "secondsWithImports": round(time.perf_counter() - started, 3),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main(arguments: list[str]) -> None:
    """Measure each number of pools in a process of its own."""
    if arguments[:1] == ["--here"]:
        sys.stdout.write(json.dumps(measure(int(arguments[1]))) + "\n")
        return
    for pools in arguments:
        subprocess.run([sys.executable, "-m", "tests.bench.checker", "--here", pools], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
