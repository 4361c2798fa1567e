"""What the kinds of EKS share."""

from lab.plugins.aws.iam import changed_tags
from lab.plugins.aws.kind import (
    Aws,
    Kind,
    Props,
)


def retag(aws: Aws, arn: str, old: Props, new: Props) -> None:
    """Change the tags of an EKS resource."""
    gone, set_ = changed_tags(old, new)
    if gone:
        aws.client("eks").untag_resource(resourceArn=arn, tagKeys=gone)
    if set_:
        aws.client("eks").tag_resource(resourceArn=arn, tags=set_)


def own(tags: dict[str, str] | None) -> dict[str, str]:
    """Tags without AWS's own."""
    return {key: value for key, value in (tags or {}).items() if not key.startswith("aws:")}


class OfCluster(Kind):
    """Something that belongs to a cluster, with `<cluster>:<name>` as its id."""

    taggable = True

    @staticmethod
    def parts(resource_id: str) -> tuple[str, str]:
        """Cluster and name of an id."""
        cluster, name = resource_id.split(":", 1)
        return cluster, name
