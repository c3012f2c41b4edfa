"""No run reaches for another machine: seen from outside the process, so that native threads are seen too."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from tests.drafting.paddle_models import LayoutBox, add_layout_model, add_text_models

STRACE = ["strace", "-f", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg,sendmmsg"]

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None or subprocess.run([*STRACE, "true"], capture_output=True).returncode != 0,
    reason="strace cannot run here",
)

RUN_ALL = """
import json, sys
from docspec.cli import app
from tests.kept_children import KeptChildren

children = KeptChildren()  # what libraries do when they are imported is seen once
children.give_to_handles()
children.is_on = True
print([app.run(args) for args in json.loads(sys.argv[1])])
"""

CALL = re.compile(r"\b(?:connect|sendto|sendmsg|sendmmsg)\(.*")
FAR = re.compile(r"sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?\"([0-9a-f.:]+)\"")
LOOPBACK = re.compile(r"127\.|::1$|::ffff:127\.")
RESOLVER = "systemd/resolve"
"""A unix socket behind which names are looked up. (nscd's also answers for users: opening it means nothing.)"""


def dialled(trace: str) -> list[str]:
    """The calls in a trace that reach for another machine or look up a name."""
    found = []
    for line in trace.splitlines():
        call = CALL.search(line)
        far = FAR.search(line)
        if call and (RESOLVER in line or (far and (far.group(1) == "53" or not LOOPBACK.match(far.group(2))))):
            found.append(call.group())
    return found


def traced(command: list[str], tmp_path: Path) -> tuple[str, list[str]]:
    """What a command prints as its last line, and what it dialled. Its home is below ``tmp_path``."""
    own = ("DOCSPEC", "HF_", "ORT_", "TRANSFORMERS_", "PADDLE", "XDG_", "CI", "GITHUB")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    environment |= {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(Path(__file__).parents[1])}
    (tmp_path / "home").mkdir(exist_ok=True)
    trace = tmp_path / "trace"
    done = subprocess.run(
        [*STRACE, "-o", str(trace), *command], capture_output=True, text=True, timeout=600, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1], dialled(trace.read_text(errors="replace"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page, its saved draft and models for PP-StructureV3."""
    folder = tmp_path_factory.mktemp("page")
    with pymupdf.open() as pdf:
        pdf.new_page(width=240, height=120).insert_text((20, 40), "The harbour fills twice a day.")
        pdf.save(folder / "a.pdf")
    block = {"block_label": "text", "block_content": "The harbour", "block_bbox": [20, 20, 200, 50]}
    (folder / "a_0_res.json").write_text(json.dumps({"width": 240, "height": 120, "parsing_res_list": [block]}))
    add_text_models(folder / "models")
    add_layout_model(folder / "models", [LayoutBox("text", 0.05, 0.1, 0.95, 0.5)])
    return folder


@needs_strace
def test_nothing_is_dialled_with_any_drafter_offline_or_not(tmp_path: Path, page: Path) -> None:
    common = [str(page / "a.pdf"), "-q", "-o", str(tmp_path / "o.md"), "--dpi", "72", "--max-tokens", "6"]
    common += ["--set", "stages=page"]  # nothing has to be measured then
    common += ["--set", f"drafts={page}/a_0_res.json", "--set", f"ppstructure-models={page}/models"]
    drafters = ["text-layer", "rapidocr", "ppstructure", "saved", "none", "auto"]
    runs = [["parse", *common, "--drafter", name] for name in drafters]
    runs.append(["parse", *common, "--offline"])  # it only takes away: one run has all that it touches
    codes, calls = traced([sys.executable, "-c", RUN_ALL, json.dumps(runs)], tmp_path)
    assert codes == str([0] * len(runs))
    assert calls == []
    # onnxruntime's telemetry dials only after some seconds; what it keeps for that is on disk at once.
    left = [str(path) for path in (tmp_path / "home").rglob("*") if "microsoft" in str(path).lower()]
    assert left == []


@needs_strace
def test_a_look_up_and_a_connection_are_seen(tmp_path: Path) -> None:
    code = (
        "import socket, contextlib\n"
        "with contextlib.suppress(OSError): socket.getaddrinfo('name.invalid', 443)\n"
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))\n"
        "with contextlib.suppress(OSError): socket.create_connection(('127.0.0.1', 9), 1)\n"
        "print('done')"
    )
    _, calls = traced([sys.executable, "-c", code], tmp_path)
    assert any("192.0.2.1" in call for call in calls)
    assert any("htons(53)" in call or RESOLVER in call for call in calls)
    assert not any("127.0.0.1" in call and "htons(9)" in call for call in calls)


def test_switches_of_the_user_are_kept() -> None:
    code = "import os, docspec; print(os.environ['ORT_DISABLE_TELEMETRY'], os.environ['HF_HUB_DISABLE_TELEMETRY'])"
    environment = {**os.environ, "ORT_DISABLE_TELEMETRY": "0"}
    environment.pop("HF_HUB_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "0 1\n"
