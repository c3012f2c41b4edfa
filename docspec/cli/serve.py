"""``docspec serve``, whose options become :class:`docspec.serve.settings.GatewaySettings`, and ``docspec mcp``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import typer

from docspec.cli.config import configured_model
from docspec.console import exits
from docspec.console.terminal import quiet_libraries, say, say_warning
from docspec.core import ParseOptions, UsageError
from docspec.core.choices import BUNDLED_MODELS
from docspec.core.extras import missing
from docspec.core.safe_text import sound_key, sound_keys


def serve(
    upstream: Annotated[
        list[str] | None, typer.Option(metavar="URL", show_default=False, help="Who answers; repeatable.")
    ] = None,
    upstream_kind: Annotated[
        Literal["vllm", "sglang", "plain"], typer.Option(metavar="KIND", help="vllm, sglang; plain: no drafts.")
    ] = "vllm",
    upstream_key: Annotated[
        str | None, typer.Option(metavar="KEY", envvar="DOCSPEC_UPSTREAM_KEY", show_default=False, help="Its API key.")
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", show_default=False, help="Answers; reads documents.")
    ] = "auto",
    engine: Annotated[
        Literal["auto", "local", "vllm", "llama"], typer.Option(metavar="NAME", help="vllm, llama, local (its own).")
    ] = "auto",
    mmproj: Annotated[
        Path | None, typer.Option(metavar="FILE", show_default=False, help="llama: the picture tower.")
    ] = None,
    slots: Annotated[
        int, typer.Option(metavar="N", min=1, show_default=False, help="llama: requests at a time (4).")
    ] = 4,
    engine_python: Annotated[
        Path | None, typer.Option(metavar="FILE", show_default=False, help="A Python that has the engine.")
    ] = None,
    engine_args: Annotated[
        str | None, typer.Option(metavar="TEXT", show_default=False, help="vLLM's own options.")
    ] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="local: greedy if asked to sample.")] = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0: any free one.")] = 8080,
    api_key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", envvar="DOCSPEC_API_KEY", show_default=False, help="What clients have to send."),
    ] = None,
    recognise: Annotated[
        Literal["auto", "always", "never"], typer.Option(metavar="WHEN", help="Read images: always, never, auto.")
    ] = "auto",
    workers: Annotated[int, typer.Option(metavar="N", min=1, help="That recognise.")] = 1,
    documents: Annotated[int, typer.Option(metavar="N", min=1, help="Read side by side.")] = 2,
    allow_urls: Annotated[bool, typer.Option("--allow-urls", help="Fetch http addresses of requests.")] = False,
    state: Annotated[
        Path | None, typer.Option(metavar="DIR", show_default=False, help="Keeps documents for a restart.")
    ] = None,
    max_pages: Annotated[int, typer.Option(metavar="N", min=1, help="Of a document.")] = 2000,
    max_body: Annotated[int, typer.Option(metavar="MIB", min=1, help="Largest request.")] = 64,
    max_megapixels: Annotated[float, typer.Option(metavar="N", min=0.01, help="Largest image.")] = 50.0,
    max_waiting: Annotated[int, typer.Option(metavar="N", min=0, help="That may wait; then 429.")] = 2048,
    in_flight: Annotated[int, typer.Option(metavar="N", min=1, help="At a time for each upstream.")] = 256,
    timeout: Annotated[float, typer.Option(metavar="S", min=0.1, help="Seconds without a word of it.")] = 600.0,
    grace: Annotated[float, typer.Option(metavar="S", min=1, help="For answers at its end.")] = 60.0,
) -> int:
    """Put drafts into requests on their way to a server of a document VLM; its answers come back as they are.

    Point clients of /v1/chat/completions here; without --upstream, a server of
    --model is started, in vLLM, llama.cpp or docspec's own engine (--engine).
    Documents are read with it at /v1/convert and /v1/parse. SIGTERM ends it when
    what is under way has ended.
    """
    if absent := missing("serve"):
        raise UsageError(f"{', '.join(absent)} missing; run: pip install 'docspec-vlm[serve]'")
    from docspec.generation.vllm import arguments_in
    from docspec.serve.access import is_loopback
    from docspec.serve.app import make_app
    from docspec.serve.model_server import model_server
    from docspec.serve.running import run
    from docspec.serve.settings import GatewaySettings, Limits

    quiet_libraries(0)
    keys = sound_keys(api_key)
    limits = Limits(
        body=max_body * 2**20,
        pixels=round(max_megapixels * 1e6),
        pages=max_pages,
        waiting=max_waiting,
        in_flight=in_flight,
        seconds=timeout,
        drain_seconds=grace,
    )
    named = configured_model(model)
    server = None
    if not upstream:
        say(f"loading {named}")
        arguments = arguments_in(engine_args)
        server = model_server(named, engine, greedy, engine_python, arguments, say, mmproj, slots)
    upstreams = tuple(map(_address, upstream)) if upstream else (server.url,) if server else ()
    key = server.key if server else sound_key(upstream_key, "--upstream-key")
    settings = GatewaySettings(
        upstreams,
        upstream_kind if upstream else server.kind if server else "vllm",
        keys,
        key,
        recognise,
        workers,
        allow_urls,
        state,
        _documents(named, upstreams, key, timeout, mmproj),
        documents,
        limits,
    )
    local = is_loopback(host)
    if not local and not settings.keys:
        say_warning(f"--host {host} without --api-key: whoever reaches this address is answered")
    try:
        app = make_app(settings, local=local)
        run(app, host, port, limits.drain_seconds, lambda address: say(f"serving {address}"), app.state.stop)
    finally:
        if server is not None:
            server.close()
    return exits.OK


def _documents(
    model: str, upstreams: tuple[str, ...], key: str | None, seconds: float, mmproj: Path | None
) -> ParseOptions:
    """Options for documents: the servers behind the gateway, which have ``model``, read them. The bundled reader runs
    here, as it uses the page's own evidence and is seldom needed."""
    if model in BUNDLED_MODELS:
        return ParseOptions(model=model)
    patience = min(seconds, ParseOptions().page_timeout)
    return ParseOptions(model=model, mmproj=mmproj, server=upstreams, server_key=key, page_timeout=patience)


def _address(given: str) -> str:
    parts = urlsplit(given if "://" in given else f"http://{given}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"--upstream {given}: no address of a server; write http://HOST:PORT")
    if "@" in parts.netloc:
        raise UsageError(f"--upstream {given}: a user name and password are not sent; give a key by --upstream-key")
    return parts.geturl()


def mcp(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", show_default=False, help="Only files below these are read.")
    ],
    http: Annotated[bool, typer.Option("--http", help="Over HTTP (/mcp) in place of standard input.")] = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8081,
    api_key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", envvar="DOCSPEC_API_KEY", show_default=False, help="Clients have to send one."),
    ] = None,
    allow_urls: Annotated[bool, typer.Option("--allow-urls", help="Fetch http addresses, public ones alone.")] = False,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="What reads documents.")] = "auto",
    max_pages: Annotated[int, typer.Option(min=1, help="Of a document.")] = 2000,
    max_file: Annotated[int, typer.Option(metavar="MIB", min=1, help="Largest file.")] = 256,
) -> int:
    """Let an assistant read documents, by the Model Context Protocol: convert_to_markdown, convert_document."""
    if absent := missing("serve"):
        raise UsageError(f"{', '.join(absent)} missing; run: pip install 'docspec-vlm[serve]'")
    from docspec.serve.access import Access, is_loopback
    from docspec.serve.converter import Converter
    from docspec.serve.fetch import Fetcher
    from docspec.serve.running import run
    from docspec.serve.tools import MOST_SESSIONS, PATH, SESSION_SECONDS, Folders, Guarded, make_server

    quiet_libraries(0)
    keys = sound_keys(api_key)
    named = configured_model(model)
    converter = Converter(ParseOptions(model=named, places="drafts"), max_pages)
    most = max_file * 2**20
    server = make_server(Folders(folders, most), converter, Fetcher(most) if allow_urls else None)
    try:
        if not http:
            server.run("stdio")
            return exits.OK
        local = is_loopback(host)
        if not local and not keys:
            say_warning(f"--host {host} without --api-key: whoever reaches this address can read these folders")
        app = Guarded(
            server.streamable_http_app(host=host, session_idle_timeout=SESSION_SECONDS, max_sessions=MOST_SESSIONS),
            Access(keys, local),
        )
        run(app, host, port, 10.0, lambda address: say(f"serving {address}{PATH}"))
        return exits.OK
    finally:
        converter.close()
