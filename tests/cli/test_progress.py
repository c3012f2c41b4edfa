"""Progress in words: names that fit, lines that say what a page cost."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text
from scripted_parser import page

from docspec.cli.progress import Bar, Lines, display_for, page_line, shortened
from docspec.console.terminal import CleanConsole
from docspec.core import Cut, Event
from docspec.core.safe_text import one_line


@pytest.mark.parametrize("name", ["report.pdf", "a" * 50 + ".pdf", "报告" * 20 + ".pdf", "é" * 30])
@pytest.mark.parametrize("cells", [8, 12, 30])
def test_a_name_is_shortened_in_the_middle_to_its_cells(name: str, cells: int) -> None:
    short = shortened(name, cells)
    assert cell_len(short) <= cells
    assert (short == name) == (cell_len(name) <= cells)
    assert short[0] == name[0] and short[-1] == name[-1]


def test_a_line_for_every_kind_of_page() -> None:
    assert page_line(page("a.pdf", 3)) == "page 3: 41 tokens, 8.0 tokens/step, 0.93 s"
    assert page_line(page("a.pdf", 3, token_ids=(1, 2))) == "page 3: 2 tokens, 8.0 tokens/step, 0.93 s"
    assert page_line(page("a.pdf", 4, status="blank")) == "page 4: blank, 0.93 s"
    assert page_line(page("a.pdf", 5, status="failed", error="no\nmemory")) == "page 5: failed: no memory"
    assert page_line(page("a.pdf", 6, stage2=None)) == "page 6: 0.93 s"
    cut = page("a.pdf", 7, events=(Event("stage1_skipped", "no"), Event("budget_reached", "cut at 9")))
    assert page_line(cut) == "page 7: 41 tokens, 8.0 tokens/step, 0.93 s; doubtful: cut at 9"
    failed = page("a.pdf", 8, events=(Event("drafter_failed", "notes: no\nfile; decoded without a draft"),))
    assert page_line(failed).endswith("0.93 s; notes: no file; decoded without a draft")


def test_the_bar_steps_aside_while_the_hub_shows_its_own() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80, _environ={})
    with Bar(console) as bar:
        bar.input_started("a.pdf", 1, 1)
        bar.loading(from_hub=False)
        assert bar.is_live
        bar.loading(from_hub=True)
        assert not bar.is_live
        bar.document_started("a.pdf", 2)
        bar.page_done(page("a.pdf", 1))
        assert bar.is_live
    assert not bar.is_live


def test_a_cut_page_is_told_of_without_asking() -> None:
    out = io.StringIO()
    with Bar(Console(file=out, force_terminal=True, width=80, _environ={})) as bar:
        bar.document_started("a.pdf", 2)
        bar.page_done(page("a.pdf", 1))
        cut = Event("loop_stopped", 'cut after 9 tokens, where 300 more only repeated "so "')
        bar.page_done(page("a.pdf", 2, events=(cut,), cut=Cut("loop", 9, 300, "so ")))
    assert "page 1" not in out.getvalue()
    assert 'where 300 more only repeated "so "' in out.getvalue()


def test_messages_hold_no_control_characters() -> None:
    assert one_line("a\x1b[31m\nb\r\tc ") == "a [31m b c"


def test_a_console_prints_words_as_they_are() -> None:
    out = io.StringIO()
    console = CleanConsole(file=out, force_terminal=True, width=60, _environ={})
    name = "[bold]a[/bold] :smile: \x1b]0;owned\x07\x9b31m\u202e.pdf"
    table = Table("Name", box=None)
    table.add_row(Text(name, style="red"))
    console.print(table)
    console.print(name)
    written = out.getvalue()
    assert written.count("[bold]a[/bold] :smile: ") == 2
    assert not {"\x1b]", "\x07", "\x9b"} & {written[i : i + n] for n in (1, 2) for i in range(len(written))}
    assert "\x1b[31m" in written, "colours of ours stay"


def test_the_display_suits_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(display_for(True)) is Lines
    assert type(display_for(False)) is Lines
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert type(display_for(False)) is Bar
    monkeypatch.setenv("TERM", "dumb")
    assert type(display_for(False)) is Lines
