"""What a page sends by itself, so that the same request later needs no question.

The same request is: method, address, headers, names and values are the same. A number or a time may differ only within
what was seen: between the least and the most, a step further where it went up, or the time at which it is sent. A
random key may, where it was another one each time. A word never may, for it can say what is to be done. All of them
must agree with one another, too: what was `read 1` and `delete 2` isn't `delete 1`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal

from skillbook.policy.labels import CHANGE_WORDS, words_of
from skillbook.policy.request_bodies import Place, Value
from skillbook.policy.request_shape import Freedom, RequestShape

_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?")
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

    def takes(self, value: Value, known: Value) -> bool:
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
    if _NUMBER.fullmatch(value.text):
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
