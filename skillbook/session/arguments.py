"""What a caller gives, checked before anything is looked for: seconds, texts, names of facts and states."""

from __future__ import annotations

import math
from collections.abc import Collection
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from skillbook.errors import InvalidParams
from skillbook.limits import PERSON_SECONDS
from skillbook.protocol.refs import names_keys
from skillbook.warning import warn_user


def checked_seconds(seconds: object, name: str = "timeout") -> float | None:
    """A time as a caller gave it; None stays None.

    Raises InvalidParams: it is negative, or no number.
    """
    if seconds is None:
        return None
    number = float(seconds) if isinstance(seconds, Real) else math.nan
    if not 0 <= number < math.inf:
        raise InvalidParams(
            f"{name}={seconds!r}: a number of seconds is wanted, 0 or more",
            hint=f"leave {name} out for the default; 0 doesn't wait",
        )
    if number > PERSON_SECONDS:
        warn_user(f"{name}={number:g} is {number / 60:.0f} minutes: seconds, not milliseconds?")
    return number


def key_and_target(key: Any, target: Any) -> tuple[Any, Any]:
    """The key and the target of `press`, in whichever order they were given: only one of them names a key.

    Raises InvalidParams: the key is no text.
    """
    if target is not None and names_keys(target) and not names_keys(key):
        key, target = target, key
    if not isinstance(key, str):
        raise InvalidParams(
            f"press: {key!r} isn't a key's name", hint="page.press('Enter'), page.press(target, 'Enter')"
        )
    return key, target


OBSERVED = frozenset({"network", "metrics"})


def checked_observe(observe: str | Collection[str]) -> frozenset[str]:
    """What is wanted of every action of a page: its "network", its "metrics".

    Raises InvalidParams: it is anything else.
    """
    wanted = frozenset([observe] if isinstance(observe, str) else observe)
    if unknown := wanted - OBSERVED:
        raise InvalidParams(
            f"observe={observe!r}: nothing is known of {', '.join(map(repr, sorted(map(str, unknown))))}",
            hint="'network', 'metrics' or both",
        )
    return wanted


def typed_text(value: object, name: str) -> str:
    """What is typed for a value: a text (a `Secret` is one), or a finite number.

    value: as a caller gave it, perhaps a cell of a table.
    Raises InvalidParams: it is anything else, such as None, nan or a date.
    """
    if isinstance(value, str):
        return value
    number = None if isinstance(value, bool) else value
    if isinstance(number, Integral):
        return str(int(number))
    if isinstance(number, Real) and math.isfinite(number):
        return str(float(number))
    raise InvalidParams(
        f"{name} is {value!r}: only a text, a finite number or a sb.secret can be typed",
        hint="write it as the field wants it, such as str(value); page.clear(target) empties a field",
        field=name,
    )


def checked_word(method: str, word: str, known: Collection[str]) -> str:
    """The first argument of a call whose target comes second.

    method: the call, such as "page.get".
    Raises InvalidParams: it isn't one of them.
    """
    if word in known:
        return word
    near = get_close_matches(str(word), known, 1)
    hint = f"{near[0]!r} is near" if near else f"one of {', '.join(sorted(known))}"
    raise InvalidParams(
        f"{method} knows no {word!r}; the order is {method}(what, target)", hint=hint, field="what"
    )
