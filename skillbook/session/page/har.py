"""What a page exchanged with the network as an HTTP archive (HAR 1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.secrets import MASK, SecretStore
from skillbook.session.cassette.scrub import Scrubber
from skillbook.session.page.request_log import LoggedRequest

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

    Parameters
    ----------
    entries : the requests, in order.
    bodies : bodies of their answers by number, where they are known.
    secrets : what is masked.
    version : skillbook's.
    title : the page's.
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
