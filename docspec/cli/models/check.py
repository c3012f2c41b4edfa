"""``docspec models check``: compares a model's files with the published ones, and runs it once."""

from __future__ import annotations

from typing import Annotated

import typer

from docspec.cli.models.parameters import Name, go_offline
from docspec.console import exits
from docspec.core.options import Dtype


def check(
    name: Name,
    device: Annotated[str, typer.Option(metavar="auto|cpu|cuda[:N]|mps", help="Where to run it.")] = "auto",
    dtype: Annotated[Dtype, typer.Option(help="Number format of the weights.")] = "auto",
    files_only: Annotated[bool, typer.Option("--files-only", help="Load nothing; check the files alone.")] = False,
) -> int:
    """Compare a model's files with the hub's hashes, then load it and run one step on a made-up page.

    Exit code 1 if a file is not as published or the model does not run. Opens no connection.
    """
    go_offline(True)
    from docspec.console.terminal import say_error
    from docspec.models.hashes import broken_files, listing
    from docspec.models.known import path_of

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
        print(_run(str(path), device, dtype))
    return exits.OK


def _run(path: str, device: str, dtype: Dtype) -> str:
    """Loads the model and writes a few tokens for a page of one line; returns a description of the run."""
    import io

    from PIL import Image, ImageDraw

    from docspec.core import ModelError, ParseOptions
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
        info = parser.target_info
    if result.status == "failed" or result.stage2 is None:
        raise ModelError(f"{path} does not run: {result.error}")
    return (
        f"{info.model_type} on {info.device}, {info.dtype}: {result.stage2.prompt_tokens} prompt tokens and "
        f"{result.stage2.tokens} steps ran"
    )
