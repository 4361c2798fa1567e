"""Configurations as people write them: right, and slightly wrong."""

from typing import Any

from hypothesis import strategies as st

Entry = dict[str, Any]

SCHEDULES = (
    "0 9 * * mon-fri", "@daily", "@hourly", "30 22 * * 0,6", "*/15 * * * *", "0 0 1 1 *", "0 0 29 2 *",
    "0 8-17/2 * * 1-5",
    "@dailyish", "@every 1h", "99 99 * * *", "0 0 * * sat-sun", "30 10 * * 1-7", "0 0 31 2 *", "0 9 * *",
    "TZ=UTC 0 9 * * *",
    "0 9 * * *\n", " 0 9 * * *", "0\u00a09 * * *", "a b c d e", "0 9 * * * *", "", "*-5 * * * *", "1,, * * * *",
    "@daily 1",
)  # fmt: skip
DURATIONS = (
    "8h", "1h30m", "90m", "8h0s", "24h", "0h", "720h", "0s", "15m", "1h30m15s", "Never", "never", "30d", "1hr", "60",
    "1d",
    "30s", "8h30m15s", "-1h", "", "9999999999h", "1h\n", "99999999999999999999h", "1.5h",
)  # fmt: skip
QUANTITIES: tuple[object, ...] = (
    "1000", "0", "64Gi", "500m", "1e3", "1.5", ".5", "5.", "+3", "-1", "10K", "10Ki", "1e1.5", "x", "", "1,000",
    1000, 1.5,
    True, None, "1e", "Gi", "1 Gi",
)  # fmt: skip
KEYS = (
    "kubernetes.io/arch", "kubernetes.io/os", "karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-generation", "karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-gpu-count", "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone",
    "topology.k8s.aws/zone-id", "example.com/team", "team", "karpenter.sh/nodepool", "kubernetes.io/hostname",
    "karpenter.sh/x",
    "karpenter.k8s.aws/x", "karpenter.k8s.aws/instance-tenancy", "karpenter.k8s.aws/placement-group-id",
    "x.karpenter.sh/y",
    "evilkarpenter.sh/y", "UPPER.com/x", "a/b/c", "-x", "karpenter.sh", "karpenter.k8s.aws/ec2nodeclass", "",
    "x" * 64,
    "beta.kubernetes.io/arch", "kubernetes.io/x", "node-restriction.kubernetes.io/x", "a" * 60 + ".com/" + "b" * 63,
)  # fmt: skip
VALUES: tuple[object, ...] = (
    "amd64", "arm64", "linux", "windows", "spot", "on-demand", "reserved", "xspot", "c", "m", "r", "g", "2", "4",
    "8", "100", "-1",
    "2.5", "m5.large", "us-west-2a", "a b", "", "x" * 64, "x" * 63, "-x", 4, True, "m7i", "g5",
    "99999999999999999999", "+5", "05",
    "default", "dedicated", "Ünicode",
)  # fmt: skip
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte", "in", "Equals")
NAMES = ("default", "gpu", "a.b", "x" * 63, "x" * 64, "Upper", "under_score", "-x", "a..b", "")
JUNK = st.sampled_from([None, True, 0, -1, 1, 3.5, "", "x", "1", [], {}, ["x"], {"x": "y"}, 10**20, [None], {"": ""}])


def some(values: Any) -> st.SearchStrategy[Any]:
    """One of these values; the first ones, which are right, more often."""
    plain = list(values)
    return st.one_of(st.sampled_from(plain[: max(1, len(plain) // 2)]), st.sampled_from(plain))


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Entry]:
    """A map with some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


REQUIREMENT = st.fixed_dictionaries(
    {"key": some(KEYS), "operator": some(OPERATORS)},
    optional={
        "values": st.lists(some(VALUES), max_size=3),
        "minValues": st.sampled_from([1, 2, 3, 50, 0, 51, "1"]),
    },
)
GOOD_REQUIREMENT = st.sampled_from(
    [
        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]},
        {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"], "minValues": 2},
        {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["2"]},
        {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lte", "values": [16]},
        {"key": "karpenter.k8s.aws/instance-family", "operator": "Exists", "minValues": 5},
        {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["us-west-2d"]},
        {"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "DoesNotExist"},
        {"key": "example.com/team", "operator": "In", "values": ["a"]},
    ]
)
TAINT = st.fixed_dictionaries(
    {"key": some(KEYS[8:]), "effect": some(["NoSchedule", "NoExecute", "PreferNoSchedule", "Never"])},
    optional={
        "value": some(["true", "batch", "a/b", "a b", "", "-", "x" * 64]),
        "timeAdded": some(["2026-01-01T00:00:00Z", "yesterday"]),
    },
)
BUDGET = st.fixed_dictionaries(
    {
        "nodes": some(
            ["10%", "1", "5", "100%", "0", 3, "0%", "101%", "-1", "x", "", "999", "1.5%", "12345678901234567890"]
        )
    },
    optional={
        "schedule": some(SCHEDULES),
        "duration": some(DURATIONS),
        "reasons": st.lists(some(["Empty", "Drifted", "Underutilized", "Expired"]), max_size=3),
    },
)
WINDOW = st.builds(
    lambda schedule, duration, nodes: {"nodes": nodes, "schedule": schedule, "duration": duration},
    st.sampled_from(SCHEDULES[:8]),
    st.sampled_from(["1h", "30m", "8h"]),
    st.sampled_from(["0", "1", "20%"]),
)
DISRUPTION = maybe(
    consolidationPolicy=some(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced", "WhenUnderutilized"]),
    consolidateAfter=some(["1m", "0s", "Never", "1h30m", *DURATIONS]),
    budgets=st.lists(st.one_of(WINDOW, WINDOW, BUDGET), max_size=3),
)
NODE_POOL = maybe(
    nodeClass=some(["default", "gpu", ""]),
    preset=some(["general", "batch-spot", "gpu", "static", "stateful", "customer-facing", "generel"]),
    businessHours=st.fixed_dictionaries(
        {
            "timezone": some(["Europe/Berlin", "UTC", "Asia/Kolkata", "Mars/Base"]),
            "from": some(["08:00", "23:30", "25:00"]),
        }
        | {"to": some(["18:00", "06:00", "08:00", "24:00"])}
    ),
    requirements=st.one_of(
        st.lists(GOOD_REQUIREMENT, max_size=4, unique_by=str),
        st.lists(st.one_of(GOOD_REQUIREMENT, REQUIREMENT), max_size=4),
    ),
    labels=st.dictionaries(some(KEYS[9:]), some(["a", "x" * 63, "x" * 64, "a b", "", 5, True]), max_size=2),
    annotations=st.dictionaries(some(["example.com/a", "a", "a b", ""]), some(["x", "a b\n", 5]), max_size=2),
    taints=st.lists(TAINT, max_size=2),
    startupTaints=st.lists(TAINT, max_size=1),
    expireAfter=some(["720h", "Never", *DURATIONS]),
    terminationGracePeriod=some(["48h", "30m", *DURATIONS]),
    limits=st.dictionaries(some(["cpu", "memory", "nodes", "nvidia.com/gpu", "a b"]), some(QUANTITIES), max_size=3),
    weight=some([1, 10, 100, 50, 0, 101, "10", 1.5]),
    replicas=some([1, 0, 3, -1, "2"]),
    disruption=DISRUPTION,
)

IDS = ("0123456789abcdef0", "01234567", "xyz", "", "0123456789ABCDEF0")
TAGS = st.dictionaries(
    some(["karpenter.sh/discovery", "Name", "team", "kubernetes.io/cluster/x", "", "aws:x", "eks:eks-cluster-name"]),
    some(["my-cluster", "*", "a b", "", "x" * 257]),
    max_size=2,
)
ALIASES = (
    "al2023@v20261101", "bottlerocket@v1.50.0", "bottlerocket@1.50.0", "windows2022@latest", "al2023@latest",
    "al2@v20240101",
    "al2023@v20240101", "al2023", "al2023@", "ubuntu@v1", "windows2022@v1", "al2023@v20269999", "AL2023@v20261101",
    "a@b@c",
    "al2023@v" + "1" * 30, "bottlerocket@latest", "@v1", "",
)  # fmt: skip
AMI_TERM = maybe(
    alias=some(ALIASES),
    id=some([f"ami-{each}" for each in IDS]),
    name=some(["my-ami", "amazon-eks-*", "*", ""]),
    owner=some(["self", "amazon", "123456789012", "me"]),
    ssmParameter=some(["/amis/x", ""]),
    tags=TAGS,
)
EBS = maybe(
    volumeSize=some(
        ["50Gi", "100Gi", "1Ti", "20Gi", "100G", "10Gi", "Ti", "T", "0Gi", "50", "50GB", "59001Gi", "60000Gi", ""]
    ),
    volumeType=some(["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard", "gp4"]),
    encrypted=some([True, False, "true"]),
    iops=some([3000, 6000, 16000, 100, 70000, 0, -1, "3000"]),
    throughput=some([125, 250, 1000, 2000]),
    kmsKeyID=some(["alias/x", "arn:aws:kms:us-west-2:123456789012:key/1", ""]),
    snapshotID=some(["snap-0123456789abcdef0", "snap-x", ""]),
    volumeInitializationRate=some([100, 300, 99]),
    deleteOnTermination=some([True, False]),
)
GOOD_EBS = st.builds(
    lambda size: {"volumeSize": size, "volumeType": "gp3", "encrypted": True}, some(["50Gi", "1Ti", "9Gi"])
)
MAPPING = maybe(
    deviceName=some(["/dev/xvda", "/dev/xvdb", "/dev/sda1", ""]),
    ebs=st.one_of(GOOD_EBS, EBS),
    rootVolume=some([True, False]),
)
SIGNALS = ("memory.available", "nodefs.available", "pid.available", "imagefs.inodesFree", "cpu.available")
THRESHOLDS = ("5%", "100Mi", "10.5%", "100%", "101%", "5.555%", "", "x", "-5Mi", "1e1.5")
RESERVED = st.dictionaries(
    some(["cpu", "memory", "ephemeral-storage", "pid", "nodes"]),
    some(["100m", "1Gi", "1", "-1", "x", "1e1.5"]),
    max_size=2,
)
KUBELET = maybe(
    clusterDNS=st.lists(some(["10.100.0.10", "fd00::10", "dns"]), max_size=2),
    cpuCFSQuota=some([True, False]),
    evictionHard=st.dictionaries(some(SIGNALS), some(THRESHOLDS), max_size=2),
    evictionSoft=st.dictionaries(some(SIGNALS), some(THRESHOLDS), max_size=2),
    evictionSoftGracePeriod=st.dictionaries(some(SIGNALS), some(["2m", "1h", "x", "30s"]), max_size=2),
    evictionMaxPodGracePeriod=some([60, 0, -1]),
    imageGCHighThresholdPercent=some([85, 100, 0, 101]),
    imageGCLowThresholdPercent=some([80, 0, 100, -1]),
    kubeReserved=RESERVED,
    systemReserved=RESERVED,
    maxPods=some([110, 8, 0, -1, "110"]),
    podsPerCore=some([10, 0, -1]),
)
INTERFACE = st.fixed_dictionaries(
    {
        "networkCardIndex": some([0, 1, -1]),
        "deviceIndex": some([0, 1, -1]),
        "interfaceType": some(["interface", "efa-only", "efa"]),
    }
)
CAPACITY_RESERVATION = maybe(
    id=some(["cr-0123456789abcdef0", "cr-x", "x"]),
    instanceMatchCriteria=some(["open", "targeted", "closed"]),
    ownerID=some(["123456789012", "1"]),
    tags=TAGS,
)
USER_DATA = (
    "#!/bin/bash\necho hello\n", "[settings.kernel]\nlockdown = 'integrity'\n", "", "hello", "[other]\nx = 1\n",
    "x" * 17_000,
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b\"\n\n--b\n\nx\n--b--\n", "MIME-Version: 1.0\n\nx",
    "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n", "<powershell>x</powershell>",
)  # fmt: skip
NODE_CLASS = maybe(
    diskSize=some(["100Gi", "50Gi", "10Gi", "x"]),
    amiFamily=some(["AL2023", "Bottlerocket", "Windows2022", "Custom", "AL2", "Windows2025", "Windows2019", "Ubuntu"]),
    associatePublicIPAddress=some([True, False, "no"]),
    blockDeviceMappings=st.lists(MAPPING, max_size=3),
    capacityReservationSelectorTerms=st.lists(CAPACITY_RESERVATION, max_size=2),
    connectionTracking=maybe(
        tcpEstablishedTimeout=some([3600, 60, 59, 432_001]),
        udpStreamTimeout=some([180, 60, 181]),
        udpTimeout=some([30, 61]),
    ),
    context=some(["x", ""]),
    cpuOptions=maybe(nestedVirtualization=some(["enabled", "disabled", "on"])),
    detailedMonitoring=some([True, False, "yes"]),
    instanceProfile=some(["my-profile", "arn:aws:iam::123456789012:instance-profile/x", "a/b", "", "x" * 129]),
    instanceStorePolicy=some(["RAID0", "RAID1"]),
    ipPrefixCount=some([1, 0, -1]),
    kubelet=KUBELET,
    metadataOptions=maybe(
        httpEndpoint=some(["enabled", "disabled", "on"]),
        httpProtocolIPv6=some(["disabled", "enabled", "x"]),
        httpPutResponseHopLimit=some([1, 2, 64, 0, 65, "1"]),
        httpTokens=some(["required", "optional", "none"]),
    ),
    networkInterfaces=st.lists(INTERFACE, max_size=3),
    placementGroupSelector=maybe(id=some(["pg-0123456789abcdef0", "pg-x", "x"]), name=some(["a", ""])),
    role=some(["my-role", "KarpenterNodeRole-x", "arn:aws:iam::123456789012:role/x", "team/role", "", "x" * 65]),
    securityGroupSelectorTerms=st.lists(
        maybe(id=some([f"sg-{each}" for each in IDS]), name=some(["nodes", ""]), tags=TAGS), max_size=2
    ),
    subnetSelectorTerms=st.lists(maybe(id=some([f"subnet-{each}" for each in IDS]), tags=TAGS), max_size=2),
    tags=TAGS,
    userData=some(USER_DATA),
)
AMIS = st.one_of(
    st.just({"amis": {"amd64": "ami-0123456789abcdef0"}}),
    st.just({"amis": {"amd64": "ami-0123456789abcdef0", "arm64": "ami-0fedcba9876543210"}}),
    st.builds(lambda alias: {"amiSelectorTerms": [{"alias": alias}]}, some(ALIASES)),
    st.builds(lambda terms: {"amiSelectorTerms": terms}, st.lists(AMI_TERM, max_size=2)),
    st.just({}),
)

NODE_OVERLAY = st.fixed_dictionaries(
    {"requirements": st.lists(st.one_of(GOOD_REQUIREMENT, REQUIREMENT), max_size=2)},
    optional={
        "price": some(["0.1", "1", "-1", ".5", "1.", "x", 1]),
        "priceAdjustment": some(["+10%", "-15%", "+0.5", "-100%", "-101%", "10%", "+.5", "-.5%", "x", "+", "-99.5%"]),
        "capacity": st.dictionaries(
            some(["example.com/x", "a", "cpu", "habana.ai/gaudi"]), some(QUANTITIES), max_size=2
        ),
        "weight": some([1, 10_000, 0, 10_001]),
    },
)
CAPACITY_BUFFER = st.fixed_dictionaries(
    {
        "spec": maybe(
            podTemplateRef=maybe(name=some(["x", ""])),
            scalableRef=maybe(
                apiGroup=some(["apps", ""]), kind=some(["Deployment", "Job", ""]), name=some(["web", ""])
            ),
            replicas=some([1, 0, -1]),
            percentage=some([20, 0, 100, -1]),
            limits=st.dictionaries(some(["cpu", "memory"]), some(QUANTITIES), max_size=2),
            provisioningStrategy=some(["buffer.x-k8s.io/active-capacity", "x"]),
        )
    }
)


@st.composite
def broken(draw: st.DrawFn, whole: st.SearchStrategy[Entry]) -> Entry:
    """A configuration; one in four with something odd somewhere in it."""
    entry = draw(whole)
    if draw(st.integers(0, 3)) or not entry:
        return entry
    field = draw(st.sampled_from(sorted(entry)))
    return {**entry, draw(st.sampled_from([field, field, f"{field}x"])): draw(JUNK)}


@st.composite
def few_fields(draw: st.DrawFn, whole: st.SearchStrategy[Entry]) -> Entry:
    """A configuration with few of its fields, so that many are right as a whole."""
    entry = draw(whole)
    kept = draw(st.sets(st.sampled_from(sorted(entry)), max_size=3)) if entry else set()
    return {key: value for key, value in entry.items() if key in kept}


def with_amis(node_class: Entry, amis: Entry) -> Entry:
    """A class and its AMIs; an alias brings its own family."""
    return {**node_class, **amis}


NODE_POOLS = broken(st.one_of(few_fields(NODE_POOL), few_fields(NODE_POOL), NODE_POOL))
NODE_CLASSES = broken(st.builds(with_amis, st.one_of(few_fields(NODE_CLASS), few_fields(NODE_CLASS), NODE_CLASS), AMIS))
NODE_OVERLAYS = broken(NODE_OVERLAY)
CAPACITY_BUFFERS = broken(CAPACITY_BUFFER)
