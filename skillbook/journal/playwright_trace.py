"""A run as a file that Playwright's trace viewer opens: a .zip with its steps, requests and screenshots."""

from __future__ import annotations

import json
import re
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile

from skillbook.journal.traced_steps import Trace, TraceStep
from skillbook.limits import SHOWN_SECONDS

_VERSION = 8
"""The form of the file, which every viewer since Playwright 1.51 reads."""
_PAGE = "page@1"
_SIZE = (1280, 720)
_WEB_ADDRESS = re.compile("https?:", re.I)

Entry = dict[str, Any]


def write_playwright_trace(file: Path, trace: Trace) -> None:
    """Write a trace; texts and addresses are masked as its HTML is, and what a page wrote stays text."""
    writer = _Entries(trace.mask, _begin(trace.steps))
    for number, step in enumerate(trace.steps, 1):
        writer.add(number, step)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("trace.trace", _lines([writer.head(trace), *writer.entries]))
        archive.writestr("trace.network", _lines(writer.requests))
        for name, data in writer.files.items():
            archive.writestr(f"resources/{name}", data)


def _begin(steps: Sequence[TraceStep]) -> float:
    """When the first step began, in seconds since 1970."""
    known = [step.at - step.elapsed_ms / 1000 for step in steps if step.at]
    return known[0] if known else time.time()


def _lines(entries: Sequence[Entry]) -> str:
    return "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries)


class _Entries:
    """The lines of the file.

    mask: takes secrets out of a text.
    begun: seconds since 1970, at which the file's clock stands at 0.
    """

    def __init__(self, mask: Callable[[str], str], begun: float) -> None:
        self.entries: list[Entry] = []
        self.requests: list[Entry] = []
        self.files: dict[str, bytes] = {}
        self._mask, self._begun, self._clock = mask, begun, 0.0

    def head(self, trace: Trace) -> Entry:
        """The line about the whole."""
        return {
            "type": "context-options", "version": _VERSION, "origin": "library", "browserName": "chromium",
            "platform": "", "sdkLanguage": "python", "options": {}, "title": self._mask(trace.title),
            "wallTime": self._begun * 1000, "monotonicTime": 0, "contextId": "skillbook",
        }  # fmt: skip

    def add(self, number: int, step: TraceStep) -> None:
        """Add a step: its call, its facts as log lines, its texts as attachments, its requests and screenshot."""
        begin, call = self._begin_of(step), f"call@{number}"
        end = self._clock = begin + (step.elapsed_ms or SHOWN_SECONDS * 1000)
        self.entries.append({
            "type": "before", "callId": call, "startTime": begin, "class": "Page", "method": "step",
            "title": self._mask(step.title), "params": {}, "pageId": _PAGE,
        })  # fmt: skip
        facts = [f"{name}: {self._mask(value)}" for name, value in step.facts if value]
        self.entries += [{"type": "log", "callId": call, "time": begin, "message": each} for each in facts]
        texts = [(name, self._mask(text)) for name, text in step.texts if text]
        attachments = [
            {"name": name, "contentType": "text/plain", "sha1": self._kept(text.encode())}
            for name, text in texts
        ]
        after: Entry = {"type": "after", "callId": call, "endTime": end, "attachments": attachments}
        if step.status != "ok":
            message = next(
                (self._mask(value) for name, value in step.facts if name in {"Error", "Outcome"}), ""
            )
            after["error"] = {"name": step.status, "message": message or step.status}
        if step.image is not None:
            after["afterSnapshot"] = f"after@{call}"
            self.entries.append({"type": "input", "callId": call, "inputSnapshot": f"after@{call}"})
            self._screenshot(end, call, step)
        self.entries.append(after)
        for method, url, ending in step.requests:
            self._request(begin, end, method, self._mask(url), ending)

    def _begin_of(self, step: TraceStep) -> float:
        """When a step began, in milliseconds of the file's clock, which never goes back."""
        known = (step.at - self._begun) * 1000 - step.elapsed_ms if step.at else self._clock
        return max(known, self._clock)

    def _kept(self, data: bytes) -> str:
        name = sha1(data, usedforsecurity=False).hexdigest()
        self.files[name] = data
        return name

    def _screenshot(self, at: float, call: str, step: TraceStep) -> None:
        """A step's screenshot: small in the viewer's row of times, and in the place of the page."""
        assert step.image is not None
        kind, data = step.image
        (width, height), wall = _SIZE, self._begun * 1000 + at
        self.entries.append({
            "type": "screencast-frame", "pageId": _PAGE, "sha1": self._kept(b64decode(data)), "width": width,
            "height": height, "timestamp": at, "frameSwapWallTime": wall,
        })  # fmt: skip
        url = next((self._mask(value) for name, value in step.facts if name == "Address"), "")
        image = ["IMG", {"src": f"data:{kind};base64,{data}", "style": "width: 100%"}]
        self.entries.append({"type": "frame-snapshot", "snapshot": {
            "callId": call, "snapshotName": f"after@{call}", "pageId": _PAGE, "frameId": _PAGE, "frameUrl": url,
            "html": ["HTML", {}, ["BODY", {"style": "margin: 0"}, image]], "resourceOverrides": [],
            "viewport": {"width": width, "height": height}, "timestamp": at, "wallTime": wall, "isMainFrame": True,
        }})  # fmt: skip

    def _request(self, begin: float, end: float, method: str, url: str, ending: str) -> None:
        status = re.match(r"\d{3}\b", ending)
        sent = {"httpVersion": "", "cookies": [], "headers": [], "headersSize": -1, "bodySize": -1}
        query = [{"name": name, "value": value} for name, value in parse_qsl(urlsplit(url).query)]
        response = {
            **sent, "status": int(status[0]) if status else -1, "statusText": ending, "redirectURL": "",
            "content": {"size": -1, "mimeType": "x-unknown"},
            **({} if status else {"_failureText": ending}),
        }  # fmt: skip
        began = datetime.fromtimestamp(self._begun + begin / 1000, UTC).isoformat()
        entry = {
            "pageref": _PAGE, "startedDateTime": began, "time": end - begin, "cache": {},
            "request": {**sent, "method": method, "url": url if _WEB_ADDRESS.match(url) else "", "queryString": query},
            "response": response, "timings": {"send": -1, "wait": -1, "receive": -1}, "_monotonicTime": begin / 1000,
        }  # fmt: skip
        self.requests.append({"type": "resource-snapshot", "snapshot": entry})
