"""``python -m docspec_methods.teaching``: pages in, a head out that drafts; an empty page teaches nothing."""

from __future__ import annotations

import json

from docspec_methods.teaching.__main__ import app
from PIL import Image
from typer.testing import CliRunner

from docspec.core import ParseOptions
from docspec.generation.local import make_decoder
from docspec.targets.registry import load_target


def test_a_head_is_taught_from_pages_and_goes_on(printed_page, lively_qwen, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    Image.new("RGB", (320, 192), "white").save(pages / "0.png")
    printed_page.save(pages / "1.png")
    options = ["--model", str(lively_qwen), "--device", "cpu", "--dtype", "float32", "--max-tokens", "24"]
    layout = ["--drafter", "none", "--read", "regions"]
    for updates in ("2", "3"):
        arguments = [str(pages), "-o", str(tmp_path / "head"), "--updates", updates]
        result = CliRunner().invoke(app, [*arguments, *options, *layout], catch_exceptions=False)
        assert result.exit_code == 0
        facts = json.loads((tmp_path / "head" / "head.json").read_text(encoding="utf-8"))
        assert facts["updates"] == int(updates) and facts["lessons"] > 0 and facts["simulated"]
    target = load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target
    make_decoder(target, ParseOptions(align=f"head:{tmp_path / 'head'}"))
