r"""The patterns of the pinned CRDs, as Python regular expressions.

Go's `$` means the end of the text, Python's also the place before a final newline: hence `\Z`.
Source: pkg/apis/crds of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

import re
from typing import Final

BUDGET_DURATION: Final = re.compile(r"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)\Z")
"""How long a budget stays active: hours and minutes, no seconds, no days."""

BUDGET_NODES: Final = re.compile(r"^((100|[0-9]{1,2})%|[0-9]+)\Z")
"""How many nodes a budget lets go at once."""

BUDGET_SCHEDULE: Final = re.compile(
    r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|"
    r"(.+[\t\n\f\r ].+[\t\n\f\r ].+[\t\n\f\r ].+[\t\n\f\r ].+)\Z"
)
"""What the API server asks of a schedule; Karpenter's own parser asks much more (cron.py)."""

NILLABLE_DURATION: Final = re.compile(r"^(([0-9]+(s|m|h))+|Never)\Z")
"""consolidateAfter, expireAfter."""

DURATION: Final = re.compile(r"^([0-9]+(s|m|h))+\Z")
"""terminationGracePeriod."""

QUANTITY: Final = re.compile(
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?[0-9]+))?\Z"
)
"""Kubernetes quantities. The CRD also lets exponents with a fraction through (1e1.5): the controller cannot read those,
and then reads no NodePool at all."""

EVICTION_THRESHOLD: Final = re.compile(
    r"^((\d{1,2}(\.\d{1,2})?|100(\.0{1,2})?)%|"
    r"(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?[0-9]+))?)\Z",
    re.ASCII,
)
"""Thresholds of kubelet evictions: a percentage or a quantity. The CRD also lets the empty text through: not wanted
here.
"""

LABEL_VALUE: Final = re.compile(r"^(?=.{0,63}\Z)(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\Z")
"""Values of labels, at most 63 characters."""

QUALIFIED_NAME: Final = re.compile(
    r"^(?=.{1,317}\Z)((?=[^/]{1,253}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(?=[^/]{1,63}\Z)([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z"
)
"""Keys of labels and taints: an optional DNS name of at most 253 characters, a slash, a name of at most 63."""

OBJECT_NAME: Final = re.compile(r"^(?=.{1,63}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
"""Names of NodePools and classes. 63, not Kubernetes' 253: the name becomes the value of a node label."""

MOMENT: Final = re.compile(
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})\Z"
)
"""A date and time of RFC 3339."""

NAMESPACE: Final = re.compile(r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")

VOLUME_SIZE: Final = re.compile(
    r"^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|"
    r"(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|"
    r"([1-9]|[1-5][0-7]|58)Ti|([1-9]|[1-5][0-9]|6[0-3]|64)T)\Z"
)
"""Size of a volume. The CRD's pattern also lets a bare "Ti" and "T" through, which are no sizes: not wanted here."""

AMI_ID: Final = re.compile(r"^ami-([0-9a-f]{8}|[0-9a-f]{17})\Z")
SUBNET_ID: Final = re.compile(r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})\Z")
SECURITY_GROUP_ID: Final = re.compile(r"^sg-([0-9a-f]{8}|[0-9a-f]{17})\Z")
CAPACITY_RESERVATION_ID: Final = re.compile(r"^cr-[0-9a-f]{17}\Z")
PLACEMENT_GROUP_ID: Final = re.compile(r"^pg-[0-9a-f]{17}\Z")
SNAPSHOT_ID: Final = re.compile(r"^snap-([0-9a-f]{8}|[0-9a-f]{17})\Z")
ACCOUNT_ID: Final = re.compile(r"^[0-9]{12}\Z")

PRICE: Final = re.compile(r"^[0-9]+(\.[0-9]+)?\Z")
PRICE_ADJUSTMENT: Final = re.compile(r"^([+-][0-9]*\.?[0-9]+|\+[0-9]*\.?[0-9]+%|-[0-9]{1,2}(\.[0-9]+)?%|-100%)\Z")
"""Prices and their changes in NodeOverlays."""
