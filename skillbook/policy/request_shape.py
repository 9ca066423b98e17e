"""The shape of a request: its values by place, and the one relation of a request to another, `RequestShape.covers`.

Habits of a page, rules of a person, what a card announced and what a skill's file allows are shapes. Whatever a shape
doesn't free is the same in each request that it covers: words, numbers, kinds, names, how many items a list has. A
request of which some byte wasn't seen is covered by none that looks at its body.

A habit is what a page sends by itself, so that the same request later needs no question.

The same request is: method, address, headers, names and values are the same. A number or a time may differ only within
what was seen: between the least and the most, a step further where it went up, or the time at which it is sent. A
random key may, where it was another one each time. A word never may, for it can say what is to be done. All of them
must agree with one another, too: what was `read 1` and `delete 2` isn't `delete 1`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from skillbook.policy.labels import CHANGE_WORDS, words_of
from skillbook.policy.request_bodies import Place, Value, body_values, pair_values
from skillbook.policy.urls import origin_of, template

Level = Literal["values", "announced", "names", "address"]
"""`values`: all of it. `announced`: all but the page's headers and how the body is written, for forms announce their
values. `names`: the address, the operation, and the names in the body with kinds and counts of items. `address`: as
`names`, whatever the body is."""
ANY_ID = "{id}"
_PLAIN_HEADERS = re.compile(
    r"accept(-.*)?|access-control-.*|cache-control|connection|content-length|cookie|dnt|host|if-.*|origin|pragma|priority|range|referer"
    r"|sec-.*|upgrade-insecure-requests|user-agent|purpose|device-memory|downlink|dpr|ect|rtt|save-data|viewport-width"
)
_BOUNDARY = re.compile(r"boundary=\"?([^\";]+)")
_MOST_VALUES = 5_000
_COUNTED = re.compile(r"(.*?)(?: \((\d+) times\))?", re.S)
_LINE = re.compile(r"\r\n?")
FORM = Value("object", "form")
"""What stands for the body of a form."""
NAMELESS = "sha256 "
"""Begins the name of a body that has no names."""


Freedom: TypeAlias = Callable[[Value, Value], bool]
"""How a value may differ: whether one may stand in the place of the one that is known."""


def any_text(value: Value, known: Value) -> bool:
    """Any value of the same kind; of any kind where none is known."""
    return value.kind == known.kind or known.kind == "?"


def any_id(value: Value, known: Value) -> bool:
    """Any id in a part of an address, whose other letters stay."""
    return template(unquote(value.text)) == template(unquote(known.text))


def same_part(value: Value, known: Value) -> bool:
    """A part of an address that is the same once both are decoded."""
    return unquote(value.text, errors="surrogateescape") == known.text


Named: TypeAlias = frozenset[str]


class RequestShape:
    """A request, value by value, or the requests that are like it; held in memory only, and its values never shown.

    values: by place: method, origin, parts of the path, parameters, the page's own headers, the body.
    free: how the values of some places may differ.
    optional: places that may be missing, as those of a box that isn't ticked.
    whole: whether each byte of it is known.
    operation: as `RequestFact` has it; compared by name alone.
    named: the names that a skill's file lists; None where the values have them.
    """

    def __init__(
        self,
        values: Mapping[Place, Value],
        free: Mapping[Place, Freedom] = MappingProxyType({}),
        optional: frozenset[Place] = frozenset(),
        *,
        whole: bool = True,
        operation: str = "",
        named: Named | None = None,
    ) -> None:
        self.values, self.free, self.optional = values, free, optional
        self.whole, self.operation, self.named = whole, operation, named

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RequestShape) and self._parts == other._parts

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: object) -> RequestShape:
        return self  # nothing of it changes

    def __repr__(self) -> str:
        return f"<RequestShape {self.method} {self.origin}>"

    @property
    def _parts(self) -> tuple[object, ...]:
        return self.values, self.free, self.optional, self.whole, self.operation, self.named

    @cached_property
    def names(self) -> Named:
        """The names in the body, as a skill's file lists them."""
        return self.named if self.named is not None else names_in(self.values)

    @property
    def counts(self) -> dict[str, int]:
        """How often each of the names is in the body."""
        parts = [_COUNTED.fullmatch(name) for name in self.names]
        return {part[1]: int(part[2] or 1) for part in parts if part is not None}

    @property
    def is_form(self) -> bool:
        """Whether its body is a form's."""
        return self.values.get(("body",)) == FORM

    def covers(self, other: RequestShape, level: Level = "values") -> bool:
        """Whether another request is this one, as far as a level looks, or one of those that it stands for."""
        if level in {"names", "address"}:
            if self.operation != other.operation:
                return False
            if level == "names" and not (other.names <= self.names and other.whole):
                return False
        elif not (self.whole and other.whole):
            return False
        mine, its = self._compared(level), other._compared(level)
        missing, added = mine.keys() - its.keys(), its.keys() - mine.keys()
        if added or not missing <= self.optional:
            return False
        return all(
            value == mine[place] or (place in self.free and self.free[place](value, mine[place]))
            for place, value in its.items()
        )

    def _compared(self, level: Level) -> dict[Place, Value]:
        """The values that a level compares."""
        if level == "values":
            return dict(self.values)
        left_out = {"header"} if level == "announced" else {"header", "body"}
        return {
            place: Value(value.kind, lines(value.text))
            for place, value in self.values.items()
            if place[0] not in left_out and not (place == ("body",) and value.kind == "object")
        }

    def without(self, fields: Collection[tuple[str, str]]) -> RequestShape:
        """The same without the fields of its body that have one of these names and values."""
        values = {
            place: value
            for place, value in self.values.items()
            if place[0] != "body" or not place[1:] or (str(place[1]), lines(value.text)) not in fields
        }
        return RequestShape(
            values, self.free, self.optional, whole=self.whole, operation=self.operation, named=self.named
        )

    @property
    def method(self) -> str:
        """Its method."""
        return self.values["method",].text

    @property
    def origin(self) -> str:
        """Where it goes."""
        return self.values["origin",].text

    def freed(
        self,
        places: Mapping[Place, Freedom],
        optional: Iterable[Place] = (),
        more: Mapping[Place, Value] = MappingProxyType({}),
    ) -> RequestShape:
        """The same with more freedom, and more values."""
        return RequestShape(
            {**self.values, **more}, {**self.free, **places}, self.optional | frozenset(optional),
            whole=self.whole, operation=self.operation, named=self.named,
        )  # fmt: skip


def shape_of(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    size: int | None = None,
    operation: str = "",
) -> RequestShape:
    """A request, value by value.

    body: the body's bytes; None where it has none or they aren't known.
    size: how many bytes the body has; None where that isn't known.
    """
    known = {name.lower(): value for name, value in headers.items()}
    boundary = _BOUNDARY.search(known.get("content-type", ""))
    values = address_values(method, url)
    for name, value in known.items():
        if not is_plain_header(name):
            values["header", name] = Value("text", value.replace(boundary[1], "") if boundary else value)
    values |= dict(body_values(known.get("content-type", ""), body or b""))
    is_whole = size == len(body or b"") or (size is None and body is not None)
    return RequestShape(values, whole=is_whole and len(values) < _MOST_VALUES, operation=operation)


def address_values(method: str, url: str) -> dict[Place, Value]:
    """The values of a method and an address."""
    parts = urlsplit(url)
    values: dict[Place, Value] = {
        ("method",): Value("text", method.upper()),
        ("origin",): Value("text", origin_of(url) or f"{parts.scheme}://{parts.netloc}"),
    }
    path = parts.path or "/"
    values |= {("path", index): Value("text", part) for index, part in enumerate(path.split("/"))}
    return values | dict(pair_values(("query",), parts.query))


def written_shape(
    method: str, origin: str, path: str, operation: str = "", named: Named | None = None
) -> RequestShape:
    """The requests that a person or a skill's file describes.

    path: literal, but for `{id}`, which stands for any id, and parameters without a value, which may have any.
    """
    where, _, query = path.partition("?")
    values: dict[Place, Value] = {("method",): Value("text", method), ("origin",): Value("text", origin)}
    free: dict[Place, Freedom] = {}
    for index, part in enumerate(where.split("/")):
        values["path", index] = Value("text", part)
        free["path", index] = any_id if ANY_ID in part else same_part
    for pair in filter(None, query.split("&")):
        name, is_literal, value = pair.partition("=")
        number = sum(place[:2] == ("query", name) for place in values)
        place: Place = ("query", name, number) if number else ("query", name)
        values[place] = Value("text", value)
        if not is_literal:
            free[place] = any_text
    return RequestShape(values, free, operation=operation, named=named)


def names_in(values: Mapping[Place, Value]) -> Named:
    """The names in a body with their kinds and counts of items; digits, which count rows, as `#`.

    A body without names is named by its digest: it is covered by itself alone.
    """
    is_form = values.get(("body",)) == FORM
    counts: dict[str, int] = {}
    for place, value in values.items():
        if place[0] != "body" or value == FORM:
            continue
        kind = f"list of {value.text}" if value.kind == "list" else value.kind
        steps = [str(step) for step in place[1:]]
        if is_form and len(place) > 2 and isinstance(place[2], int):
            del steps[1]  # which of its namesakes it is
        if steps:
            first, *rest = steps
            name = ".".join([first if is_form else _escape(first), *map(_escape, rest)])
            name = pattern_of(name) + ("" if kind == "text" else f" ({kind})")
        elif value.kind in {"bytes", "body"}:
            digest = value.text if value.kind == "bytes" else sha256(value.text.encode()).hexdigest()
            name = f"{NAMELESS}{digest}"
        else:
            name = f"JSON {kind}"
        counts[name] = counts.get(name, 0) + 1
    return frozenset(counted(name, count) for name, count in counts.items())


def pattern_of(name: str) -> str:
    """A name whose digits, which count rows, are `#`."""
    return re.sub(r"\d+", "#", name)


def counted(name: str, count: int) -> str:
    """A name with how often it is there, as a skill's file lists it."""
    return name if count == 1 else f"{name} ({count} times)"


def _escape(name: str) -> str:
    """A name in JSON, whose points aren't those between names."""
    return re.sub(r"[.\\]| (?=\()", r"\\\g<0>", name)


def lines(text: str) -> str:
    """A value as forms send it, whichever line ends it has."""
    return _LINE.sub("\n", text)


def is_plain_header(name: str) -> bool:
    """Whether browsers write a header by themselves; `name` in small letters."""
    return _PLAIN_HEADERS.fullmatch(name) is not None


_NUMERAL = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[-+][\d:]+)?)?")
_KEY = re.compile(r"[\w-]{16,400}")
_HEX = re.compile(r"[0-9a-f-]{12,400}", re.I)
_CLOCKS = (1, 1_000, 1_000_000)
"""How many of the units in which times are written make a second."""


@dataclass(frozen=True)
class Seen:
    """What stood at one place in a page's own requests.

    now: the time, in seconds since 1970.
    least, most, last: as numbers; None for random keys.
    step: by how much it went up at most; None where it ever went down or stayed.
    clock: how many of its units make a second, where it was the time of sending each time.
    """

    now: Callable[[], float]
    texts: frozenset[str]
    least: Decimal | None = None
    most: Decimal | None = None
    last: Decimal | None = None
    step: Decimal | None = None
    clock: int | None = None

    @classmethod
    def first(cls, value: Value, since: Decimal, now: Callable[[], float]) -> Seen:
        """The first number or key that was seen since a time."""
        number = _number(value)
        if number is not None:
            clock = next((unit for unit in _CLOCKS if since * unit <= number <= now() * unit), None)
            return cls(now, frozenset({value.text}), number, number, number, clock=clock)
        return cls(now, frozenset({value.text}))

    def then(self, value: Value) -> Seen:
        """With the next one."""
        number, texts = _number(value), self.texts | {value.text}
        if number is None or self.last is None or self.least is None or self.most is None:
            return replace(self, texts=texts)
        rose = number - self.last
        steps = [step for step in (self.step, rose) if step is not None]
        went_up = rose > 0 and (self.step is not None or len(self.texts) == 1)
        clock = self.clock if self._is_time(number) else None
        return replace(
            self, texts=texts, least=min(self.least, number), most=max(self.most, number), last=number,
            step=max(steps) if went_up else None, clock=clock,
        )  # fmt: skip

    def __call__(self, value: Value, known: Value) -> bool:
        """Whether a value may stand in the place of the ones that were seen."""
        if value.text in self.texts:
            return value.kind == known.kind
        if value.kind != known.kind or len(self.texts) < 2:
            return False
        number = _number(value)
        if number is None or self.last is None or self.least is None or self.most is None:
            same_length = len(value.text) == len(known.text)
            return number is None and self.last is None and _is_key(value) and same_length
        is_next = self.step is not None and self.last < number <= self.last + self.step
        return self.least <= number <= self.most or is_next or self._is_time(number)

    def _is_time(self, number: Decimal) -> bool:
        assert self.last is not None
        return self.clock is not None and self.last <= number <= self.now() * self.clock


class Habits:
    """What one page has sent by itself so far.

    now: the time, in seconds since 1970.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._since = Decimal(now())
        self._seen: dict[frozenset[tuple[Place, Value | None]], RequestShape] = {}

    def clear(self) -> None:
        """Forget all of it."""
        self._seen.clear()
        self._since = Decimal(self._now())

    def update(self, other: Habits) -> None:
        """Take over another page's."""
        self._seen = {**other._seen, **self._seen}

    def note(self, shape: RequestShape) -> None:
        """The page sent this by itself."""
        if not shape.whole:
            return
        key = _fixed(shape)
        known = self._seen.get(key)
        free: dict[Place, Freedom] = {}
        for place, value in shape.values.items():
            before = known.free.get(place) if known is not None else None
            if isinstance(before, Seen):
                free[place] = before.then(value)
            elif _may_differ(place, value):
                free[place] = Seen.first(value, self._since, self._now)
        self._seen[key] = (known or shape).freed(free)

    def include(self, shape: RequestShape) -> bool:
        """Whether the page sent the same by itself before."""
        known = self._seen.get(_fixed(shape))
        return known is not None and known.covers(shape)


def _fixed(shape: RequestShape) -> frozenset[tuple[Place, Value | None]]:
    """All that is the same in all requests of a habit: the values, but for numbers and keys."""
    return frozenset(
        (place, None if _may_differ(place, value) else value) for place, value in shape.values.items()
    )


def _may_differ(place: Place, value: Value) -> bool:
    """Whether a value is a number or a random key; such a key in a path says which thing is meant."""
    if place[0] in {"method", "origin"}:
        return False
    return _number(value) is not None or (_is_key(value) and place[0] != "path")


def _number(value: Value) -> Decimal | None:
    """A number or a time, in seconds; None for other values."""
    if value.kind not in {"text", "number"}:
        return None
    if _NUMERAL.fullmatch(value.text):
        return Decimal(value.text)
    if value.kind == "number" or not _DATE.fullmatch(value.text):
        return None
    try:
        date = datetime.fromisoformat(value.text)
    except ValueError:
        return None
    return Decimal((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())


def _is_key(value: Value) -> bool:
    """Whether a value is a random key, rather than a word."""
    if value.kind != "text" or len(re.findall(r"\d+", value.text)) < 3:
        return False
    is_word = not CHANGE_WORDS.isdisjoint(words_of(value.text))
    return bool(_HEX.fullmatch(value.text)) or (bool(_KEY.fullmatch(value.text)) and not is_word)
