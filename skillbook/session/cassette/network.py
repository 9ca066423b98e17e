"""The pages' part of a cassette: exchanges with the network as they are recorded, and found again."""

from __future__ import annotations

import base64
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from skillbook.protocol.events import ExchangeRecorded, RequestWanted
from skillbook.session.cassette.cassette_files import Content, body_name
from skillbook.session.cassette.scrub import Scrubber

_VOLATILE = re.compile(r"\d{10,}|0\.\d{6,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")
"""Times, random numbers and UUIDs, which pages put into addresses against caches."""
_MINOR = frozenset({"Ping", "Image", "Font", "Media", "CSPViolationReport", "Other", "Manifest", "TextTrack"})
_TEXT = re.compile(r"text/|json|javascript|xml|x-www-form-urlencoded")
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Missed:
    """A request that the cassette has no answer for; it was blocked.

    `minor` ones, such as images and beacons, don't make a replay fail.
    """

    method: str
    url: str
    kind: str
    why: str

    @property
    def minor(self) -> bool:
        """Whether a page works without it."""
        return self.kind in _MINOR or self.url.endswith("/favicon.ico")

    def __str__(self) -> str:
        return f"{self.method} {self.url} ({self.kind}): {self.why}"


class RecordedNetwork:
    """Exchanges of pages with the network; on the I/O thread only.

    Parameters
    ----------
    content : where exchanges are kept.
    scrubber : takes secrets out of them.
    """

    def __init__(self, content: Content, scrubber: Scrubber) -> None:
        self.missed: list[Missed] = []
        self.unrecorded: list[Missed] = []
        self.finished = False
        self._content = content
        self._scrubber = scrubber
        self._known: dict[Key, list[dict[str, Any]]] = defaultdict(list)
        self._alike: dict[Key, list[dict[str, Any]]] = defaultdict(list)
        self._used: dict[Key, int] = defaultdict(int)
        for entry in content.network:
            key = self._key(entry["method"], entry["url"], entry.get("request"))
            self._known[key].append(entry)
            self._alike[_steady(key)].append(entry)

    def record(self, event: ExchangeRecorded) -> None:
        """Keep an exchange."""
        scrub = self._scrubber
        entry: dict[str, Any] = {
            "method": event.method,
            "url": scrub.url(event.url),
            "kind": event.resource_type,
        }
        if (body := scrub.request_body(event.content_type, event.body)) is not None and body:
            entry["request"] = body
        entry |= {"status": event.status}
        if headers := scrub.headers((header.name, header.value) for header in event.headers):
            entry["headers"] = [list(header) for header in headers]
        if event.note:
            entry["note"] = event.note
        if event.response:
            kind = dict(headers).get("content-type", "")
            raw = self._cleaned(base64.b64decode(event.response), kind)
            entry["body_file"] = body_name(raw, kind)
            self._content.bodies[entry["body_file"]] = raw
        elif event.note and event.status:
            # The network answered, but there is nothing to replay: whoever records has to know now, not later.
            self.unrecorded.append(Missed(event.method, entry["url"], event.resource_type, event.note))
        self._content.network.append(entry)

    def answer(self, event: RequestWanted) -> dict[str, Any]:
        """The answer to a request as `answer_request` takes it; status 0 blocks one that isn't here."""
        scrub = self._scrubber
        url = scrub.url(event.url)
        body = scrub.request_body(event.content_type, event.body) if event.body else None
        key = self._key(event.method, url, body)
        found = self._known.get(key) or self._alike_to(key)
        if not found:
            return self._miss(event, url, self._nearest(key))
        place, self._used[key] = self._used[key], self._used[key] + 1
        entry = found[min(place, len(found) - 1)]
        if entry["status"] == 0 or ("body_file" not in entry and entry.get("note")):
            return self._miss(event, url, f"recorded without an answer: {entry.get('note', '')}")
        raw = self._content.bodies.get(entry.get("body_file", ""), b"")
        return {
            "status": entry["status"],
            "headers": [{"name": name, "value": value} for name, value in entry.get("headers", [])],
            "body": base64.b64encode(raw).decode(),
        }

    def _miss(self, event: RequestWanted, url: str, why: str) -> dict[str, Any]:
        if not self.finished:
            self.missed.append(Missed(event.method, url, event.resource_type, why))
        return {"status": 0}

    def _key(self, method: str, url: str, body: str | None) -> Key:
        compared = self._scrubber.compared
        return method, compared(url), compared(body or "")

    def _alike_to(self, key: Key) -> list[dict[str, Any]]:
        """What differs in a time or a random number only, where all that it could be says the same."""
        found = self._alike.get(_steady(key), [])
        distinct = {(entry["status"], entry.get("body_file")) for entry in found}
        return found if len(distinct) == 1 else []

    def _nearest(self, key: Key) -> str:
        method, url, body = key
        path = url.partition("?")[0]
        for known_method, known_url, known_body in self._known:
            if known_url == url and known_method == method:
                return f"the cassette has it with another body: {_short(known_body)}, not {_short(body)}"
        for known_method, known_url, _ in self._known:
            if known_url.partition("?")[0] == path and known_method == method:
                return f"the cassette has {known_url}"
        return "the cassette has nothing like it"

    def _cleaned(self, raw: bytes, kind: str) -> bytes:
        if not _TEXT.search(kind):
            return raw
        charset = re.search(r"charset=[\"']?([\w-]+)", kind)
        encoding = charset[1] if charset else "utf-8"
        try:
            text = raw.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            encoding, text = "latin-1", raw.decode("latin-1")
        return self._scrubber.page_text(text).encode(encoding, errors="xmlcharrefreplace")


def _steady(key: Key) -> Key:
    method, url, body = key
    return method, _VOLATILE.sub("#", url), _VOLATILE.sub("#", body)


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
