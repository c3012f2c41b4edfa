"""``docspec bench engines``: the same crops through docspec's engine and through vLLM, with drafts and without."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docspec.bench.cli.common import Inputs, JsonFile, sources_of, write_json
from docspec.bench.cli.tables import console, table
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from docspec.bench.engines.measure import Figure
    from docspec.bench.engines.tasks import Task


@takes_options(
    *("model", "pages", "dpi", "drafter", "server", "server_key", "served_model", "engine", "engine_args"),
    *("engine_python", "mmproj", "max_tokens"),
    words="model",
    device="cpu",
    dtype="float32",
    read="regions",
)
def engines(
    *,
    inputs: Inputs,
    options: ParseOptions,
    vllm_python: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="The Python of an environment that has vLLM, to run it offline, without a server.",
        ),
    ] = None,
    gguf: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="A GGUF file for llama.cpp, in the environment of --engine-python; repeatable.",
        ),
    ] = None,
    in_flight: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", show_default=False, help="Requests in flight; repeatable. Default: 1, 4, 16 and 64."
        ),
    ] = None,
    way: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="What to run; repeatable. Default: all."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times that all crops go through every engine.")] = 3,
    json_file: JsonFile = None,
) -> int:
    """The crops of pages (with --read page the pages) through several engines: one run, interleaved, medians and
    spread, tokens compared.

    --engine vllm starts a vLLM for each of its ways and asks it over HTTP; --server URL asks one that is there, with
    drafts and without; --vllm-python runs vLLM offline, --gguf llama.cpp. Drafts are made before; what drafting takes
    is told apart.
    """
    from docspec import Parser
    from docspec.bench.engines.measure import OWN, SPECULATIVE, measure
    from docspec.bench.engines.tasks import tasks_of
    from docspec.console.terminal import quiet_libraries, say
    from docspec.documents import PageFailure, open_document
    from docspec.drafting import make_drafter
    from docspec.targets.registry import locate

    quiet_libraries(0)
    own = replace(options, server=(), engine="local")
    drafter = make_drafter(own)
    with Parser(own) as parser:
        setup = parser.page_parser.setup
        tasks = []
        for source in sources_of(inputs):
            with open_document(source) as document:
                drawn = parser.page_images(document, options.pages)  # each is closed when the next one is asked for
                read = (page for page in drawn if not isinstance(page, PageFailure))
                tasks += tasks_of(setup, read, drafter, whole=options.read == "page")
        if not tasks:
            raise UsageError("nothing to be read")
        what = "pages" if options.read == "page" else "crops"
        say(f"{len(tasks)} {what}")
        model = str(locate(options.model, options.offline))
        numbers = sorted(set(in_flight or (1, 4, 16, 64)))
        servers = _servers(options, tasks, model, max(numbers)) | _llamas(options, gguf or (), tasks)
        figures, version = measure(
            setup,
            tasks,
            vllm_python,
            model,
            numbers,
            repeats,
            way or [*OWN, *(SPECULATIVE if vllm_python is not None else servers)],
            say,
            servers,
        )
    how = "over HTTP" if options.is_served else "offline"
    print_engines(figures, f"{len(tasks)} {what}", version, how, options.dtype)
    rows = [asdict(figure) for figure in figures]
    write_json(json_file, "docspec.bench.engines/1", options.model, rows, vllm=version, crops=len(tasks), how=how)
    return 0


def _servers(options: ParseOptions, tasks: Sequence[Task], model: str, rows: int) -> dict[str, Callable[[str], Any]]:
    """The ways that are asked over HTTP, and what starts each."""
    from docspec.bench.engines.measure import SPECULATIVE
    from docspec.bench.engines.served import PATIENCE, ServedEngine, started
    from docspec.console.terminal import say
    from docspec.generation.server import ServerGenerator
    from docspec.generation.vllm import arguments_in

    if options.reads_with == "vllm":
        arguments = ("--max-num-seqs", str(rows), *arguments_in(options.engine_args))

        def start(way: str) -> ServedEngine:
            python = str(options.engine_python or sys.executable)
            server = started(model, python, SPECULATIVE[way], arguments, options.dtype, say)
            return ServedEngine(server, tasks, drafts=way == "vLLM, docspec")

        return dict.fromkeys(SPECULATIVE, start)

    def connect(way: str) -> ServedEngine:
        server = ServerGenerator(options.server[:1], options.served_model, options.server_key, PATIENCE)
        return ServedEngine(server, tasks, drafts=way == "server, drafts")

    return dict.fromkeys(("server", "server, drafts") if options.server else (), connect)


def _llamas(options: ParseOptions, files: Sequence[Path], tasks: Sequence[Task]) -> dict[str, Callable[[str], Any]]:
    """The ways of llama.cpp with each of ``files``, and what starts each."""
    from docspec.bench.engines.llama import LlamaEngine, ways

    asked = [task.any for task in tasks]

    def starts(file: Path, drafts: bool) -> Callable[[str], LlamaEngine]:
        return lambda way: LlamaEngine(file, options.mmproj, options.engine_python, asked, drafts)

    return {name: starts(file, drafts) for file in files for name, drafts in ways(file)}


def print_engines(figures: Sequence[Figure], what: str, version: str | None, how: str, dtype: str) -> None:
    """A row for each number of requests in flight and engine; how much faster than the same one without drafts."""
    columns = ["at once", "seconds", "p50 ms", "p95 ms", "taken", "faster", "same"]
    grid = table(f"{what} through each engine, {dtype}, {how}", ["engine"], columns, dense=True)
    named = version if version is None or version.startswith("llama.cpp") else f"vLLM {version}"
    grid.caption = f"{named}; " if named else ""
    grid.caption += (
        "medians (fastest-slowest); p50, p95: of a request; taken: tokens accepted a draft; faster: than without "
        "drafts; same: requests with the tokens of docspec's engine without drafts"
    )
    plain = {(figure.in_flight, figure.engine.removesuffix(", plain")): figure.typical for figure in figures}
    for figure in figures:
        ordered = sorted(figure.latencies)
        drafts = figure.counts.get("drafts", 0)
        without = plain.get((figure.in_flight, figure.engine.rpartition(", ")[0] or figure.engine))
        grid.add_row(
            figure.engine,
            str(figure.in_flight),
            f"{figure.typical:.2f} ({min(figure.seconds):.2f}-{max(figure.seconds):.2f})",
            f"{1e3 * ordered[len(ordered) // 2]:.0f}" if ordered else "",
            f"{1e3 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:.0f}" if ordered else "",
            f"{figure.counts.get('accepted_tokens', 0) / drafts:.1f}" if drafts else "",
            "" if without is None else f"{without / figure.typical:.2f}x",
            f"{figure.same}",
        )
    console().print(grid)
