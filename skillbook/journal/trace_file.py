"""A run as one file: HTML that opens without skillbook and without a network, or what Playwright's viewer opens."""

from __future__ import annotations

import json
import re
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1, sha256
from html import escape
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile

from skillbook.errors import InvalidInput
from skillbook.limits import SHOWN_SECONDS
from skillbook.storage import expanded, storing


@dataclass(frozen=True)
class TraceStep:
    """One step of a trace; all texts may be a page's.

    title: what was done, in words.
    facts: names and values, shown at once; empty values are left out.
    texts: titles and long texts, folded; empty ones are left out.
    requests: what the page sent: method, address, and what came of it.
    image: media type and Base64 of a screenshot.
    at, elapsed_ms: when it ended, in seconds since 1970, and how long it took; 0 where nobody knows.
    """

    title: str
    status: Literal["ok", "failed", "declined"] = "ok"
    facts: Sequence[tuple[str, str]] = ()
    texts: Sequence[tuple[str, str]] = ()
    requests: Sequence[tuple[str, str, str]] = ()
    image: tuple[str, str] | None = None
    at: float = 0.0
    elapsed_ms: float = 0.0


@dataclass(frozen=True)
class Trace:
    """What a trace shows.

    title, facts: of the whole run.
    mask: takes secrets out of a text.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    steps: Sequence[TraceStep]
    mask: Callable[[str], str]


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


_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]")
"""Characters that hide or reorder the text around them."""
_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp"})
_STYLE = Path(__file__).with_name("trace.css").read_text(encoding="utf-8")


class Traced:
    """What can be written as a trace."""

    def trace(self, path: Path | str) -> Path:
        """Write the steps into one file: .html opens anywhere and needs no network, .zip is for Playwright's viewer.

        The viewer is `playwright show-trace run.zip`, or a page of the browser: trace.playwright.dev.
        It has what was done and what came of it, with the requests that the page sent and the screenshots, as far as
        they were kept: `docs/keep.md`. Secrets are masked.

        Parameters
        ----------
        path : Path or str
            The file, which ends in .html or .zip; one that is there is replaced.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            There is no such folder, or the name ends otherwise.
        """
        return write_trace(path, self._trace())

    def _trace(self) -> Trace:
        raise NotImplementedError


def write_trace(path: Path | str, trace: Trace) -> Path:
    """Write a trace into a file that ends in .html or .zip; one that is there is replaced.

    Raises InvalidInput: there is no such folder, or the name ends otherwise.
    """
    file = expanded(path)
    ending = file.suffix.lower()
    if ending not in {".html", ".htm", ".zip"}:
        raise InvalidInput(f"{file.name!r} doesn't end in .html or .zip", hint="give it one of these endings")
    if not file.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(file.parent)!r}", hint="make it first")
    with storing(file):
        if ending == ".zip":
            write_playwright_trace(file, trace)
        else:
            page = _Writer(trace.mask).page(trace.title, trace.facts, trace.steps)
            file.write_text(page, encoding="utf-8")
    return file


class _Writer:
    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask

    def page(self, title: str, facts: Iterable[tuple[str, str]], steps: Sequence[TraceStep]) -> str:
        digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
        items = "".join(
            f'<li><a class="{step.status}" href="#step-{number}">{number} {self.text(step.title)}</a></li>'
            for number, step in enumerate(steps, 1)
        )
        sections = "".join(self.section(number, step) for number, step in enumerate(steps, 1))
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="referrer" content="no-referrer">'
            f"<title>{self.text(title)}</title><style>{_STYLE}</style></head><body>"
            f"<header><h1>{self.text(title)}</h1>{self.facts(facts)}</header>"
            f'<nav aria-label="Steps"><ol>{items}</ol></nav><main>{sections or "<p>No steps.</p>"}</main></body></html>'
        )

    def section(self, number: int, step: TraceStep) -> str:
        parts = [
            f'<h2><span class="{step.status}">{number} · {step.status}</span> {self.text(step.title)}</h2>'
        ]
        parts.append(self.facts(step.facts))
        if step.requests:
            rows = "".join(
                "<tr>" + "".join(f"<td>{self.text(cell)}</td>" for cell in row) + "</tr>"
                for row in step.requests
            )
            head = "<tr><th>Method</th><th>Address</th><th>Outcome</th></tr>"
            parts.append(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>")
        if step.image is not None and step.image[0] in _IMAGES:
            data = re.sub(r"[^A-Za-z0-9+/=]", "", step.image[1])
            parts.append(
                f'<p><img alt="Screenshot after step {number}" src="data:{step.image[0]};base64,{data}"></p>'
            )
        parts += [
            f"<details><summary>{self.text(name)}</summary><pre>{self.text(text)}</pre></details>"
            for name, text in step.texts
            if text
        ]
        return f'<section id="step-{number}">{"".join(parts)}</section>'

    def facts(self, facts: Iterable[tuple[str, str]]) -> str:
        rows = "".join(
            f"<dt>{self.text(name)}</dt><dd>{self.text(value)}</dd>" for name, value in facts if value
        )
        return f"<dl>{rows}</dl>" if rows else ""

    def text(self, text: str) -> str:
        """A text as the file may have it: no secrets, no HTML, nothing that turns around what follows."""
        return escape(_UNSHOWN.sub("�", self._mask(str(text)).replace("\r", "")))
