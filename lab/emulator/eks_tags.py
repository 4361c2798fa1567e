"""Tags of EKS resources: what TagResource changes shows when the resource is described."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ministack.services import eks

from lab.emulator.eks_request import EksError, Request, answer

if TYPE_CHECKING:
    from lab.emulator.ec2 import Answer

_ARN_FIELDS = ("arn", "nodegroupArn", "addonArn", "accessEntryArn")


def _association(arn: str) -> dict[str, Any]:
    for found in list(eks._pod_identity_associations.values()):  # noqa: SLF001
        if found["associationArn"] == arn:
            record: dict[str, Any] = found
            return record
    raise EksError(404, "ResourceNotFoundException", f"No resource found for ARN: {arn}.")


def tag_association(request: Request, arn: str) -> Answer:
    """TagResource on a pod identity association, which ministack does not know as a resource with tags."""
    _association(arn)["tags"].update(request.body.get("tags", {}))
    return answer({})


def untag_association(request: Request, arn: str) -> Answer:
    """UntagResource on a pod identity association."""
    tags = _association(arn)["tags"]
    for key in request.query.get("tagKeys", "").split(","):
        tags.pop(key, None)
    return answer({})


def list_association(_request: Request, arn: str) -> Answer:
    """ListTagsForResource on a pod identity association."""
    return answer({"tags": _association(arn)["tags"]})


def sync(arn: str) -> None:
    """Let a record show the tags that TagResource and UntagResource changed."""
    tags = dict(eks._tags.get(arn, {}))  # noqa: SLF001
    for store in (eks._clusters, eks._nodegroups, eks._addons, eks._access_entries):  # noqa: SLF001
        for record in list(store.values()):
            if arn in (record.get(field) for field in _ARN_FIELDS):
                record["tags"] = tags
