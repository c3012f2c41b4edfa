"""Where options come from: the command line, the environment, a config file, in that order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_parser import pdf

from docspec.cli import config
from docspec.core import UsageError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return pdf(tmp_path / "a.pdf")


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    path = tmp_path / "home" / "docspec" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_the_default_file_is_read_and_flags_win(run_cli: Any, source: Path, config_file: Path) -> None:
    config_file.write_text(
        'dpi = 100\nmax-tree = 8\ntau = 0.5\nstages = "page"\nbaseline = true\nkeep_furniture = true\n'
    )
    result = run_cli("parse", source, "--dpi", "300")
    assert result.code == 0
    options = result.options[0]
    assert (options.dpi, options.max_tree, options.tau, options.stages) == (300.0, 8, 0.5, "page")
    assert options.baseline is True
    assert result.out.startswith("Running head 1\n")


def test_the_model_comes_from_flag_then_environment_then_file(
    run_cli: Any, source: Path, config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def model(*args: str) -> str:
        return str(run_cli("parse", source, *args).options[0].model)

    assert model() == "auto"
    config_file.write_text('model = "from/file"')
    assert model() == "from/file"
    monkeypatch.setenv("DOCSPEC_MODEL", "from/environment")
    assert model() == "from/environment"
    assert model("--model", "auto") == "from/environment"
    assert model("--model", "from/flag") == "from/flag"
    monkeypatch.setenv("DOCSPEC_MODEL", "")
    assert model() == "from/file"


def test_a_named_file_replaces_the_default_one(run_cli: Any, source: Path, config_file: Path, tmp_path: Path) -> None:
    config_file.write_text("dpi = 100\nmax_tree = 8")
    other = tmp_path / "other.toml"
    other.write_text("dpi = 120")
    options = run_cli("parse", source, "--config", other).options[0]
    assert (options.dpi, options.max_tree) == (120.0, 64)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dpi = ", "not a valid TOML file"),
        ("resolution = 100", "unknown key 'resolution'"),
        ('password = "x"', "unknown key 'password'"),
        ("dpi = [1]", "dpi must be"),
        ('dpi = "high"', "dpi must be a finite number, not 'high'"),
        ("dpi = inf", "dpi must be a finite number"),
        ("dpi = nan", "dpi must be a finite number"),
        ("dpi = true", "dpi must be a finite number, not true"),
        ("dpi = -1", "--dpi"),
        ("max-tree = true", "max-tree must be a whole number"),
        ("max-tree = 1.5", "max-tree must be a whole number"),
        ('max-tree = "8"', "max-tree must be a whole number"),
        ("max-tree = 0", "'max-tree'"),
        ("max-tree = 1000000000000000000000", "'max-tree'"),
        (f"max-tree = {'9' * 5000}", "not a valid TOML file"),
        ("baseline = 1", "baseline must be true or false"),
        ('offline = "yes"', "offline must be true or false"),
        ("model = 3", "model must be a text"),
        ("model = 2026-01-01", "model must be a text"),
        ("quiet = [true]", "quiet must be true or false, not a list"),
        ("[stages]\na = 1", "stages must be a text in quotes, not a table"),
        ("max-tree = 8\nmax_tree = 9", "max_tree is given twice"),
        (f"dpi = {'[' * 5000}{']' * 5000}", "not a valid TOML file"),
        (f"dpi = {'{a=' * 5000}1{'}' * 5000}", "not a valid TOML file"),
        ("#" * 2**20 + "\n", "more than 1,048,576 bytes"),
        ("context = 1", "unknown key 'context'"),
        ('stages = "three"', "'stages'"),
    ],
)
def test_a_wrong_config_file_is_wrong_usage(
    run_cli: Any, source: Path, config_file: Path, text: str, said: str
) -> None:
    config_file.write_text(text)
    result = run_cli("parse", source)
    assert result.code == 2 and said in result.err and result.err.count("\n") == 1
    assert "config.toml" in result.err


def test_a_relative_xdg_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert config.default_path() == Path.home() / ".config" / "docspec" / "config.toml"


def test_a_missing_named_file_is_an_error_and_a_missing_default_is_not(tmp_path: Path) -> None:
    assert config.load(None, {"dpi": float}) == {}
    with pytest.raises(UsageError, match="cannot read"):
        config.load(tmp_path / "none.toml", {"dpi": float})


def test_keys_are_the_flags_names_or_the_fields(run_cli: Any, source: Path, config_file: Path) -> None:
    config_file.write_text('proposer = "window"\nmax-tree = 8\n')
    options = run_cli("parse", source).options[0]
    assert (options.align, options.max_tree) == ("window", 8)
    config_file.write_text('align = "lookup"\nproposer = "window"\n')
    assert "proposer is given twice" in run_cli("parse", source).err


def test_options_that_may_be_repeated_are_lists(run_cli: Any, source: Path, config_file: Path) -> None:
    config_file.write_text('server = ["http://a:1", "http://b:2"]\nformat = "json"\nmodel = "mini"\n')
    assert run_cli("parse", source).options[0].server == ("http://a:1", "http://b:2")
    config_file.write_text('server = "http://a:1"\nmodel = "mini"\n')
    assert run_cli("parse", source).options[0].server == ("http://a:1",)


def test_config_show_says_every_value_and_where_it_is_from(
    run_cli: Any, config_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: Path
) -> None:
    config_file.write_text('dpi = 150\nproposer = "window"\n')
    monkeypatch.setenv("DOCSPEC_MODEL", "acme/reader")
    shown = run_cli("config", "show", "--profile", "lossy", "--max-tokens", "9", "--format", "json").out
    lines = shown.splitlines()
    assert lines[0] == f"# {config_file}"
    for line in (
        "dpi = 150.0  # file",
        'proposer = "window"  # file',
        'model = "acme/reader"  # $DOCSPEC_MODEL',
        "tau = 0.75  # profile",
        "max-tokens = 9  # command line",
        'format = ["json"]  # command line',
        "max-tree = 64",
        "# kv-memory =",
    ):
        assert line in lines
    assert not any(word in shown for word in ("password", "server-key", "former"))
    (tmp_path / "whole.toml").write_text(shown)
    options = run_cli("parse", source, "-o", tmp_path / "out.json", "--config", tmp_path / "whole.toml").options[0]
    assert (options.dpi, options.align, options.tau, options.max_tokens) == (150.0, "window", 0.75, 9)


def test_settings_are_set_by_a_word_before_the_file_and_after_a_flag(
    run_cli: Any, source: Path, config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text('dpi = 100\nmax-tree = 8\ntau = 0.5\nmodel = "from/file"\n')
    monkeypatch.setenv("DOCSPEC_MODEL", "from/environment")
    words = "--set max-tree=9 --set tau=0.25 --set model=mini --set dpi=200 --dpi 300 --profile fast"
    words += " --set keep_rotation=true --set prompt=2026 --set graph-mode=off"
    options = run_cli("parse", source, *words.split()).options[0]
    assert (options.max_tree, options.tau, options.model, options.dpi) == (9, 0.25, "mini", 300.0)
    assert (options.keep_rotation, options.prompt, options.graphs) == (True, "2026", "off")
    config_file.write_text("")
    two = run_cli("parse", source, "--set", 'server=["http://a:1", "http://b:2"]').options
    assert two[0].server == ("http://a:1", "http://b:2")


def test_flags_that_were_options_go_on_and_are_told(run_cli: Any, source: Path) -> None:
    result = run_cli(
        "parse", source, *["--tau", "0.25", "--graph-mode=off", "--keep-rotation", "--max-tree", "4", "--max-tree=9"]
    )
    options = result.options[0]
    assert (options.tau, options.graphs, options.keep_rotation, options.max_tree) == (0.25, "off", True, 9)
    for name in ("tau", "graph-mode", "keep-rotation", "max-tree"):
        told = f"--{name} is a setting of the config file now: write {name} = ... in it, or --set {name}=VALUE"
        assert result.err.count(told) == 1
    wrong = run_cli("parse", source, "--tau", "many")
    assert wrong.code == 2 and "--set: tau must be" in wrong.err
    assert run_cli("parse", source, "--set", "tau=0.5", "--tau", "0.25").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--set tau", "--set tau: write NAME=VALUE"),
        ("--set max-tre=9", "--set: unknown key 'max-tre'; is it max-tree?"),
        ("--set colour=9", "--set: unknown key 'colour'; known are attention, "),
        ("--set password=x", "--set: unknown key 'password'"),
        ("--set max-tree=many", "--set: max-tree must be a whole number, not 'many'"),
        ("--set keep-rotation=1", "--set: keep-rotation must be true or false, not 1"),
        ("--set tau=1 --set tau=2", "--set: tau is given twice"),
        ("--set max-tree=0", "--set: Invalid value for 'max-tree'"),
        ("--set tau=0", "tau 0: must be above 0"),
        ("--set stages=three", "--set: Invalid value for 'stages': 'three' is not one of"),
    ],
)
def test_a_wrong_setting_is_told_in_a_line(run_cli: Any, source: Path, words: str, said: str) -> None:
    result = run_cli("parse", source, *words.split())
    assert result.code == 2 and said in result.err and result.err.count("\n") == 1
