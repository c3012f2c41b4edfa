"""The store of documents: full disks, gateways that were killed, and two gateways on one folder."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from docspec.core import UsageError
from docspec.serve import documents as routes
from docspec.serve.app import make_app
from docspec.serve.converter import Submission
from docspec.serve.jobs import Jobs, temporary_folder
from docspec.serve.settings import GatewaySettings
from tests.serve.processes import gateway
from tests.serve.test_documents import pdf_of
from tests.small_disk import mount_point, mounted


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mount_point(tmp_path / "disk") as folder:
        yield folder


def full(jobs: Jobs, is_full: bool) -> None:
    """A full disk, as SQLite sees it."""
    [(pages,)] = jobs._do("PRAGMA page_count")
    jobs._do(f"PRAGMA max_page_count = {pages if is_full else 2**30}")


def test_a_disk_that_was_full_once_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(routes, "PAUSE", 0.2)
    jobs: list[Jobs] = []
    honest = Jobs.end

    def end(self: Jobs, *given: Any) -> None:
        jobs[:] = [self]
        if "full" in (tmp_path / "state").read_text():
            error = sqlite3.OperationalError("database or disk is full")
            raise error
        honest(self, *given)

    (tmp_path / "state").write_text("full")
    monkeypatch.setattr(Jobs, "end", end)
    app = make_app(GatewaySettings(("http://127.0.0.1:9",), state=tmp_path / "jobs", recognition="never"))
    with TestClient(app) as client:
        assert client.get("/ready").json() == {"status": "ok"}
        name = client.post("/v1/convert/file/async", content=pdf_of("Some words")).json()["task_id"]
        deadline = time.monotonic() + 60
        while client.get("/ready").status_code == 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        ready = client.get("/ready")
        assert ready.status_code == 503 and "cannot be stored" in ready.json()["status"]
        assert client.get("/health").status_code == 200
        (tmp_path / "state").write_text("empty")
        status = client.get(f"/v1/status/poll/{name}?wait=60").json()
        assert status["task_status"] == "success"
        assert "Some words" in client.get(f"/v1/result/{name}").json()["document"]["md_content"]
        assert client.get("/ready").json() == {"status": "ok"}
        full(jobs[0], True)
        refused = client.post("/v1/convert/file/async", content=pdf_of("More words") + bytes(500_000))
        assert refused.status_code == 507
        full(jobs[0], False)
        answer = client.post("/v1/convert/file", content=pdf_of("More words"))
        assert answer.status_code == 200 and "More words" in answer.text
    assert any("cannot be stored" in record.getMessage() for record in caplog.records)


def test_a_real_disk_that_is_full_is_said_and_used_again(tmp_path: Path, disk: Path) -> None:
    """The real database on a real full disk, in a real gateway."""
    assert mounted(disk, "400k")
    words = ("--upstream", "http://127.0.0.1:9", "--recognise", "never", "--state", str(disk / "jobs"))
    with gateway(*words) as served:

        def sent(size: int) -> httpx.Response:
            content = pdf_of("Some words") + b"\n%" + bytes(size)
            return httpx.post(f"{served.url}/v1/convert/file/async", content=content, timeout=60)

        assert sent(0).status_code == 200
        answers = [sent(120_000) for _ in range(6)]
        assert 507 in [answer.status_code for answer in answers]
        refused = next(answer for answer in answers if answer.status_code != 200)
        assert "cannot be stored here" in refused.text and refused.headers["retry-after"]
        assert served.get("/health").status_code == 200
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        deadline = time.monotonic() + 60
        while served.get("/ready").status_code != 200 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert served.get("/ready").json() == {"status": "ok"}
        accepted = [answer.json()["task_id"] for answer in answers if answer.status_code == 200]
        for name in [*accepted, sent(120_000).json()["task_id"]]:
            status = served.get(f"/v1/status/poll/{name}?wait=60").json()
            assert status["task_status"] in ("success", "failure"), "each has ended, and none is half-written"
        assert status["task_status"] == "success"
        assert "Some words" in served.get(f"/v1/result/{name}").json()["document"]["md_content"]


def test_a_folder_of_jobs_belongs_to_one_gateway(tmp_path: Path) -> None:
    first = Jobs(tmp_path)
    name = first.add(Submission(b"x", "a", client="c"))
    assert first.take() is not None
    with pytest.raises(UsageError, match="another gateway"):
        Jobs(tmp_path)
    first.close()
    again = Jobs(tmp_path)
    taken = again.take()
    assert taken is not None and taken[0] == name
    again.close()


def test_what_killed_gateways_left_is_removed_and_nothing_of_living_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    living, dead = temporary_folder(), temporary_folder()
    held = Jobs(Path(living.name))
    left = Jobs(Path(dead.name))
    left.add(Submission(b"a secret document", "a"))
    left.close()
    for folder in (living.name, dead.name):
        os.utime(folder, (0, 0))
    (tmp_path / "docspec-serve-link").symlink_to(tmp_path)
    new = temporary_folder()
    assert Path(living.name).is_dir() and not Path(dead.name).exists() and Path(new.name).is_dir()
    held.close()


def test_waiting_documents_are_bounded_and_one_client_has_half(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path, most=1000)
    first = Submission(bytes(400), "a", client="one")
    assert jobs.has_room(first)
    jobs.add(first)
    assert not jobs.has_room(first) and jobs.has_room(Submission(bytes(500), "b", client="two"))
    assert not jobs.has_room(Submission(bytes(601), "b", client="two"))
    jobs.close()
