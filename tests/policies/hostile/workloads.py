"""Workloads that ask for nothing, or do not survive the end of a node."""

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.hostile.case import Case

STATED = "must be stated; state what the container needs, such as cpu 100m or memory 128Mi"
CONTAINER = "spec.template.spec.containers[0].resources"
WORKLOAD_CASES = [
    Case(
        "workload-requests",
        "no-cpu-request",
        b.DEPLOYMENT_TYPE,
        b.deployment(**{"spec/template/spec/containers/0/resources/requests/cpu": ABSENT, "spec/replicas": 1}),
        f"{CONTAINER}.requests.cpu: found nothing; {STATED}",
    ),
    Case(
        "workload-requests",
        "old-api-version",
        "kubernetes:extensions/v1beta1:Deployment",
        b.deployment(**{"spec/template/spec/containers/0/resources/limits/memory": ABSENT, "spec/replicas": 1}),
        f"{CONTAINER}.limits.memory: found nothing; {STATED}",
    ),
    Case(
        "workload-requests",
        "cron-job-zero",
        b.CRON_JOB_TYPE,
        b.cron_job(**{"spec/jobTemplate/spec/template/spec/containers/0/resources/requests/cpu": 0}),
        "spec.jobTemplate.spec.template.spec.containers[0].resources.requests.cpu: found 0; must be more than 0; "
        "state what the container needs",
    ),
    Case(
        "workload-requests",
        "init-container",
        b.POD_TYPE,
        b.pod(**{"spec/initContainers": [{**b.CONTAINER, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}),
        f"spec.initContainers[0].resources.limits.memory: found nothing; {STATED}",
    ),
    Case(
        "workload-requests",
        "limit-of-the-pod-beside-a-request",
        b.POD_TYPE,
        b.pod(
            **{
                "spec/resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
                "spec/containers": [b.CONTAINER, {"name": "proxy"}],
            }
        ),
        f"spec.containers[1].resources.requests.cpu: found nothing; {STATED}",
    ),
    Case(
        "workload-requests",
        "patch-of-a-job",
        "kubernetes:batch/v1:JobPatch",
        {"spec": {"template": {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "0"}}}]}}}},
        'spec.template.spec.containers[0].resources.requests.cpu: found "0"; must be more than 0; '
        "state what the container needs",
    ),
    Case(
        "workload-requests",
        "namespace-that-is-unknown",
        b.DEPLOYMENT_TYPE,
        b.deployment(
            **{
                "metadata/namespace": UNKNOWN_STRING_VALUE,
                "spec/replicas": 1,
                "spec/template/spec/containers/0/resources/requests/cpu": ABSENT,
            }
        ),
        f"{CONTAINER}.requests.cpu: found nothing; {STATED}",
    ),
    Case(
        "workload-availability",
        "budget-of-no-percent",
        b.BUDGET_TYPE,
        b.disruption_budget(**{"spec/maxUnavailable": "00%"}),
        'spec.maxUnavailable: found "00%"; allows no disruption, so that no node with its pods ever goes; set it to 1',
    ),
    Case(
        "workload-availability",
        "controller-of-replicas-without-budget",
        "kubernetes:core/v1:ReplicationController",
        b.deployment(**{"spec/template/metadata/labels/app": "other"}),
        "spec.replicas: found 2; more than one replica must have a PodDisruptionBudget; add one with maxUnavailable 1",
    ),
    Case(
        "workload-availability",
        "replicas-without-budget",
        b.DEPLOYMENT_TYPE,
        b.deployment(**{"spec/template/metadata/labels/app": "other"}),
        "spec.replicas: found 2; more than one replica must have a PodDisruptionBudget; add one with maxUnavailable 1",
    ),
    Case(
        "workload-availability",
        "budget-of-nothing",
        b.BUDGET_TYPE,
        b.disruption_budget(**{"spec/maxUnavailable": "0%"}),
        'spec.maxUnavailable: found "0%"; allows no disruption, so that no node with its pods ever goes; set it to 1',
    ),
]
