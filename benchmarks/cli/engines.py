"""``benchmarks engines``: the same crops through docspec's engine, vLLM and llama.cpp, with drafts and without."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from benchmarks.engines.measure import Figure
    from benchmarks.engines.tasks import Task


BOTH = "vLLM, docspec, both stages"
NO_DRAFTS = "vLLM, docspec, no drafts"


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
    inputs: InputPaths,
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
            metavar="N", show_default=False, help="Requests in flight; repeatable. Default: 1, 4, 16, 64 and 128."
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            show_default=False,
            help="Requests of a run, from the first to the last crop; at least twice as many as in flight.",
        ),
    ] = None,
    way: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="What to run; repeatable. Default: all."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times that all crops go through every engine.")] = 3,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print the table for a README.")] = False,
    json_file: JsonFile = None,
) -> int:
    """The crops of pages (with --read page the pages) through several engines: one run, interleaved, medians and
    spread, tokens compared.

    --engine vllm starts a vLLM for each of its ways and asks it over HTTP, the others stopped meanwhile; --server URL
    asks one that is there, with drafts and without; --vllm-python runs vLLM offline, --gguf llama.cpp. Drafts are made
    before.
    """
    from benchmarks.engines.measure import OWN, measure
    from benchmarks.engines.tasks import tasks_of
    from docspec import Parser
    from docspec.console.terminal import quiet_libraries, say
    from docspec.documents import PageFailure, open_document
    from docspec.drafting import make_drafter
    from docspec.targets.registry import locate

    quiet_libraries(0)
    own = replace(options, server=(), engine="local")
    drafter = make_drafter(own)
    with Parser(own) as parser:
        context = parser.page_parser.context
        tasks = []
        for source in sources_of(inputs):
            with open_document(source) as document:
                drawn = parser.page_images(document, options.pages)  # each is closed when the next one is asked for
                read = (page for page in drawn if not isinstance(page, PageFailure))
                tasks += tasks_of(context, read, drafter, whole=options.read == "page")
        if not tasks:
            raise UsageError("nothing to be read")
        what = "pages" if options.read == "page" else "crops"
        say(f"{len(tasks)} {what}")
        model = str(locate(options.model, options.offline))
        numbers = sorted(set(in_flight or (1, 4, 16, 64, 128)))
        servers = _servers(options, tasks, model, max(numbers)) | _llamas(options, gguf or (), tasks)
        figures, version = measure(
            context,
            tasks,
            vllm_python,
            model,
            numbers,
            repeats,
            way or [*OWN, *(offline_ways(vllm_python) if vllm_python is not None else servers)],
            say,
            servers,
            most,
        )
    how = "over HTTP" if options.has_other_engine else "offline"
    how += ", servers stopped outside their turns" if options.reads_with == "vllm" else ""
    show = print_markdown if as_markdown else print_engines
    show(figures, f"{len(tasks)} {what}", version, how, options.dtype)
    rows = [asdict(figure) for figure in figures]
    write_json(json_file, "docspec.bench.engines/1", options.model, rows, vllm=version, crops=len(tasks), how=how)
    return 0


def _servers(options: ParseOptions, tasks: Sequence[Task], model: str, rows: int) -> dict[str, Callable[[str], Any]]:
    """The ways that are asked over HTTP, and what starts each."""
    from benchmarks.engines.markdown import DOCSPEC, PREFILL
    from benchmarks.engines.served import PATIENCE, ServedEngine, Servers
    from docspec.console.terminal import say
    from docspec.generation.server import ServerGenerator
    from docspec.generation.vllm import arguments_in

    if options.reads_with == "vllm":
        python = Path(options.engine_python or sys.executable)
        arguments = ("--max-num-seqs", str(rows), *arguments_in(options.engine_args))
        vllms = Servers(model, str(python), arguments, options.dtype, say)
        starts: dict[str, Callable[[str], Any]] = dict.fromkeys(
            offline_ways(python), lambda way: ServedEngine(vllms.of(way), tasks, takes_drafts(way))
        )
        starts[PREFILL] = lambda way: ServedEngine(vllms.of("vLLM"), tasks, drafts=False, limit=1)
        starts[NO_DRAFTS] = lambda way: ServedEngine(vllms.of(DOCSPEC), tasks, drafts=False)
        if any(task.regions for task in tasks):
            starts[BOTH] = lambda way: ServedEngine(vllms.of(DOCSPEC), tasks, drafts=True, both=True)
        return starts

    def connect(way: str) -> ServedEngine:
        server = ServerGenerator(options.server[:1], options.served_model, options.server_key, PATIENCE)
        return ServedEngine(server, tasks, drafts=way == "server, drafts")

    return dict.fromkeys(("server", "server, drafts") if options.server else (), connect)


def offline_ways(python: Path) -> list[str]:
    """The ways to run the vLLM of ``python``'s environment."""
    from benchmarks.engines.measure import SPECULATIVE
    from benchmarks.engines.served import has_suffixes
    from docspec.console.terminal import say

    if has_suffixes(str(python)):
        return list(SPECULATIVE)
    say("vLLM, suffix is left out: it needs arctic-inference beside vLLM")
    return [way for way in SPECULATIVE if way != "vLLM, suffix"]


def takes_drafts(way: str) -> bool:
    """Whether vLLM, run this way, is told of drafts."""
    from benchmarks.engines.measure import SPECULATIVE

    return (SPECULATIVE[way] or {}).get("method") == "custom_class"


def _llamas(options: ParseOptions, files: Sequence[Path], tasks: Sequence[Task]) -> dict[str, Callable[[str], Any]]:
    """The ways of llama.cpp with each of ``files``, and what starts each."""
    from benchmarks.engines.llama import LlamaEngine, ways

    asked = [task.any for task in tasks]

    def starts(file: Path, drafts: bool) -> Callable[[str], LlamaEngine]:
        return lambda way: LlamaEngine(file, options.mmproj, options.engine_python, asked, drafts)

    return {name: starts(file, drafts) for file in files for name, drafts in ways(file)}


def print_markdown(figures: Sequence[Figure], what: str, version: str | None, how: str, dtype: str) -> None:
    """The table for a README."""
    from benchmarks.engines.markdown import crossover, decoding_alone, markdown

    title = f"{what} through each engine, {how}; {_label(version, dtype)}"
    cells = "Cells: times as fast as without drafts, seconds (fastest-slowest), 50th and 95th percentile of a request"
    ends = "accepted: drafted tokens a verification; same: requests with the tokens of docspec's engine without drafts"
    sys.stdout.write(
        markdown(
            figures, title, "; ".join(filter(None, (cells, ends, crossover(figures), decoding_alone(figures)))) + "."
        )
    )


def _label(version: str | None, dtype: str) -> str:
    """Engine, precision and machine."""
    from docspec.versions import machine

    found = machine()
    named = version if version is None or version.startswith("llama.cpp") else f"vLLM {version}"
    return ", ".join(filter(None, (named, dtype, f"{found['cpus']} {found['architecture']} processors")))


def print_engines(figures: Sequence[Figure], what: str, version: str | None, how: str, dtype: str) -> None:
    """A row for each number of requests in flight and engine; how much faster than the same one without drafts."""
    from benchmarks.engines.markdown import crossover, decoding_alone, without_drafts

    columns = ["at once", "seconds", "p50 ms", "p95 ms", "accepted", "faster", "same"]
    grid = table(f"{what} through each engine, {how}", ["engine"], columns, dense=True)
    grid.caption = (
        f"{_label(version, dtype)}; medians (fastest-slowest); p50, p95: of a request; accepted: drafted tokens a "
        "verification; faster: than without drafts; same: requests with the tokens of docspec's engine without "
        f"drafts; {'; '.join(filter(None, (crossover(figures), decoding_alone(figures))))}"
    )
    others = without_drafts(figures)
    for figure in figures:
        half, most = figure.latency(0.5), figure.latency(0.95)
        grid.add_row(
            figure.engine,
            str(figure.in_flight),
            f"{figure.typical:.2f} ({min(figure.seconds):.2f}-{max(figure.seconds):.2f})",
            "" if half is None else f"{1e3 * half:.0f}",
            "" if most is None else f"{1e3 * most:.0f}",
            "" if figure.accepted is None else f"{figure.accepted:.1f}",
            f"{others[figure].typical / figure.typical:.2f}x" if figure in others else "",
            f"{figure.same} of {figure.requests}",
        )
    console().print(grid)
