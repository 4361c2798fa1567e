"""The lab's tools: versions come from go.mod, the cache tells programs apart, a missing Go is one clear line."""

import subprocess
from pathlib import Path

import pytest

from lab import toolchain


def test_each_tool_has_the_version_that_its_go_mod_pins() -> None:
    versions = {tool.name: tool.version for tool in (toolchain.PULUMI, *toolchain.CLUSTER_TOOLS)}
    assert versions["karpenter"] == "v1.14.3", "the lab would prove another Karpenter than the stack installs"
    assert versions["kube-apiserver"] == "v1.36.3", "the lab would prove another Kubernetes than the stack asks for"
    assert all(version.startswith("v") for version in versions.values())


def test_a_changed_module_gives_a_program_another_place_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kwok"
    folder.mkdir()
    (folder / "go.mod").write_text("module x\n\nrequire sigs.k8s.io/kwok v0.8.0\n")
    monkeypatch.setattr(toolchain, "MODULES", tmp_path)
    before = toolchain.KWOK.key
    (folder / "go.mod").write_text("module x\n\nrequire (\n\tsigs.k8s.io/kwok v0.9.0\n)\n")
    after = toolchain.KWOK.key
    assert "v0.8.0" in before
    assert "v0.9.0" in after, "an upgraded tool would not be built: the old one stays in use"


def test_a_missing_go_is_one_line_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(toolchain.ToolchainError, match=r"^[^\n]*Go 1\.21 or newer[^\n]*install it[^\n]*$"):
        toolchain._go()


@pytest.mark.parametrize("version", ["go1.18.3", "go1.20", ""])
def test_an_old_go_is_one_line_that_names_it(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: "/opt/go/bin/go")
    answer = subprocess.CompletedProcess([], 0, stdout=version, stderr="")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: answer)
    with pytest.raises(toolchain.ToolchainError, match=r"/opt/go/bin/go is .*install it") as caught:
        toolchain._go()
    assert "\n" not in str(caught.value), "the way out would be buried in other lines"


def test_a_failed_build_leaves_nothing_in_the_cache_and_says_that_it_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "_go", lambda: "go")
    answer = subprocess.CompletedProcess([], 1, stdout="", stderr="first\nundefined: x")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: answer)
    with pytest.raises(toolchain.ToolchainError, match="run the same command again to go on"):
        toolchain._ensure_tool(toolchain.KWOK, tmp_path)
    assert list(tmp_path.iterdir()) == [], "a broken program would be used by the next run"


def test_the_users_own_pulumi_is_used_only_with_its_language_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert toolchain.official_pulumi() is None, "no program could run: the language host is missing"
    (tmp_path / "pulumi-language-python").touch(mode=0o755)
    assert toolchain.official_pulumi() == pulumi
    assert toolchain.PULUMI not in toolchain.needed_tools(), "people would wait for a build that they do not need"


def test_the_newest_official_plugin_is_found_by_number_and_not_by_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("v7.9.0", "v7.51.1"):
        (tmp_path / "plugins" / f"resource-aws-{version}").mkdir(parents=True)
    (tmp_path / "plugins" / "resource-aws-v8.0.0.partial").mkdir()
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path))
    found = toolchain.official_plugin("aws")
    assert found is not None
    assert found.name == "resource-aws-v7.51.1", "an old or half-downloaded plugin would be used"
    assert toolchain.official_plugin("gcp") is None
