"""Words are marked by what the draft has in their place, whatever both are written in and wherever that stands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corrections import corrupt
from docspec.core import BBox, Block, Category, PageDraft, Region
from docspec.dialects.agreement import agreement
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.dialects.words import words_of


def marks(text: str, *drafts: str) -> list[tuple[str, str, str | None]]:
    """(mark, words of the text, words of the draft) of all spans, and the words left out."""
    blocks = parse_blocks(text)
    found = agreement(blocks, PageDraft(page_texts=drafts))
    assert found is not None
    spans, left = found
    said = [
        (span.mark, block.text[span.start : span.end], span.draft)
        for block, own in zip(blocks, spans, strict=True)
        for span in own
    ]
    return said + [("left out", "", one.text) for one in left]


def test_each_mark_in_its_place():
    assert marks("The cat sat on the mat today.", "The cot sat the mat very early today.\n\nPage 7 of 12") == [
        ("agreed", "The", None),
        ("corrected", "cat", "cot"),
        ("agreed", "sat", None),
        ("model", "on", None),
        ("agreed", "the mat", None),
        ("draft", "", "very early"),
        ("agreed", "today.", None),
        ("left out", "", "Page 7 of 12"),
    ]


@pytest.mark.parametrize(
    ("written", "drafted"),
    [
        ("# The **tides** of `today`", "The tides of today"),
        ("| a | 12 |\n| --- | --- |\n| b | 3.4 |", "a 12\nb 3.4"),
        ("<table><tr><td>a &amp; b</td></tr></table>", "a & b"),
        ("$\\alpha \\leq 3 \\text{ and } \\left( x \\right)$", "α ≤ 3 and (x)"),
        ("“Quoted”, he said – twice", '"Quoted", he said — twice'),
        ("a beautiful example", "a beauti-\nful example"),
        ("the first office", "the ﬁrst oﬃce"),
        ("[a link](http://example.org/x) here", "a link here"),
        ("- one\n- two", "• one\n• two"),
    ],
)
def test_markup_and_spelling_are_no_difference(written, drafted):
    assert {mark for mark, _, _ in marks(written, drafted)} == {"agreed"}


@pytest.mark.parametrize(
    ("written", "drafted", "word"),
    [
        ("it was -5 degrees", "it was 5 degrees", ("corrected", "-5", "5")),
        ("for 3.14 of them", "for 3.15 of them", ("corrected", "3.14", "3.15")),
        ("he said Polish words", "he said polish words", ("corrected", "Polish", "polish")),
        ("第一章の終わり", "第二章の終わり", ("corrected", "一", "二")),
        ("a re-signed man", "a resigned man", ("corrected", "re-signed", "resigned")),
    ],
)
def test_what_changes_the_sense_is_a_difference(written, drafted, word):
    assert word in marks(written, drafted)


def test_a_page_in_another_order_agrees_all_the_same():
    first = "Waves that reach the shore at an angle push sand along the beach."
    second = "Dredging alone restores the depth for about four months at best."
    third = "Eleven harbours were followed for six years and measured monthly."
    found = marks(f"{first}\n\n{second}\n\n{third}", f"{third}\n\n{first}\n\n{second} Small print.")
    assert [mark for mark, _, _ in found] == ["agreed", "agreed", "agreed", "left out"]


def test_another_paragraph_in_the_place_of_one_is_not_its_correction():
    written = "Waves that reach the shore at an angle push the sand along the beach."
    drafted = "Quarterly revenue fell by a tenth to 41 million euros in the wake of higher fees."
    assert {mark for mark, _, _ in marks(written, drafted)} == {"model", "left out"}


def test_where_readings_differ_one_that_has_the_words_is_enough_and_the_other_is_told():
    box = BBox(0, 0, 10, 10)
    draft = PageDraft((Region(box, Category.TEXT, ("a rnodern view", "a modern view")),))
    [spans], left = agreement([Block(Category.TEXT, "a modern view")], draft) or ([], [])
    assert [(span.mark, span.draft) for span in spans] == [("agreed", None), ("agreed", "rnodern"), ("agreed", None)]
    assert left == []


def test_what_was_left_out_is_told_with_its_place():
    boxes = [BBox(0, 10 * n, 10, 10 * n + 8) for n in range(3)]
    kinds = Category.PAGE_HEADER, Category.TEXT, Category.PAGE_FOOTER
    texts = "Running head of it", "The body stands here.", "Page 4"
    regions = tuple(Region(*one) for one in zip(boxes, kinds, [(text,) for text in texts], strict=True))
    found = agreement([Block(Category.TEXT, "The body stands here.")], PageDraft(regions))
    assert found is not None
    assert [(one.text, one.after, one.bbox, one.category) for one in found[1]] == [
        ("Running head of it", -1, boxes[0], kinds[0]),
        ("Page 4", 0, boxes[2], kinds[2]),
    ]


def test_without_a_draft_nothing_is_marked():
    assert agreement([Block(Category.TEXT, "words")], PageDraft()) is None
    picture = Region(BBox(0, 0, 9, 9), Category.PICTURE)
    assert agreement([Block(Category.TEXT, "words")], PageDraft((picture,))) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=6), st.lists(st.text(max_size=40), max_size=6))
def test_spans_never_overlap_and_hold_whole_words_whatever_the_text(written, drafted):
    blocks = [Block(Category.TEXT, text) for text in written]
    regions = tuple(Region(BBox(0, 0, 9, 9), Category.TEXT, (text,)) for text in drafted)
    found = agreement(blocks, PageDraft(regions))
    for block, spans in zip(blocks, found[0] if found else [[] for _ in blocks], strict=True):
        at = 0
        for span in spans:
            assert at <= span.start <= span.end <= len(block.text)
            assert (span.start == span.end) == (span.mark == "draft")
            at = span.end
        covered = {place for span in spans for place in range(span.start, span.end)}
        if found:
            assert all(word.start in covered for word in words_of(block.text))


def test_every_changed_character_is_marked_and_nothing_else():
    text = "Most small harbours were built where a river met the sea, and most of them are losing depth. " * 12
    drafted, wrong = corrupt(text, 0.1, seed=5)
    [block] = parse_blocks(text)
    [spans], _ = agreement([block], PageDraft(page_texts=(drafted,))) or ([[]], [])
    assert len(wrong) > 60
    corrected = [span for span in spans if span.mark == "corrected"]
    inside = {place for span in corrected for place in range(span.start, span.end)}
    assert wrong.keys() <= inside
    assert all(wrong.keys() & set(range(span.start, span.end)) for span in corrected)
