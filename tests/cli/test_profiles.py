"""Profiles set options that nobody has set: not the command line, not the config file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_parser import pdf

from docspec.core import ParseOptions
from docspec.core.choices import PROFILES


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    return pdf(tmp_path / "a.pdf")


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_sets_its_options_and_what_is_given_stands_before_it(run_cli: Any, source: Path, name: Any) -> None:
    options = run_cli("parse", source, "--profile", name, "--model", "a/b").options[0]
    assert options == ParseOptions(model="a/b", **PROFILES[name])
    given = run_cli("parse", source, "--pages-in-flight", "1", "--words", "model", "--profile", name).options[0]
    assert (given.words, given.in_flight) == ("model", 1)
    assert given.tau == PROFILES[name].get("tau")


def test_the_config_file_names_a_profile_and_its_own_options_stand_before_it(
    run_cli: Any, source: Path, tmp_path: Path
) -> None:
    file = tmp_path / "docspec.toml"
    file.write_text('profile = "lossy"\ntau = 0.9\n')
    options = run_cli("parse", source, "--config", file).options[0]
    assert (options.tau, options.trust_agreement, options.words) == (0.9, True, "evidence")
    options = run_cli("parse", source, "--profile", "fast", "--config", file).options[0]
    assert (options.tau, options.trust_agreement, options.in_flight) == (0.9, False, 4)


def test_an_unknown_profile_is_refused_by_name(run_cli: Any, source: Path) -> None:
    result = run_cli("parse", source, "--profile", "quick")
    assert result.code == 2 and "quick" in result.err and "exact" in result.err
