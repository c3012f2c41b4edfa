"""vLLM as the model's server, where it is installed beside docspec: started here, ended with the gateway.

Written after vLLM 0.32's command line. It was never run.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from docspec.serve.running import free_port

SPECULATION = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 31}
START_SECONDS = 1800.0


def run(
    said: dict[str, Any], path: str, name: str, tell: Callable[[dict[str, str]], None], left: Any
) -> None:
    """Serves the checkpoint in ``path`` until ``left`` (an event) is set, or vLLM has ended."""
    port = said.get("port") or free_port()
    words = [
        sys.executable,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        path,
        "--served-model-name",
        name,
    ]
    words += ["--host", "127.0.0.1", "--port", str(port), "--speculative-config", json.dumps(SPECULATION)]
    env = {**os.environ, "VLLM_API_KEY": said["key"]}
    process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
    try:
        end = time.monotonic() + START_SECONDS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                tell({"error": "vLLM did not start; what it said is above"})
                return
            if left.wait(1.0):
                return
        tell({"url": f"http://127.0.0.1:{port}"})
        while process.poll() is None and not left.wait(1.0):
            pass
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
