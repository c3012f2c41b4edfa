"""A Markdown answer is written to the byte; every other format keeps its words, in their order."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from docspec.core import Category, PageResult
from docspec.core.safe_text import safe_text
from docspec.dialects import make_dialect
from docspec.dialects.layout_cells import is_layout_beginning, parse_cells
from docspec.dialects.markdown_blocks import unpacked
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Format, Layout

SAMPLES = Path(__file__).parents[2] / "samples"
WORDS = [f"word{number}x" for number in range(200)]

# Every "@" becomes a word of its own.
PIECES = [
    *("# @\n", "## @ ##\n", "@\n===\n", "@\n---\n", "@ ", "@  \n", "@\\\n", "@\n", "\n\n", "\n", "\r\n"),
    *("\t", "    @\n"),
    *("- @\n", "  * @\n", "      - @\n", "12. @\n", "1) @\n", "(a) @\n", "• @\n", "- [ ] @\n"),
    *("-\t@\n\n  @\n", "---\n", "***\n"),
    *("| @ | @ |\n| --- | --- |\n| @ | @ |\n", "| @ |\n|:-:|\n| @ | @ | @\n", "| @ | @ |\n", "|@| < @\n"),
    *("@ | @\n", "--- | ---\n"),
    *("<table>", "<tr><td>@</td><td>@\n", "<th colspan=2>@<br>@", "</td></tr>", "</table>", "</table"),
    *("<TABLE border=1>\n",),
    *("<td><script>@</script>", "<td><b>@</i> <x>@</x> a<@ @>b", "<td>@<!-- ", " <td><title>@"),
    *("List<@>", "<style>@", "<div>@</div>\n"),
    *("$$", "$$\n@_1\n$$\n", "$@^2$ ", "\\[ @ \\]\n", "\\begin{align}\n@ &= @\n", "\\end{align}\n"),
    *("\\tag{@}",),
    *("![@](cat.png)\n", "![@](cat.png '@')\n", "![@](", "<!-- image -->\n", "[@](http://a.b) ", "[1]: @\n"),
    *("[^1]: @ @\n",),
    *("[@]: <@>\n", "<@@a.b>"),
    *("```python\n@\n```\n", "```\n", "~~~", "`@` ", "**@** ", "_@_", "~~@~~ ", "> @\n", ">> @\n"),
    *("&amp;@", "\\*@\\_ ", "<", "@<b>@</b>"),
]  # fmt: skip


def with_words(pieces: list[str]) -> str:
    words = iter(WORDS)
    return "".join(next(words) if char == "@" else char for char in "".join(pieces))


answers = st.lists(st.sampled_from(PIECES), max_size=20).map(with_words)


def page_of(answer: str, dialect: str = "markdown") -> PageResult:
    return PageResult("a.pdf", 1, "ok", answer, make_dialect(dialect).parse(answer, 100, 100), 100, 100)


def written(format: Format, answer: str, dialect: str = "markdown") -> str:
    return renderer_for(format, Layout()).page(page_of(answer, dialect), {})


class Text(HTMLParser):
    """What a browser shows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.shown = ""
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.shown += data


def bare(answer: str) -> str:
    """The answer without the white space at its ends; the indentation of its first line is no such."""
    kept = answer.rstrip()
    start = len(kept) - len(kept.lstrip())
    return kept[max(kept.rfind("\n", 0, start), kept.rfind("\r", 0, start)) + 1 :]


@pytest.mark.parametrize("dialect", ["markdown", "layout-json"])
@settings(deadline=None, max_examples=60)
@given(answers | st.text())
@example("    code\n\tmore  \r\n\r\n\r\nend  ")
@example("- a\n\n      b\n   1. c\n\n\n   2. d")
def test_markdown_is_written_as_the_model_wrote_it(dialect: str, answer: str) -> None:
    assume(dialect == "markdown" or not (is_layout_beginning(answer) or parse_cells(answer)))
    page = written("md", answer, dialect)
    expected = bare(unpacked(answer))
    assert page == (expected + "\n" if expected else "")


@pytest.mark.parametrize("truth", sorted(SAMPLES.glob("*.md")), ids=lambda path: path.stem)
def test_true_pages_are_written_to_the_byte(truth: Path) -> None:
    text = truth.read_text(encoding="utf-8")
    assert written("md", text) == text.strip() + "\n"


@settings(deadline=None, max_examples=60)
@given(answers | st.text())
def test_json_holds_every_character_but_white_space_between_blocks(answer: str) -> None:
    blocks = page_of(answer).blocks
    assert [block["text"] for block in json.loads(written("json", answer))["blocks"]] == [
        safe_text(block.text) for block in blocks
    ]
    assert all(block.text.strip() and not (block.gap or "").strip() for block in blocks)
    assert "".join(f"{block.gap}{block.text}" for block in blocks) == unpacked(answer).rstrip()


@settings(deadline=None, max_examples=80)
@given(answers)
@example("![word0x](word1x<b>word2x</b>1) word3x\n")
@example("![word0x](word1x) ![word2x](cat.png 'word3x') word4x\n")
def test_html_shows_every_word_once_and_in_order(answer: str) -> None:
    html = written("html", answer)
    shown = Text(html).shown
    expected = [word for word in WORDS if word in unpacked(answer)]
    places = [shown.find(word) for word in expected]
    missing = [word for word, place in zip(expected, places, strict=True) if place < 0]
    assert not missing
    assert places == sorted(places)


@pytest.mark.parametrize("mark", [">", "> ", "- ", "1. ", "<table><tr><td>", "[", "<b>", "<ul><li>"])
def test_deep_nesting_loses_nothing_and_ends_soon(mark: str) -> None:
    for depth in (30, 90, 150, 3000):
        assert "the end" in Text(written("html", mark * depth + "the end")).shown


CELL_TEXTS = st.lists(st.sampled_from(PIECES), max_size=4).map("".join) | st.sampled_from(
    ["@", "Title\n@", "#@", "1. @\n2. @", "<sup>@</sup>", "```html\n<b>@", "", "@ <table><tr><td>@</td></tr></table> @"]
)
cells = st.tuples(st.sampled_from([*map(str, Category), "Chart", "page header"]), CELL_TEXTS)


def layout(written: list[tuple[str, str]], boxed: list[bool]) -> str:
    """An answer in layout JSON with words for "@"."""
    words = iter(WORDS)
    return json.dumps(
        [
            {
                **({"bbox": [10, 10 + 50 * n, 90, 50 + 50 * n]} if box else {}),
                "category": category,
                "text": "".join(next(words) if char == "@" else char for char in text),
            }
            for n, ((category, text), box) in enumerate(zip(written, boxed, strict=True))
        ],
        ensure_ascii=False,
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(cells, st.booleans()), max_size=6), st.integers(0, 60))
def test_words_of_cells_are_in_every_format(written: list[tuple[tuple[str, str], bool]], cut: int) -> None:
    answer = layout([cell for cell, _ in written], [box for _, box in written])
    answer = answer[: len(answer) - cut]
    blocks = make_dialect("layout-json").parse(answer, 1232, 1764)
    page = PageResult("a.pdf", 1, "ok", answer, blocks, 1232, 1764)
    kept = Layout(keep_furniture=True)
    formats = {name: renderer_for(name, kept).page(page, {}) for name in ("md", "json", "html")}  # type: ignore[arg-type]
    for name, text in formats.items():
        shown = Text(text).shown if name == "html" else text
        expected = [word for word in WORDS if word in answer]
        assert [word for word in expected if word not in shown] == []
        assert [shown.find(word) for word in expected] == sorted(shown.find(word) for word in expected)
