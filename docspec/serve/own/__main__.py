"""Started by the gateway: one line of JSON on standard input says what to serve; the address goes to standard output as
another. It ends when standard input does."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from docspec.core import DocspecError, ParseOptions


def main() -> None:
    said = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no address
    left = threading.Event()
    threading.Thread(target=_wait_for_parent, args=(left, said["engine"]), daemon=True).start()

    def tell(values: dict[str, str]) -> None:
        print(json.dumps(values), file=answers, flush=True)

    try:
        _serve(said, tell, left)
    except DocspecError as error:
        tell({"error": str(error)})


def _serve(said: dict[str, Any], tell: Any, left: threading.Event) -> None:
    if said["engine"] == "vllm":
        from docspec.serve.own import vllm_child
        from docspec.targets.registry import locate

        vllm_child.run(said, locate(said["model"]), said["model"], tell, left)
        return
    from docspec.core.extras import require_local

    require_local(f"serving {said['model']}")
    from docspec.serve.own.app import OwnEngine
    from docspec.serve.own.batches import Batches
    from docspec.serve.running import run

    batches = Batches(ParseOptions(words="model", model=said["model"]))
    app = OwnEngine(batches, said["key"], said["greedy"]).app()
    run(app, "127.0.0.1", said.get("port", 0), 60.0, lambda url: tell({"url": url}))


def _wait_for_parent(left: threading.Event, engine: str) -> None:
    while sys.stdin.read(1 << 16):
        pass
    left.set()
    if engine != "vllm":
        os._exit(0)


if __name__ == "__main__":
    main()
