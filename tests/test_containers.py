"""The images and the compose file say commands that exist, and the watcher goes on watching."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from docspec.cli.app import app
from tests.forked import run_forked
from tests.made_report import make_report

ROOT = Path(__file__).parents[1]
DOCKERFILES = [ROOT / "Dockerfile", ROOT / "docker/vllm.Dockerfile"]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yaml").read_text("utf-8"))["services"]


def instructions(file: Path, name: str) -> list[str]:
    """The arguments of all instructions ``name`` of a Dockerfile, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", file.read_text("utf-8"))
    return re.findall(rf"^\s*{name} (.+)$", text, re.MULTILINE)


def check(words: list[str]) -> None:
    """Fails for an option or a command that ``docspec`` does not have."""
    command = get_command(app).commands[words[1]]  # type: ignore[attr-defined]
    command.make_context(words[1], words[2:], resilient_parsing=True)


def test_entry_points_are_commands_of_docspec_and_of_vllm() -> None:
    tool, gateway = (json.loads(words) for words in instructions(DOCKERFILES[0], "ENTRYPOINT"))
    assert tool == ["docspec"]
    check([*gateway, *COMPOSE["gateway"]["command"]])
    [server] = (json.loads(words) for words in instructions(DOCKERFILES[1], "ENTRYPOINT"))
    from docspec.vllm import __all__ as of_vllm

    chosen = json.loads(server[server.index("--speculative-config") + 1])
    assert chosen["method"] == "custom_class" and chosen["model"].removeprefix("docspec.vllm.") in of_vllm


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.name)
def test_what_is_copied_is_let_into_the_build(file: Path) -> None:
    let_in = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE))
    copied = {name for words in instructions(file, "COPY") if "--from" not in words for name in words.split()[:-1]}
    assert copied == let_in - ({"constraints.txt"} - copied)
    assert all((ROOT / name).exists() for name in copied)


def test_the_compose_file_builds_what_is_there_and_waits_for_what_it_needs() -> None:
    stages = re.findall(r"^FROM \S+ AS (\w+)$", DOCKERFILES[0].read_text("utf-8"), re.MULTILINE)
    for service in COMPOSE.values():
        build = service["build"]
        assert (ROOT / "docker" / build["context"]).samefile(ROOT)
        assert build.get("target", "gateway") in stages
        assert (ROOT / build.get("dockerfile", "Dockerfile")).is_file()
        for other, wanted in service.get("depends_on", {}).items():
            assert wanted == {"condition": "service_healthy"}
            assert COMPOSE[other]["healthcheck"]["test"], "or builders that keep none in the image would wait for ever"


def test_the_watcher_reads_what_comes_and_what_changed(tmp_path: Path) -> None:
    """Its command, but for the server: a file that was half there at one look is whole at the next one."""
    [loop] = COMPOSE["watcher"]["command"]
    words = shlex.split(loop.partition("docspec ")[2].partition(";")[0])
    check(["docspec", *words])
    server = words.index("--server")
    command = [*words[:server], *words[server + 2 :], "--offline"]
    command = [word.replace("/work", str(tmp_path)) for word in command]
    inbox, texts = tmp_path / "inbox", tmp_path / "texts"
    inbox.mkdir()
    whole = make_report(tmp_path / "report.pdf").read_bytes()
    (inbox / "report.pdf").write_bytes(whole[:300])
    assert run_forked(command, cwd=tmp_path).returncode == 1
    (inbox / "report.pdf").write_bytes(whole)
    assert run_forked(command, cwd=tmp_path).returncode == 0
    assert "Two red lights" in (texts / "report.md").read_text("utf-8")
