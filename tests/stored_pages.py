"""Pages that tests only read: a browser reads each once, and its answers are kept until the extension changes.

All of Python works as with a browser, from the facade to the bridge; only what crosses the wire is stored.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skillbook.bridge.server import BridgeServer
from skillbook.config import load_settings
from skillbook.errors import CommandTimeout
from skillbook.io_thread import io
from skillbook.journal import Journal
from skillbook.launcher.chromium_search import find_chromium
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.policy import Policy
from skillbook.policy.secrets import store
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.start import launch_driver
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_folder

BUILT = Path(__file__).resolve().parents[1] / "skillbook" / "_extension"
ORIGIN = "http://127.0.0.1:9"
"""Where stored pages stand: nothing listens there."""
_OF_THE_TAB = (
    "after",
    "frames_after",
    "known",
)  # what a tab has given out so far; a stored page is always new
_REST_MS = 5_000


def page_html(html: str) -> str:
    """HTML as a whole page, whose title is "Test" where it names none."""
    return html if "<html" in html else f"<!doctype html><html><title>Test</title><body>{html}"


class NotStored(AssertionError):
    """A test does more than read."""


class Recorder:
    """Asks a browser of its own about pages, all of them in one tab; it is launched for the first question."""

    def __init__(self) -> None:
        self._driver: BrowserDriver | None = None
        self._site: Site | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="stored-pages-"))
        self._shown: tuple[str, str] | None = None
        self._tab = 0
        self._turn = asyncio.Lock()

    async def answer(self, path: str, html: str, command: str, params: dict[str, Any]) -> Any:
        """A browser's answer to a reading command on a page at rest, with the address of stored pages in it."""
        async with self._turn:
            if self._shown != (path, html):
                await self._show(path, html)
            found = await self._ask(command, params)
            assert self._site is not None
            here = f"127.0.0.1:{self._site.port}"
            text = json.dumps(found).replace(f"{here}/{_name(html)}", "127.0.0.1:9")
            answer = json.loads(text.replace(here, "127.0.0.1:9"))
            return _numbered_anew(answer) if command == "snapshot" else answer

    async def _show(self, path: str, html: str) -> None:
        if self._driver is None or self._site is None:
            self._site = serve_folder(self._folder)
            self._driver = await launch_driver(headless=True, allow_evaluate=True)
            self._tab = (await self._driver.open(self._site.url)).tab.id
        file = self._folder / _name(html) / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(html, encoding="utf-8")
        await self._ask("goto", {"url": f"{self._site.url}/{_name(html)}/{path}"})
        self._shown = path, html
        await self._ask("page_settled", {"budget_ms": _REST_MS})

    async def _ask(self, command: str, params: dict[str, Any]) -> Any:
        assert self._driver is not None
        return await self._driver.server.request(RequestBody(command=command, tab=self._tab, params=params))

    async def close(self) -> None:
        """End the browser and the site, if they were needed."""
        if self._driver is not None:
            await self._driver.close()
        if self._site is not None:
            self._site.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class StoredPage:
    """One page's answers, in a file."""

    def __init__(self, folder: Path, recorder: Recorder, path: str, html: str) -> None:
        self._recorder, self._path, self._html = recorder, path, html
        self._file = folder / f"{_name(path + html)}.json"
        stored = json.loads(self._file.read_text("utf-8")) if self._file.exists() else {"answers": {}}
        self._answers: dict[str, str] = stored[
            "answers"
        ]  # JSON in JSON: whoever gets an answer may change it

    async def answer(self, command: str, params: dict[str, Any]) -> Any:
        """The stored answer, or a browser's that is stored now."""
        asked = {name: value for name, value in params.items() if name not in _OF_THE_TAB}
        key = json.dumps([command, asked], sort_keys=True)
        if key not in self._answers:
            found = await self._recorder.answer(self._path, self._html, command, asked)
            self._answers[key] = json.dumps(found)
            self._store()
        return json.loads(self._answers[key])

    def _store(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(f".{os.getpid()}")  # another worker may store the same page
        part.write_text(
            json.dumps({"path": self._path, "html": self._html, "answers": self._answers}), "utf-8"
        )
        part.replace(self._file)


class StoredBridge(BridgeServer):
    """A bridge without a browser behind it, whose tabs show stored pages.

    Attributes
    ----------
    refused : the commands that did more than read.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(load_settings(), EXTENSION_ID)
        self.folder, self.recorder = folder, Recorder()
        self.refused: list[str] = []
        self._pages: dict[str, StoredPage] = {}
        self._tabs: dict[int, StoredPage] = {}
        self._last_tab = 0

    def serve(self, path: str, html: str) -> str:
        """The address at which a page stands from now on."""
        self._pages[f"{ORIGIN}/{path}"] = StoredPage(self.folder, self.recorder, path, html)
        return f"{ORIGIN}/{path}"

    async def request(self, body: RequestBody, timeout: float | None = None) -> Any:
        """Answer from what is stored; a page that nobody acts in never changes."""
        if body.command == "tabs_open":
            return self._open(str(body.params["url"]))
        assert body.tab is not None
        if body.command == "tabs_close":
            del self._tabs[body.tab]
            return {}
        if body.command == "page_settled":  # what is stored was read at rest
            return {"state": "rest", "waited_ms": 0, "script": True}
        if body.command == "describe":  # nothing comes behind its rows
            return {"leads_on": False}
        if body.command == "wait_for" and body.params.keys() == {"changed"}:
            await asyncio.sleep(timeout or 0)
            raise CommandTimeout("nothing changed", hint="")
        is_read = body.command != "wait_for" and COMMANDS[body.command].effect is Effect.READ
        if not is_read or body.params.get("ref") or body.params.get("refs"):
            self.refused.append(body.command)
            raise NotStored(f"{body.command} does more than read a page: this test needs `serve_html`")
        return await self._tabs[body.tab].answer(body.command, body.params)

    def _open(self, url: str) -> dict[str, Any]:
        self._last_tab += 1
        self._tabs[self._last_tab] = self._pages[url]
        tab = {"id": self._last_tab, "url": url, "title": "", "status": "complete", "active": True}
        return {"tab": tab}


class StoredPages:
    """A browser whose pages are stored ones.

    Parameters
    ----------
    folder : where the answers are kept, in a folder for each extension and Chromium.
    home : where its journal goes.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        now = engine_key()
        for former in folder.glob("*") if folder.exists() else ():
            if former.name != now:
                shutil.rmtree(former, ignore_errors=True)
        self.bridge = StoredBridge(folder / now)
        self.browser: Browser = io.sync(self._start(home))

    async def _start(self, home: Path) -> Browser:
        journal = Journal(home / "journals" / "stored-pages.sqlite", self.bridge.kernel.id, store.redact_kept)
        return Browser(BrowserDriver(self.bridge, load_settings(), Policy.of(()), journal, store))

    def open(self, path: str, html: str) -> Page:
        """A page of some HTML."""
        return self.browser.open(self.bridge.serve(path, html))

    def close(self) -> None:
        """End the browsers, this one and the recorder's."""
        self.browser.close()
        io.sync(self.bridge.recorder.close())


def engine_key() -> str:
    """What stored answers depend on besides the page: the built extension, Chromium, and how they are stored."""
    chromium = find_chromium().path.resolve()
    digest = hashlib.sha256(f"{chromium} {chromium.stat().st_size} {chromium.stat().st_mtime_ns}".encode())
    for file in (Path(__file__), *sorted(BUILT.rglob("*.js"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def opener(pages: StoredPages) -> Callable[[str], Page]:
    """A function that opens HTML in new tabs: the first as `1.html`."""
    count = 0

    def read(html: str) -> Page:
        nonlocal count
        count += 1
        return pages.open(f"{count}.html", page_html(html))

    return read


def _name(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _numbered_anew(answer: Any) -> Any:
    """An answer whose elements and frames are numbered as in a new tab: no number is given out twice in one."""
    documents = answer["documents"]
    first_frame = min((tree["frame"] for tree in documents if tree["frame"]), default=1)
    for tree in documents:
        rows = tree.get("plain") or ()
        given = [number for number in tree["number"] if number] + [row["numbers"][0] for row in rows]
        before = min(given, default=1) - 1
        tree["number"] = [number and number - before for number in tree["number"]]
        for row in rows:
            row["numbers"] = [number - before for number in row["numbers"]]
        for css, numbers in (tree.get("css") or {}).items():
            tree["css"][css] = [number - before for number in numbers]
        tree["frame"] = tree["frame"] and tree["frame"] - first_frame + 1
    return answer
