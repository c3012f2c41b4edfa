"""The document and the conversion options in a request, in the formats of docling-serve."""

from __future__ import annotations

import binascii
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from docspec.core.safe_text import one_line, safe_text
from docspec.serve.chat import object_in
from docspec.serve.converter import FORMATS, Submission
from docspec.serve.refusal import Refusal
from docspec.serve.wishes import Wishes, wishes_in

if TYPE_CHECKING:
    from docspec.serve.gateway import Gateway

LONGEST_TITLE = 200
END = 2**31
"""docling's default for the last page: beyond the end of any document."""


@contextlib.asynccontextmanager
async def from_form(gateway: Gateway, request: Request) -> AsyncIterator[Submission]:
    """The one file of a form, or a body that is the file itself; the memory that it takes is the request's for as long
    as the context lasts."""
    async with gateway.admitted(request) as (client, bounded, holding):
        given = await _form_of(bounded, client)
        await holding.take(len(given.data))
        yield given


async def _form_of(request: Request, client: str) -> Submission:
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind != "multipart/form-data":
        query = {name: request.query_params.getlist(name) for name in request.query_params}
        return Submission(await request.body(), "document", *_wanted_in(query), client=client)
    async with request.form(max_files=1, max_fields=200) as form:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if len(files) != 1:
            raise Refusal(422, "files: one file a request")
        given = {name: [one for one in form.getlist(name) if isinstance(one, str)] for name in form}
        fields = {name: values for name, values in given.items() if values}
        return Submission(await files[0].read(), title_of(files[0].filename), *_wanted_in(fields), client=client)


@contextlib.asynccontextmanager
async def from_json(gateway: Gateway, request: Request) -> AsyncIterator[Submission]:
    """The one source of a JSON object; a URL is fetched. Memory as in :func:`from_form`."""
    async with gateway.admitted(request) as (client, bounded, holding):
        body = await bounded.body()
        await holding.take(len(body))  # the same again is in its values
        size, given = 2 * len(body), await _source_of(gateway, body, client)
        del body
        holding.free(size)
        await holding.take(2 * len(given.data))  # and once more on its way to the disk
        yield given


async def _source_of(gateway: Gateway, body: bytes, client: str) -> Submission:
    try:
        values = object_in(body)
    except Refusal as refusal:
        raise Refusal(422, str(refusal)) from None
    sources, options, target = values.get("sources"), values.get("options") or {}, values.get("target") or {}
    if not isinstance(sources, list) or len(sources) != 1 or not isinstance(sources[0], dict):
        raise Refusal(422, "sources: a list of one source, with its kind")
    if not isinstance(options, dict) or not isinstance(target, dict):
        raise Refusal(422, "options and target: objects")
    source = sources[0]
    kind = source.get("kind", "http" if "url" in source else "file")
    many = {name: value if isinstance(value, list) else [value] for name, value in options.items()}
    wanted = _wanted_in({**many, "target_type": [target.get("kind", "inbody")]})
    if kind == "http" and isinstance(source.get("url"), str):
        if gateway.fetcher is None:
            raise Refusal(400, "addresses are not fetched here; send the file (--allow-urls)")
        data, _ = await gateway.fetcher.fetch(source["url"])
        return Submission(data, title_of(source["url"].partition("?")[0]), *wanted, client=client)
    if kind == "file" and isinstance(source.get("base64_string"), str):
        try:
            data = binascii.a2b_base64(source["base64_string"])
        except ValueError:
            raise Refusal(422, "base64_string: no base64") from None
        return Submission(data, title_of(source.get("filename")), *wanted, client=client)
    raise Refusal(422, "sources: of kind file or http")


def title_of(given: Any) -> str:
    """The client's name for its document. It is displayed and never becomes a path."""
    name = one_line(str(given or "")).replace("\\", "/").rpartition("/")[2]
    return name[-LONGEST_TITLE:] or "document"


def _wanted_in(fields: Mapping[str, list[Any]]) -> tuple[tuple[str, ...], str | None, Wishes]:
    """The formats, the pages and the wishes of a form, a query or a JSON object. Raises :class:`Refusal` (422)."""
    return *_chosen_in(fields), wishes_in(fields)


def _chosen_in(fields: Mapping[str, list[Any]]) -> tuple[tuple[str, ...], str | None]:
    target = (fields.get("target_type") or ["inbody"])[0]
    if target != "inbody":
        raise Refusal(422, "target_type: inbody; others require artifact storage to be configured")
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
