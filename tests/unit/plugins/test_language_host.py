"""Which Python the lab's language host starts: the choice must be the official host's."""

import sys
from pathlib import Path

import pytest
from pulumi.runtime.proto import language_pb2

from lab.plugins.language_host import LanguageHost, python_of


def test_a_named_environment_is_used(tmp_path: Path) -> None:
    python = tmp_path / "policies" / ".." / ".venv" / "bin" / "python"
    (tmp_path / "policies").mkdir()
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert python_of({"virtualenv": "../.venv"}, str(tmp_path / "policies")) == str(python)


def test_without_a_named_environment_path_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert python_of({}, str(tmp_path)) == str(tmp_path / "python3"), (
        "a pack that names no environment works in the lab, and nowhere else"
    )


def test_a_named_environment_that_is_not_there_ends_the_run_with_a_remedy(tmp_path: Path) -> None:
    info = language_pb2.ProgramInfo(root_directory=str(tmp_path), program_directory=str(tmp_path), entry_point=".")
    info.options.update({"virtualenv": ".venv"})
    answer = LanguageHost("127.0.0.1:1").Run(language_pb2.RunRequest(info=info), None)
    assert "run `pulumi install`" in answer.error, "another Python than the official host's runs the program"
