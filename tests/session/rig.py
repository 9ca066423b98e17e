"""A browser driver over a real bridge, whose other end is a `FakeExtension`."""

from __future__ import annotations

from typing import Any

from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver
from skillbook.testing.fake_extension import FakeExtension
from tests.trees import tree

URL = "http://site.test/"
EXTENSION = "a" * 32
PAGE = """
main
  heading "Orders" level=1
  textbox "Name" +
  button "Save" +
  button "Delete" +
"""


def outcome(**changes: Any) -> dict[str, Any]:
    """An `ActionOutcome` as the wire has it."""
    return {"changed": True, "navigated": False, "url": URL, "input": "trusted", "elapsed_ms": 1.0, **changes}


class Rig:
    """A driver, its page, and the extension's side."""

    def __init__(self, driver: BrowserDriver, extension: FakeExtension) -> None:
        self.driver = driver
        self.extension = extension
        self.text = PAGE
        self.version = 1
        self.key = "main"
        self.url = URL
        self.first = 1
        self.secret_field = False
        tab = {"id": 7, "url": URL, "title": "Orders", "status": "complete", "active": True}
        facts = {"tag": "button", "attributes": {}, "frame_origin": URL, "submits": False}
        extension.handlers |= {
            "tabs_open": lambda params, tab_id: {"tab": tab | {"url": params["url"]}},
            "snapshot": lambda params, tab_id: self.snapshot(),
            "describe": lambda params, tab_id: facts | {"secret": self.secret_field},
            "click": lambda params, tab_id: outcome(),
            "fill": lambda params, tab_id: outcome(),
        }

    def snapshot(self) -> dict[str, Any]:
        """What the extension answers to a snapshot."""
        document = tree(self.text, key=self.key, url=self.url, first=self.first) | {"version": self.version}
        return {"documents": [document], "took_ms": 1.0}

    def change(self, text: str) -> None:
        """The page changes."""
        self.text = text
        self.version += 1

    async def open(self) -> PageDriver:
        """Open the page."""
        return await self.driver.open(URL)

    def sent(self, command: str) -> list[dict[str, Any]]:
        """The params of every request of a command."""
        return [request.params for request in self.extension.requests if request.command == command]
