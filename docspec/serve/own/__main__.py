"""The child process of the gateway. It reads its configuration as one line of JSON from standard input, writes its
address as another to standard output, and ends when standard input closes."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from docspec.core import DocspecError
from docspec.core.extras import require_local

if TYPE_CHECKING:
    from docspec.serve.own.model import ChatModel


def main() -> None:
    """Serves one model over HTTP until the parent ends. Its settings are a line of JSON on standard input; the address,
    or an error, is a line of JSON on standard output."""
    request = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no address
    threading.Thread(target=_wait_for_parent, daemon=True).start()

    def tell(**values: str) -> None:
        print(json.dumps(values), file=answers, flush=True)

    try:
        from docspec.serve.own.app import EngineApp
        from docspec.serve.running import run

        app = EngineApp(_loaded(request), request["key"], request["greedy"]).app()
        run(app, "127.0.0.1", request["port"], 60.0, lambda url: tell(url=url))
    except DocspecError as error:
        tell(error=str(error))


def _loaded(request: dict[str, Any]) -> ChatModel:
    if request.get("llama"):
        from docspec.serve.own.llama import LlamaModel

        return LlamaModel(request["model"], **request["llama"], tell=lambda line: print(line, file=sys.stderr))
    require_local(f"serving {request['model']}")
    from docspec.generation.local import Engine
    from docspec.serve.own.answers import LocalModel

    return LocalModel(Engine(request["model"]))


def _wait_for_parent() -> None:
    while sys.stdin.read(1 << 16):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
