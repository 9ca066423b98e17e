"""What a page sends by itself, so that the same request later needs no question.

The same request is: method, address, headers, names and values are the same. A value may differ only if it differed
between the page's own sends already, and if it is a number, a time or a random key: a word never may, for it can say
what is to be done. All of them must agree with one another, too: what was `read 1` and `delete 2` isn't `delete 1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from skillbook.policy.request_bodies import read_json
from skillbook.policy.request_words import CHANGE_WORDS, words_of

Place = tuple[str | int, ...]
_PLAIN_HEADERS = re.compile(
    r"accept(-.*)?|cache-control|connection|content-length|cookie|dnt|host|if-.*|origin|pragma|priority|range|referer"
    r"|sec-.*|upgrade-insecure-requests|user-agent|purpose|device-memory|downlink|dpr|ect|rtt|save-data|viewport-width"
)
_NUMBER = re.compile(r"[-+]?[\d.,:/ ]*\d[\d.,:/ ]*|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[-+][\d:]+)?)?")
_KEY = re.compile(r"[\w-]{16,}")
_HEX = re.compile(r"[0-9a-f-]{12,}", re.I)
_LONGEST_KEY = 400
_BOUNDARY = re.compile(r"boundary=\"?([^\";]+)")
_MOST_VALUES = 5_000


@dataclass(frozen=True)
class Sending:
    """A request, value for value; held in memory only.

    Parameters
    ----------
    words : what must be the same: method, host, names, and values that can say what is to be done.
    numbers : by place the values that may differ if they differed before.
    whole : whether all of it is known.
    """

    words: frozenset[tuple[Place, str]]
    numbers: Mapping[Place, str] = field(default_factory=dict)
    whole: bool = True


class Habits:
    """What one page has sent by itself so far."""

    def __init__(self) -> None:
        self._seen: dict[frozenset[tuple[Place, str]], dict[Place, set[str]]] = {}

    def clear(self) -> None:
        """Forget all of it."""
        self._seen.clear()

    def update(self, other: Habits) -> None:
        """Take over another page's."""
        for words, numbers in other._seen.items():
            for place, values in numbers.items():
                self._seen.setdefault(words, {}).setdefault(place, set()).update(values)
            self._seen.setdefault(words, {})

    def note(self, sending: Sending) -> None:
        """The page sent this by itself."""
        if sending.whole:
            known = self._seen.setdefault(sending.words, {})
            for place, value in sending.numbers.items():
                known.setdefault(place, set()).add(value)

    def cover(self, sending: Sending) -> bool:
        """Whether the page sent the same by itself before."""
        known = self._seen.get(sending.words)
        if known is None or not sending.whole or known.keys() != sending.numbers.keys():
            return False
        return all(value in known[at] or len(known[at]) > 1 for at, value in sending.numbers.items())


def sending_of(
    method: str, url: str, headers: Mapping[str, str], body: str | None, size: int | None = None
) -> Sending:
    """A request, value for value.

    Parameters
    ----------
    headers : all that are known.
    body : the body's text; None where it has none or can't be read.
    size : bytes of the body.
    """
    known = {name.lower(): value for name, value in headers.items()}
    parts = urlsplit(url)
    values: list[tuple[Place, Any]] = [(("method",), method), (("host",), f"{parts.scheme}://{parts.netloc}")]
    values += ((("path", at), unquote(piece)) for at, piece in enumerate(parts.path.split("/")))
    values += _pairs("query", parts.query)
    boundary = _BOUNDARY.search(known.get("content-type", ""))
    for name, value in known.items():
        if not is_plain_header(name):
            values.append((("header", name), value.replace(boundary[1], "") if boundary else value))
    whole = body is not None or not size
    if body is not None:
        whole = size is None or size <= len(body.encode(errors="replace"))
        if "urlencoded" in known.get("content-type", ""):
            values += _pairs("body", body)
        else:
            values.append((("body",), body.replace(boundary[1], "") if boundary else body))
    words: set[tuple[Place, str]] = set()
    numbers: dict[Place, str] = {}
    for place, value in (leaf for one in values for leaf in leaves_of(*one)):
        text = value if isinstance(value, str) else repr(value)
        if place[0] not in {"method", "host"} and not isinstance(value, bool) and _is_number_or_key(text):
            numbers[place] = text
        else:
            words.add((place, f"{type(value).__name__} {text}"))
    return Sending(frozenset(words), numbers, whole and len(words) + len(numbers) < _MOST_VALUES)


def _is_number_or_key(text: str) -> bool:
    """Whether a value is a number, a time or a random key, rather than a word."""
    if len(text) > _LONGEST_KEY:
        return False
    if _NUMBER.fullmatch(text):
        return True
    has_digits = len(re.findall(r"\d+", text)) > 2
    return has_digits and bool(
        _HEX.fullmatch(text) or (_KEY.fullmatch(text) and CHANGE_WORDS.isdisjoint(words_of(text)))
    )


def _pairs(where: str, text: str) -> list[tuple[Place, Any]]:
    return [
        ((where, at, key), value) for at, (key, value) in enumerate(parse_qsl(text, keep_blank_values=True))
    ]


def is_plain_header(name: str) -> bool:
    """Whether browsers write a header by themselves; `name` in small letters."""
    return _PLAIN_HEADERS.fullmatch(name) is not None


def leaves_of(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    """The values in a value with their places; a text that is JSON is what it contains."""
    if isinstance(value, str) and (data := read_json(value)) is not None:
        yield from leaves_of((*place, "json"), data)
    elif isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from leaves_of((*place, str(key)), item)
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from leaves_of((*place, at), item)
    else:
        yield place, value
