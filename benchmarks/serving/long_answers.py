"""A megabyte of anything as a model's answer: ``python -m benchmarks.serving.long_answers --characters 1000000``.

A server on loopback answers each request with one piece again and again, or with pieces of all kinds in a random order,
which no guard takes for a loop. Told are the processor's seconds for the page beyond those for one whose answer is a
word: for the slowest pieces, with loops cut (as they are) and kept (``--on-loop keep``). Answers longer than a page can
be are refused.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from docspec import Parser
from docspec.core import DocspecError, ParseOptions
from docspec.hierarchy.answers import MOST_CHARACTERS

PIECES = ["\n", " ", "a\n\n", ".", "|", "|a|\n|-|\n", "<!--", "> ", "- ", "  - a\n", "**a", "[a](", "![a](", "$a", "$$"]
PIECES += [
    "\\begin{",
    "<td>",
    "<table><tr><td>",
    "<p>",
    "&amp;",
    "<|det|>",
    "<fcel>a<nl>",
    "{}",
    '"',
    "word ",
    "1 ",
    "#",
]


class _Server(BaseHTTPRequestHandler):
    """Says ``answer`` to everyone."""

    answer = "word"

    def log_message(self, *given: Any) -> None:
        pass

    def _say(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self._say(b'{"data":[{"id":"stub","owned_by":"nobody"}]}')

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"role": "assistant", "content": _Server.answer}
        whole = json.dumps({"choices": [{"index": 0, "message": said, "delta": said, "finish_reason": "stop"}]})
        self._say((f"data: {whole}\n\ndata: [DONE]\n\n" if asked.get("stream") else whole).encode())


def texts(characters: int) -> dict[str, str]:
    """The answers by what they are."""
    made = {repr(piece): (piece * (characters // len(piece) + 1))[:characters] for piece in PIECES}
    draw = random.Random(0)
    mixed = [draw.choice([*PIECES, str(draw.random()), f"w{draw.random():.9f} "]) for _ in range(characters // 2)]
    return {**made, "pieces in any order": "".join(mixed)[:characters]}


def seconds_of(parser: Parser, page: Path) -> tuple[float, str]:
    """The processor's seconds for a page, and what becomes of it."""
    began = time.process_time()
    try:
        status: str = parser.parse(page).pages[0].status
    except DocspecError as error:
        status = str(error)[:60]
    return time.process_time() - began, status


def measured(characters: int, most: int) -> dict[str, Any]:
    """Seconds of the processor beyond those of a page of one word, the slowest first."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.png"
        image = Image.new("RGB", (600, 200), "white")
        ImageDraw.Draw(image).text((30, 60), "Printed words here", fill=0, font=ImageFont.load_default(size=36))
        image.save(page)
        for loops in ("cut", "kept"):
            options = ParseOptions(
                server=(f"http://127.0.0.1:{server.server_port}",),
                family="internvl",
                read="page",
                drafter="none",
                on_loop="keep" if loops == "kept" else "stop",
            )
            with Parser(options) as parser:
                _Server.answer = "word"
                usual = min(seconds_of(parser, page)[0] for _ in range(3))
                took = []
                for name, _Server.answer in texts(characters).items():
                    seconds, status = seconds_of(parser, page)
                    took.append((round(seconds - usual, 2), name, status))
            found[f"loops {loops}"] = {"a page of one word": round(usual, 2), "slowest": sorted(took)[::-1][:most]}
    server.shutdown()
    return found


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--characters", type=int, nargs="+", default=[MOST_CHARACTERS, 1_000_000])
    words.add_argument("--most", type=int, default=5, metavar="N", help="The slowest are told.")
    given = words.parse_args()
    for characters in given.characters:
        print(json.dumps({f"{characters:,} characters": measured(characters, given.most)}, indent=1), flush=True)


if __name__ == "__main__":
    main()
