"""``docspec mcp``: a server of the Model Context Protocol over folders of documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.cli.config import configured_model
from docspec.console import exits
from docspec.console.terminal import quiet_libraries, say, say_warning
from docspec.core import ParseOptions, UsageError
from docspec.core.extras import missing
from docspec.core.secrets import sound_keys


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
    keys = sound_keys(api_key or (), "--api-key", "DOCSPEC_API_KEY")
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
