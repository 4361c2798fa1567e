"""Quantities, durations, paths and the table of instance types."""

import json
from fractions import Fraction
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec import durations, instance_types, quantities
from components.spec.labels import restriction
from components.spec.model_problems import join
from components.spec.patterns import QUANTITY
from components.spec.requirements import ANY, ValueSet


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("500m", Fraction(1, 2)),
        ("1k", 1000),
        ("1Ki", 1024),
        ("2Gi", 2 * 1024**3),
        ("1.5T", 15 * 10**11),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("-3", -3),
        ("+3", 3),
        ("1e3", 1000),
        ("1E-3", Fraction(1, 1000)),
        ("1E", 10**18),
        ("1Ei", 1024**6),
        ("7n", Fraction(7, 10**9)),
        ("7u", Fraction(7, 10**6)),
    ],
)
def test_a_quantity_is_the_number_that_kubernetes_reads(text: str, value: Fraction) -> None:
    assert quantities.value(text) == value


@given(st.from_regex(QUANTITY))
def test_every_quantity_that_passes_its_pattern_can_be_read(text: str) -> None:
    assert isinstance(quantities.value(text), Fraction)


@pytest.mark.parametrize(
    ("text", "seconds"), [("1h30m", 5400), ("90s", 90), ("Never", None), ("1h0s", 3600), ("1m1m", 120)]
)
def test_a_duration_is_the_sum_of_its_parts(text: str, seconds: int | None) -> None:
    assert durations.seconds(text) == seconds


@given(st.integers(1, 10**6))
def test_what_is_spelt_is_read_back(minutes: int) -> None:
    assert durations.seconds(durations.spell(minutes * 60)) == minutes * 60


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        (("nodePools", "gpu", "limits", "nvidia.com/gpu"), 'nodePools.gpu.limits["nvidia.com/gpu"]'),
        (("nodePools", "a.b", "requirements", 0, "key"), 'nodePools["a.b"].requirements[0].key'),
        (("nodePools", "batch-spot"), "nodePools.batch-spot"),
        (("a", ""), 'a[""]'),
    ],
)
def test_a_path_can_be_pasted_into_a_pulumi_command(parts: tuple[str | int, ...], path: str) -> None:
    assert join("", *parts) == path


def test_custom_labels_outside_karpenters_domains_are_free() -> None:
    assert restriction("example.com/team") is None
    assert restriction("kubernetes.io/anything") is None
    assert restriction("karpenter.sh/nodepool", allow_node_pool=True) is None
    assert restriction("karpenter.sh/nodepool") is not None


def test_a_set_that_is_compared_holds_numbers_only() -> None:
    assert not ValueSet(low=3).allows("large")
    assert ValueSet(low=3, high=5).allows("4")
    assert not ValueSet(high=5).allows("6")
    assert not ValueSet(absent=True).allows("x")
    assert ANY.allows("x")


DESCRIBED = {
    "InstanceTypes": [
        {
            "InstanceType": "g4dn.xlarge",
            "ProcessorInfo": {"SupportedArchitectures": ["x86_64"], "Manufacturer": "Intel"},
            "SupportedUsageClasses": ["on-demand", "spot"],
            "VCpuInfo": {"DefaultVCpus": 4},
            "MemoryInfo": {"SizeInMiB": 16384},
            "InstanceStorageInfo": {"NvmeSupport": "required", "TotalSizeInGB": 125},
            "GpuInfo": {"Gpus": [{"Name": "T4", "Manufacturer": "NVIDIA", "Count": 1}]},
        },
        {
            "InstanceType": "inf2.xlarge",
            "ProcessorInfo": {"SupportedArchitectures": ["x86_64"], "Manufacturer": "AMD"},
            "SupportedUsageClasses": ["on-demand"],
            "VCpuInfo": {"DefaultVCpus": 4},
            "MemoryInfo": {"SizeInMiB": 16384},
            "NeuronInfo": {"NeuronDevices": [{"Name": "Inferentia2", "Count": 1}]},
        },
        {
            "InstanceType": "mac2.metal",
            "ProcessorInfo": {"SupportedArchitectures": ["arm64_mac"]},
            "SupportedUsageClasses": ["on-demand"],
            "VCpuInfo": {"DefaultVCpus": 8},
            "MemoryInfo": {"SizeInMiB": 16384},
        },
        {
            "InstanceType": "m7i-flex.large",
            "ProcessorInfo": {"SupportedArchitectures": ["x86_64"], "Manufacturer": "Intel"},
            "SupportedUsageClasses": ["on-demand", "spot"],
            "VCpuInfo": {"DefaultVCpus": 2},
            "MemoryInfo": {"SizeInMiB": 8192},
        },
    ]
}


def test_the_table_of_instance_types_can_be_renewed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(json.dumps(DESCRIBED)))
    instance_types.main()
    table = instance_types.Table(json.loads(capsys.readouterr().out))
    assert table.names == ["g4dn.xlarge", "inf2.xlarge", "m7i-flex.large"], "Karpenter launches no Macs"
    carried = {key: value for key, types in table.masks.items() for value, bits in types.items() if bits & 1}
    assert carried["karpenter.k8s.aws/instance-gpu-manufacturer"] == "nvidia"
    assert carried["karpenter.k8s.aws/instance-category"] == "g"
    assert carried["karpenter.k8s.aws/instance-generation"] == "4"
    assert carried["karpenter.k8s.aws/instance-local-nvme"] == "125"
    assert table.values("karpenter.k8s.aws/instance-accelerator-name") == {"inferentia2": 2}
    assert table.values("karpenter.k8s.aws/instance-capability-flex")["true"] == 4
    assert table.spot == 5
    assert table.values("example.com/team") == {}


def test_the_shipped_table_holds_what_the_presets_ask_for() -> None:
    table = instance_types.table()
    assert len(table.names) > 1000
    for name in ("m5.large", "m7g.large", "g4dn.xlarge", "r6i.4xlarge"):
        assert name in table.names, f"the checker would take {name} for a spelling mistake"
