"""Pages that are answered while an earlier one waits are not lost with the run: the next one does not ask again."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.forked import run_forked
from tests.generation.stand_in import StandIn, says

PAGES = 6
MARK = re.compile(r"number (\d+)")


def words_of(number: int) -> str:
    return f"Words of page number {number}."


def number_in(body: dict[str, Any]) -> int | None:
    """The page of a request; ``None`` for a question about the server."""
    drafts = body.get("vllm_xargs", {}).get("docspec_drafts")
    return int(MARK.search(drafts[0])[1]) if drafts else None  # type: ignore[index]


class Dying(StandIn):
    """Refuses the second page once all others are answered, and then everything."""

    def __init__(self) -> None:
        self.is_dying = True
        self._answered = threading.Barrier(PAGES)
        super().__init__(lambda body: words_of(number_in(body) or 0), model="olmOCR-2-7B-1025")

    def complete(self, handler: Any, body: dict[str, Any]) -> None:
        if self.is_dying and number_in(body) == 2:
            self._answered.wait(60)
            self.faults.append(says(401))
            super().complete(handler, body)
        else:
            super().complete(handler, body)
            if self.is_dying:
                self._answered.wait(60)


def _hasty() -> None:
    """A run that gives a server up at the first refusal, though it has answered others."""
    from docspec.cli import main
    from docspec.generation.server import ServerGenerator

    async def serves(*_: Any) -> bool:
        return False

    ServerGenerator._serves = serves  # type: ignore[method-assign]
    main()


@pytest.mark.parametrize("single", [False, True], ids=["one document", "single pages"])
def test_what_was_answered_is_kept_when_the_engine_ends(tmp_path: Path, single: bool) -> None:
    (tmp_path / "in").mkdir()
    for numbers in [[number] for number in range(1, PAGES + 1)] if single else [range(1, PAGES + 1)]:
        with pymupdf.open() as document:
            for number in numbers:
                page = document.new_page(width=240, height=160)
                page.insert_textbox((20, 20, 220, 140), words_of(number), fontsize=10)
            document.save(tmp_path / "in" / f"{numbers[0]}.pdf")

    def read(main: str) -> Any:
        command = ["parse", "in", "-o", "out/", "--server", server.url, "--drafter", "text-layer", "--words", "model"]
        command += ["--read", "page", "--pages-in-flight", str(PAGES)]
        return run_forked(command, main, cwd=tmp_path, timeout=120)

    with Dying() as server:
        first = read(f"{__name__}:_hasty")
        assert first.returncode == 1, first.stderr.decode()
        assert "401" in first.stderr.decode()
        server.is_dying = False
        server.asked.clear()
        again = read("docspec.cli:main")
        assert again.returncode == 0, again.stderr.decode()
        assert [number_in(body) for body in server.asked if number_in(body)] == [2]
    written = "".join(path.read_text() for path in sorted((tmp_path / "out").glob("*.md")))
    assert [int(number) for number in MARK.findall(written)] == list(range(1, PAGES + 1))
    assert not list((tmp_path / "out").glob(".docspec-*.pages")), "nothing is left behind"
    records = [json.loads(line) for line in (tmp_path / "out" / "docspec.manifest.jsonl").read_text().splitlines()]
    assert sum(one["record"] == "document" for one in records) == (PAGES if single else 1)
