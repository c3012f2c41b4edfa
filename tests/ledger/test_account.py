"""The account of a page: each word has one fate, told from the page and the finished output alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, PageDraft, PrintedLine, Region
from docspec.core.account import FOOT, HEAD, PAGE_NUMBER, PageAccount, VisibleWord
from docspec.ledger import PageOutput, account_for, witness_of
from docspec.ledger.fates import NOT_READ, READ, UNTOLD_SIGN, WORDLESS
from docspec.ledger.outputs import markdown_words
from docspec.ledger.painted import DOUBLE, UNPAINTED
from docspec.ledger.visible import OVER_PRINT

LINE, LETTER = 20.0, 10.0
"""Pixels of a line's height and of a letter."""


def printed(*lines: str, left: float = 0.0, top: float = 0.0, hidden: str = "") -> list[VisibleWord]:
    """The words of ``lines``, one below the other."""
    words = []
    for number, line in enumerate(lines):
        x, y = left, top + 1.5 * LINE * number
        for word in line.split():
            words.append(VisibleWord(word, x, y, x + LETTER * len(word), y + LINE, hidden))
            x += LETTER * (len(word) + 1)
    return words


def block(text: str, box: tuple[float, float, float, float] | None = None, **more: object) -> Block:
    values = {"category": Category.TEXT, "words": "text layer", **more}
    return Block(text=text, bbox=None if box is None else BBox(*box), **values)  # type: ignore[arg-type]


def account(words: list[VisibleWord], written: str, *blocks: Block) -> PageAccount:
    return account_for(words, PageOutput(markdown_words(written), blocks or (block(written),)), "text layer")


def missing(found: PageAccount) -> list[str]:
    return [run.text for run in found.missing]


def test_written_words_say_where_they_stand() -> None:
    words = printed("Of the harbour", "A pier of wood")
    first, second = block("Of the harbour", (0, 0, 300, 20)), block("A pier of wood", (0, 30, 300, 50))
    found = account(words, "## Of the harbour\n\nA pier of wood", first, second)
    assert found.counts == {"written": 7, "left_out": 0, "changed": 0, "in_picture": 0, "missing": 0}
    assert [(run.text, run.block, run.offset) for run in found.places] == [
        ("Of the harbour", 0, 3),
        ("A pier of wood", 1, 19),
    ]
    assert (found.missing, found.added, found.displaced) == ((), (), 0)


def test_each_print_of_a_word_needs_one_of_its_own() -> None:
    found = account(printed("Total 5", "Total 7"), "Total 5 and 7")
    assert missing(found) == ["Total"]
    assert found.added == ("and",)


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (("the exam-", "ple of it"), "the example of it"),
        (("in in-", "formation in it"), "in information in it"),
        (("a self-", "made man"), "a self-made man"),
        (("C H A P T E R one",), "CHAPTER one"),
        (("CO 2 in air",), "CO2 in air"),
        (("ﬁne naïve caf´e",), "fine naïve café"),
        (("con\ufffddent",), "confident"),
        (("$5 & 7",), "\\$5 &amp; 7"),
        (("Python חזק של",), "חזק Pythonשל"),
    ],
)
def test_a_word_that_is_spelt_otherwise_is_written_all_the_same(lines: tuple[str, ...], written: str) -> None:
    found = account(printed(*lines), written)
    assert (missing(found), found.added) == ([], ())


@pytest.mark.parametrize(
    ("line", "written", "lost"),
    [
        ("1,357 1", "1,3571", ["1,357 1"]),
        ("10 6", "106", ["10 6"]),
        ("3.14", "314", ["3.14"]),
        ("+ 5 degrees", "5 degrees", ["+"]),
        ("90 % of it", "90 of it", ["%"]),
        ("first second third", "first third", ["second"]),
    ],
)
def test_what_became_another_number_or_sign_is_missing(line: str, written: str, lost: list[str]) -> None:
    assert missing(account(printed(line), written)) == lost


@pytest.mark.parametrize(
    ("written", "lost"),
    [
        ("from −0.9393 V", []),
        ("from - 0.9393 V", []),
        ("from 0.9393 V", ["\ufffd0.9393"]),
        ("| from | 0.9393 | V |", ["\ufffd0.9393"]),
        ("from-to 0.9393 V", ["\ufffd0.9393"]),
    ],
)
def test_a_sign_that_the_file_does_not_tell_is_missed_before_a_figure(written: str, lost: list[str]) -> None:
    found = account(printed("from \ufffd0.9393 V"), written)
    assert missing(found) == lost
    assert UNTOLD_SIGN not in found.rules
    assert (found.word_doubt is not None) is bool(lost)
    assert account(printed("\ufffd from 0.9393 V"), "from 0.9393 V").rules == {UNTOLD_SIGN: 1}


def test_glyphs_without_unicode_in_a_row_are_a_word_that_is_missing() -> None:
    found = account(printed("Felony \ufffd\ufffd\ufffd\ufffd\ufffd II"), "Felony II")
    assert not found.rules
    assert missing(found) == ["\ufffd" * 5]
    read = account(printed("Felony \ufffd\ufffd\ufffd\ufffd\ufffd II"), "Felony 40Y II")
    assert not missing(read) and [run.text for run in read.runs if run.state == "changed"] == ["\ufffd" * 5]


def test_running_heads_are_left_out_by_their_rule_and_come_back_where_they_are_kept() -> None:
    words = [*printed("Annals 27 113"), *printed("Of the harbour", top=100)]
    blocks = (
        block("Annals 27", (0, 0, 90, 20), category=Category.PAGE_HEADER),
        block("113", (100, 0, 130, 20), category=Category.PAGE_HEADER),
        block("Of the harbour", (0, 100, 300, 120)),
    )
    found = account(words, "Of the harbour", *blocks)
    assert found.rules == {HEAD: 2, PAGE_NUMBER: 1}
    assert found.missing == ()
    kept = found.with_furniture()
    assert (kept.rules, kept.counts["written"], kept.counts["left_out"]) == ({}, 6, 0)


def test_a_running_head_takes_no_word_from_the_text() -> None:
    """Its "Function" is as good a word as the one that the print breaks, and is not written."""
    words = [*printed("Function reference"), *printed("by a func-", "tion of it", top=100)]
    head = block("Function reference", (0, 0, 190, 20), category=Category.PAGE_HEADER)
    found = account(words, "by a function of it", head, block("by a function of it", (0, 100, 200, 150)))
    assert (found.rules, found.missing) == ({HEAD: 2}, ())


def test_a_running_foot_that_begins_as_a_heading_or_has_words_of_a_table_is_left_out_all_the_same() -> None:
    rows = ("Of the harbour a pier di wood 2 of 4", "Of the harbour")
    words = [*printed(*rows), *printed("Of the harbour 1912 Page 2 di 4", top=500)]
    table = "<table><tr><th>Of the harbour a pier</th><td>di wood</td><td>2</td><td>of 4</td></tr></table>"
    heading, foot = "## Of the harbour", "Of the harbour 1912 Page 2 di 4"
    blocks = (
        block(table, (0, 0, 370, 20), category=Category.TABLE),
        block(heading, (0, 30, 150, 50), category=Category.SECTION_HEADER),
        block(foot, (0, 500, 310, 520), category=Category.PAGE_FOOTER),
    )
    found = account(words, f"{table}\n\n{heading}", *blocks)
    assert (found.rules, found.missing) == ({FOOT: 8}, ())


def test_a_running_head_that_a_model_reads_otherwise_is_left_out_all_the_same() -> None:
    words = [*printed("Table & Street"), *printed("Of the harbour", top=100)]
    head = block("Table 8 Street", (0, 0, 150, 20), category=Category.PAGE_HEADER, words="model")
    found = account(words, "Of the harbour", head, block("Of the harbour", (0, 100, 300, 120)))
    assert (found.rules, found.missing) == ({HEAD: 3}, ())


def test_hidden_words_are_no_words_of_the_page_unless_they_are_written() -> None:
    words = [*printed("Total 485"), *printed("Total 1", top=100, hidden=UNPAINTED)]
    silent, loud = account(words, "Total 485"), account(words, "Total 485 Total 1")
    assert (silent.rules, silent.missing) == ({UNPAINTED: 2}, ())
    assert [run.text for run in loud.places] == ["Total 485"]
    assert [(run.text, run.state, run.rule) for run in loud.runs] == [("Total 1", "written", UNPAINTED)]
    assert loud.counts["written"] == 4


def test_a_second_print_in_one_place_is_left_out() -> None:
    words = [*printed("Derivatives"), VisibleWord("Derivat", 0.3, 0, 70, LINE), VisibleWord("ives", 70, 0, 110, LINE)]
    found = account(words, "Derivatives")
    assert (found.rules, missing(found)) == ({DOUBLE: 2}, [])


@pytest.mark.parametrize(("unread", "rule"), [(False, READ), (True, NOT_READ)])
def test_words_of_a_picture_stand_in_it(unread: bool, rule: str) -> None:
    picture = block("", (0, 0, 300, 100), category=Category.PICTURE, unread=unread)
    words = [*printed("Depth"), *printed("Of the harbour", top=200)]
    found = account(words, "![](a.png)\n\nOf the harbour", picture, block("Of the harbour", (0, 200, 300, 220)))
    (run,) = found.in_state("in_picture")
    assert (run.text, run.block, run.rule) == ("Depth", 0, rule)


def test_ink_without_words_is_in_a_picture_was_read_or_is_an_ornament() -> None:
    blocks = (
        block("", (0, 0, 300, 100), category=Category.PICTURE),
        block("Signed", (0, 200, 300, 220), words="model"),
        block("Text", (0, 300, 300, 320)),
    )
    ink = [BBox(10, 10, 50, 50), BBox(0, 200, 90, 220), BBox(500, 500, 560, 520)]
    found = account_for(printed("Text", top=300), PageOutput("Signed Text", blocks), "text layer", ink)
    assert [(run.state, run.bbox, run.count) for run in (*found.runs, *found.places) if not run.text] == [
        ("in_picture", ink[0], 0),
        ("left_out", ink[2], 0),
        ("written", ink[1], 0),
    ]
    assert [run.rule for run in found.in_state("left_out")] == [WORDLESS]
    assert (found.rules, found.doubt) == ({}, None)


def test_a_models_own_reading_stands_in_the_place_of_a_word() -> None:
    words = printed("the quick brown fox jumps")
    read = block("the quick brawn fox jumps", (0, 0, 300, 20), words="model")
    found = account(words, read.text, read)
    assert [(run.text, run.state) for run in found.runs] == [("brown", "changed")]
    assert found.added == ()
    shorter = block("the quick fox jumps", (0, 0, 300, 20), words="model")
    assert missing(account(words, shorter.text, shorter)) == ["brown"]
    file = block("the quick brawn fox jumps", (0, 0, 300, 20))
    assert missing(account(words, file.text, file)) == ["brown"]


def test_a_few_words_of_a_model_do_not_stand_for_a_whole_page() -> None:
    words = printed(*(f"line {number} of many more words" for number in range(9)))
    read = block("nothing at all", None, words="model")
    assert account(words, read.text, read).counts["missing"] > 40


def test_words_in_another_order_are_counted() -> None:
    words = printed("one two three four", "five six seven eight")
    assert account(words, "one two three four five six seven eight").displaced == 0
    assert account(words, "one three two four five six seven eight").displaced > 0
    assert account(words, "five six seven eight one two three four").displaced > 0


@given(st.permutations(["alpha", "beta", "gamma", "12", "1,357", "beta", "%"]), st.data())
def test_every_word_has_one_fate(words: list[str], data: st.DataObject) -> None:
    """Whatever is written: the words of all states together are those of the page, and what is written beyond them is
    added."""
    written = data.draw(st.lists(st.sampled_from([*words, "delta"]), max_size=9))
    found = account(printed(" ".join(words)), " ".join(written))
    assert sum(found.counts.values()) == len(words)
    assert found.counts["written"] + len(found.added) == len(written)


def region(*lines: str, words: str | None) -> Region:
    box = BBox(0, 0, 300, 20)
    return Region(box, Category.TEXT, ("\n".join(lines),), words=words)  # type: ignore[arg-type]


def test_a_sound_file_is_believed_and_the_recogniser_elsewhere() -> None:
    words = printed("Of the harbour")
    told = PrintedLine(BBox(0, 100, 300, 120), "A pier of wood")
    sound = PageDraft((region("Of the harbour", words="text layer"),), recognised=(told,))
    unsound = replace(sound, regions=(region("A pier of wood", words="recognition"),))
    assert [word.text for word in witness_of(words, sound)[1]] == ["Of", "the", "harbour", "A pier of wood"]
    assert witness_of(words, unsound) == ("recognised lines", (VisibleWord("A pier of wood", 0, 100, 300, 120),))
    over = PrintedLine(BBox(0, 0, 300, 20), "Ol tne harbour")
    assert [word.text for word in witness_of(words, replace(sound, recognised=(over,)))[1]] == ["Of", "the", "harbour"]


def test_without_a_draft_the_file_is_believed_if_it_reads_like_text() -> None:
    gibberish = printed(*["Wkh sruw zdv forvhg iru qlqh gdbv zkloh slohv zhuh gulyhq"] * 4)
    plain = printed(*["The port was closed for nine days while piles were driven"] * 4)
    assert witness_of(plain, PageDraft())[0] == "text layer"
    assert witness_of(gibberish, PageDraft()) == ("none", ())
    assert witness_of([], PageDraft()) == ("none", ())


def test_a_sound_layer_over_a_scan_tells_what_is_printed() -> None:
    words = printed("Of the harbour", hidden=OVER_PRINT)
    draft = PageDraft((region("Of the harbour", words="text layer"),), soundness=0.97)
    witness, seen = witness_of(words, draft)
    assert (witness, {word.hidden for word in seen}) == ("text layer", {""})


def test_the_box_of_a_running_foot_may_reach_over_the_text() -> None:
    """Put together of several pieces it has a large box: words of the text stand in it, and one may be like its own."""
    words = [*printed("fat com-", "position of it"), *printed("Downloaded from oup.com", top=300)]
    foot = block("Downloaded from oup.com", (0, 0, 300, 320), category=Category.PAGE_FOOTER)
    found = account(words, "fat composition of it", foot, block("fat composition of it", (0, 0, 200, 50)))
    assert (found.rules, found.missing) == ({FOOT: 3}, ())


@pytest.mark.parametrize("cross", ["×", "✓", "✔"])
def test_what_is_typed_into_a_box_is_its_tick(cross: str) -> None:
    words = printed(f"Grain {cross} timber")
    written = "Grain [x] timber"
    assert not missing(account(words, written, block(written, (0, 0, 200, LINE))))
    assert missing(account(printed(f"3 {cross} 4"), "3 4")) == [cross]


def test_a_word_behind_a_sign_that_the_file_does_not_tell_is_written_though_a_line_breaks_it() -> None:
    found = account(printed("said \ufffdWork-", "ers of the world, unite!\ufffd"), "said Workers of the world, unite!")
    assert missing(found) == [] and found.added == ()


def test_letters_of_a_formula_are_found_however_they_stand_together() -> None:
    words = printed("so d over dx is beta")
    written = r"so $\frac{dd}{x}$ over is beta"
    output = PageOutput(markdown_words(written), (block(written),), written)
    assert account_for(words, output, "text layer").counts.get("missing", 0) == 0


def test_numbers_of_a_formula_are_whole() -> None:
    written = r"so $1+2$"
    output = PageOutput(markdown_words(written), (block(written),), written)
    assert account_for(printed("so 21"), output, "text layer").counts["missing"] == 1


@pytest.mark.parametrize(
    ("sign", "command"), [("∼", "sim"), ("⊥", "perp"), ("⟶", "longrightarrow"), ("⊨", "models"), ("∖", "setminus")]
)
def test_signs_of_pages_are_those_of_their_commands(sign: str, command: str) -> None:
    written = f"so $a\\{command} b$"
    output = PageOutput(markdown_words(written), (block(written),), written)
    assert account_for(printed(f"so a {sign} b"), output, "text layer").counts.get("missing", 0) == 0


def test_a_paragraph_goes_on_behind_a_line_that_is_a_formula() -> None:
    words = printed("We stand in the room, and it is closed.", "x = y + z", "Who goes on reads the rest of it here.")
    written = "We stand in the room, and it is closed. $x=y+z$ Who goes on reads the rest of it here."
    output = PageOutput(markdown_words(written), (block(written),), written)
    assert account_for(words, output, "text layer").misplaced == ()


def test_a_line_that_begins_with_a_formula_is_followed_by_the_next_one() -> None:
    words = printed("We stand in the room now and", "x = y + z who goes on", "reads on.")
    written = "We stand in the room now and $x=y+z$ who goes on reads on."
    output = PageOutput(markdown_words(written), (block(written),), written)
    assert account_for(words, output, "text layer").misplaced == ()
