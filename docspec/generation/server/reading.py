"""Reads the answer to a request, streamed or whole, within bounds of size and time.

A server that is asked for a stream may answer with one whole completion, as some do, or with what is no completion at
all: the page of a firewall, the text of a proxy, an error with status 200. What came instead is said.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import re
from collections.abc import AsyncGenerator, AsyncIterable, Callable

import httpx2

from docspec.core import Failure, PageError
from docspec.generation.interface import Generation
from docspec.generation.server.answers import Stream, generation_of
from docspec.generation.server.endings import RepeatError, json_in, quoted

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


MOST_BYTES = 64 * 2**20
"""Bytes of an answer, decompressed; a page of 32,000 tokens with all that vLLM says of them has a tenth of that."""

MOST_REFUSED = 2**20
"""Bytes that are read of an answer without success."""

CHARACTERS = 256
"""Characters of a token at most: the longest tokens of readers are runs of blanks and of hyphens."""

LAST_SECONDS = 3.0
"""Seconds for what a server adds behind the end of an answer (counts) before it is left."""

OnWhole = Callable[[str], None]


async def body_of(response: httpx2.Response, most: int = MOST_BYTES) -> bytes:
    """The body of ``response``, up to ``most`` bytes."""
    body = bytearray()
    async with contextlib.aclosing(_pieces(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > most:
                break
    return bytes(body[:most])


async def whole_answer(response: httpx2.Response, stream: Stream, patience: float) -> Generation:
    """The answer that is not streamed. Raises :class:`RepeatError`."""
    try:
        async with asyncio.timeout(patience):
            body = await body_of(response)
    except TimeoutError as error:
        raise RepeatError(f"its answer was not whole after {patience:g} s", silent=True) from error
    return generation_of(json_in(body), stream.model)


async def streamed_answer(
    response: httpx2.Response, stream: Stream, patience: float, tokens: int, on_text: OnWhole
) -> Generation:
    """The answer that is streamed; ``on_text`` receives the text so far whenever it has grown. A stream that brings
    nothing new for ``patience`` seconds is silent, whatever else it sends; once the answer has its end, nothing more
    has to come. ``tokens`` is the limit that the answer was asked with. Raises :class:`RepeatError`, and
    :class:`docspec.core.PageError` if the answer goes beyond its limit."""
    loop, other = asyncio.get_running_loop(), ""
    try:
        async with (
            asyncio.timeout(patience) as limit,
            contextlib.aclosing(_pieces(response)) as pieces,
            contextlib.aclosing(lines_of(pieces)) as lines,
        ):
            async for line in lines:
                data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if data == "[DONE]":
                    stream.is_done = True
                    break
                if line[:1] in ("{", "[", "<") and not stream.has_begun and not other:
                    rest = [line, *[line async for line in lines]]
                    return generation_of(json_in("\n".join(rest)), stream.model)
                if not data:
                    other = other or (line if _is_text(line) else "")
                    continue
                if stream.take(data):
                    on_text(stream.text)
                    if len(stream.text) > CHARACTERS * tokens:
                        said = f"{len(stream.text):,} characters of an answer of at most {tokens:,} tokens"
                        raise PageError(f"the server sends {said}, and does not end", Failure.REFUSED)
                if stream.has_ended:
                    limit.reschedule(min(limit.when() or 0.0, loop.time() + LAST_SECONDS))
                elif stream.is_new:
                    limit.reschedule(loop.time() + patience)
    except TimeoutError as error:
        if not stream.has_ended:
            raise RepeatError(f"nothing new in its answer for {patience:g} s", silent=True) from error
    except httpx2.HTTPError:
        if not stream.has_ended:
            raise
    if not stream.has_begun:
        raise RepeatError(f"its answer is no completion: {quoted(other)}" if other else "its answer is empty")
    return stream.generation()


def _is_text(line: str) -> bool:
    """Whether a line of a stream is none of its fields."""
    return bool(line.strip()) and line.partition(":")[0] not in ("", "event", "id", "retry", "data")


async def _pieces(response: httpx2.Response) -> AsyncGenerator[bytes]:
    """The decompressed body. Raises :class:`RepeatError` if it is larger than :data:`MOST_BYTES`."""
    size = 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > MOST_BYTES:
            raise RepeatError(f"its answer is larger than {MOST_BYTES >> 20} MiB")
        yield piece
