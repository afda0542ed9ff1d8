"""A server for the built site, and what goes wrong on a page that a browser shows."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Page, Request


def complaints(page: Page, home: str) -> list[str]:
    """A list that fills with errors, failed requests, and what is asked elsewhere."""
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):  # a failed request is an error, too
            found.append(f"{message.type}: {message.text} {message.location}")

    def ask(request: Request) -> None:
        if not request.url.startswith((home, "data:", "blob:")):
            found.append(f"asks {request.url}")

    page.on("console", hear)
    page.on("request", ask)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder; its address comes back."""
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
