"""Texts by people are set in lines, and each hyphen at a line's end is known to be the word's or the typesetter's."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.line_hyphens import code_of, cuts, decided, paragraphs

PROSE = "A well-known representative of the international organisation met the vice-president of the administration. "


def test_paragraphs_of_html_have_no_program_text_and_no_code_that_may_be_cut(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<p>{PROSE}<code>apt-get</code> it</p><pre>left-out</pre><p>short</p>", "utf-8")
    assert paragraphs(page) == [f"{PROSE}apt\u2011get it"]


def test_cuts_are_told_apart_and_decided(tmp_path: Path) -> None:
    pytest.importorskip("pyphen")
    (tmp_path / "text.txt").write_text("\n\n".join(PROSE * times for times in range(1, 9)), "utf-8")
    found = list(cuts(tmp_path, "en"))
    assert {cut.word for cut in found if cut.kept} <= {"well-|known", "vice-|president"}
    assert {cut.kept for cut in found} == {True, False}
    assert all(cut.left.endswith("-") and f"{cut.left}\n{cut.right}" in cut.paragraph for cut in found)
    assert all(cut.paragraph in cut.page for cut in found)


def test_another_file_decides_beside(tmp_path: Path) -> None:
    pytest.importorskip("pyphen")
    (tmp_path / "text.txt").write_text(PROSE * 4, "utf-8")
    other = tmp_path / "other.py"
    other.write_text("def joined(left, right, context):\n    return left, ''\n", "utf-8")
    assert all(decided(code_of(other), cut, cut.page) for cut in cuts(tmp_path, "en"))
