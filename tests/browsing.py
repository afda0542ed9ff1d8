"""A server for the built site, and what goes wrong on a page that a browser shows."""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Page, Request, Response


def complaints(page: Page, home: str) -> list[str]:
    """A list that fills with errors, failed requests, and what is asked elsewhere."""
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.append(f"{message.type}: {message.text}")

    def ask(request: Request) -> None:
        if not request.url.startswith((home, "data:", "blob:")):
            found.append(f"asks {request.url}")

    def answer(response: Response) -> None:
        if response.status >= 400:
            found.append(f"{response.status}: {response.url}")

    page.on("console", hear)
    page.on("request", ask)
    page.on("response", answer)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("requestfailed", lambda request: found.append(f"no {request.url}"))
    return found


TEXTS = (".html", ".css", ".js", ".svg", ".json")


@functools.cache
def compressed(path: Path) -> bytes:
    """The compressed content of a file."""
    return gzip.compress(path.read_bytes(), compresslevel=6)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Sends texts compressed, as a real server does, and says nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in TEXTS or not path.is_file():
            return super().do_GET()
        body = compressed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder; its address comes back."""
    handler = functools.partial(Handler, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
