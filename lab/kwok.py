"""kwok plays the pods on the lab's nodes, all but Karpenter's own: those are real processes."""

from pathlib import Path
from typing import Any

import yaml

from lab.processes import Ledger, Process

NODE_ANNOTATION = {"kwok.x-k8s.io/node": "fake"}
STAGES = ("pod/fast", "node/fast", "node/heartbeat-with-lease")
NOT_KARPENTER = {
    "key": '.metadata.labels["app.kubernetes.io/name"]',
    "operator": "NotIn",
    "values": ["karpenter"],
}


def start_kwok(folder: Path, tools: Path, port: int, kubeconfig: Path, ledger: Ledger) -> Process:
    """Start kwok.

    Args:
        folder: The lab's folder.
        tools: Folder of the lab's programs.
        port: The port that it serves its own health on.
        kubeconfig: The lab's kubeconfig.
        ledger: Where what runs is written down.
    """
    stages = folder / "kwok-stages.yaml"
    stages.write_text(yaml.safe_dump_all(list(stages_of(tools / "assets" / "kwok-stages"))))
    ((key, value),) = NODE_ANNOTATION.items()
    return ledger.start(
        "kwok",
        [
            tools / "kwok",
            f"--kubeconfig={kubeconfig}",
            f"--config={stages}",
            "--manage-all-nodes=false",
            f"--manage-nodes-with-annotation-selector={key}={value}",
            "--node-lease-duration-seconds=40",
            f"--server-address=127.0.0.1:{port}",
        ],
    )


def stages_of(folder: Path) -> list[dict[str, Any]]:
    """The stages that come with kwok, changed so that they leave Karpenter's pods alone.

    Args:
        folder: The stages of kwok's module.
    """
    found = []
    for name in STAGES:
        for file in sorted((folder / name).glob("*.yaml")):
            for stage in yaml.safe_load_all(file.read_text()):
                if stage.get("kind") != "Stage":
                    continue
                if stage["metadata"]["name"] == "pod-ready":
                    stage["spec"]["selector"]["matchExpressions"].append(NOT_KARPENTER)
                found.append(stage)
    return found
