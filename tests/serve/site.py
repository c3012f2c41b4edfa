"""A web site on loopback, of which tests call one address public."""

from __future__ import annotations

import http.server
from typing import Any, ClassVar


class Site(http.server.BaseHTTPRequestHandler):
    """Answers on two loopback addresses, of which the test calls one public: ``/to?URL`` redirects, ``/large`` does not
    end."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        Site.asked.append(f"{self.headers['Host']}{self.path}")
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path[4:])
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write(b"x" * (1000 if self.path == "/a" else 10_000_000))

    def log_message(self, *arguments: Any) -> None:
        pass
