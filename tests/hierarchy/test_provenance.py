"""What the engine says of its tokens is what it did, and asking for it changes nothing."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.corrections import corrupt
from benchmarks.marks import recount
from docspec import ParseOptions, Parser
from docspec.bench.fidelity import FixedDraft
from docspec.core import BBox, Block, Category, PageDraft, PageImage, PageResult, Provenance, Region, Span
from docspec.core.observer import NullObserver
from docspec.core.provenance import OWN
from docspec.dialects.agreement import agreement
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.dialects.words import words_of
from docspec.drafting import SafeDrafter
from docspec.engine.request import Output, Request, Trail
from docspec.generation.local import make_decoder
from docspec.hierarchy.answers import PageAnswer
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.provenance import Tokens
from docspec.proposing.spelling import Speller

BUDGET = 120


@pytest.fixture(scope="module")
def parser(lively_qwen):
    options = ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu", max_tokens=BUDGET)
    with Parser(options) as parser:
        yield parser


@pytest.fixture(scope="module")
def prompt(parser, printed_page):
    return parser.loaded.target.encode(printed_page, "Read.")


@pytest.fixture(scope="module")
def greedy(parser, prompt):
    return make_decoder(parser.loaded.target, parser.options).baseline(Request(prompt, (), BUDGET))[0].tokens


@pytest.mark.parametrize(
    ("align", "wrong"), [("cursor", 0.0), ("cursor", 0.15), ("cursor", 1.0), ("window", 0.15), ("ngrams", 0.15)]
)
def test_a_trail_tells_accepted_from_own_tokens_as_they_were_counted(parser, prompt, greedy, align, wrong):
    rng = random.Random(3)
    draft = tuple(rng.randrange(400) if rng.random() < wrong else token for token in greedy)
    engine = make_decoder(parser.loaded.target, replace(parser.options, align=align))
    request = Request(prompt, (draft,), BUDGET)
    [untraced], _ = engine.speculate([request])
    [output], stats = engine.speculate([replace(request, traced=True)])
    assert output.tokens == untraced.tokens == greedy
    assert untraced.trail is None
    trail, size = output.trail, len(output.tokens)
    accepted = list(trail.accepted(size))
    assert len(accepted) == size and not accepted[0], "the prefill's token was proposed by nobody"
    assert sum(accepted) == stats.accepted
    assert sum(trail.tokens_per_step(size)) == size - 1
    assert len(trail.margins) >= size and min(trail.margins) == stats.smallest_margin
    if align != "window":
        assert all(trail.proposed[place] for place, was in enumerate(accepted) if was)
        from_draft = sum(was and trail.proposed[place] == "draft 1" for place, was in enumerate(accepted))
        assert from_draft == stats.accepted if wrong == 0 else from_draft <= stats.accepted
    assert wrong > 0 or sum(accepted) > 0.8 * size
    for place, name in trail.proposed.items():
        if place < size and name == "draft 1":
            assert output.tokens[place] in draft


def test_a_trail_names_the_draft_that_each_token_was_copied_from(parser, prompt, greedy):
    half = len(greedy) // 2
    drafts = (greedy[:half], greedy[half:])
    [output], stats = make_decoder(parser.loaded.target, parser.options).speculate(
        [Request(prompt, drafts, BUDGET, traced=True)]
    )
    accepted = [place for place, was in enumerate(output.trail.accepted(len(greedy))) if was]
    assert output.tokens == greedy and len(accepted) == stats.accepted > 0.8 * len(greedy)
    named = Counter(output.trail.proposed[place] for place in accepted)
    assert named.keys() <= {"draft 1", "draft 2"} and min(named.values()) > 0.3 * len(greedy)
    for place in accepted:
        assert greedy[place] in drafts[int(output.trail.proposed[place][-1]) - 1]


def read(parser, page, draft, **options):
    options = replace(parser.options, provenance=True, stages="page", **options)
    reader = PageParser(parser.loaded, parser.dialect, SafeDrafter(FixedDraft(draft)), options, NullObserver())
    return reader.parse(page)


@pytest.fixture(scope="module")
def page(printed_page):
    return PageImage(printed_page, 1, 1.0, "page.png")


def test_a_page_and_its_spans_count_the_same_tokens(parser, page, printed_page):
    text = read(parser, page, PageDraft()).text
    words = text.split(" ")
    drafted = " ".join("?" + word[::-1] if number % 9 == 4 else word for number, word in enumerate(words))
    box = BBox(0, 0, printed_page.width, printed_page.height)
    found = read(parser, page, PageDraft((Region(box, Category.TEXT, (drafted,)),)))
    said = found.provenance
    assert found.text == text and said.drafted
    assert sum(dict(said.origins).values()) == len(found.token_ids)
    assert sum(said.steps) == len(found.token_ids) - 1
    assert dict(said.origins)[OWN] == len(found.token_ids) - found.stage2.accepted
    assert {span.mark for spans in said.spans for span in spans} >= {"agreed"}
    for span in (span for spans in said.spans for span in spans if span.mark != "draft"):
        assert sum(count for _, count in span.origins) >= 1
        assert span.margin is not None and span.margin >= found.stage2.smallest_margin


def test_without_a_draft_all_tokens_are_told_and_nothing_is_marked(parser, page):
    found = read(parser, page, PageDraft())
    assert not found.provenance.drafted
    assert not any(found.provenance.spans) and not found.provenance.left_out
    assert sum(dict(found.provenance.origins).values()) == len(found.token_ids)


def test_pages_that_are_not_asked_have_none(parser, page):
    assert parser.parse_page(page).provenance is None


def test_the_recount_of_the_benchmark_finds_marks_that_are_wrong():
    text = "Twice a day the harbour fills, and twice a day it empties again: 12 feet of water."
    drafted, wrong = corrupt(text, 0.2, seed=3)

    def counted(*drafts):
        blocks = parse_blocks(text)
        spans, _ = agreement(blocks, PageDraft(page_texts=drafts))
        said = Provenance(tuple(map(tuple, spans)))
        return recount(PageResult("a", 1, "ok", text, blocks, provenance=said), set(wrong))

    corrected, agreed, marked, right = counted(drafted)
    assert (corrected, agreed) == (len(wrong), 0) and right == marked > 0
    assert counted(text)[:2] == (0, len(wrong)), "marks of another draft"
    corrected, agreed, marked, right = counted("?" + text[::-1])
    assert right < marked or corrected < len(wrong)


class Letters:
    """A codec of one token a character; the euro sign takes three, as bytes do."""

    def tokenize(self, text):
        return [1_000_000 + 3 * ord(c) + n for c in text for n in range(3 if c == "€" else 1)]

    def detokenize(self, tokens):
        euro = [1_000_000 + 3 * ord("€") + n for n in range(3)]
        text, at = "", 0
        while at < len(tokens):
            if tokens[at : at + 3] == euro:
                text, at = text + "€", at + 3
            elif tokens[at] in euro:
                text, at = text + "\ufffd", at + 1
            else:
                text, at = text + chr((tokens[at] - 1_000_000) // 3), at + 1
        return text


@pytest.mark.parametrize(
    ("written", "escaped", "text"),
    [
        ('[{"bbox": [1, 2], "text": "no one\\nbar \\"x\\" \\\\alpha €5"}]', True, 'no one\nbar "x" \\alpha €5'),
        ("# no one\n\nbar x 12 €5", False, "bar x 12 €5"),
    ],
)
def test_words_find_their_tokens_in_layout_json_and_across_characters_of_several_tokens(written, escaped, text):
    codec, trail = Letters(), Trail()
    tokens = codec.tokenize(written)
    trail.steps, trail.margins = [(0, 0), (1, len(tokens))], [float(n) for n in range(len(tokens))]
    trail.proposed = dict.fromkeys(range(len(tokens)), "draft 1")
    known = Tokens.of([Output(tuple(tokens), "eos", trail=trail)], Speller(codec), escaped=escaped)
    spans = [Span(word.start, word.end, "agreed") for word in words_of(text)]
    [told] = known.told([Block(Category.TEXT, text)], [spans])
    sizes = {text[span.start : span.end]: sum(count for _, count in span.origins) for span in told}
    assert sizes["bar"] == 3 and sizes["x"] == 1
    assert sizes["5"] == 1 and sizes["€"] == 3, "all tokens of a character"
    assert all(span.margin is not None for span in told)


def test_what_a_server_tells_of_its_tokens_is_told_of_their_words() -> None:
    answer = PageAnswer(
        "A pier, 27", margins=(("A", 3.0), (" pi", 0.4), ("er", 2.0), (",", 9.0), (" 27", float("nan")))
    )
    block = Block(Category.TEXT, "A **pier**, 27")
    spans = [[Span(word.start, word.end, "model") for word in words_of(block.text)]]
    [told] = Tokens.of([answer], None, escaped=False).told([block], spans)
    assert {block.text[span.start : span.end]: span.margin for span in told} == {
        "A": 3.0,
        "pier": 0.4,
        ",": 9.0,
        "27": None,
    }
