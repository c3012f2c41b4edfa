"""A stand-in for the hub on this machine: it answers what huggingface_hub asks for when a model is fetched."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """One model, ``name``, with ``files``. ``cut`` are the bytes after which the next answers with a file's content
    break off, one number for each; ``spoilt`` are files that arrive with a byte changed; ``sent`` are the requests for
    content: file, and the first byte of it."""

    daemon_threads = True

    def __init__(self, name: str, files: dict[str, bytes], licence: str = "mit") -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.name, self.files, self.licence = name, files, licence
        self.cut: dict[str, list[int]] = {}
        self.spoilt: set[str] = set()
        self.sent: list[tuple[str, int]] = []
        self.gated = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(name: str, files: dict[str, bytes]) -> Iterator[Hub]:
    hub = Hub(name, files)
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()


class _Answer(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *words: Any) -> None:
        pass

    def _answer(self) -> None:
        hub, path = self.server, unquote(urlsplit(self.path).path)
        api, resolve = f"/api/models/{hub.name}", f"/{hub.name}/resolve/"
        if path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            self._json(self._info())
        elif path.startswith(f"{api}/revision/"):
            self._error("RevisionNotFound")
        elif path == f"{api}/tree/{COMMIT}":
            self._json([{"type": "file", "path": name, **self._entry(name)} for name in hub.files])
        elif path.startswith(resolve) and path.split("/", 5)[5] in hub.files:
            self._file(path.split("/", 5)[5])
        else:
            self._error("RepoNotFound")

    def _info(self) -> dict[str, Any]:
        hub = self.server
        siblings = [{"rfilename": name, **self._entry(name)} for name in hub.files]
        card = {"license": hub.licence}
        return {"id": hub.name, "modelId": hub.name, "sha": COMMIT, "siblings": siblings, "cardData": card, "tags": []}

    def _entry(self, name: str) -> dict[str, Any]:
        content = self.server.files[name]
        entry: dict[str, Any] = {"size": len(content), "oid": git_hash(content), "blobId": git_hash(content)}
        if name.endswith(".safetensors"):
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
            entry["lfs"]["sha256"] = entry["lfs"]["oid"]
        return entry

    def _file(self, name: str) -> None:
        hub, content = self.server, self.server.files[name]
        if hub.gated:
            self._error("GatedRepo", 403)
            return
        asked = self.headers.get("Range")
        first = int(asked.removeprefix("bytes=").split("-")[0]) if asked else 0
        entry = self._entry(name)
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(content) - first))
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{entry["lfs"]["oid"] if "lfs" in entry else entry["oid"]}"')
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        if self.command == "HEAD":
            return
        hub.sent.append((name, first))
        body = content[first:]
        if name in hub.spoilt:
            body = body[:-1] + bytes([body[-1] ^ 1])
        if hub.cut.get(name):
            self.wfile.write(body[: hub.cut[name].pop(0)])
            self.close_connection = True
            return
        self.wfile.write(body)

    def _json(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def _error(self, code: str, status: int = 404) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()


def git_hash(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
