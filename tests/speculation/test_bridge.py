"""Bridges between spellings, through a byte-level tokenizer made here."""

from __future__ import annotations

import pytest

from docspec.bench.transcripts import replay
from docspec.reader.tokenizer import BUILT_IN_TEXT, train_tokenizer
from docspec.speculation.bridge import bridges
from docspec.speculation.cursor import CursorProposer
from docspec.speculation.spelling import Speller, letters
from docspec.speculation.trail import Trail

END = 10**6
BEFORE = "A page of print is looked at once, "
AFTER = " would have been written before the question stood in the morning rain."


class Codec:
    """A tokenizer that counts its calls."""

    def __init__(self):
        self._tokenizer = train_tokenizer([BUILT_IN_TEXT])
        self.calls = 0

    def tokenize(self, text):
        self.calls += 1
        return self._tokenizer(text, add_special_tokens=False)["input_ids"]

    def detokenize(self, tokens):
        return self._tokenizer.decode(tokens)


@pytest.fixture(scope="module")
def codec():
    return Codec()


def continuations(codec, drafted, written):
    """What is offered where ``drafted`` was being followed and ``written`` came after ``BEFORE`` instead."""
    start = codec.tokenize(BEFORE)
    tokens = [*start, *codec.tokenize(drafted), -1]
    output = [*start, *codec.tokenize(written)]
    lost = Trail(tokens, len(start), None, run=len(start))
    lost.lost_at = len(start)
    return [
        codec.detokenize([*trail.lead, *tokens[trail.place : -1]])
        for trail in bridges(Speller(codec), tokens, lost, output)
    ]


@pytest.mark.parametrize(
    ("drafted", "written", "expected"),
    [
        ("the house stood", "*", "the house stood"),
        ("the house stood", "**the", " house stood"),
        ("THE HOUSE stood", "the h", "ouse stood"),
        ("the wrod house stood", "the word", " house stood"),
        ("“the” house stood", '"the"', "” house stood"),
        ("xthe house stood", "the", " house stood"),
    ],
)
def test_the_draft_goes_on_where_the_letters_agree(codec, drafted, written, expected):
    assert expected in continuations(codec, drafted, written)


def test_half_a_paragraph_break_may_become_a_whole_one(codec):
    assert "\nthe house stood" in continuations(codec, " the house stood", "\n")


def test_nothing_is_offered_long_after_the_draft_was_lost(codec):
    assert continuations(codec, "the house stood", "there were questions about all of it " * 3) == []


def test_letters_ignore_case_width_ligatures_and_marks():
    plain, owners = letters("**Ｆirst** “ﬁsh”-\npot")
    assert plain == "firstfishpot"
    assert owners == [2, 3, 4, 5, 6, 11, 11, 12, 13, 17, 18, 19]


@pytest.mark.parametrize(
    ("drafted", "written"),
    [("information", "*information*"), ("INFORMATION", "Information"), ("in-\nformation", "information")],
)
def test_a_cursor_with_a_codec_loses_fewer_steps_at_other_spellings(codec, drafted, written):
    draft = codec.tokenize(BEFORE + drafted + AFTER)
    output = [*codec.tokenize(BEFORE + written + AFTER), END]
    assert (
        replay(CursorProposer([draft], codec), output, 32)[0]
        <= replay(CursorProposer([draft]), output, 32)[0]
    )


def test_words_are_tokenised_once(codec):
    speller = Speller(codec)
    first = speller.tokens(" house")
    calls = codec.calls
    assert speller.tokens(" house") == first == tuple(codec.tokenize(" house"))
    assert codec.calls == calls + 1
