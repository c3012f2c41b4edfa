"""Every command that README and the documentation show: today's options take it, and its smallest form runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.documented import Documented, NotTakenError, commands_of, documented, take
from tests.documented.site import made_site
from tests.documented.smallest import FORMS, entry, kind_of, smallest
from tests.forked import ROOT
from tests.generation.stand_in import StandIn

COMMANDS = {one.text: one for one in sorted(documented(), key=lambda one: not one.is_mention)}
PLUGINS = re.compile(r"shouting|sidecar|parrot")
"""Drafters and engines that a page tells to write."""

LARGE = ("docspec", "tiny-model", "stand-ins")
"""What no command writes into."""

RUNS = {kind_of(form.words): (form.words, one) for one in COMMANDS.values() if (form := smallest(one)).words}


def test_commands_are_found_in_blocks_and_in_running_text() -> None:
    page = "```sh\n$ A=b docspec parse 'a b.pdf' \\\n  -o x > y  # a comment's\n"
    page += "ls | python -m benchmarks cards && pip x\n```\n"
    page += "Then `docspec models list|show` and `docspec`, `git log`.\n\n```python\nfrom docspec import parse\n```\n"
    assert [(one.text, one.is_mention) for one in commands_of(page)] == [
        ("docspec parse 'a b.pdf' -o x", False),
        ("python -m benchmarks cards", False),
        ("docspec models list", True),
    ]
    assert len(COMMANDS) > 200


def test_todays_options_take_every_command_of_the_pages() -> None:
    refused = []
    for one in COMMANDS.values():
        try:
            if not PLUGINS.search(one.text):
                take(one)
        except NotTakenError as error:
            refused.append(f"{one.page}: {one.text}: {error}")
    assert refused == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("docspec parse a.pdf --colour red", "--colour"),
        ("docspec bench sped a.pdf", "sped"),
        ("python -m benchmarks words", "Missing"),
        ("python -m benchmarks.campaign.kills --kill many", "many"),
        ("python -m benchmarks.nothing", "no module"),
    ],
)
def test_what_no_parser_takes_is_found(text: str, said: str) -> None:
    with pytest.raises(NotTakenError, match=said):
        take(Documented("", tuple(text.split()), False))


def test_every_command_has_an_entry_and_every_entry_a_command() -> None:
    entries = [entry(one) for one in COMMANDS.values()]
    assert [one.text for one, found in zip(COMMANDS.values(), entries, strict=True) if found is None] == []
    assert [form for form in FORMS if form not in entries] == []
    named = [file for _, words in FORMS for file in re.findall(r"tests/[\w/.]+", words)]
    assert [file for file in named if not (ROOT / file).exists()] == []


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with StandIn() as running:
        yield running.url


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_site(tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize(("words", "one"), RUNS.values(), ids=[one.text for _, one in RUNS.values()])
def test_the_smallest_form_of_a_command_runs(
    words: tuple[str, ...], one: Documented, made: Path, server: str, with_methods: list[Path], tmp_path: Path
) -> None:
    for each in made.iterdir():  # what a command writes is no other one's
        if each.name in LARGE:
            (tmp_path / each.name).symlink_to(each)
        else:
            (shutil.copytree if each.is_dir() else shutil.copy)(each, tmp_path / each.name)
    given = [word.replace("{server}", server) for word in words]
    paths = os.pathsep.join(map(str, (made / "stand-ins", ROOT, *with_methods)))
    environment = {**os.environ, "PYTHONPATH": paths, "XDG_STATE_HOME": str(made / "state"), "HF_HUB_OFFLINE": "1"}
    environment["DOCSPEC_MODEL"] = str(made / "tiny-model")
    command = [sys.executable, *(given[1:] if given[0] == "python" else ("-m", *given))]
    with (tmp_path / ("names" if "--from-file" in words else "input.pdf")).open("rb") as file:
        ran = subprocess.run(
            command, cwd=tmp_path, env=environment, stdin=file, capture_output=True, text=True, timeout=300
        )
    assert ran.returncode in (0, 3), f"{one.page}: {' '.join(given)}\n{ran.stdout[-2000:]}\n{ran.stderr[-3000:]}"
