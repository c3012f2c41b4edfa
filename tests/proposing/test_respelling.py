"""Lost drafts taken up by their letters, through a byte-level tokenizer made here."""

from __future__ import annotations

import pytest

from docspec.proposing.context import Context, LeftPosition
from docspec.proposing.respelling import Respelling
from docspec.proposing.spelling import Speller, letters
from tests.proposing.replays import row_of, steps
from training.reader.tokenizer import BUILT_IN_TEXT, train_tokenizer

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
    context = Context(row_of([], [[*start, *codec.tokenize(drafted)]]).request, Speller(codec))
    context.output += [*start, *codec.tokenize(written)]
    position = context.drafts.starts[0] + len(start)
    context.lost.append(LeftPosition(position, len(start), len(start), (position, len(start))))
    return [
        codec.detokenize([*found.lead, *context.drafts.tokens[found.position : -1]])
        for found in Respelling(context).suggest()
    ]


@pytest.mark.parametrize(
    ("drafted", "written", "expected"),
    [
        ("the house stood", "*", "the house stood"),
        ("the house stood", "**the", " house stood"),
        ("THE HOUSE stood", "the h", "OUSE stood"),
        ("the wrod house stood", "the word", " house stood"),
        ("“the” house stood", '"the"', "” house stood"),
        ("xthe house stood", "the", " house stood"),
        ("the house stood", "xt", "he house stood"),
    ],
)
def test_the_draft_goes_on_where_the_letters_agree(codec, drafted, written, expected):
    assert expected in continuations(codec, drafted, written)


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
    output = codec.tokenize(BEFORE + written + AFTER)
    assert steps(output, [draft], 32, codec=codec) <= steps(output, [draft], 32)


def test_words_are_tokenised_once(codec):
    speller = Speller(codec)
    first = speller.tokens(" house")
    calls = codec.calls
    assert speller.tokens(" house") == first == tuple(codec.tokenize(" house"))
    assert codec.calls == calls + 1
