"""The last words of a controller that ended are the ones that tell why."""

from pathlib import Path

import pytest

from lab.controller import last_line

ERROR = '{"level":"ERROR","message":"no region"}'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("first\nlast\n\n", "last"),
        (f'{ERROR}\n{{"level":"INFO","message":"ending"}}\n', ERROR),
        (
            f"{ERROR}\npanic: queue does not exist\n\ngoroutine 1 [running]:\nmain.main()\n",
            "panic: queue does not exist",
        ),
    ],
)
def test_what_tells_most_is_kept(tmp_path: Path, text: str, words: str) -> None:
    log = tmp_path / "log"
    log.write_text(text)
    assert last_line(log, 0) == words, "a stack's last line says nothing about the cause"


def test_an_earlier_run_has_nothing_to_say_about_this_one(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"{ERROR}\n")
    start = log.stat().st_size
    with log.open("a") as more:
        more.write("killed\n")
    assert last_line(log, start) == "killed", "a mended fault would be reported again"
