"""What goes wrong on a page while a browser shows it."""

from __future__ import annotations

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
