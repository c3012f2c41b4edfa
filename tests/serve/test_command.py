"""``docspec serve`` on the command line, and how drafts reach other kinds of servers."""

from __future__ import annotations

import os
import subprocess

import httpx
import pytest

from benchmarks.serving.processes import begin
from tests.forked import run_forked
from tests.serve.processes import gateway, stand_in
from tests.serve.test_passing_through import CHAT, asked, until


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    return run_forked(["serve", *words], text=True, env=env)


def test_its_help_fits_on_a_screen() -> None:
    assert len(ran("--help").stdout.splitlines()) <= 50


@pytest.mark.parametrize(
    "words", [("--upstream", "ftp://x"), ("--upstream", "http://"), ("--model", "/nowhere/at/all")]
)
def test_what_cannot_be_served_is_said_in_one_line(words: tuple[str, str]) -> None:
    found = ran(*words, "--port", "0")
    assert found.returncode in (1, 2) and "Traceback" not in found.stderr
    assert words[1] in found.stderr


def test_an_address_that_is_taken_is_said_in_one_line() -> None:
    with stand_in() as one:
        found = ran("--upstream", one.url, "--port", one.url.rpartition(":")[2])
        assert found.returncode == 2 and "cannot listen there" in found.stderr


def test_sglang_knows_drafts_while_a_request_is_under_way_and_no_longer() -> None:
    """A stand-in, made after SGLang's documentation: never run on SGLang."""
    with stand_in() as one, gateway("--upstream", one.url, "--upstream-kind", "sglang", begin=begin) as served:
        values = asked(prediction={"type": "content", "content": "a draft"})
        assert httpx.post(served.url + CHAT, json=values, timeout=60).status_code == 200
        seen = one.told()["seen"]
        until(lambda: seen.extend(one.told()["seen"]) or len(seen) == 3)  # it is removed behind the answer
        added, request, removed = seen
        assert added["path"] == "/add_external_corpus" and added["body"]["documents"] == ["a draft"]
        assert "vllm_xargs" not in request["body"]
        assert removed == {"path": "/remove_external_corpus", "body": {"corpus_id": added["body"]["corpus_id"]}}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(served.url + CHAT, json={**values, "hold": 30}, timeout=0.5)
        until(lambda: one.told()["counts"]["/remove_external_corpus"] == 2)
        assert one.told()["counts"]["/add_external_corpus"] == 2


def test_a_plain_server_is_sent_no_drafts() -> None:
    with stand_in() as one, gateway("--upstream", one.url, "--upstream-kind", "plain") as served:
        httpx.post(served.url + CHAT, json=asked(prediction={"type": "content", "content": "a draft"}))
        assert "vllm_xargs" not in one.told()["seen"][0]["body"]
