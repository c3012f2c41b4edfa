"""``--format pdf``: the input with an invisible text layer. A page whose own text is sound keeps it, and gets only the
words that a recogniser found in its pictures, and those whose letters the file tells wrongly."""

from __future__ import annotations

from docspec.core import PageResult
from docspec.corpus.child_pdf import ChildPdf
from docspec.documents.text_layer import LayerPage, LayerWord
from docspec.reporting.placed_lines import lines_of


class SearchablePdf(ChildPdf):
    """Writes one document with its text layer."""

    call = "layered"
    failure = "the text layer cannot be written: writing it {}"

    def page_of(self, result: PageResult) -> LayerPage:
        return layer_of(result)


def layer_of(result: PageResult) -> LayerPage:
    """The layer of a page that was read."""
    has_own = result.account is not None and result.account.witness == "text layer"
    lines = []
    for block in result.blocks:
        if not has_own or block.words in ("text layer", "recognition"):
            for line in lines_of(block):
                lines.append(tuple(LayerWord(w.word.text, w.bbox, w.way, has_own, w.word.boxes) for w in line))
    return LayerPage(result.number, result.width, result.height, tuple(lines), result.seen, not has_own)
