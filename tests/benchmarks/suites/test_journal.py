"""The journal: a run that was killed at any moment goes on, and its tables are those of a run that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.suites.item import Item, share
from benchmarks.suites.journal import Journal, name_of, read_journals
from benchmarks.suites.run import run
from docspec.core import UsageError

ITEMS = [Item(f"page-{number}", Path("none"), "kind") for number in range(5)]

CHILD = """
import sys
from pathlib import Path
from benchmarks.suites.item import Item
from benchmarks.suites.run import run

stop, moment = sys.argv[2], sys.argv[3]

def read(item):
    print("reading", item.id, flush=True)
    if item.id == stop and moment == "reading":
        sys.stdin.read()  # until it is killed
    return {"item": item.id, "length": 100 * len(item.id), "text": "ä" * 5000}

def told(left, record):
    if record["item"] == stop and moment == "between":
        print("between", flush=True)
        sys.stdin.read()

items = [Item(f"page-{number}", Path("none"), "kind") for number in range(5)]
run(items, read, Path(sys.argv[1]), {"seed": 1}, resume=True, on_item=told)
print("done", flush=True)
"""
"""A run of its own process: it reads as the tests' ``read`` does and waits, to be killed, at a moment that is named."""


def read(item):
    return {"item": item.id, "length": 100 * len(item.id), "text": "ä" * 5000}


def child(folder, stop="none", moment="none"):
    arguments = [sys.executable, "-c", CHILD, str(folder), stop, moment]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def killed(folder, stop, moment):
    """Runs until ``moment`` of the item ``stop`` and kills the process there; what it had said by then."""
    said = []
    with child(folder, stop, moment) as process:
        for line in process.stdout:
            said.append(line.strip())
            if line.strip() in ("between", f"reading {stop}" if moment == "reading" else "between"):
                process.send_signal(signal.SIGKILL)
                break
        process.wait()
    assert process.returncode == -signal.SIGKILL
    return said


def test_a_run_killed_at_three_moments_goes_on_and_ends_with_the_same_records(tmp_path):
    run(ITEMS, read, tmp_path / "whole", {"seed": 1})
    broken = tmp_path / "broken"
    assert killed(broken, "page-1", "reading")[-1] == "reading page-1"  # while a page is read
    assert killed(broken, "page-2", "between") == ["reading page-1", "reading page-2", "between"]  # between two
    journal = broken / "journal.jsonl"
    os.truncate(journal, journal.stat().st_size - 3000)  # while a line is written
    with child(broken) as process:
        said = process.stdout.read().split("\n")
    assert said[:-1] == ["reading page-2", "reading page-3", "reading page-4", "done"]
    assert read_journals(broken) == read_journals(tmp_path / "whole")
    assert journal.read_bytes() == (tmp_path / "whole" / "journal.jsonl").read_bytes()


def test_a_journal_cut_off_at_any_byte_is_read_as_far_as_its_lines_go(tmp_path):
    folder = tmp_path / "whole"
    run(ITEMS[:2], lambda item: {"item": item.id, "text": "é\u2028"}, folder, {"seed": 1})
    content = (folder / "journal.jsonl").read_bytes()
    for size in range(len(content)):
        (tmp_path / "journal.jsonl").write_bytes(content[:size])
        journal = Journal(tmp_path / "journal.jsonl", {"seed": 1}, resume=True)
        assert len(journal.done) == max(0, content[:size].count(b"\n") - 1)
        journal.close()
        assert (tmp_path / "journal.jsonl").read_bytes().startswith(content[: content.index(b"\n") + 1])


def test_another_run_is_not_mixed_in(tmp_path):
    run(ITEMS, read, tmp_path, {"seed": 1})
    with pytest.raises(UsageError, match="--resume goes on with it"):
        run(ITEMS, read, tmp_path, {"seed": 1})
    with pytest.raises(UsageError, match=r"other settings \(seed 1 against 2\)"):
        run(ITEMS, read, tmp_path, {"seed": 2}, resume=True)
    (tmp_path / "journal-2.jsonl").write_text('{"schema": "another"}\n')
    with pytest.raises(UsageError, match="is not a journal"):
        read_journals(tmp_path)


def test_shards_share_the_items_and_their_journals_are_read_together(tmp_path):
    chosen = [share(ITEMS, 4, 7, (number, 3)) for number in (1, 2, 3)]
    sample = share(ITEMS, 4, 7, (1, 1))
    assert len(sample) == 4 and sorted((item for items in chosen for item in items), key=lambda item: item.id) == sample
    assert share(ITEMS, 4, 8, (1, 1)) != sample
    for number, items in enumerate(chosen, 1):
        run(items, read, tmp_path, {"seed": 7}, (number, 3))
    assert sorted(path.name for path in tmp_path.iterdir()) == [name_of((n, 3)) for n in (1, 2, 3)]
    assert [record["item"] for record in read_journals(tmp_path)[1]] == [item.id for item in sample]
