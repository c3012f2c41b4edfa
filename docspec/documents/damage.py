"""Damage of a file that costs a part of a page: MuPDF's warnings that say so, and faults within the data of a JPEG.

MuPDF goes on after nearly every fault and only warns. Most warnings are about form (a missing character map, an odd
path) and cost nothing; warnings of data that could not be read or drawn mark the page as damaged.

Decoders go on after a fault in a JPEG: half of a picture is shifted, torn or grey, and neither Pillow nor MuPDF reports
it. libjpeg warns if the data of a scan ends too soon or holds an invalid code; ``simplejpeg`` passes that on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from docspec.core import Event
from docspec.documents.mupdf import mupdf

DAMAGED_PAGE = "damaged_page"
MAX_SHOWN = 3

_LOST = re.compile(
    r"zlib error|treating as end of file|premature end|syntax error|content stream|not a stream|out of range"
    r"|unknown filter|bad data in|bad eod|corrupt|truncated|not enough|out of memory|malloc|recursi|cycle|too many"
    r"|too deep|nested|overflow|underflow|limit|non-page object|unknown keyword|lzw|jpx|jpeg|jbig2|faxd|inline image"
    r"|undecodable|lexical error|expected '(?:endobj|R)|invalid indirect reference|was not found in its object stream"
    r"|cannot (?!load ToUnicode|find ICC|load ICC|find builtin|find substitute|create color|read from icc)",
    re.IGNORECASE,
)
_NO_LOSS = re.compile(
    r"ToUnicode|CMap|bfrange|gstate underflow|file header ignored|assuming terminating marker"
    r"|ICC|colou?r ?space|find ExtGState|Length incorrect|hint|outline|link|metadata|repeated \d+ times"
    r"|openjpeg warning(?!.*(?:too short|truncat|not enough|inconsistent|missing|cannot|corrupt|expected|EOC))",
    re.IGNORECASE,
)
"""OpenJPEG warns of oddities in a picture which it then decodes in full. A missing graphics state (ExtGState)
changes how print looks, and removes none of it; nor does a graphics state that is restored once too often."""

_SUM = "encountered syntax errors"
"""How the message begins that follows those of a page's syntax errors."""

_REPAIR, _CUT_SHORT = "repairing PDF document", "premature end of data in flate filter"
_NAMED = re.compile(r"\((\d+) 0 R\)")

_WAITING = re.compile(
    r"please wait|later version of (?:the|adobe)|pdf viewer|upgrade to the latest|adobe reader|acrobat", re.IGNORECASE
)

MOST_PIXELS = 200_000_000

MOST_PICTURES = 64
"""Most images of a page; more are tiles or signs."""

_LOST_OF_JPEG = re.compile(r"premature end|bad (?:Huffman|arithmetic) code|instead of RST", re.IGNORECASE)
"""Surplus bytes before a marker are no damage: cameras and scanners write such files."""


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collects MuPDF's warnings inside the block in the list; of one thread only."""
    tools = mupdf().TOOLS
    tools.reset_mupdf_warnings()
    messages: list[str] = []
    try:
        yield messages
    finally:
        messages.extend(line.strip() for line in tools.mupdf_warnings().splitlines() if line.strip())


def events_of(messages: Iterable[str], remarks: Iterable[str] = ()) -> tuple[Event, ...]:
    """At most one event that marks the page as damaged and one for all other warnings. ``messages`` are about what the
    page prints, ``remarks`` about anything."""
    messages = list(dict.fromkeys(messages))
    lost = _lost(messages)
    distinct = [
        message for message in dict.fromkeys((*messages, *remarks)) if not re.search(r"repeated \d+ times", message)
    ]
    odd = [message for message in distinct if message not in lost]
    events = []
    if lost:
        events.append(Event(DAMAGED_PAGE, f"damaged in the file ({_shown(lost)}); some of it may be missing"))
    if odd:
        events.append(Event("pdf_warning", _shown(odd)))
    return tuple(events)


def of_opening(messages: Sequence[str], repaired: bool) -> tuple[str | None, dict[int, str]]:
    """What the ``messages`` of opening a file say of losses, and those that name an object, by its number: they are
    losses where it is printed. Of a ``repaired`` file what was said before the repair is its cause. Objects that are
    packed in a stream that ends too soon are there or not, which is found out later."""
    if repaired:
        after = [at for at, message in enumerate(messages, start=1) if message.startswith(_REPAIR)]
        messages = messages[max(after, default=0) :]
    lost = [message for message in _lost(list(dict.fromkeys(messages))) if not message.startswith(_CUT_SHORT)]
    named = {int(name[1]): message for message in lost if (name := _NAMED.search(message))}
    return _shown([message for message in lost if not _NAMED.search(message)]) or None, named


def lost_size(page: Any) -> str | None:
    """The fault of a page's size, outside of which nothing is shown; ``None`` for four numbers, its own or those of
    its branch of the page tree."""
    low = mupdf().mupdf
    own = low.pdf_load_object(mupdf()._as_pdf_document(page.parent), page.xref)
    box = low.pdf_dict_get_inheritable(own, low.PDF_ENUM_NAME_MediaBox)
    if low.pdf_array_len(box) == 4 and all(low.pdf_is_number(low.pdf_array_get(box, index)) for index in range(4)):
        return None
    return "its size is missing or is not one, and another was taken"


def lost_contents(pdf: Any, page: Any) -> str | None:
    """The fault of a page that draws nothing although it brings fonts or images of its own; ``None`` for others.

    A damaged entry of its dictionary leaves a page without contents, which is a sound page and an empty one.
    """
    if pdf.xref_get_key(page.xref, "Contents")[0] != "null":
        return None
    brought = [pdf.xref_get_key(page.xref, f"Resources/{kind}") for kind in ("Font", "XObject")]
    if all(kind == "null" or value == "<<>>" for kind, value in brought):
        return None
    return "it has fonts or images of its own and no contents"


def dynamic_form(pdf: Any, page: Any) -> str | None:
    """The fault of a page that only says to wait: it stands for a dynamic form (XFA), which few programs show."""
    if pdf.xref_get_key(pdf.pdf_catalog(), "AcroForm")[0] == "null":
        return None
    kind, value = pdf.xref_get_key(pdf.pdf_catalog(), "AcroForm/XFA")
    dynamic = pdf.xref_get_key(pdf.pdf_catalog(), "NeedsRendering")[1] == "true"
    if kind == "null" or value in ("null", "[]") or not (dynamic or page.first_widget is None):
        return None
    if not dynamic and _WAITING.search(" ".join(page.get_text().split())) is None:
        return None
    return "it stands for a dynamic form (XFA), whose contents are not shown"


def _lost(messages: list[str]) -> list[str]:
    """Those of ``messages`` that say that something could not be read or drawn; their sum alone says nothing more."""
    known = any("syntax error:" in message for message in messages)
    return [message for message in messages if is_loss(message) and not (known and message.startswith(_SUM))]


def is_loss(message: str) -> bool:
    """Whether a warning says that something could not be read or drawn."""
    return _NO_LOSS.search(message) is None and _LOST.search(message) is not None


def _shown(messages: list[str]) -> str:
    more = len(messages) - MAX_SHOWN
    shown = "; ".join(message[:160] for message in messages[:MAX_SHOWN])
    return f"{shown}; {more} more" if more > 0 else shown


def damage_of(data: bytes) -> str | None:
    """The damage within the data of a JPEG; ``None`` for sound data, and for data that cannot be decoded at all."""
    import simplejpeg

    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data)
        if height * width <= MOST_PIXELS:
            space = "CMYK" if space in ("CMYK", "YCCK") else "GRAY"
            simplejpeg.decode_jpeg(data, space, fastdct=True, min_height=1, min_width=1, min_factor=8)
    except ValueError as error:
        return str(error) if _LOST_OF_JPEG.search(str(error)) else None
    return None


def damage_on(pdf: Any, index: int) -> str | None:
    """The damage of a picture on the page of a PDF; of several damaged ones, of one."""
    try:
        shown = {one[0] for one in pdf.get_page_images(index)[:MOST_PICTURES] if one[8] == "DCTDecode"}
        damages = (damage_of(pdf.xref_stream_raw(xref)) for xref in shown)
        return next(filter(None, damages), None)
    except Exception:  # pictures that cannot be listed were reported when the page was drawn
        return None
