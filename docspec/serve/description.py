"""What this gateway answers, described for programs (``/openapi.json``) and for people (``/docs``, one page without any
script). Both are made of the routes themselves, so that none is forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from docspec.serve.exports import FORMATS

_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "number"}, {"type": "boolean"}

OPTIONS: dict[str, Any] = {
    "to_formats": {"type": "array", "items": {"type": "string", "enum": list(FORMATS)}},
    "page_range": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
    "do_ocr": FLAG,
    "force_ocr": FLAG,
    "ocr_lang": {"type": "array", "items": TEXT},
    "image_export_mode": {"type": "string", "enum": ["placeholder", "embedded"]},
    "md_page_break_placeholder": TEXT,
    "document_timeout": NUMBER,
    "pdf_password": TEXT,
    "target_type": {"type": "string", "enum": ["inbody", "zip"]},
}
"""Options of documents that are done here."""

FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}
SOURCES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"kind": TEXT, "base64_string": TEXT, "filename": TEXT, "url": {"type": "string"}},
    },
}


def description_routes(routes: Sequence[BaseRoute]) -> list[Route]:
    """The routes that describe ``routes``, and themselves."""
    own: list[Route] = []
    every = partial(_described, lambda: [*routes, *own])
    own += [
        Route("/openapi.json", partial(_openapi, every), name="This description, for programs."),
        Route("/docs", partial(_docs, every), name="This description, for people."),
    ]
    return own


def _described(routes: Any) -> Iterator[tuple[str, str, str]]:
    """Each route's path, method and summary."""
    for route in routes():
        if isinstance(route, Route):
            for method in sorted((route.methods or {"GET"}) - {"HEAD"}):
                yield route.path, method.lower(), _summary(route)


def _summary(route: Route) -> str:
    """The route's own name, if it has one in words, else the first line of what answers it."""
    if " " in route.name:
        return route.name
    answers: Any = route.endpoint
    while isinstance(answers, partial):
        answers = answers.func
    return (getattr(answers, "__doc__", None) or "").strip().partition("\n")[0]


async def _openapi(every: Any, request: Request) -> Response:
    from docspec.versions import versions

    paths: dict[str, dict[str, Any]] = {}
    for path, method, summary in every():
        names = _PARAMETER.findall(path)
        operation: dict[str, Any] = {
            "summary": summary,
            "operationId": re.sub(r"\W+", "_", f"{method}{path}").strip("_"),
            "responses": {
                "200": {"description": "The answer."},
                "default": {"description": "An error: JSON with error and detail."},
            },
        }
        if names:
            operation["parameters"] = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in names]
        if method == "post":
            operation["requestBody"] = {"required": True, "content": _body_of(path)}
        paths.setdefault(_PARAMETER.sub(r"{\1}", path), {})[method] = operation
    info = {"title": "docspec", "version": versions()["docspec"] or "0"}
    security = {"key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}}
    values = {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"securitySchemes": security}}
    return JSONResponse({**values, "security": [{}, {"key": []}]})


def _body_of(path: str) -> dict[str, Any]:
    """The content of a request to ``path``."""
    if path.startswith(("/v1/convert/file", "/v1/chunk/", "/v1/find/")) and "/file" in path:
        fields = {"files": FILES, **OPTIONS, **({"text": TEXT} if "/find/" in path else {})}
        return {"multipart/form-data": {"schema": _object(fields, ["files", *(["text"] if "/find/" in path else [])])}}
    if path.startswith(("/v1/convert/source", "/v1/chunk/")):
        fields = {"sources": SOURCES, "options": _object(OPTIONS, []), "target": _object({"kind": TEXT}, [])}
        return {"application/json": {"schema": _object(fields, ["sources"])}}
    if path in ("/v1/parse", "/v1/drafts"):
        return {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    return {"application/json": {"schema": {"type": "object"}}}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


async def _docs(every: Any, request: Request) -> Response:
    return HTMLResponse(_page(every()))


def _page(described: Iterable[tuple[str, str, str]]) -> str:
    rows = "".join(
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td><td>{escape(summary)}</td></tr>"
        for path, method, summary in described
    )
    options = "".join(f"<li><code>{escape(name)}</code></li>" for name in OPTIONS)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>docspec serve</title>'
        "<style>body{font:16px sans-serif;margin:2em}td{padding:.3em 1em .3em 0;vertical-align:top}</style>"
        '<h1>docspec serve</h1><p>For programs: <a href="openapi.json">openapi.json</a>.</p>'
        f"<table>{rows}</table><h2>Options of documents</h2><ul>{options}</ul></html>"
    )
