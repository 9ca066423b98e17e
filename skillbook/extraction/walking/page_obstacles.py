"""What a site shows in place of the next page: that it is busy, that something failed, or a form to sign in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus

from skillbook import lexicon
from skillbook.extraction.frames.completeness import MOST_TEXTS
from skillbook.extraction.readable_page import PageReading
from skillbook.limits import READ_SECONDS
from skillbook.perception.escape import clean
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.page.act_requests import ActRequests

LEAST_WAIT = 1.0  # where a server asks for none
LONGEST_WAIT = 120.0
MOST_WAITS = 3  # for one page
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_LONGEST_SENTENCE = 200  # characters


@dataclass(frozen=True)
class Obstacle:
    """Why a page is no page of rows.

    Parameters
    ----------
    why : what it is, in words.
    is_busy : whether it may be gone after a while.
    seconds : how long the page or its server asks to wait; None where neither says.
    """

    why: str
    is_busy: bool = False
    seconds: float | None = None

    def seconds_to_wait(self, waited: int) -> float | None:
        """How long to wait before the page is asked for again; None where that is too long or too often."""
        # waited at first where the page says nothing; then twice as long each time
        seconds = READ_SECONDS * 2**waited if self.seconds is None else self.seconds
        return seconds if self.is_busy and waited < MOST_WAITS and seconds <= LONGEST_WAIT else None


async def obstacle_on(
    page: PageReading, snapshot: Snapshot, was_signed_in: bool, *, is_new: bool = True
) -> Obstacle | None:
    """What stands in the way of reading a page that was just opened; None where nothing does.

    is_new: it is another document than the one before, with a status of its own.
    was_signed_in: the first page had no password field, so that one on a later page asks to sign in.
    """
    status = await page.status() if is_new else 0
    if status in _BUSY:
        retry_after = await page.retry_after()
        seconds = seconds_to_wait(snapshot) if retry_after is None else max(retry_after, LEAST_WAIT)
        too_long = (
            f" and asks to wait {seconds:g} s" if seconds is not None and seconds > LONGEST_WAIT else ""
        )
        return Obstacle(f"the site answered {named(status)}{too_long}", True, seconds)
    if status >= HTTPStatus.BAD_REQUEST:
        return Obstacle(f"the site answered {named(status)}")
    if was_signed_in and has_password_field(snapshot):
        return Obstacle("the page asks to sign in")
    return None


def busy_message_in(snapshot: Snapshot) -> Obstacle | None:
    """What a page says that has no new rows because it was asked too often; None where it says no such thing."""
    for text in _short_texts(snapshot):
        if lexicon.matches("too_many_requests", text):
            return Obstacle(f"the page says {text[:80]!r}", True, seconds_to_wait(snapshot))
    return None


def new_message_in(snapshot: Snapshot, before: Snapshot) -> str:
    """What a page says since it was last looked at that something failed; "" where it says no such thing."""
    known = set(_short_texts(before))
    errors = (
        text
        for text in _short_texts(snapshot)
        if text not in known and any(lexicon.matches(meaning, text) for meaning in ("error", "error_page"))
    )
    return next((f"the page says {text[:80]!r}" for text in errors), "")


def answer_failed(requests: ActRequests) -> Obstacle | None:
    """What the first request that failed came to, which a page's script sent for more rows; None where none did."""
    if not requests.failed:
        return None
    first = requests.failed[0]
    what = f"was answered {named(first.status)}" if first.status else f"broke ({first.error})"
    others = len(requests.failed) - 1
    more = f", and {others:,} more failed" if others else ""
    return Obstacle(f"a request for more {what}: {first.method} {first.url}{more}", first.status in _BUSY)


def has_password_field(snapshot: Snapshot) -> bool:
    """Whether there is a field for a password or another secret."""
    return any(flags & State.SECRET for flags in snapshot.columns.flags)


def named(status: int) -> str:
    """A status with its name."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def seconds_to_wait(snapshot: Snapshot) -> float | None:
    """After how many seconds a page says that it answers again."""
    for text in _short_texts(snapshot):
        if match := _when().search(lexicon.fold(text)):
            number, unit = match["number"] or match["first"], match["minutes"] or match["minutes_first"]
            return int(number) * (60.0 if unit else 1.0)
    return None


@cache
def _when() -> re.Pattern[str]:
    wait, minute = lexicon.alternation("wait_for"), lexicon.alternation("minute")
    second = lexicon.alternation("second")

    def time(number: str, minutes: str) -> str:
        return rf"(?P<{number}>(?<!\d)\d{{1,4}})\s*(?:(?P<{minutes}>m\b|{minute})|s\b|{second})"

    gap = r"[^.!?\d]{0,20}?"
    return re.compile(rf"{wait}{gap}{time('number', 'minutes')}|{time('first', 'minutes_first')}{gap}{wait}")


def _short_texts(snapshot: Snapshot) -> list[str]:
    columns = snapshot.columns
    texts = [columns.name[at] for at, role in enumerate(columns.role) if role == "text"][:MOST_TEXTS]
    return [clean(text) for text in texts if 0 < len(text) <= _LONGEST_SENTENCE]
