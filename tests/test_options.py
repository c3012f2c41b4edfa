"""Options are declared once: bounds hold for the Python interface too, and every field reaches the command line."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from rich.text import Text
from typer.testing import CliRunner

from docspec.console.parameters import SETTINGS, takes_options
from docspec.core import ParseOptions, UsageError
from docspec.core.option import also, named, option, option_of

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"dpi": math.inf}, "--dpi inf: must be between 1 and 9600"),
        ({"dpi": math.nan}, "--dpi nan"),
        ({"dpi": 0}, "--dpi 0"),
        ({"pages_in_flight": 65}, "--pages-in-flight 65: must be between 1 and 64"),
        ({"dtype": "int8"}, "--dtype int8: choose among auto, float32"),
        ({"tau": 0}, "^tau 0"),
        ({"model": ""}, "--model is empty"),
        ({"drafter": "saved"}, "--drafter saved needs --set drafts="),
        ({"drafter": "text-layer", "straighten": True}, "straighten and --drafter text-layer"),
        ({"pages_in_flight": 2, "baseline": True}, "--pages-in-flight 2 and --baseline"),
    ],
)
def test_wrong_options_are_refused_by_name(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ParseOptions(**wrong)  # type: ignore[arg-type]


def test_every_field_is_an_option_of_parse_and_of_no_other_help_text() -> None:
    from docspec.cli.app import app

    page = CliRunner().invoke(app, ["parse", "--help-all"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    for each in fields(ParseOptions):
        assert re.search(rf" {named(each.name, option_of(each))} ", page)


@dataclass(frozen=True, kw_only=True)
class Paint:
    shade: int = option(3, "How dark.", "Look", least=1)
    plain: bool = option(False, "No colour.", "Look")


def test_a_new_option_is_one_field_and_a_command_offers_what_it_names() -> None:
    seen: list[tuple[Paint, list[str]]] = []

    @takes_options(shade=4)
    def paint(*, what: str, plain: Annotated[list[str] | None, typer.Option()] = None, options: Paint) -> int:
        seen.append((options, plain or []))
        return 0

    app = typer.Typer()
    app.command()(paint)
    assert CliRunner().invoke(app, ["wall"]).exit_code == 0
    assert CliRunner().invoke(app, ["wall", "--shade", "9"]).exit_code == 0
    assert CliRunner().invoke(app, ["wall", "--shade", "0"]).exit_code == 2
    assert CliRunner().invoke(app, ["wall", "--plain", "a"]).exit_code == 0, "the command's own option"
    assert seen == [(Paint(shade=4), []), (Paint(shade=9), []), (Paint(shade=4), ["a"])]


@dataclass(frozen=True, kw_only=True)
class Frame:
    plain: bool = also(Paint, "plain")


def test_a_field_that_two_dataclasses_have_is_one_option_that_fills_both() -> None:
    seen: list[tuple[Paint, Frame, str]] = []

    @takes_options()
    def hang(*, what: str, options: Paint, frame: Frame) -> int:
        seen.append((options, frame, what))
        return 0

    app = typer.Typer()
    app.command()(hang)
    assert CliRunner().invoke(app, ["wall", "--plain"]).exit_code == 0
    assert CliRunner().invoke(app, ["wall"]).exit_code == 0
    assert seen == [(Paint(plain=True), Frame(plain=True), "wall"), (Paint(), Frame(), "wall")]


def test_the_first_help_page_fits_a_terminal_of_80_by_50_and_shows_what_people_use() -> None:
    from typer.main import get_command

    from docspec.cli.app import app
    from docspec.cli.parse import EVERYDAY

    page = CliRunner().invoke(app, ["parse", "--help"], env={"COLUMNS": "80", "LINES": "50", "TERM": "dumb"}).output
    lines = page.splitlines()
    assert len(lines) < 50 and max(map(len, lines)) <= 80, "a line is left for the prompt"
    assert len(EVERYDAY) == 20
    parse = get_command(app).commands["parse"]  # type: ignore[attr-defined]
    flags = {one.name: one.opts[0] for one in parse.params}
    shown = re.findall(r"^  (--?[\w-]+)", page.partition("Options:")[2], re.MULTILINE)
    assert shown == [*(flags[name] for name in EVERYDAY), "--help-all"], "each once, in this order"


def test_help_pages_show_texts_as_they_are_written() -> None:
    from typer.main import get_command

    from docspec.cli.app import app

    page = CliRunner().invoke(app, ["parse", "--help-all"], env={"COLUMNS": "300", "TERM": "dumb"}).output
    assert "pip install 'docspec-vlm[ray]'" in page
    commands = [get_command(app)]
    for command in commands:
        commands += getattr(command, "measurements", getattr(command, "commands", {})).values()
        for text in (command.help, *(getattr(one, "help", None) for one in command.params)):
            written = (text or "").replace("\\[", "[").replace("[bold]", "").replace("[/]", "")
            assert Text.from_markup(text or "").plain == written, f"{command.name}: read as markup"
    assert len(commands) > 20


def test_help_all_needs_nothing_else_and_shows_every_group() -> None:
    from docspec.cli.app import app

    ran = CliRunner().invoke(app, ["parse", "--help-all"], env={"COLUMNS": "80", "TERM": "dumb"})
    assert ran.exit_code == 0
    assert all(group in ran.output for group in ("Output", "Pages", "Model", "Drafts", "Speculation", "Documents"))
    assert "--tau" not in ran.output and " tau " in ran.output.partition(SETTINGS)[2]


def test_no_text_names_a_setting_as_a_word_of_the_command_line() -> None:
    """Help, messages and pages, but for the options of other commands by the same name."""
    from typer.main import get_command

    from benchmarks.cli import app as benchmarks
    from docspec.cli.app import app

    def flags(command: Any) -> set[str]:
        own = {flag for one in command.params for flag in one.opts}
        return own.union(*map(flags, getattr(command, "measurements", getattr(command, "commands", {})).values()))

    settings = get_command(app).commands["parse"].settings  # type: ignore[attr-defined]
    taken = flags(get_command(app)) | flags(get_command(benchmarks))
    assert len(settings) > 30 and not flags(get_command(app).commands["parse"]) & set(settings)  # type: ignore[attr-defined]
    wrong = re.compile("|".join(rf"{flag}(?![\w-])" for flag in set(settings) - taken))
    files = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docspec").rglob("*.py")]
    lines = [(file.name, line) for file in files for line in file.read_text("utf-8").splitlines()]
    assert [one for one in lines if wrong.search(one[1]) and "flags=(" not in one[1]] == []


@pytest.mark.parametrize("value", [10**400, -(10**400), 2**53, math.nan, math.inf])
def test_a_number_that_fits_nowhere_is_wrong_usage(value: float) -> None:
    with pytest.raises(UsageError, match=r"^--max-tokens .{1,40}: must be a number below 9007199254740992$"):
        ParseOptions(max_tokens=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1])
def test_a_number_out_of_bounds_is_told_its_bounds(value: int) -> None:
    with pytest.raises(UsageError, match=r"^--max-tokens -?\d: must be at least 1$"):
        ParseOptions(max_tokens=value)
