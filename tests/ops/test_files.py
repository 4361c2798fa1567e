"""Files keep what people wrote, and change together or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ops import transaction
from ops.errors import OpsError
from ops.render import Block, Rows, inline
from ops.transaction import JOURNAL, Change, commit, recover
from ops.yaml_text import append, plain, set_value

ENTRY = Block(region="us-west-2", reviews=Rows([{"reviewer": "ann"}]), environments=Block(dev={"status": "candidate"}))
IDS = st.text("0123456789abcdef", min_size=17, max_size=17).map("ami-{}".format)


def ledger(ids: list[str]) -> str:
    lines = ["# header", "schemaVersion: 1", "amis:"]
    for ami_id in sorted(ids):
        lines += [f"  # about {ami_id}", f"  {ami_id}:   # beside it", "    region: us-west-2  # west", ""]
    return "\n".join([*lines, "# the end", ""])


@settings(deadline=None, max_examples=25)
@given(st.lists(IDS, min_size=1, max_size=6, unique=True), IDS)
def test_a_new_entry_changes_no_other_line(ids: list[str], new: str) -> None:
    before = ledger([each for each in ids if each != new] or [f"{new[:-1]}x"])
    after = set_value(before, ("amis", new), ENTRY, ordered=True)
    added = after.splitlines()
    for line in before.splitlines():
        assert line in added, "a line that people wrote is gone"
        added.remove(line)
    assert added[0].strip() == f"{new}:", "something else was added than the entry"
    known = list(plain(after, "x")["amis"])
    assert known == sorted(known), "the order is lost, and with it merges without conflicts"
    for each in known:
        if each != new:
            assert f"  # about {each}\n  {each}:" in after, "a comment now stands above another entry"


@settings(deadline=None, max_examples=50)
@given(st.recursive(st.text() | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner, max_size=3)))
@example("yes")
@example("1.36")
@example("2026-11-01")
@example("a: b")
@example("#x")
@example("[")
def test_any_value_is_read_as_it_was_written(value: object) -> None:
    text = set_value("a: 1 # one\nb: {c: 2}\n", ("b", "d"), value)
    assert plain(text, "x") == {"a": 1, "b": {"c": 2, "d": value}}, "a note would turn into something else"
    assert text.startswith("a: 1 # one\nb: {c: 2, d: ")
    assert plain(f"[{inline(value)}]", "x") == [value]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a:\n  b: old # why\n  c: 1\n", "a:\n  b: new # why\n  c: 1\n"),
        ("a: {c: 1, b: 'old'} # why\n", "a: {c: 1, b: new} # why\n"),
        ("a: {}\n", "a: {b: new}\n"),
        ("a:\nz: 1\n", "a: {b: new}\nz: 1\n"),
        ("z: 1\n", "z: 1\na: {b: new}\n"),
        ("a:\n    c: 1 # deep\n\n# next\nz: 1\n", "a:\n    c: 1 # deep\n    b: new\n\n# next\nz: 1\n"),
        ("a:\n  c: |\n    x\n    y\nz: 1\n", "a:\n  c: |\n    x\n    y\n  b: new\nz: 1\n"),
        ("a:\n  c: 1\n  # b: <fill in>\nz: 1\n", "a:\n  c: 1\n  b: new\nz: 1\n"),
        ("a:\n  c: 1", "a:\n  c: 1\n  b: new\n"),
        ("a:\r\n  b: old\r\n", "a:\r\n  b: new\r\n"),
    ],
)
def test_only_the_value_changes(before: str, after: str) -> None:
    assert set_value(before, ("a", "b"), "new") == after, "a file that people keep got another layout"


@pytest.mark.parametrize("text", ["a: &x {b: 1}\nc: *x\n", "a: 5\n", "a: [1]\n", "a:\n  b:\n    c: 1\n"])
def test_what_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    with pytest.raises(OpsError, match=r"by hand|in brackets"):
        set_value(text, ("a", "b"), "new")


def test_items_are_appended_in_the_list_s_own_style() -> None:
    assert append("a:\n- 1 # one\n\nb: 2\n", ("a",), 3) == "a:\n- 1 # one\n- 3\n\nb: 2\n"
    assert append("a: [1]\n", ("a",), 3) == "a: [1, 3]\n"
    assert append("a: []\n", ("a",), 3) == "a: [3]\n"


def test_two_branches_with_different_amis_merge_without_conflict(tmp_path: Path) -> None:
    base = ledger([f"ami-{digit * 17}" for digit in "369"])
    ours = set_value(base, ("amis", "ami-" + "4" * 17), ENTRY, ordered=True)
    theirs = set_value(base, ("amis", "ami-" + "7" * 17), ENTRY, ordered=True)
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (tmp_path / name).write_text(text)
    command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"two people who add an AMI each get a conflict: {done.stdout}"
    assert done.stdout == set_value(ours, ("amis", "ami-" + "7" * 17), ENTRY, ordered=True), "the merge is no ledger"


def change(folder: Path) -> list[Change]:
    (folder / "amis").mkdir(exist_ok=True)
    for name in ("amis/ledger.yaml", "Pulumi.dev.yaml"):
        (folder / name).write_text("old\n")
    return [Change(folder / name, "old\n", f"new {name}\n") for name in ("amis/ledger.yaml", "Pulumi.dev.yaml")]


def contents(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in ("amis/ledger.yaml", "Pulumi.dev.yaml")]


KILLER = """
import os, signal, sys
from pathlib import Path
from ops import transaction
writes = 0
plain = transaction._write
def write(path, text):
    global writes
    if writes == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    writes += 1
    plain(path, text)
transaction._write = write
folder = Path(sys.argv[1])
transaction.commit(folder / "amis", [
    transaction.Change(folder / name, "old\\n", f"new {name}\\n") for name in ("amis/ledger.yaml", "Pulumi.dev.yaml")
])
"""


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_killed_command_is_all_or_nothing(tmp_path: Path, writes: int) -> None:
    changes = change(tmp_path)
    root = Path(transaction.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", KILLER, str(tmp_path), str(writes)], env=environment, check=False)
    assert done.returncode == -9, "the test did not kill the command"
    recover(tmp_path / "amis")
    expected = ["old\n", "old\n"] if writes == 0 else [each.after for each in changes]
    assert contents(tmp_path) == expected, "the stack runs what the ledger does not know, or the other way round"
    assert not (tmp_path / "amis" / JOURNAL).exists(), "every later command would do it again"


def test_an_edit_after_a_kill_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = change(tmp_path)
    plain_write = transaction._write

    def killed(path: Path, text: str) -> None:
        if path.name == "Pulumi.dev.yaml":
            raise KeyboardInterrupt
        plain_write(path, text)

    monkeypatch.setattr(transaction, "_write", killed)
    with pytest.raises(KeyboardInterrupt):
        commit(tmp_path / "amis", changes)
    monkeypatch.undo()
    (tmp_path / "Pulumi.dev.yaml").write_text("edited\n")
    with pytest.raises(OpsError, match="edited after a command was killed half-way"):
        recover(tmp_path / "amis")
    assert contents(tmp_path)[1] == "edited\n", "somebody's edit got lost"


def test_a_stale_change_writes_neither_file(tmp_path: Path) -> None:
    changes = change(tmp_path)
    (tmp_path / "Pulumi.dev.yaml").write_text("by somebody else\n")
    with pytest.raises(OpsError, match="somebody changed this file meanwhile"):
        commit(tmp_path / "amis", changes)
    assert contents(tmp_path) == ["old\n", "by somebody else\n"], "half of the change was written"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=50))
def test_any_text_is_written_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    commit(tmp_path, [Change(path, "old", text)])
    assert path.read_bytes().decode() == text, "a file changes where nobody asked for it"
