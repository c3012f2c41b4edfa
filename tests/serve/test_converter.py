"""What a gateway reads documents with."""

from __future__ import annotations

import psutil

from docspec.core import ParseOptions
from docspec.serve.converter import Converter, Submission
from docspec.serve.wishes import Wishes
from tests.serve.test_documents import pdf_of


def test_a_text_is_sought_by_the_children_that_convert() -> None:
    """One more parser would be children of its own, and a second model."""
    converter, data = Converter(ParseOptions(), 10), pdf_of("First words", "Second words")

    def children() -> set[int]:
        return {child.pid for child in psutil.Process().children(recursive=True)}

    try:
        converted = converter.convert(Submission(data, "a.pdf"))
        first = children()
        found = converter.convert(Submission(data, "a.pdf", wishes=Wishes(quote="second words")))
        again = converter.convert(Submission(data, "a.pdf"))
        assert first and children() == first
    finally:
        converter.close()
    assert [one["page"] for one in found["found"]] == [2]
    assert "Second words" in converted["document"]["md_content"] and again["document"] == converted["document"]
