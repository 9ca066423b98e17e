"""What must hold after a step, looked at until it does or its time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from urllib.parse import unquote_plus

from skillbook.errors import SkillbookError
from skillbook.perception.escape import clean
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model import Check
from skillbook.skill.model.templates import Value, fill_selector, fill_text, has_parts

_MOVING = {"page_navigated", "page_unreachable", "timeout"}


ReadValue = Callable[[Snapshot], str | None]
"""Gives the value of the step's target in a snapshot, or None."""


def url_matches(pattern: str, url: str, inputs: Mapping[str, Value]) -> bool:
    """Whether a decoded address fits a pattern with `*` and placeholders; a fragment counts only where it has one."""
    wanted = fill_text(unquote_plus(pattern), inputs, encode=lambda text: text.replace("*", "\0"))
    actual = url if "#" in pattern else url.partition("#")[0]
    parts = [part.replace("\0", "*") for part in wanted.split("*")]
    return has_parts(unquote_plus(actual), parts)


def failing(
    check: Check,
    snapshot: Snapshot,
    inputs: Mapping[str, Value],
    *,
    value_of: ReadValue | None = None,
    rows: int | None = None,
) -> str | None:
    """What of a check doesn't hold on a snapshot, in words; None where all of it does."""
    if check.url is not None and not url_matches(check.url, snapshot.url, inputs):
        return f"the address is {snapshot.url}, not {fill_text(check.url, inputs)}"
    if check.present is not None:
        selector = fill_selector(check.present, inputs)
        if not snapshot.find_all(selector):
            return f"nothing matches {selector}"
    if check.absent is not None:
        selector = fill_selector(check.absent, inputs)
        if snapshot.find_all(selector):
            return f"{selector} is still there"
    if check.text is not None:
        text = fill_text(check.text, inputs)
        if not snapshot.has_text(text):
            return f"the page doesn't show {text!r}"
    if check.value is not None:
        wanted, held = fill_text(check.value, inputs), value_of(snapshot) if value_of else None
        if held is None or clean(held) != clean(wanted):
            return f"the field holds {held!r}, not {wanted!r}"
    if check.rows is not None and (rows or 0) < check.rows:
        return f"{rows or 0} rows were read, not at least {check.rows}"
    return None


def in_words(check: Check, inputs: Mapping[str, Value], rows: int | None = None) -> str:
    """What was seen where a check held, in words."""
    said = []
    if check.url is not None:
        said.append(f"the address is {fill_text(check.url, inputs)}")
    if check.present is not None:
        said.append(f"{fill_selector(check.present, inputs)} is there")
    if check.absent is not None:
        said.append(f"{fill_selector(check.absent, inputs)} is gone")
    if check.text is not None:
        said.append(f"the page shows {fill_text(check.text, inputs)!r}")
    if check.value is not None:
        said.append(f"the field holds {fill_text(check.value, inputs)!r}")
    if check.rows is not None:
        said.append(f"{rows or 0} rows were read")
    return ", ".join(said)


async def await_check(
    driver: PageDriver,
    check: Check,
    inputs: Mapping[str, Value],
    *,
    value_of: ReadValue | None = None,
    rows: int | None = None,
) -> str | None:
    """Look until a check holds; returns what doesn't hold when its time is up, else None."""
    deadline = time.monotonic() + check.within
    snapshot = driver.latest
    why: str | None = "the page can't be read"
    while True:
        if snapshot is not None:
            why = failing(check, snapshot, inputs, value_of=value_of, rows=rows)
            only_rows = check.rows is not None and len(check.model_dump(exclude_none=True)) == 2
            if why is None or only_rows:
                return why
        left = deadline - time.monotonic()
        if left <= 0:
            return why
        try:
            if snapshot is not None and not await driver.changed_since(snapshot, left):
                return why
            snapshot = await driver.snapshot(timeout=max(left, 0.1))
        except SkillbookError as error:
            if error.code not in _MOVING:
                raise
            snapshot = None
