"""The lines of a stream of server-sent events, which end at LF, CR LF or CR and at nothing else.

``str.splitlines``, and with it the line readers of HTTP libraries, also end a line at VT, FF, U+0085, U+2028 and
U+2029, which JSON texts may hold as they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncIterable, AsyncIterator

_END = re.compile(r"\r\n|\n|\r(?!\Z)")
"""A CR at the end of what has come may be the first half of a CR LF."""


async def lines_of(pieces: AsyncIterable[bytes]) -> AsyncIterator[str]:
    """The lines of UTF-8 ``pieces`` without their ends; the last one may have none."""
    decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
    async for piece in pieces:
        *lines, rest = _END.split(rest + decoder.decode(piece))
        for line in lines:
            yield line
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest.removesuffix("\r")
