"""ARC zonal shift's GetManagedResource for EKS clusters; nothing is ever shifted by itself in the lab."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ministack.services import eks

if TYPE_CHECKING:
    from lab.emulator.ec2 import Answer


async def handle(_method: str, path: str, _headers: dict[str, str], _body: bytes, _query: dict[str, Any]) -> Answer:
    """Answer for a cluster with zonal shift enabled, refuse every other resource as ARC does."""
    arn = unquote(path.partition("/managedresources/")[2])
    for cluster in list(eks._clusters.values()):  # noqa: SLF001
        if cluster["arn"] == arn and cluster.get("zonalShiftConfig", {}).get("enabled"):
            body = {"appliedWeights": {}, "arn": arn, "autoshifts": [], "name": cluster["name"], "zonalShifts": []}
            return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()
    refusal = {"message": f"The resource {arn} is not managed by ARC zonal shift."}
    headers = {"Content-Type": "application/json", "x-amzn-errortype": "ResourceNotFoundException"}
    return 404, headers, json.dumps(refusal).encode()
