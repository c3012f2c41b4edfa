"""The documents and the conversion options in a request, in the formats of docling-serve."""

from __future__ import annotations

import binascii
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from docspec.core.safe_text import one_line, safe_text
from docspec.serve.admission import too_large
from docspec.serve.chat import object_in
from docspec.serve.converter import Submission
from docspec.serve.exports import FORMATS
from docspec.serve.refusal import Refusal
from docspec.serve.wishes import Purpose, Wishes, wishes_in

if TYPE_CHECKING:
    from docspec.serve.gateway import Gateway

LONGEST_TITLE = 200
MOST_FILES = 100
"""Most documents of a request."""

CONVERT, INCLUDE = "convert_", "include_converted_doc"
"""How docling-serve's names of options begin where a document is wanted in pieces."""

Documents = tuple[Submission, ...]

END = 2**31
"""docling's default for the last page: beyond the end of any document."""


@contextlib.asynccontextmanager
async def from_form(gateway: Gateway, request: Request, purpose: Purpose = "convert") -> AsyncIterator[Documents]:
    """The files of a form, or a body that is the file itself; the memory that they take is the request's for as long
    as the context lasts. ``purpose`` is what they are read for."""
    async with gateway.admitted(request) as (client, bounded, holding):
        given = await _form_of(bounded, client, purpose)
        await holding.take(sum(len(one.data) for one in given))
        yield given


async def _form_of(request: Request, client: str, purpose: Purpose) -> Documents:
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind != "multipart/form-data":
        query = {name: request.query_params.getlist(name) for name in request.query_params}
        wanted = _wanted_in(query, purpose)
        return (Submission(await request.body(), "document", *wanted, client=client),)
    async with request.form(max_files=MOST_FILES, max_fields=200) as form:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if not files:
            raise Refusal(422, "files: a file, or several")
        given = {name: [one for one in form.getlist(name) if isinstance(one, str)] for name in form}
        wanted = _wanted_in({name: values for name, values in given.items() if values}, purpose)
        return tuple([Submission(await one.read(), title_of(one.filename), *wanted, client=client) for one in files])


@contextlib.asynccontextmanager
async def from_json(gateway: Gateway, request: Request, purpose: Purpose = "convert") -> AsyncIterator[Documents]:
    """The sources of a JSON object; a URL is fetched. Memory as in :func:`from_form`."""
    async with gateway.admitted(request) as (client, bounded, holding):
        body = await bounded.body()
        await holding.take(len(body))  # the same again is in its values
        size, given = 2 * len(body), await _sources_of(gateway, body, client, purpose)
        del body
        holding.free(size)
        await holding.take(2 * sum(len(one.data) for one in given))  # and once more on its way to the disk
        yield given


async def _sources_of(gateway: Gateway, body: bytes, client: str, purpose: Purpose) -> Documents:
    try:
        values = object_in(body)
    except Refusal as refusal:
        raise Refusal(422, str(refusal)) from None
    options = values.get("convert_options" if purpose == "chunk" else "options") or {}
    sources, target = values.get("sources"), values.get("target") or {}
    if not (isinstance(sources, list) and sources and all(isinstance(source, dict) for source in sources)):
        raise Refusal(422, "sources: a list of sources, each with its kind")
    if len(sources) > MOST_FILES:
        raise Refusal(422, f"sources: up to {MOST_FILES} in a request")
    if not isinstance(options, dict) or not isinstance(target, dict):
        raise Refusal(422, "options and target: objects")
    many = {name: value if isinstance(value, list) else [value] for name, value in options.items()}
    if purpose == "chunk":
        others = {name: [value] for name, value in values.items() if name in ("chunking_options", INCLUDE)}
        many = {**{CONVERT + name: value for name, value in many.items()}, **others}
    wanted = _wanted_in({**many, "target_type": [target.get("kind", "inbody")]}, purpose)
    room, given = gateway.settings.limits.body, []
    for source in sources:
        data, title = await _data_of(gateway, source)
        room -= len(data)
        if room < 0:
            raise too_large(gateway.settings.limits)
        given.append(Submission(data, title, *wanted, client=client))
    return tuple(given)


async def _data_of(gateway: Gateway, source: Mapping[str, Any]) -> tuple[bytes, str]:
    kind = source.get("kind", "http" if "url" in source else "file")
    if kind == "http" and isinstance(source.get("url"), str):
        if gateway.fetcher is None:
            raise Refusal(400, "addresses are not fetched here; send the file (--allow-urls)")
        data, _ = await gateway.fetcher.fetch(source["url"])
        return data, title_of(source["url"].partition("?")[0])
    if kind == "file" and isinstance(source.get("base64_string"), str):
        try:
            return binascii.a2b_base64(source["base64_string"]), title_of(source.get("filename"))
        except ValueError:
            raise Refusal(422, "base64_string: no base64") from None
    raise Refusal(422, "sources: of kind file or http")


def one_of(given: Documents) -> Submission:
    """The one document of a request that may have no more. Raises :class:`Refusal` (422)."""
    if len(given) != 1:
        raise Refusal(422, "files: one document a request here")
    return given[0]


def title_of(given: Any) -> str:
    """The client's name for its document. It is displayed and never becomes a path."""
    name = one_line(str(given or "")).replace("\\", "/").rpartition("/")[2]
    return name[-LONGEST_TITLE:] or "document"


def _wanted_in(fields: Mapping[str, list[Any]], purpose: Purpose) -> tuple[tuple[str, ...], str | None, Wishes]:
    """The formats, the pages and the wishes of a form, a query or a JSON object. Options of pieces have their own names
    for those of the conversion. Raises :class:`Refusal` (422)."""
    if purpose == "chunk":
        fields = {name.removeprefix(CONVERT): value for name, value in fields.items()}
    return *_chosen_in(fields), wishes_in(fields, purpose)


def _chosen_in(fields: Mapping[str, list[Any]]) -> tuple[tuple[str, ...], str | None]:
    target = (fields.get("target_type") or ["inbody"])[0]
    if target not in ("inbody", "zip"):
        raise Refusal(422, "target_type: inbody or zip; others require artifact storage to be configured")
    named = fields.get("to_formats") or ["md"]
    if not all(isinstance(name, str) and name in FORMATS for name in named):
        raise Refusal(422, f"to_formats: known are {', '.join(FORMATS)}")
    formats = tuple(dict.fromkeys(named))
    if pages := fields.get("pages"):
        return formats, safe_text(str(pages[0]))[:LONGEST_TITLE]
    try:
        first, last = (int(page) for page in fields.get("page_range") or (1, END))
    except (ValueError, TypeError, OverflowError):
        raise Refusal(422, "page_range: the first and the last page") from None
    if not 1 <= first <= last:
        raise Refusal(422, "page_range: pages count from 1, and the last one is not before the first")
    return formats, None if first == 1 and last >= END else f"{first}-{min(last, END)}"
