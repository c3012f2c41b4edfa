"""Has the ledger account for pages that were read: every road of a page ends here, whoever read it and where."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from docspec.core import DrafterError, Event, PageDraft, PageImage, PageResult, ParseOptions
from docspec.core.account import PageAccount
from docspec.core.choices import PlacesFrom
from docspec.core.result import STRUCTURE_DOUBTFUL, WORDS_DOUBTFUL, WORDS_MISSING
from docspec.drafting.drafted_page import DraftedPage
from docspec.drafting.late_lines import LateLines
from docspec.ledger import PageOutput, account_for, visible_words, witness_of
from docspec.ledger.outputs import markdown_words
from docspec.places import with_places
from docspec.reporting.markdown import MarkdownRenderer
from docspec.reporting.renderer import Layout
from docspec.reporting.tables import TABLE_DOUBTFUL, with_doubtful_tables

UNSURE = frozenset({WORDS_DOUBTFUL, TABLE_DOUBTFUL})
"""Events of a page that is not of the best grade, whatever the certainty of its words."""


def seen(page: PageImage) -> PageImage:
    """``page`` with its words as they are painted; must be called before anybody writes onto it."""
    return page if page.words is not None else replace(page, words=visible_words(page))


ENOUGH = 0.9
"""Share of a page's words with a place of their own from which on no recogniser is asked for more."""


class Placer:
    """Gives the words of pages their places, as ``options`` say."""

    def __init__(self, options: ParseOptions) -> None:
        self._mode = options.places
        self._late = LateLines(options)

    def giving(self, places: PlacesFrom | None) -> Placer:
        """One that gives the places that ``places`` says (``None``: as this one), with the same recogniser."""
        if places in (None, self._mode):
            return self
        other = copy(self)
        other._mode = places
        return other

    def placed(self, result: PageResult, page: PageImage, draft: PageDraft) -> PageResult:
        """``result`` with places, if they are wanted. With ``recognise``, a page that the drafts hardly know is
        recognised now, and the places that are known better stand."""
        if self._mode == "none":
            return result
        placed = with_places(result, page, draft)
        is_new = not draft.recognised and not draft.seen  # what was seen straightened was recognised, too
        if self._mode != "recognise" or not is_new or _known(placed) >= ENOUGH:
            return placed
        try:
            lines = self._late.of(page)
        except DrafterError as error:
            event = Event("places_unknown", f"{error}; places are those that the drafts tell")
            return replace(placed, events=(*placed.events, event))
        again = with_places(result, replace(page, words=()), replace(draft, recognised=lines))
        return max(placed, again, key=_known)


def _known(result: PageResult) -> float:
    """The share (0..1) of the words whose place on the page is known."""
    hows = [word.how for block in result.blocks for word in block.places]
    return sum(how in ("exact", "aligned") for how in hows) / len(hows) if hows else 1.0


def accounted(result: PageResult, drafted: DraftedPage, placer: Placer | None = None) -> PageResult:
    """``result`` with the account of its words; words that are missing, or written in a structure that is not drawn,
    become events and make it doubtful; a word with a sign that the file does not tell is in doubt alone. Tables that
    were read and do not hold together are an event, too. A ``placer`` gives its words places."""
    if result.status == "failed":
        return result
    result, draft = with_doubtful_tables(result), drafted.with_draft().draft
    if placer is not None:
        result = placer.placed(result, drafted.page, draft)
    account = account_of(result, drafted.page, draft)
    found = (Event(WORDS_MISSING, account.doubt or ""), Event(STRUCTURE_DOUBTFUL, account.structure_doubt or ""))
    events = [event for event in found if event.detail]
    quality = result.quality
    if account.word_doubt is not None:
        result = replace(result, events=(*result.events, Event(WORDS_DOUBTFUL, account.word_doubt)))
    if quality is not None and quality.grade == "A" and any(event.kind in UNSURE for event in result.events):
        quality = replace(quality, grade="B")
    if events and quality is not None:
        doubts = [doubt for doubt in (quality.doubtful, *(event.detail for event in events)) if doubt]
        quality = replace(quality, grade="D", doubtful="; ".join(doubts))
    return replace(result, account=account, events=(*result.events, *events), quality=quality)


def account_of(result: PageResult, page: PageImage, draft: PageDraft) -> PageAccount:
    """The account of ``page``, drafted so, in its ``result`` as Markdown."""
    witness, words = witness_of(page.words or (), draft)
    renderer = MarkdownRenderer(Layout())
    written = renderer.page(result, {}) + renderer.end()
    ink = [region.bbox for region in draft.unread or ()]
    return account_for(words, PageOutput(markdown_words(written), result.blocks, written), witness, ink)
