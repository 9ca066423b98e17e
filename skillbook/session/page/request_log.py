"""What a watched page has exchanged with the network, newest last; and the same as an HTTP archive."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.request_facts import NO_ANSWER
from skillbook.policy.secrets import MASK, SecretStore
from skillbook.protocol.events import RequestLogged
from skillbook.session.cassette.cassette_files import Scrubber

REFUSED = "refused"
"""The source of a request that was held, and not let go."""
_ROUGH_BYTES = 400
"""What an entry takes besides its texts."""


@dataclass(frozen=True)
class NetworkRequest:
    """One request of a page.

    method, url: as it was sent; secrets are masked in the address.
    status: the answer's status; None while there is none.
    type: "document", "fetch", "xhr", "image" and so on.
    size: bytes that came over the network; None where that isn't known.
    time: milliseconds from the request to the end of its answer; None before.
    step: what was being done when the page sent it, such as "click button 'Save'"; "" for nothing.
    source: who answered if it wasn't the network: "cache", "worker", "mock", "block"; "refused" where it was held and
        wasn't let go.
    error: why there is no answer; "" where there is one.
    by_itself: the page had sent the same twice while nothing was done, as a poll does: the step need not be the cause.
    """

    n: int
    method: str
    url: str
    status: int | None = None
    type: str = ""
    size: int | None = None
    time: float | None = None
    step: str = ""
    source: str = ""
    error: str = ""
    by_itself: bool = False

    @property
    def is_sent(self) -> bool:
        """Whether it left the browser, or another answer came in its place; one that was refused didn't."""
        return self.source != REFUSED

    @property
    def row(self) -> tuple[str, str, str]:
        """Method, address, and what came of it, as a trace shows them."""
        ending = " ".join(filter(None, [str(self.status or ""), self.source, self.error]))
        return self.method, self.url, ending or "no answer"

    @property
    def ending(self) -> str:
        """The answer's status, why there is none, or that it isn't here yet."""
        return str(self.status or self.error or NO_ANSWER)

    def __str__(self) -> str:
        by_itself = " (as the page sends by itself)" if self.by_itself else ""
        return f"{self.method} {self.url} {self.ending}{by_itself}"


@dataclass
class LoggedRequest:
    """A request as the extension reported it, and what was being done meanwhile."""

    n: int
    seen: RequestLogged
    step: str
    by_itself: bool = False

    @property
    def bytes(self) -> int:
        """About what it takes here."""
        seen = self.seen
        headers = sum(
            len(name) + len(value) for name, value in [*seen.request_headers.items(), *seen.headers.items()]
        )
        return len(seen.url) + len(seen.post_data or "") + headers + _ROUGH_BYTES

    def header(self, name: str) -> str:
        """A header of the answer; "" where it has none."""
        found = (value for key, value in self.seen.headers.items() if key.lower() == name)
        return next(found, "")


class RequestLog:
    """Requests by their number; on the I/O thread only, but for `entries`.

    limit: bytes; the oldest go first.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.step = ""
        self.count = 0
        self.dropped = 0
        self.began_action = 0
        self._idle: set[tuple[str, ...]] = set()
        self._repeated: set[tuple[str, ...]] = set()
        self._entries: OrderedDict[int, LoggedRequest] = OrderedDict()
        self._numbers: dict[str, int] = {}
        self._bytes = 0
        self._changed = asyncio.Event()

    @property
    def entries(self) -> list[LoggedRequest]:
        """All that are kept, the oldest first."""
        return list(self._entries.values())

    def get(self, n: int) -> LoggedRequest | None:
        """The request of a number; None where it isn't kept."""
        return self._entries.get(n)

    def since(self, n: int) -> Iterator[LoggedRequest]:
        """The requests from a number on."""
        return (entry for entry in self.entries if entry.n >= n)

    def begin_action(self, step: str) -> None:
        """What is sent from now on may be caused by this."""
        self.began_action, self.step = self.count, step
        self._idle.clear()

    def end_action(self) -> None:
        """Nothing is being done any more."""
        self.step = ""

    def _is_repeated(self, seen: RequestLogged) -> bool:
        """Whether the page has sent the same twice between two actions; an action's late ones come once."""
        key = (seen.method, seen.url.partition("?")[0], seen.post_data or "")
        if key in self._idle:
            self._repeated.add(key)
        elif not self.step:
            self._idle.add(key)
        return key in self._repeated

    def take(self, seen: RequestLogged) -> None:
        """A request was sent, or has ended."""
        n = self._numbers.get(seen.id)
        known = self._entries.get(n) if n is not None else None
        if known is not None:
            self._bytes -= known.bytes
            known.seen = seen
        elif n is not None:
            return  # there was no room for it any more
        else:
            known = LoggedRequest(self.count, seen, self.step, self._is_repeated(seen))
            self._entries[known.n] = known
            self._numbers[seen.id] = known.n
            self.count += 1
        self._bytes += known.bytes
        self._make_room()
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def clear(self) -> None:
        """Forget all requests; numbers aren't given out again."""
        self._entries.clear()
        self._numbers.clear()
        self._bytes = self.dropped = 0

    async def changed(self) -> None:
        """Wait until something is sent or ends."""
        await self._changed.wait()

    def _make_room(self) -> None:
        while self._bytes > self.limit and len(self._entries) > 1:
            _, oldest = self._entries.popitem(last=False)
            self._bytes -= oldest.bytes
            self.dropped += 1


def shown(entry: LoggedRequest, url: str) -> NetworkRequest:
    """A request as a person and a model see it, with the address as that is shown."""
    seen = entry.seen
    return NetworkRequest(
        entry.n, seen.method, url, seen.status, seen.resource_type.lower(), seen.size, seen.elapsed_ms, entry.step,
        seen.source, seen.error, entry.by_itself,
    )  # fmt: skip


def fits(pattern: str, url: str) -> bool:
    """Whether an address has a text in it, or is what a pattern with `*` means."""
    parts = map(re.escape, whole_pattern(pattern).split("*"))
    return re.fullmatch(".*".join(parts), url, re.S) is not None


def whole_pattern(pattern: str) -> str:
    """A pattern for the whole address, of a part of one or of a glob with `*`."""
    return pattern if "*" in pattern else f"*{pattern}*"


Body = tuple[str, bool]
"""An answer's body, and whether it is base64."""
_VERSIONS = {"h2": "HTTP/2.0", "h3": "HTTP/3.0", "": "unknown"}
_LETS_IN = ("cookie", "auth", "token", "secret", "api-key")


def http_archive(
    entries: Sequence[LoggedRequest],
    bodies: Mapping[int, Body],
    secrets: SecretStore,
    *,
    version: str,
    title: str,
) -> dict[str, Any]:
    """An archive of requests; values of cookies and of headers that let somebody in are masked, as secrets are.

    bodies: bodies of their answers by number, where they are known.
    """
    writer = _Writer(secrets)
    first = _moment(entries[0].seen.started if entries else datetime.now(UTC).timestamp())
    page = {"startedDateTime": first, "id": "page_1", "title": secrets.redact_kept(title), "pageTimings": {}}
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "skillbook", "version": version},
            "pages": [page],
            "entries": [writer.entry(entry, bodies.get(entry.n)) for entry in entries],
        }
    }


class _Writer:
    def __init__(self, secrets: SecretStore) -> None:
        self._secrets = secrets
        self._scrubber = Scrubber(secrets)

    def entry(self, entry: LoggedRequest, body: Body | None) -> dict[str, Any]:
        seen = entry.seen
        total = seen.elapsed_ms if seen.elapsed_ms is not None else 0.0
        wait = min(seen.wait_ms if seen.wait_ms is not None else total, total)
        version = _VERSIONS.get(seen.protocol, seen.protocol.upper())
        written = {
            "pageref": "page_1",
            "startedDateTime": _moment(seen.started),
            "time": total,
            "request": self._request(entry, version),
            "response": self._response(entry, version, body),
            "cache": {},
            "timings": {"send": 0, "wait": wait, "receive": total - wait},
            "_resourceType": seen.resource_type.lower(),
        }
        comments = [each for each in (seen.source, seen.error) if each]
        return written | ({"comment": "; ".join(comments)} if comments else {})

    def _request(self, entry: LoggedRequest, version: str) -> dict[str, Any]:
        seen = entry.seen
        url = self._scrubber.url(seen.url)
        found = {
            "method": seen.method,
            "url": url,
            "httpVersion": version,
            "cookies": [],
            "headers": self._headers(seen.request_headers.items()),
            "queryString": _named(parse_qsl(urlsplit(url).query, keep_blank_values=True)),
            "headersSize": -1,
            "bodySize": len(seen.post_data.encode()) if seen.post_data is not None else 0,
        }
        if seen.post_data is None:
            return found
        names = (value for name, value in seen.request_headers.items() if name.lower() == "content-type")
        mime = next(names, "")
        text = self._scrubber.request_body(mime, seen.post_data) or ""
        return found | {"postData": {"mimeType": mime, "params": [], "text": text}}

    def _response(self, entry: LoggedRequest, version: str, body: Body | None) -> dict[str, Any]:
        seen = entry.seen
        content: dict[str, Any] = {"size": seen.body_size or 0, "mimeType": seen.mime or "x-unknown"}
        if body is not None:
            text, encoded = body
            content["text"] = text if encoded else self._scrubber.page_text(text)
            if encoded:
                content["encoding"] = "base64"
        return {
            "status": seen.status or 0,
            "statusText": seen.status_text,
            "httpVersion": version,
            "cookies": [],
            "headers": self._headers(seen.headers.items()),
            "content": content,
            "redirectURL": self._scrubber.url(entry.header("location")) if entry.header("location") else "",
            "headersSize": -1,
            "bodySize": -1 if seen.size is None else seen.size,
        }

    def _headers(self, headers: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
        kept = []
        for name, value in headers:
            lets_in = any(part in name.lower() for part in _LETS_IN)
            kept.append((name, MASK if lets_in else self._header(name, value)))
        return _named(kept)

    def _header(self, name: str, value: str) -> str:
        is_address = name.lower() in {"referer", "location"}
        return self._scrubber.url(value) if is_address else self._scrubber.text(value)


def _named(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
