"""EC2NodeClasses as people write them: right, and slightly wrong."""

from hypothesis import strategies as st

from tests.lab.differential.configurations import Entry, broken, few_fields, maybe, some

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
    iops=some([3000, 6000, 16000, 80000, 100, 90000, 0, -1, "3000"]),
    throughput=some([125, 250, 1000, 2000, 2001]),
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
    st.builds(lambda alias: {"amiSelectorTerms": [{"alias": alias}]}, st.sampled_from(ALIASES[:4])),
    st.just({"amis": {"amd64": "ami-0123456789abcdef0"}}),
    st.just({"amis": {"amd64": "ami-0123456789abcdef0", "arm64": "ami-0fedcba9876543210"}}),
    st.builds(lambda alias: {"amiSelectorTerms": [{"alias": alias}]}, some(ALIASES)),
    st.builds(lambda terms: {"amiSelectorTerms": terms}, st.lists(AMI_TERM, max_size=2)),
    st.just({}),
)


def with_amis(node_class: Entry, amis: Entry) -> Entry:
    """A class and its AMIs; an alias brings its own family."""
    return {**node_class, **amis}


NODE_CLASSES = broken(st.builds(with_amis, st.one_of(few_fields(NODE_CLASS), few_fields(NODE_CLASS), NODE_CLASS), AMIS))
