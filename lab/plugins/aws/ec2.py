"""What the kinds of EC2 share."""

from typing import Any

from lab.plugins.aws.kind import (
    Aws,
    Kind,
    Props,
    tag_list,
)


def specification(kind: str, tags: dict[str, str]) -> list[dict[str, Any]]:
    """Tags of a new EC2 resource."""
    return [{"ResourceType": kind, "Tags": tag_list(tags)}] if tags else []


def first(answer: Any, key: str) -> Any:
    """The first object of a describe call's answer, or None."""
    return (answer or {}).get(key, [None])[0] if (answer or {}).get(key) else None


def retag(aws: Aws, resource_id: str, old: Props, new: Props) -> None:
    """Change the tags of an EC2 resource."""
    before, after = old.get("tagsAll", {}), new.get("tagsAll", {})
    if before == after:
        return
    gone = [{"Key": key} for key in before if key not in after]
    if gone:
        aws.client("ec2").delete_tags(Resources=[resource_id], Tags=gone)
    if after:
        aws.client("ec2").create_tags(Resources=[resource_id], Tags=tag_list(after))


class Ec2Kind(Kind):
    """A resource of EC2 with tags."""

    taggable = True

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        """Change tags."""
        retag(aws, resource_id, old, new)


def arn(aws: Aws, kind: str, resource_id: str) -> str:
    """ARN of an EC2 resource."""
    return f"arn:aws:ec2:{aws.region}:{aws.account_id}:{kind}/{resource_id}"
