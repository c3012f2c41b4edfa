"""``docspec models``: models on this machine and on the hub, and packs of languages for the recogniser."""

from __future__ import annotations

import io
import sys
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from docspec import offline as connections
from docspec.console import exits
from docspec.console.terminal import CleanConsole, quiet_libraries, say, say_error
from docspec.core import ModelError, ParseOptions, UsageError
from docspec.core.choices import Dtype
from docspec.core.paths import file_hash
from docspec.core.safe_text import dump_json, one_line
from docspec.drafting import language_packs
from docspec.drafting.language_packs import Pack
from docspec.generation.llama.convert import WeightFormat
from docspec.generation.llama.convert import convert as convert_to_gguf
from docspec.models import hub, known
from docspec.models.hub import broken_files, fetch, listing
from docspec.models.known import entries, entry_of, path_of
from docspec.targets.estimate import PROMPT, estimate, gib
from docspec.targets.families import families
from docspec.targets.model_profile import ModelProfile

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", show_default=False, help="owner/model, owner/model@revision, mini, ocr:NAME, or a local folder."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Offline = Annotated[bool, typer.Option("--offline", help="Never open a connection.")]
AsJson = Annotated[bool, typer.Option("--json", help="Facts as JSON on standard output.")]

models = typer.Typer(
    name="models",
    no_args_is_help=True,
    help="List, fetch, check and remove models.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@models.callback()
def _group() -> None:
    quiet_libraries(0)


@models.command("list")
def list_models(as_json: AsJson = False) -> int:
    """Models that docspec knows how to ask, and others of their families in the cache. Opens no connection."""
    connections.enforce()
    listed = entries()
    if as_json:
        objects = [
            asdict(entry) | {"held": [asdict(one) | {"path": str(one.path)} for one in entry.held]} for entry in listed
        ]
        print(dump_json(objects + [pack_facts(pack) for pack in language_packs.packs().values()], indent=2))
        return exits.OK
    console = CleanConsole()
    for entry in listed:  # two lines each, three if it exists for llama.cpp: names stay whole in a narrow terminal
        facts = [entry.family, f"{entry.billions:g} billion" if entry.billions else "", entry.licence]
        here = [f"here: {gib(one.size)}, revision {one.revision[:10]}" for one in entry.held]
        here = ["bundled"] if entry.name == "mini" else here
        console.print(entry.name)
        lines = wrap("; ".join([", ".join(filter(None, facts)), *here]), console.width - 4)
        for line in [*lines, *([f"for llama.cpp: {entry.gguf}"] if entry.gguf else [])]:
            console.print(f"    {line}")
    packs = {pack.name: language_packs.file_of(pack) for pack in language_packs.packs().values()}
    if packs:
        console.print("ocr:NAME (RapidOCR's models for single scripts)")
        names = (f"{name} (here)" if file is not None else name for name, file in packs.items())
        for line in wrap(", ".join(names), console.width - 4):
            console.print(f"    {line}")
    return exits.OK


@models.command()
def show(name: Name, offline: Offline = False, as_json: AsJson = False) -> int:
    """Family, dialect, licence, size, memory and place of a model. What is not on this machine is asked of the hub."""
    if offline:
        connections.enforce()
    pack = pack_of(name)
    facts = _facts(name, offline) if pack is None else pack_facts(pack)
    if as_json:
        print(dump_json(facts, indent=2))
    else:
        for what, value in facts.items():
            print(f"{what + ':':<12} {one_line(str(value))}")
    return exits.OK


def _facts(name: str, offline: bool) -> dict[str, Any]:
    entry = entry_of(name)
    facts: dict[str, Any] = {"model": name}
    family = families().get(entry.family)
    try:
        path = path_of(name)
    except ModelError:
        if name.partition("@")[0].count("/") != 1 or name[0] in "./~" or (offline and not entry.billions):
            raise
        facts |= {"path": "not on this machine"} if offline else _published(name)
    else:
        card = (family.card_of(name) if family is not None else ModelProfile("markdown")).overridden_by(str(path))
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        wanted = estimate(str(path), "bfloat16", PROMPT + card.max_new_tokens)
        memory = f"{wanted.words} in bfloat16, twice that in float32"
        facts |= {"path": str(path), "size": gib(size), "memory": memory}
        revision = next((one.revision for one in entry.held if one.path == path), "")
        facts |= {"revision": revision} if revision else {}
    if family is not None:
        facts |= {"family": entry.family, "dialect": family.card_of(name).dialect}
        facts |= {"note": family.note} if family.note else {}
    elif entry.family:
        facts["family"] = f"{entry.family} (not one that docspec knows; see the settings dialect and prompt)"
    if entry.billions:
        facts["parameters"] = f"{entry.billions:g} billion"
    if entry.licence:
        facts.setdefault("licence", entry.licence)
    return facts


def _published(name: str) -> dict[str, str]:
    model = hub.ask(name)
    return {
        "licence": model.licence,
        "revision": model.revision,
        "size": f"{gib(model.size)} in {len(model.files)} files, to be fetched",
        **({"access": "only for those who accept its licence on the hub"} if model.gated else {}),
    }


@models.command()
def download(
    name: Name,
    folder: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", show_default=False, help="Into this folder instead of the cache."),
    ] = None,
    number_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            show_default=False,
            help="Of GGUF files: a part of the name of the one that is wanted. Default: Q8_0.",
        ),
    ] = None,
    yes: Yes = False,
    offline: Offline = False,
) -> int:
    """Fetch a model from the hub (HF_ENDPOINT) into the ordinary cache, and print where it lies.

    Of a repository of GGUF files one is fetched, with its picture tower. NAME@REVISION pins it. Run it again after an
    interruption: what is whole is not fetched twice. ocr:NAME is a recognition model of RapidOCR's list, and comes from
    where that says.
    """
    if offline:
        connections.enforce()
    if (pack := pack_of(name)) is not None:
        if _confirmed(f"Fetch {pack.address} under the licence {language_packs.LICENCE}?", yes):
            place = (folder or language_packs.pack_folder()) / pack.file_name
            print(fetch(pack.address, pack.sha256, place))
        return exits.OK
    model = hub.ask(name, number_format)
    say(
        f"{model.name}, revision {model.revision}: licence {model.licence}, {gib(model.size)} in "
        f"{len(model.files)} files" + (", given out to those who accept its licence on the hub" if model.gated else "")
    )
    if _confirmed(f"Fetch {model.name} under that licence?", yes):
        print(hub.download(model, folder))
    return exits.OK


@models.command()
def path(name: Name) -> int:
    """Print the folder of a model on this machine; exit code 1 if it is not here. Opens no connection."""
    connections.enforce()
    pack = pack_of(name)
    print(path_of(name) if pack is None else file_here(pack))
    return exits.OK


@models.command()
def remove(name: Name, yes: Yes = False) -> int:
    """Remove a model from the cache: all its revisions, or the one of NAME@REVISION. Folders are left alone."""
    connections.enforce()
    if (pack := pack_of(name)) is not None:
        file = file_here(pack)
        if _confirmed(f"Remove {file}?", yes):
            file.unlink()
        return exits.OK
    revisions_here = known.of_name(name)
    if not revisions_here:
        raise ModelError(f"{name} is not in the cache; docspec models list shows what is")
    revisions = ", ".join(f"{one.revision[:10]} ({gib(one.size)})" for one in revisions_here)
    if _confirmed(f"Remove {name}, {revisions}?", yes):
        say(f"{gib(known.remove(revisions_here))} freed")
    return exits.OK


def _confirmed(question: str, yes: bool) -> bool:
    """Whether the user says yes; without a terminal, only ``--yes`` counts."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(f"{question} Nobody can be asked here: say --yes")
    if typer.confirm(question, err=True):
        return True
    say("nothing was done")
    return False


@models.command()
def check(
    name: Name,
    device: Annotated[str, typer.Option(metavar="auto|cpu|cuda[:N]|mps", help="Where to run it.")] = "auto",
    dtype: Annotated[Dtype, typer.Option(help="Number format of the weights.")] = "auto",
    files_only: Annotated[bool, typer.Option("--files-only", help="Load nothing; check the files alone.")] = False,
) -> int:
    """Compare a model's files with the hub's hashes, then load it and run one step on a made-up page.

    Exit code 1 if a file is not as published or the model does not run. Opens no connection.
    """
    connections.enforce()
    if (pack := pack_of(name)) is not None:
        here = file_here(pack)
        if (digest := file_hash(here)) != pack.sha256:
            raise ModelError(f"{here} is not as published (SHA-256 {digest[:12]}, not {pack.sha256[:12]})")
        print(f"{here}: as published")
        return exits.OK
    path = path_of(name)
    broken = broken_files(path)
    for file in broken:
        say_error(f"{path / file.name}: {file.why}")
    if broken:
        return exits.FATAL
    if listing(path) is None:
        print(f"{path}: no hashes of it are known; headers of weights and named shards are whole")
    else:
        print(f"{path}: every file is as published")
    if not files_only:
        print(_ran(str(path), device, dtype))
    return exits.OK


def _ran(path: str, device: str, dtype: Dtype) -> str:
    """Loads the model and writes a few tokens for a page of one line; returns a description of the run."""
    from PIL import Image, ImageDraw

    from docspec.parser import Parser

    page = Image.new("RGB", (448, 224), "white")
    ImageDraw.Draw(page).text((40, 96), "A page to check with.", fill="black", font_size=24)
    pixels = io.BytesIO()
    page.save(pixels, "PNG")
    options = ParseOptions(
        model=path, device=device, dtype=dtype, drafter="none", stages="none", read="page", max_tokens=4, offline=True
    )
    with Parser(options) as parser:
        [result] = parser.parse(pixels.getvalue()).pages
        info = parser.loaded.info
    if result.status == "failed" or result.stage2 is None:
        raise ModelError(f"{path} does not run: {result.error}")
    return (
        f"{info.model_type} on {info.device}, {info.dtype}: {result.stage2.prompt_tokens} prompt tokens and "
        f"{result.stage2.tokens} steps ran"
    )


@models.command()
def convert(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.gguf", help="Where to write it; mmproj-FILE.gguf beside it.")
    ],
    kind: Annotated[WeightFormat, typer.Option("--type", help="Number format of the weights.")] = "auto",
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", show_default=False, help="llama-cpp-python's sdist, or llama.cpp's source."),
    ] = None,
) -> int:
    """Write a model as GGUF files, with what docspec asks of it in their metadata. Opens no connection."""
    connections.enforce()
    for file in convert_to_gguf(path_of(name), output, kind, source):
        print(f"{file}: {gib(file.stat().st_size)}")
    return exits.OK


def pack_of(name: str) -> Pack | None:
    """The pack that ``ocr:NAME`` names; ``None`` for another model. Raises :class:`ModelError` for an unknown one."""
    if not name.startswith(language_packs.PREFIX):
        return None
    listed = language_packs.packs()
    pack = listed.get(name.removeprefix(language_packs.PREFIX))
    if pack is None:
        names = ", ".join(listed) or "none, as it is not installed"
        raise ModelError(f"{name}: RapidOCR has no such model; it has {names}")
    return pack


def pack_facts(pack: Pack) -> dict[str, Any]:
    """What ``docspec models show`` says of a pack."""
    file = language_packs.file_of(pack)
    return {
        "name": f"{language_packs.PREFIX}{pack.name}",
        "licence": language_packs.LICENCE,
        "address": pack.address,
        "sha256": pack.sha256,
        "path": "not on this machine" if file is None else str(file),
    }


def file_here(pack: Pack) -> Path:
    """The file of ``pack`` on this machine. Raises :class:`ModelError` where there is none."""
    file = language_packs.file_of(pack)
    if file is None:
        raise ModelError(f"{language_packs.PREFIX}{pack.name} is not on this machine; fetch it with: {pack.download}")
    return file
