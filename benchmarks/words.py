"""How right the words of whole pages are: docspec's ways of writing them, and other tools, held against text layers.

Born-digital pages whose text layer was judged sound, and blurred pictures of the same pages. Page headers and footers
count everywhere: who leaves them out by choice (docspec does) is asked to keep them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from benchmarks.degradation import degraded_page
from benchmarks.other_readers import OTHERS, Read, Written
from benchmarks.word_counts import WordCounts, counted
from docspec.core import Block, Category, PageDraft, PageError, PageImage, ParseOptions
from docspec.core.choices import WordsFrom
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.trust import TrustJudge
from docspec.ledger import PageOutput, account_for, visible_words, witness_of
from docspec.ledger.outputs import markdown_words
from docspec.parser import Parser
from docspec.reporting.markdown import MarkdownRenderer
from docspec.reporting.renderer import Layout

DOCSPEC: Mapping[str, WordsFrom] = {"docspec": "auto", "docspec --words model": "model"}
"""docspec's own ways, and what each says of ``words``."""

READERS = (*DOCSPEC, *OTHERS)


@dataclass(frozen=True, slots=True)
class WordsOfPage:
    """What ``reader`` made of one page; ``blur``: the radius in pixels of the picture that it was shown, 0 for the page
    itself. ``seconds`` are from pixels to text; ``missing`` words of the page are not in the text, as the ledger has
    it."""

    source: str
    page: int
    blur: float
    reader: str
    counts: WordCounts
    seconds: float
    missing: int = 0


@dataclass(frozen=True, slots=True)
class LeftAside:
    """A page that was not measured, and why."""

    source: str
    page: int
    reason: str


def measure(
    sources: Sequence[Source], options: ParseOptions, blur: float, names: Sequence[str]
) -> Iterator[WordsOfPage | LeftAside]:
    """Every page of ``sources`` that ``options`` choose, read by the readers ``names`` (of :data:`READERS`) as it is
    and, with a ``blur``, as a picture."""
    with ExitStack() as stack:
        parser = stack.enter_context(Parser(options))
        readers = _readers(stack, options, names)
        judge = TrustJudge(Recogniser())
        for source in sources:
            with open_document(source, options.password) as document:
                for page in parser.page_images(document, options.pages):
                    if isinstance(page, PageFailure):
                        yield LeftAside(source.name, page.number, str(page.error))
                        continue
                    verdict = judge.judge(page)
                    if not verdict.trusted or verdict.hidden_share > 0:
                        hidden = "hidden text" if verdict.hidden_share > 0 else verdict.reason
                        yield LeftAside(source.name, page.number, hidden)
                        continue
                    witness, printed = witness_of(visible_words(page), PageDraft())
                    layer = page.pdf_page.get_text() if page.pdf_page is not None else ""
                    for radius in (0.0, blur) if blur else (0.0,):
                        for name, read in readers.items():
                            with _alone(parser, source, page.number) as own:
                                shown = degraded_page(own, "blur", radius) if radius else own
                                start = perf_counter()
                                written = read(shown)
                            seconds = perf_counter() - start
                            found = counted(layer, written.text, written.labels)
                            shows = PageOutput(markdown_words(f"{written.text}\n\n{written.labels}"), ())
                            missing = account_for(printed, shows, witness).counts["missing"]
                            yield WordsOfPage(page.source, page.number, radius, name, found, seconds, missing)


@contextmanager
def _alone(parser: Parser, source: Source, number: int) -> Iterator[PageImage]:
    """The page, drawn anew: drafters write hidden text onto the page that they are given."""
    with open_document(source, parser.options.password) as document:
        for page in parser.page_images(document, str(number)):
            if isinstance(page, PageFailure):
                raise page.error
            yield page


def together(pages: Sequence[WordsOfPage]) -> dict[tuple[float, str], WordCounts]:
    """The sums of ``pages`` by blur and reader, in the order in which they were measured."""
    sums: dict[tuple[float, str], WordCounts] = {}
    for page in pages:
        key = page.blur, page.reader
        sums[key] = sums.get(key, WordCounts()) + page.counts
    return sums


def _readers(stack: ExitStack, options: ParseOptions, names: Sequence[str]) -> Mapping[str, Read]:
    readers: dict[str, Read] = {}
    for name in names:
        if name in DOCSPEC:
            own = stack.enter_context(Parser(replace(options, words=DOCSPEC[name])))
            readers[name] = _with_docspec(own)
        else:
            readers[name] = OTHERS[name]()
    return readers


def _is_label(block: Block) -> bool:
    return block.category is Category.PICTURE and block.words != "model"


def _with_docspec(parser: Parser) -> Read:
    def read(page: PageImage) -> Written:
        result = parser.parse_page(page)
        if result.status == "failed":
            raise PageError(result.error or "failed")
        labels = [index for index, block in enumerate(result.blocks) if _is_label(block)]
        bare = tuple(replace(block, text="") if at in labels else block for at, block in enumerate(result.blocks))
        text = MarkdownRenderer(Layout(keep_furniture=True)).page(replace(result, blocks=bare), {})
        return Written(text, "\n".join(result.blocks[index].text for index in labels))

    return read
