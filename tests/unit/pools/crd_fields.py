"""The fields of a CRD's spec, and those of a model, as dotted paths.

Written again, after a chart bump, with `python -m tests.unit.pools.crd_fields FOLDER-WITH-CRDS`.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel

VERSION = "1.14.3"
GOLDEN = Path(__file__).parents[2] / "golden" / f"crd-fields-{VERSION}.json"
FILES = {
    "NodePool": "karpenter.sh_nodepools.yaml",
    "EC2NodeClass": "karpenter.k8s.aws_ec2nodeclasses.yaml",
    "NodeOverlay": "karpenter.sh_nodeoverlays.yaml",
    "CapacityBuffer": "autoscaling.x-k8s.io_capacitybuffers.yaml",
}


def _fields(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, field in schema.get("properties", {}).items():
        yield f"{prefix}{name}"
        yield from _fields(field, f"{prefix}{name}.")
        yield from _fields(field.get("items", {}), f"{prefix}{name}[].")


def fields_of_crds(folder: Path) -> dict[str, list[str]]:
    """Every field below `spec` of the four kinds."""
    found = {}
    for kind, name in FILES.items():
        crd = yaml.safe_load((folder / name).read_text())
        [version] = [each for each in crd["spec"]["versions"] if each["storage"]]
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        found[kind] = sorted(_fields(spec, ""))
    return found


def _model(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    for inner in get_args(annotation):
        model, listed = _model(inner)
        if model is not None:
            return model, listed or getattr(annotation, "__origin__", None) is tuple
    return None, False


def fields_of_model(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every field of a model under its name in the configuration."""
    for name, info in model.model_fields.items():
        path = f"{prefix}{info.alias or name}"
        yield path
        inner, listed = _model(info.annotation)
        if inner is not None:
            yield from fields_of_model(inner, f"{path}[]." if listed else f"{path}.")


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(fields_of_crds(Path(sys.argv[1])), indent=1) + "\n")
