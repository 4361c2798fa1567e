"""Ways to talk around each rule, and the exact message that answers each; unit tests and the real engine share them."""

from tests.policies.hostile.access import CLUSTER_CASES, IAM_CASES, QUEUE_CASES
from tests.policies.hostile.amis import AMI_CASES
from tests.policies.hostile.case import Case, secret
from tests.policies.hostile.nodes import NODE_CASES
from tests.policies.hostile.pools import POOL_CASES
from tests.policies.hostile.workloads import WORKLOAD_CASES

__all__ = ["CASES", "Case", "secret"]

CASES = [
    *AMI_CASES,
    *POOL_CASES,
    *NODE_CASES,
    *QUEUE_CASES,
    *IAM_CASES,
    *CLUSTER_CASES,
    *WORKLOAD_CASES,
]
