"""Rich Markdown: words stay as they are, whatever is bold, italic, raised or linked, and Markdown shows it so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from docspec.core import BBox, Block, Category, PageResult, Region
from docspec.core.marks import Mark
from docspec.hierarchy.regions.evidence import known_block, known_text
from docspec.reporting.headings import HeadingLevels
from docspec.reporting.html import HtmlRenderer
from docspec.reporting.markdown import MarkdownRenderer
from docspec.reporting.renderer import Layout
from docspec.reporting.rich import marked

COMMONMARK = MarkdownIt("commonmark", {"html": False}).enable("table")
SIGNS = "ab cZ9 *_`[]()<>~$#-+.!&|\\\"'“é中\u0627"


def shown(markdown: str) -> list[tuple[str, str]]:
    """What a reader of Markdown shows: each piece of text with the names of the marks around it."""
    found, around = [], []
    for token in COMMONMARK.parseInline(markdown)[0].children or ():
        if token.nesting == 1:
            around.append(token.attrGet("href") or token.tag)
        elif token.nesting == -1:
            around.pop()
        else:
            found.append((" ".join(around), token.content or ("\n" if "break" in token.type else "")))
    return found


def letters(text: str) -> str:
    return "".join(text.split())


@st.composite
def printed(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    """A line of text, and marks anywhere on it."""
    text = " ".join(draw(st.text(SIGNS, min_size=1, max_size=60)).split())
    kinds = st.sampled_from(["bold", "italic", "raised", "link"])
    marks = []
    for kind in draw(st.lists(kinds, max_size=6)):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        marks.append(Mark(kind, start, end, "https://example.org/a_(b)" if kind == "link" else ""))
    return text, marks


@given(printed())
@settings(deadline=None, max_examples=150)
def test_no_mark_changes_a_letter(line: tuple[str, list[Mark]]) -> None:
    text, marks = line
    rich = "".join(piece for _, piece in shown(marked(text, marks, {})))
    assert letters(rich) == letters(text)


@given(st.text(SIGNS, max_size=60))
@settings(deadline=None)
def test_text_without_marks_is_shown_as_it_is_printed(text: str) -> None:
    text = " ".join(text.split())
    assert letters("".join(piece for _, piece in shown(marked(text, [], {})))) == letters(text)


def over(text: str, *wanted: tuple[str, str]) -> list[Mark]:
    """Marks of kinds over words of ``text``; what is no kind is the address of a link."""
    kinds = ("bold", "italic", "raised")
    return [
        Mark(
            kind if kind in kinds else "link",  # type: ignore[arg-type]
            text.index(words),
            text.index(words) + len(words),
            "" if kind in kinds else kind,
        )
        for words, kind in wanted
    ]


@pytest.mark.parametrize(
    ("text", "wanted", "markdown"),
    [
        ("A bold word, here.", [("bold word", "bold")], "A **bold word**, here."),
        ("Nature 12 (see Cell).", [("Nature", "italic"), ("12", "bold"), ("Cell", "italic")], None),
        ("Both at once", [("Both at", "bold"), ("Both at", "italic")], "***Both at*** once"),
        ("half of aword only", [("word", "bold")], "half of aword only"),
        ("Read this page now", [("this page", "https://a.b/c")], "Read [this page](https://a.b/c) now"),
        ("At https://a.b/c_d now", [("https://a.b/c_d", "https://a.b/c_d")], "At <https://a.b/c_d> now"),
        ("a bold link here", [("bold link", "https://a.b"), ("bold", "bold")], "a [**bold** link](https://a.b) here"),
        ("2 * 3 is *not* marked_up", [], None),
    ],
)
def test_words_get_their_marks(text: str, wanted: Sequence[tuple[str, str]], markdown: str | None) -> None:
    written = marked(text, over(text, *wanted), {})
    assert markdown is None or written == markdown
    pieces = shown(written)
    assert "".join(piece for _, piece in pieces) == text
    for words, kind in wanted:
        name = {"bold": "strong", "italic": "em"}.get(kind, kind)
        where = [around for around, piece in pieces if words.split()[0] in piece]
        assert any(name in around.split() for around in where) or markdown == text


BOX = BBox(100, 100, 500, 120)


def block(text: str, category: Category = Category.TEXT, **more: object) -> Block:
    return replace(Block(category, text, BOX, "draft", words="text layer"), **more)


def written(*blocks: Block, number: int = 1, renderer: MarkdownRenderer | None = None, **layout: bool) -> str:
    result = PageResult("a.pdf", number, "ok", blocks=tuple(blocks), width=1000, height=1400, read="regions")
    writer = renderer or MarkdownRenderer(Layout(**layout))
    return (writer.page(result, {}) + ("" if renderer else writer.end())).strip("\n")


def test_words_of_a_model_are_left_as_they_are() -> None:
    text = "What *it* wrote_down [1]: is its own"
    assert written(block(text, words="model", marks=tuple(over(text, ("wrote", "bold"))))) == text


def test_plain_markdown_has_the_words_alone() -> None:
    text = "A bold word"
    assert written(block(text, marks=tuple(over(text, ("bold", "bold")))), plain_markdown=True) == text


def test_only_the_ends_of_pages_that_may_go_on_stay_bare() -> None:
    """A block that breaks off keeps all its marks; a joint within a word goes through bare letters."""
    address = "Institute for Coastal Works, Port Ellis"
    italic = block(address, marks=tuple(over(address, (address, "italic"))))
    assert written(italic, block("A sentence.")) == f"*{address}*\n\nA sentence."
    renderer = MarkdownRenderer(Layout())
    second = block("harbour office.", marks=tuple(over("harbour office.", ("harbour office.", "italic"))))
    pages = [written(block("A sentence."), italic, number=1, renderer=renderer)]
    pages += [written(second, block("and more"), number=2, renderer=renderer)]
    joined = f"*{address}* *harbour office.*"
    assert "".join(pages) == f"A sentence.\n\n{joined}\n\nand more"
    assert written(second) == "*harbour office.*", "nothing stands before it"


def test_listings_and_formulas_have_no_marks() -> None:
    listing = "```\nif a * b: # why\n```"
    assert written(block(listing, marks=tuple(over(listing, ("if", "bold"))))) == listing
    assert "**" not in written(block("a = b", Category.FORMULA, marks=tuple(over("a = b", ("a", "bold")))))


def test_headings_stand_as_deep_as_bookmarks_numbers_and_type_say() -> None:
    levels = HeadingLevels()
    heads = [
        (block("# On Tides", Category.TITLE, points=20.0), 1),
        (block("## 1 Introduction", Category.SECTION_HEADER, points=14.0), 2),
        (block("## 1.1 Before", Category.SECTION_HEADER, points=12.0), 3),
        (block("## 1.1.1 Long before", Category.SECTION_HEADER, points=10.0), 4),
        (block("## Sources", Category.SECTION_HEADER, points=14.1), 2),
        (block("## Letters", Category.SECTION_HEADER, points=12.0), 3),
        (block("## Small print", Category.SECTION_HEADER, points=9.0), 5),
        (block("## Booked", Category.SECTION_HEADER, points=9.0, level=2), 3),
        (block("## Of no known size", Category.SECTION_HEADER), 2),
    ]
    assert [levels.level(head, head.text.lstrip("# ")) for head, _ in heads] == [level for _, level in heads]


def test_a_sign_that_stands_alone_parts_no_emphasis() -> None:
    assert marked("Receipt # No.: 7", (Mark("bold", 0, 7), Mark("bold", 10, 16)), None) == "**Receipt # No.: 7**"
    assert marked("one – two", (Mark("bold", 0, 3),), None) == "**one** – two"


def test_of_headings_in_one_size_emphasis_tells_the_level() -> None:
    levels = HeadingLevels()

    def head(text: str, size: float, kind: Literal["bold", "italic"] | None = None) -> int:
        marks = (Mark(kind, 0, len(text)),) if kind else ()
        return levels.level(block(text, Category.SECTION_HEADER, points=size, marks=marks), text)

    found = [head("Segments", 10, "bold"), head("North", 10, "italic"), head("Sources", 10, "bold"), head("Notes", 10)]
    assert found == [2, 3, 2, 3]
    assert head("Larger", 12, "italic") == 2 and head("EBB AND FLOOD", 10) == 2, "capitals are as strong as bold type"


@pytest.mark.parametrize("words", ["1. Tides", "C#", "The sign #", "- dashed -", "*starred*", "# once more #"])
def test_headings_show_their_words(words: str) -> None:
    tokens = COMMONMARK.parse(written(block(f"## {words}", Category.SECTION_HEADER)))
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert "".join(child.content for child in tokens[1].children or ()) == words


def test_sections_are_counted_from_the_bookmark_of_the_title() -> None:
    levels = HeadingLevels()
    assert levels.level(block("# Tides", Category.TITLE, level=1), "Tides") == 1
    assert levels.level(block("## Ebb", Category.SECTION_HEADER, level=2), "Ebb") == 2


def test_levels_go_on_over_pages() -> None:
    renderer = MarkdownRenderer(Layout())
    first = written(block("## 2.1 Ebb", Category.SECTION_HEADER, points=12.0), renderer=renderer)
    second = written(block("## Flood", Category.SECTION_HEADER, points=12.0), number=2, renderer=renderer)
    assert (first, second) == ("### 2.1 Ebb", "### Flood")


def test_items_further_to_the_right_belong_to_the_one_before() -> None:
    lines = written(
        block("- Boats", Category.LIST_ITEM, indents=(100.0,)),
        block("- Yawls\n- Luggers", Category.LIST_ITEM, indents=(130.0, 131.0)),
        block("1. Dipping", Category.LIST_ITEM, indents=(160.0,)),
        block("- Nets", Category.LIST_ITEM, indents=(101.0,)),
    )
    assert lines == "- Boats\n  - Yawls\n  - Luggers\n    1. Dipping\n- Nets"
    opened = [token.type for token in COMMONMARK.parse(lines) if token.type.endswith("list_open")]
    assert opened == ["bullet_list_open", "bullet_list_open", "ordered_list_open"]


def test_notes_are_tied_to_the_words_that_refer_to_them() -> None:
    text, notes = "The tide1 turns and the wind2 too.", "1 Twice a day. 2 Less often."
    body = block(text, marks=(Mark("raised", 8, 9), Mark("raised", 28, 29)))
    foot = block(notes, Category.FOOTNOTE, marks=(Mark("raised", 0, 1), Mark("raised", 15, 16)))
    expected = "The tide[^1] turns and the wind[^2] too.\n\n[^1]: Twice a day.\n\n[^2]: Less often."
    renderer = MarkdownRenderer(Layout())
    assert written(body, foot, renderer=renderer) == expected
    again = written(body, foot, number=2, renderer=renderer)
    assert "[^1-p2]" in again
    assert "[^1]:" not in again, "names are those of one document"


@pytest.mark.parametrize("note", ["Provisional.", "Provisional (2019)", 'Ibid. "The tide"'])
def test_notes_that_commonmark_would_hide_stay_as_printed(note: str) -> None:
    body = block("The tide1 turns.", marks=(Mark("raised", 8, 9),))
    foot = block(f"1 {note}", Category.FOOTNOTE, marks=(Mark("raised", 0, 1),))
    shown = COMMONMARK.render(written(body, foot))
    assert note.replace('"', "&quot;") in shown and "[^1]" not in written(body, foot)


def test_the_last_word_of_a_line_without_a_stop_refers_to_its_note() -> None:
    name = block("Grace Darling†", marks=(Mark("raised", 13, 14), Mark("bold", 0, 14)))
    foot = block("†Keeper of the light", Category.FOOTNOTE, marks=(Mark("raised", 0, 1),))
    assert written(name, foot) == "**Grace Darling**[^†]\n\n[^†]: Keeper of the light"


def test_raised_figures_without_a_note_stay() -> None:
    assert written(block("10 m² of sail", marks=(Mark("raised", 4, 5),))) == "10 m² of sail"


def test_tables_whose_cells_span_are_html_and_plainly_have_bars() -> None:
    table = block('<table><tr><th colspan="2">Boats</th></tr><tr><td>a|b</td><td>2</td></tr></table>', Category.TABLE)
    assert written(table).startswith("<table><tr><th colspan=")
    assert written(table, plain_markdown=True) == "| Boats |  |\n| --- | --- |\n| a\\|b | 2 |"


KINDS = st.sampled_from([Category.TEXT, Category.FOOTNOTE, Category.CAPTION])


@pytest.mark.parametrize("opened", [False, True])
def test_links_stand_in_the_cells_of_tables(opened: bool) -> None:
    rows = "<tr><th>Port</th><th>Map</th></tr><tr><td>A b</td><td>Map</td></tr>"
    if opened:
        rows = rows.replace("<th>Port</th>", '<th rowspan="2">Port</th>').replace("<td>A b</td>", "")
    links = (("Map", "https://a.b/1"), ("Map", "https://a.b/2?x|y"), ("Nowhere", "https://a.b/3"))
    region = Region(BOX, Category.TABLE, (f"<table>{rows}</table>",), words="text layer", links=links)
    table = known_block(region, known_text(region))
    found = re.findall(r'href="([^"]*)"' if opened else r"\[Map\]\(([^)]*)\)", written(table))
    assert found == ["https://a.b/1", "https://a.b/2?x%7Cy"]
    assert "a.b" not in written(table, plain_markdown=True)
    html = HtmlRenderer(Layout()).page(PageResult("a.pdf", 1, "ok", blocks=(table,), width=9, height=9), {})
    assert '<a href="https://a.b/1">Map</a>' in html


@example([(Category.TEXT, ("```", []))])
@example([(Category.TEXT, ("9", [Mark("raised", 0, 1)])), (Category.FOOTNOTE, ("9Z", []))])
@given(st.lists(st.tuples(KINDS, printed()), max_size=4))
@settings(deadline=None, max_examples=150)
def test_rich_pages_have_the_letters_of_plain_ones(pages: list[tuple[Category, tuple[str, list[Mark]]]]) -> None:
    blocks = [block(text, category, marks=tuple(marks)) for category, (text, marks) in pages]
    shown = "".join(child.content for token in COMMONMARK.parse(written(*blocks)) for child in token.children or ())
    tied = re.sub(r"\[\^([^\]]+)\]:?", r"\1", shown)
    assert letters(tied) == letters("".join(one.text for one in blocks))


@pytest.mark.parametrize(
    ("text", "italic", "markdown"),
    [
        ("focus.Journal of Law, 20:535", ["Journal of Law"], "focus.*Journal of Law*, 20:535"),
        ("in S. spinescens (p < 1)", ["S. spinescens", "p "], "in *S. spinescens* (*p* < 1)"),
        ("moths (Apis mellifera). J. Exp. 3", ["Apis mellifera", "J. Exp"], "moths (*Apis mellifera*). *J. Exp*. 3"),
        ("from law-making on", ["making"], "from law-*making* on"),
        ("the tRNASer of it", ["Ser"], "the tRNASer of it"),  # no sign parts it
        ("see Table (a) of it", ["Table (a) of"], "see *Table (a) of* it"),
        ("the f(x) of it", ["f", "x"], "the *f(x*) of it"),
    ],
)
def test_emphasis_begins_and_ends_within_words_at_signs(text: str, italic: Sequence[str], markdown: str) -> None:
    marks, at = [], 0
    for piece in italic:
        at = text.index(piece, at)
        marks.append(Mark("italic", at, at + len(piece.rstrip())))
        at += len(piece)
    assert marked(text, marks, None) == markdown
