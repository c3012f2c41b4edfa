"""What the table grammar predicts inside tables of all spellings, and the steps that it saves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.transcripts import replay
from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects import html_syntax, make_dialect, pipe_syntax
from docspec.dialects.layout_grammar import NEXT_CELL, EscapedTables
from docspec.dialects.table_grammar import TableGrammar, drafted_tables
from docspec.dialects.table_place import key, rest_behind
from docspec.dialects.tables import Table, TableCell, parse_html_table, parse_pipe_table, to_html, to_pipe
from docspec.proposing.registry import make_proposer

SAMPLES = Path(__file__).parents[2] / "samples"
PIPES = re.findall(r"(?:^\|.*\n)+", (SAMPLES / "financial-report.md").read_text(encoding="utf-8"), re.MULTILINE)
RESULTS, ROUTES = (parse_pipe_table(text) for text in PIPES)
END = 10**6

RIVERS = parse_html_table(
    "<table><tr><th>River</th><th>Rain</th></tr><tr><td>Arle &amp; Ouse</td><td>0.31</td></tr>"
    "<tr><td>Tamber</td><td>$ 27</td></tr></table>"
)


class Pieces:
    """A tokenizer: words, single digits, white space and runs of other signs are tokens."""

    def __init__(self):
        self._ids, self._texts = {}, []

    def tokenize(self, text):
        found = re.findall(r"\d|[^\W\d]+|\s+|[^\w\s]+", text)
        for piece in found:
            if piece not in self._ids:
                self._ids[piece] = len(self._texts)
                self._texts.append(piece)
        return [self._ids[piece] for piece in found]

    def detokenize(self, tokens):
        return "".join(self._texts[token] for token in tokens)


def with_attributes(table):
    return to_html(table, "none").replace("<td>", '<td style="text-align: center;">')


def on_lines(table):
    return to_html(table, "none").replace("><", ">\n<").replace(">\n</td", "></td")


def padded(table):
    grid = table.grid()
    widths = [max(len(row[column]) for row in grid) for column in range(len(grid[0]))]
    rows = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |" for row in grid
    ]
    return "\n".join([rows[0], "".join("|" + "-" * (width + 2) for width in widths) + "|", *rows[1:]])


SPELLINGS = {
    "pipe": to_pipe,
    "tight": lambda table: to_pipe(table, tight=True),
    "padded": padded,
    "head": to_html,
    "bare": lambda table: to_html(table, "none"),
    "indented": lambda table: to_html(table, indented=True),
    "lines": on_lines,
    "attributes": with_attributes,
}


def completions(grammar, written):
    grammar.follow(written)
    return [completion.text for completion in grammar.completions()]


def after(written, *tables):
    return completions(TableGrammar(tables), written)


def steps(output, drafts, grammar, budget=64):
    codec = Pieces()
    drafts = [codec.tokenize(draft) for draft in drafts]
    made = (lambda: grammar) if grammar is not None else None
    return replay(make_proposer(codec=codec), [*codec.tokenize(output), END], budget, drafts, made)[0]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_rest_of_a_drafted_table_is_predicted_wherever_the_output_stands_in_it(spelling):
    """From the second body row on (the manner is known then), the first guess goes on as the table does."""
    table = SPELLINGS[spelling](RESULTS)
    start = table.index("Freight")
    right = 0
    for at in range(start, len(table) - 1):
        [first, *_] = after(f"Results\n\n{table[:at]}", RESULTS, ROUTES) or [""]
        size = min(len(first), len(table) - at)
        right += first[:size] == table[at : at + size] and size > 0
    assert right / (len(table) - 1 - start) > 0.97


def test_the_next_cell_and_row_in_pipes():
    head = "| River | Rain |\n| --- | --- |\n"
    assert after(head, RIVERS)[0].startswith("| Arle & Ouse | 0.31 |\n| Tamber | $ 27 |\n")
    assert after(head + "| Arle & Ouse |", RIVERS)[0].startswith(" 0.31 |\n| Tamber |")
    assert after(head + "| Arle & Ouse | 0.", RIVERS)[0].startswith("31 |\n| Tamber |")
    assert after("| River | Rain |", RIVERS)[:2] == [
        "\n|---|---|\n| Arle & Ouse | 0.31 |\n| Tamber | $ 27 |\n\n",
        "\n| --- | --- |\n| Arle & Ouse | 0.31 |\n| Tamber | $ 27 |\n\n",
    ]


def test_the_next_cell_and_row_in_html_with_attributes_and_spans():
    spanned = parse_html_table(
        "<table><tr><th>A</th><th>B</th></tr><tr><td colspan=2>all</td></tr><tr><td>x</td><td>y</td></tr></table>"
    )
    head = '<table class="t"><tr><th class="h">A</th><th class="h">B</th></tr>'
    body = '<tr><td class="c" colspan="2">all</td>'
    assert after(head + body, spanned)[0] == '</tr><tr><td class="c">x</td><td class="c">y</td></tr></table>\n\n'
    assert after(head + body + "</tr><tr><td", spanned)[0].startswith(' class="c">x</td><td class="c">y</td>')


def test_the_text_of_a_cell_is_escaped_and_known_by_letters_and_digits():
    head = "<table><tr><th>River</th><th>Rain</th></tr><tr><td>"
    assert after(head, RIVERS)[0].startswith("Arle &amp; Ouse</td><td>0.31</td></tr><tr><td>Tamber")
    assert after(head + "<b>Arle &amp; Ouse</b></td><td>", RIVERS)[0].startswith("0.31</td></tr>")
    written = head + "Arle &amp; Ouse</td><td>0.31</td></tr><tr><td>Tamber</td><td>"
    assert after(written + "$2", RIVERS)[0].startswith("7</td></tr></table>")
    assert (key("<b>A-B</b> 3"), key(" - "), rest_behind("$ 178", "$1")) == ("ab3", "-", "78")


def test_a_cell_that_is_not_drafted_stands_for_the_drafted_one_or_before_it():
    head = "<table><tr><td>River</td><td>Rain</td></tr><tr>"
    found = after(head + "<td>Arne</td>", RIVERS)
    assert found[0].startswith("<td>0.31</td></tr>")
    assert any(text.startswith("<td>Arle") for text in found)


def test_a_row_that_the_output_leaves_out_is_passed_over():
    found = after("| River | Rain |\n| --- | --- |\n| Tamber |", RIVERS)
    assert found[0] == " $ 27 |\n\n"


def test_the_second_table_follows_the_first_and_its_manner():
    written = with_attributes(RESULTS) + "\n\nRoutes\n\n<table><tr"
    assert after(written, RESULTS, ROUTES)[0].startswith(
        '><td style="text-align: center;">Route</td><td style="text-align: center;">Sailings</td>'
    )


def test_without_a_draft_the_columns_seen_say_where_a_row_ends():
    html_rows = '<table><tr><td class="c">a</td><td>b</td></tr><tr>'
    assert after(html_rows + '<td class="c">1')[0].startswith("</td><td>b</td></tr>")
    assert after(html_rows + '<td class="c">1</td><td>2')[0].startswith('</td></tr><tr><td class="c">')
    assert after("| a | b |\n|---|---|\n| 1 | 2")[0].startswith(" |\n| ")
    assert after("| a | b |\n")[0].startswith("|---|---|\n| ")
    assert after("<table><tr><th>a")[0] == "</th><th>"


def test_outside_of_tables_nothing_is_predicted():
    assert after("Some prose with a | in it and <td>.", RIVERS) == []
    assert after(to_html(RIVERS) + "\n\nProse.", RIVERS) == []
    assert after(to_pipe(RIVERS) + "\n\nProse.", RIVERS) == []


def test_inside_json_strings_texts_are_escaped():
    tables = EscapedTables([RIVERS], NEXT_CELL)
    written = r'"text": "<table class=\"t\"><tr>\n<th>River</th>\n<th>\"Rain\"'
    for start in range(0, len(written), 3):
        tables.follow(written[start : start + 3])
    assert tables.completions()[0].text.startswith(r"</th></tr><tr>\n<td>Arle &amp; Ouse</td>\n<td>0.31</td></tr>")
    tables.follow(r"</th></tr><tr>\n<td>Tamber</td>\n<td>$ 27")
    assert tables.completions()[0].text == "</td></tr></table>" + NEXT_CELL
    tables.follow("\\")
    assert tables.completions() == ()


@pytest.mark.parametrize("name", ["markdown", "layout-json"])
def test_the_dialects_give_the_grammar_their_drafted_tables(name):
    region = Region(BBox(10, 20, 300, 60), Category.TABLE, (to_html(RIVERS, "none"),))
    grammar = make_dialect(name).grammar(PageDraft((region,)), 700, 980)
    grammar.follow("<table>\n<tr>\n<td>River</td>\n<td>Rain</td>\n</tr>\n<tr>\n<td>Arle".replace("\n", " "))
    assert grammar.completions()[0].text.startswith(" &amp; Ouse</td> <td>0.31</td> </tr> <tr> <td>Tamber</td>")


def test_what_stage_one_wrote_comes_before_the_draft():
    box = BBox(0, 0, 9, 9)
    text = Region(box, Category.TEXT, ("Words.",))
    tables = [Region(box, Category.TABLE, (to_html(table),)) for table in (RIVERS, ROUTES)]
    found = drafted_tables(PageDraft((text, *tables)), ["Words.", to_pipe(RESULTS), "no table"])
    assert [table.grid() for table in found] == [RESULTS.grid(), ROUTES.grid()]


@pytest.mark.parametrize("spelling", ["padded", "lines", "attributes"])
def test_a_table_in_a_spelling_that_is_not_drafted_costs_half_the_steps(spelling):
    output = SPELLINGS[spelling](RESULTS)
    drafts = [to_pipe(RESULTS), to_html(RESULTS), to_html(RESULTS, "none")]
    assert 2 * steps(output, drafts, TableGrammar([RESULTS])) < steps(output, drafts, None)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_table_without_a_draft_costs_fewer_steps(spelling):
    output = SPELLINGS[spelling](RESULTS)
    assert steps(output, [], TableGrammar()) < 0.85 * steps(output, [], None)


def test_the_tables_of_another_page_cost_little():
    """A negative control: what helps is what the grammar knows, not that there is one."""
    wrong = parse_html_table(to_html(ROUTES).translate(str.maketrans("0123456789aeiou", "5678901234ouiea")))
    outputs = [spell(RESULTS) for spell in SPELLINGS.values()]
    for drafted, most in ((RESULTS, 1.1), (wrong, 1.0)):
        drafts = [to_pipe(drafted), to_html(drafted)]
        without = sum(steps(output, drafts, None) for output in outputs)
        assert sum(steps(output, drafts, TableGrammar([wrong])) for output in outputs) <= most * without


TAGS = ["<table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</table>", "<thead>", "</thead>", "<tbody>"]
SIGNS = ["|", " | ", "|\n", "|---|", "\n", "\n\n", "<", "/", "td", "River", "0.3", "\\", " ", "a" * 30]
PARTS = st.sampled_from([*TAGS, '<td colspan="2">', *SIGNS])
CELL = st.text("ab 1$|<&\n", max_size=6)
TABLES = st.lists(st.lists(st.lists(CELL, max_size=4), max_size=4), max_size=3)


@example(tables=[], parts=["<table>", "</table>", "|"])
@given(TABLES, st.lists(PARTS, max_size=40))
@settings(deadline=None)
def test_any_text_is_followed_however_it_is_cut(tables, parts):
    drafted = [Table(tuple(tuple(map(TableCell, row)) for row in table)) for table in tables]
    whole, piecewise = TableGrammar(drafted), TableGrammar(drafted)
    for part in parts:
        for char in part:
            piecewise.follow(char)
        found = piecewise.completions()
        assert all(completion.text and completion.sureness in (0, 1, 2) for completion in found)
        assert len({completion.text for completion in found}) == len(found)
    whole.follow("".join(parts))
    assert whole.completions() == piecewise.completions()


@given(st.lists(PARTS, max_size=60))
@settings(deadline=None)
def test_a_table_that_goes_astray_is_given_up(parts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html_syntax, "LONGEST", 40)
        patch.setattr(pipe_syntax, "LONGEST", 40)
        grammar = TableGrammar([RIVERS])
        for part in parts:
            grammar.follow(part)
            grammar.completions()
        assert completions(grammar, "\n\n" + "prose " * 40) == []


@given(TABLES, st.lists(PARTS, min_size=1, max_size=30), st.integers(2, 40))
@settings(deadline=None)
def test_no_step_writes_less_than_plain_decoding(tables, parts, budget):
    drafted = [Table(tuple(tuple(map(TableCell, row)) for row in table)) for table in tables]
    output = "".join(parts)
    assert steps(output, [], TableGrammar(drafted), budget) <= len(Pieces().tokenize(output))
