"""The lines of a stream of server-sent events, which end at LF, CR LF or CR and at nothing else.

``str.splitlines``, and with it the line readers of HTTP libraries, also end a line at VT, FF, U+0085, U+2028 and
U+2029, which JSON texts may hold as they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncGenerator, AsyncIterable

_END = re.compile(r"\r\n|\n|\r")


async def lines_of(pieces: AsyncIterable[bytes]) -> AsyncGenerator[str]:
    """The lines of UTF-8 ``pieces`` without their ends, and without a mark of the byte order before the first; the last
    line may have no end."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    begun: list[str] = []  # of the line that has not ended
    held = ""  # a CR, which may be the first half of a CR LF
    async for piece in pieces:
        text = held + decoder.decode(piece)
        held = "\r" if text.endswith("\r") else ""
        first, *others = _END.split(text.removesuffix(held) if held else text)
        begun.append(first)
        for other in others:
            yield "".join(begun)
            begun = [other]
    last = "".join(begun) + decoder.decode(b"", final=True)
    if last:
        yield last
