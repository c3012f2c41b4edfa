"""What became of each visible word of a page: the values that the ledger (:mod:`docspec.ledger`) makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from docspec.core.geometry import BBox

UNTOLD = "\N{REPLACEMENT CHARACTER}"
"""A sign that the file does not tell."""

FEW_SIGNS = 0.01
"""Greatest share of a page's words that may lack a sign without putting the page in doubt."""

FIRST = 12
"""Most missing words that are named where a page is called doubtful."""

MOST_SHOWN = 60
"""Most characters that are shown of words that are misplaced."""

State = Literal["written", "left_out", "changed", "in_picture", "missing"]
"""``left_out`` on purpose, by a rule; ``changed``: a model's own reading stands in its place; ``in_picture``: it stands
in a picture that is kept as one; ``missing``: nothing of the output accounts for it."""

STATES: tuple[State, ...] = ("written", "left_out", "changed", "in_picture", "missing")

Witness = Literal["text layer", "recognised lines", "none"]
"""Who says what is visible: the file, if it was found sound, else the recogniser, else nobody."""

READ, NOT_READ = "read", "not read"
"""The rules of words in a picture: whether anybody has read them."""

HEAD, FOOT, PAGE_NUMBER, LINE_NUMBER = "running head", "running foot", "page number", "line number"
FURNITURE = frozenset({HEAD, FOOT, PAGE_NUMBER, LINE_NUMBER})
"""The rules by which writers leave out what belongs to the page and not to its text, unless they are told to keep
it."""


class VisibleWord(NamedTuple):
    """A word of a page, in pixels of its image. ``hidden`` is the rule by which a reader of the paper does not see it,
    empty for a visible one. Signs that the file does not tell are U+FFFD."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    hidden: str = ""

    @property
    def bbox(self) -> BBox:
        return BBox(self.x0, self.y0, self.x1, self.y1)


@dataclass(frozen=True, slots=True)
class WordRun:
    """Neighbouring words of one line with one fate. ``count`` are its words (0: ink of which no word is known).
    ``block`` and ``offset`` say where a written run begins: the number of the block, and the character of the page's
    Markdown; -1 for others. ``rule`` says why words were left out, or what is odd about them."""

    text: str
    bbox: BBox
    state: State
    count: int
    block: int = -1
    offset: int = -1
    rule: str = ""


Fault = Literal["joined_over_jump", "columns_alternate", "moves_up", "levels_lost", "rows_joined", "grid_as_text"]
"""How written text may disagree with where its words are drawn: a paragraph that is joined over a jump; lines of two
columns in turns; an order that moves up, or leaves a column and comes back; list items of one level with several left
edges; a cell with words of several rows; a grid that is written as text."""


SAID: dict[Fault, str] = {
    "joined_over_jump": "a paragraph is joined over a jump",
    "columns_alternate": "lines of two columns are read in turns",
    "moves_up": "the order moves up the page, or leaves a column and comes back",
    "levels_lost": "items of one level begin at several edges",
    "rows_joined": "a cell holds words of several rows",
    "grid_as_text": "a grid is written as text",
}


class Misplaced(NamedTuple):
    """A ``fault`` of the structure of written text: the words where it is seen, and their place on the page."""

    fault: Fault
    text: str
    bbox: BBox


@dataclass(frozen=True, slots=True)
class PageAccount:
    """The fate of all that is visible on a page: how many words were ``written``, and the ``runs`` of all others; of
    written words those that no reader sees (hidden by a rule) are among these.

    ``added`` are words of the output that nothing on the page explains. ``displaced`` counts written words that stand
    in another order or block than on the page. ``places`` are the runs of written words, for those who show them.
    ``misplaced`` says where paragraphs, lists and tables are not those that are drawn.
    """

    witness: Witness
    written: int = 0
    runs: tuple[WordRun, ...] = ()
    added: tuple[str, ...] = ()
    displaced: int = 0
    places: tuple[WordRun, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()

    @property
    def counts(self) -> dict[State, int]:
        """Words by state."""
        counts = dict.fromkeys(STATES, 0)
        for run in self.runs:
            counts[run.state] += run.count
        counts["written"] += self.written
        return counts

    @property
    def rules(self) -> dict[str, int]:
        """Words left out on purpose, by rule."""
        rules: Counter[str] = Counter()
        for run in self.in_state("left_out"):
            if run.count:
                rules[run.rule] += run.count
        return dict(rules)

    @property
    def missing(self) -> tuple[WordRun, ...]:
        return self.in_state("missing")

    @property
    def doubt(self) -> str | None:
        """How many words of the page are not in the output, and the first of them; ``None`` if all are, or if it may be
        no more than that few of them have a sign that the file does not tell."""
        return None if self._are_signs() else self._lost()

    @property
    def word_doubt(self) -> str | None:
        """The same of few words with a sign that the file does not tell: these words are in doubt, not the page."""
        return self._lost() if self._are_signs() else None

    def _are_signs(self) -> bool:
        words = [word for run in self.missing for word in run.text.split()]
        return all(UNTOLD in word for word in words) and len(words) <= max(1, FEW_SIGNS * self.written)

    def _lost(self) -> str | None:
        if not self.missing:
            return None
        words = [word for run in self.missing for word in run.text.split()]
        count = self.counts["missing"]
        lost = "1 word of the page is" if count == 1 else f"{count:,} words of the page are"
        more = " ..." if len(words) > FIRST else ""
        return f"{lost} not in the output: {' '.join(words[:FIRST])}{more}"

    @property
    def structure_doubt(self) -> str | None:
        """How the written structure is not the one that is drawn, with the words where it is first seen; ``None`` if it
        is."""
        if not self.misplaced:
            return None
        counts = Counter(one.fault for one in self.misplaced)
        first = {one.fault: one.text for one in reversed(self.misplaced)}
        told = (
            f'{SAID[fault]}{f" ({count} times)" if count > 1 else ""}: "{first[fault][:MOST_SHOWN]}"'
            for fault, count in counts.items()
        )
        return "; ".join(told)

    def in_state(self, state: State) -> tuple[WordRun, ...]:
        """The runs in ``state``, in the order of the page."""
        return tuple(run for run in self.runs if run.state == state)

    def without_labels(self, pictures: Collection[int]) -> PageAccount:
        """The account of an output without the words in ``pictures``, numbers of blocks (``--picture-text none``)."""
        left = tuple(replace(run, state="in_picture", rule=READ) for run in self.places if run.block in pictures)
        places = tuple(run for run in self.places if run.block not in pictures)
        written = self.written - sum(run.count for run in left)
        return replace(self, written=written, runs=(*self.runs, *left), places=places)

    def with_furniture(self) -> PageAccount:
        """The account of an output that keeps running heads and feet (``--keep-furniture``)."""
        kept = tuple(replace(run, state="written", rule="") for run in self.runs if run.rule in FURNITURE)
        runs = tuple(run for run in self.runs if run.rule not in FURNITURE)
        written = self.written + sum(run.count for run in kept)
        return replace(self, written=written, runs=runs, places=(*self.places, *kept))
