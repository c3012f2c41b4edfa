"""No key and no password of a run stands in what it shows or keeps, however it ends."""

from __future__ import annotations

import base64
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec.core.safe_text import without_secrets
from tests.forked import run_forked
from tests.generation.stand_in import StandIn, says

KEY, PASSWORD = "sk-SECRET-1", "hunter%40SECRET"
CODED = base64.b64encode(b"bob:hunter@SECRET").decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        with pymupdf.open() as document:
            document.new_page(width=240, height=160).insert_text((20, 40), "Words of the page.", fontsize=10)
            document.save(tmp_path / "in" / f"{name}.pdf")
    return tmp_path


def run(folder: Path, server: str, words: Sequence[str] = (), **environment: str) -> tuple[int, str]:
    """The exit code and what was shown; asserts that no file and no stream has a secret."""
    command = ["parse", str(folder / "in"), "-o", str(folder / "out"), "--server", server, "--drafter", "none", "-vv"]
    command += ["--page-timeout", "1", "--report", str(folder / "r.json"), "--log-file", str(folder / "l.txt"), *words]
    clean = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    clean |= {"XDG_CACHE_HOME": str(folder / "cache"), **environment}
    ended = run_forked([*command, "--set", "dialect=markdown", "--set", "prompt=Read."], env=clean, cwd=folder)
    shown = [ended.stdout, ended.stderr]
    kept = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    assert len(kept) > 2, "a log and a report at least"
    for text in (*shown, *kept):
        for secret in ("SECRET", CODED, "bob:"):
            assert secret.encode() not in text, text.decode()
    return ended.returncode, ended.stderr.decode()


def with_user(server: StandIn) -> str:
    return server.url.replace("http://", f"http://bob:{PASSWORD}@")


def refuses(handler: Any, body: dict[str, Any]) -> bool:
    """Answers with the key that was sent, as some servers do."""
    sent = handler.headers["Authorization"]
    return says(401, {"error": {"message": f"Incorrect API key provided: {sent}"}})(handler, body)


@pytest.mark.parametrize("key", [f"{KEY}\r\n", f" {KEY} ", f"\t{KEY}"])
def test_white_space_around_a_key_is_left_out(folder: Path, key: str) -> None:
    with StandIn() as server:
        code, said = run(folder, server.url, DOCSPEC_SERVER_KEY=key)
    assert code == 0, said
    assert set(server.keys) == {f"Bearer {KEY}"}


@pytest.mark.parametrize("key", [f"\u201c{KEY}\u201d", f"sk\n{KEY}", f"sk {KEY}", f"{KEY}\x00\u00e9"])
def test_a_key_that_none_can_be_is_refused_at_the_start(folder: Path, key: str) -> None:
    with StandIn() as server:
        words = ["--server-key", key] if "\x00" not in key else ["--server-key", key.replace("\x00", "")]
        code, said = run(folder, server.url, words)
    assert code == 2 and "--server-key: character" in said and not server.asked


def test_a_password_in_an_address_is_sent_and_nowhere_else(folder: Path) -> None:
    with StandIn() as server:
        code, said = run(folder, with_user(server))
        assert code == 0, said
        assert set(server.keys) == {f"Basic {CODED}"}
        server.faults.extend([says(500)] * 99)
        code, said = run(folder, with_user(server), ["--force"])
        assert code in (1, 3) and "500" in said


@pytest.mark.parametrize("fault", [refuses, says(500, b"no"), says(400, {"error": "no"})], ids=["401", "500", "400"])
def test_errors_of_servers_do_not_tell(folder: Path, fault: Any) -> None:
    for words, user in ((["--server-key", KEY], False), ([], True)):
        with StandIn() as server:
            server.faults.extend([fault] * 99)
            code, said = run(folder, with_user(server) if user else server.url, [*words, "--force"])
            assert code in (1, 3), said


def test_a_server_that_is_not_there_does_not_tell(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        code, said = run(folder, f"http://bob:{PASSWORD}@127.0.0.1:{free.getsockname()[1]}/v1")
    assert code == 1 and "ConnectError" in said
    for wrong in (f"ftp://bob:{PASSWORD}@host", f"http://bob:{PASSWORD}@", f"http://bob:{PASSWORD}@host:none"):
        code, said = run(folder, wrong)
        assert code == 2 and "--server" in said
    code, said = run(folder, f"http://bob:{PASSWORD}@far.example", ["--offline"])
    assert code == 2 and "--offline" in said


def test_a_proxy_of_the_environment_is_named_without_its_password(folder: Path) -> None:
    proxy = f"http://bob:{PASSWORD}@127.0.0.1:9"
    code, said = run(folder, "http://far.example:8000", http_proxy=proxy)
    assert code == 1 and "http_proxy=http://127.0.0.1:9" in said


def test_a_gateway_tells_no_password_and_takes_none_in_an_address(tmp_path: Path) -> None:
    for address in (f"http://bob:{PASSWORD}@127.0.0.1:9", f"ftp://bob:{PASSWORD}@host", f"http://bob:{PASSWORD}@"):
        ran = run_forked(["serve", "--upstream", address, "--port", "0"], cwd=tmp_path)
        assert ran.returncode == 2 and b"--upstream" in ran.stderr
        assert b"SECRET" not in ran.stdout + ran.stderr and b"bob" not in ran.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask http://bob:pw@host:80/v1, then", "ask http://host:80/v1, then"),
        ("http://bob:p@ss@host", "http://host"),
        ("'https://key@host/a@b'", "'https://host/a@b'"),
        ("http://host/a?mail=x@y", "http://host/a?mail=x@y"),
        ('{"engine_args": "--api-key sk-1 --port 7"}', '{"engine_args": "--api-key ... --port 7"}'),
        ("--server-key=sk-1 x", "--server-key=... x"),
        ("somebody@example.com", "somebody@example.com"),
    ],
)
def test_what_is_secret_in_a_text(text: str, shown: str) -> None:
    assert without_secrets(text) == shown == without_secrets(shown)
