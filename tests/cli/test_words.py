"""Words that help: no verb, addresses, versions, what a shell asks."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_parser import child_environment, pdf

from docspec.cli.app import with_verb
from docspec.core import InputError
from docspec.documents.remote import download
from docspec.versions import DISTRIBUTION, version_of


def test_something_to_read_needs_no_verb(tmp_path: Path, run_cli: Any) -> None:
    file = pdf(tmp_path / "a.pdf")
    assert run_cli(file).out == run_cli("parse", file).out != ""
    assert run_cli("-q", file, "-o", tmp_path / "x.md").code == 0
    (tmp_path / "scans").mkdir()
    assert with_verb(["scans"]) == ["parse", "scans"]
    assert with_verb(["-"]) == ["parse", "-"]
    assert with_verb(["https://example.org/a.pdf"])[0] == "parse"
    for words in (["doctor"], ["bench", "speed"], ["models"], ["convert", "a.json"], ["--help"], ["--version"], []):
        assert with_verb(words) == words
    ran = run_cli("prase", file)
    assert ran.code == 2 and "No such command 'prase'. Did you mean 'parse'? See docspec --help" in ran.err


def test_versions_that_matter_are_told(run_cli: Any) -> None:
    first, second = run_cli("--version").out.splitlines()
    assert first == f"docspec {version_of(DISTRIBUTION) or 'unknown'}" and "docspec" not in second
    for name in ("python", "torch", "transformers", "pymupdf", "rapidocr"):
        assert name in second


def test_a_shell_can_ask_how_a_word_goes_on() -> None:
    asked = {"_DOCSPEC_COMPLETE": "complete_bash", "COMP_WORDS": "docspec conv", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "docspec"], capture_output=True, text=True, env=child_environment(**asked)
    )
    assert (done.returncode, done.stdout.split()) == (0, ["convert"])


def test_an_address_is_refused_in_one_line_unless_it_is_allowed(run_cli: Any) -> None:
    ran = run_cli("parse", "https://example.org/a.pdf")
    assert ran.code == 1 and ran.error_lines == [
        "docspec: error: https://example.org/a.pdf: is an address; download it first, or allow that with --allow-urls"
    ]
    ran = run_cli("parse", "--allow-urls", "--offline", "https://example.org/a.pdf")
    assert ran.code == 2 and "choose one" in ran.err


@pytest.fixture
def asked() -> list[str]:
    """The paths that the server was asked for."""
    return []


@pytest.fixture
def server(tmp_path: Path, asked: list[str]) -> Iterator[str]:
    """Serves a folder of this machine to itself."""
    folder = tmp_path / "served"
    folder.mkdir()
    pdf(folder / "a b.pdf")
    (folder / "page.html").write_text("<p>no document")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path == "/elsewhere":
                self.send_response(302)
                self.send_header("Location", "file:///etc/hostname")
                self.end_headers()
            else:
                super().do_GET()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_an_address_that_is_allowed_is_downloaded(server: str, run_cli: Any, tmp_path: Path) -> None:
    source = download(f"{server}/a%20b.pdf?key=secret")
    assert (source.kind, str(source.relative), source.data) == ("pdf", "a b.pdf", b"%PDF-1.7 scripted\n")
    assert "secret" not in source.name
    ran = run_cli("parse", "--allow-urls", f"{server}/a%20b.pdf", "-o", f"{tmp_path}{os.sep}")
    assert ran.code == 0 and (tmp_path / "a b.md").is_file()


def test_addresses_of_a_list_are_downloaded_one_after_the_other_and_once(
    server: str, run_cli: Any, tmp_path: Path, asked: list[str]
) -> None:
    """Memory holds no more of them than are being read, and a run that goes on asks for none that is done."""
    for name in "abcde":
        pdf(tmp_path / "served" / f"{name}.pdf")
    (tmp_path / "list").write_text("".join(f"{server}/{name}.pdf\n" for name in "abcde"))
    words = ("parse", "--allow-urls", "--from-file", tmp_path / "list", "-o", tmp_path / "out")
    before: list[int] = []
    assert run_cli(*words, act=lambda name, number: before.append(len(set(asked)))).code == 0
    assert before == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "two pages each"
    asked.clear()
    ran = run_cli(*words)
    assert ran.code == 0 and "5 done before" in ran.err and not asked


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/none.pdf", "answers 404"),
        ("/page.html", "is not a PDF"),
        ("/elsewhere", "cannot be downloaded"),
        ("/a%20b.pdf", "larger than"),
    ],
)
def test_what_cannot_be_had_is_said(server: str, path: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        download(server + path, most=10 if said == "larger than" else 1000)


def test_nobody_there_is_said() -> None:
    with pytest.raises(InputError, match="cannot be downloaded"):
        download("http://127.0.0.1:9/a.pdf")
