"""What must hold after a step, looked at until it does or its time is up; and its requests that failed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from urllib.parse import unquote_plus

from skillbook.errors import PageClosed, ReplayFailed, SkillbookError
from skillbook.limits import READ_SECONDS
from skillbook.perception.escape import clean
from skillbook.perception.selectors import looked_for
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import FailedRequest, failed_requests
from skillbook.session.page.page_rest import Looking
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Check, SkillStep, shape_of
from skillbook.skill.model.templates import Value, fill_selector, fill_text, has_parts
from skillbook.skill.replay.skill_result import StepOutcome

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
        wanted, current = fill_text(check.value, inputs), value_of(snapshot) if value_of else None
        if current is None or clean(current) != clean(wanted):
            return f"the field holds {current!r}, not {wanted!r}"
    if check.rows is not None and (rows or 0) < check.rows:
        return f"{rows or 0} rows were read, not at least {check.rows}"
    return None


def way_past(check: Check, index: int) -> str:
    """What to try where a check of a step fails: it may be the skill that asks too much."""
    parts = [
        f"`{name}`"
        for name in type(check).model_fields
        if name != "within" and getattr(check, name) is not None
    ]
    place = f"under `expect` of step {index} in replay.yaml"
    if parts == ["`rows`"]:
        return f"look at the page; to accept fewer rows, or none, change `rows: {check.rows}` {place} to `rows: 0`"
    return f"look at the page, or change {' and '.join(parts)} {place}"


def in_words(check: Check, inputs: Mapping[str, Value], rows: int | None = None) -> str:
    """What was seen where a check held, in words."""
    parts = []
    if check.url is not None:
        parts.append(f"the address is {fill_text(check.url, inputs)}")
    if check.present is not None:
        parts.append(f"{fill_selector(check.present, inputs)} is there")
    if check.absent is not None:
        parts.append(f"{fill_selector(check.absent, inputs)} is gone")
    if check.text is not None:
        parts.append(f"the page shows {fill_text(check.text, inputs)!r}")
    if check.value is not None:
        parts.append(f"the field holds {fill_text(check.value, inputs)!r}")
    if check.rows is not None:
        parts.append(f"{rows or 0} rows were read")
    return ", ".join(parts)


async def await_check(
    driver: PageDriver,
    check: Check,
    inputs: Mapping[str, Value],
    *,
    value_of: ReadValue | None = None,
    rows: int | None = None,
) -> str | None:
    """Look until a check holds; returns what doesn't hold once the page is at rest or its time is up, else None."""
    deadline, looking = time.monotonic() + check.within, Looking(driver, check.within)
    selectors = [fill_selector(text, inputs) for text in (check.present, check.absent) if text is not None]
    read = partial(driver.snapshot_for, *selectors, texts=False)
    snapshot = await read() if looked_for(selectors, texts=False) else driver.latest
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
            if snapshot is not None and not await looking.more_comes(snapshot):
                return why
            snapshot = await read(timeout=max(left, READ_SECONDS))
        except SkillbookError as error:
            if error.code not in _MOVING:
                raise
            snapshot = None


class StepFailures:
    """What failed of each step's requests.

    spec: the skill, which says what failed when it was recorded.
    key: the replay's id, for the journal.
    counts: whether anything is made of them here.
    """

    def __init__(self, spec: SkillSpec, driver: PageDriver, key: str, *, counts: bool = True) -> None:
        self._driver, self._key, self._counts = driver, key, counts
        self._steps: dict[int, SkillStep | None] = {0: None, **dict(enumerate(spec.all_steps, 1))}
        self._left = {0: Counter(spec.fails)}
        self._doing = [0]
        self._began = [(driver.actions + 1, 0)]
        self._judged: set[tuple[int, FailedRequest]] = set()

    def enter(self, index: int) -> None:
        """A step begins, perhaps inside of another one; again, if it is in a loop."""
        step = self._steps[index]
        began_before = any(known == index for _, known in self._began)
        if step is not None and (began_before or index not in self._left):
            self._left[index] = Counter(step.fails)
        self._doing.append(index)
        self._began.append((self._driver.actions + 1, index))

    def leave(self) -> None:
        """The step that began last ends."""
        self._doing.pop()
        self._began.append((self._driver.actions + 1, self._doing[-1]))

    async def check(self, outcomes: list[StepOutcome], *, waits: bool) -> None:
        """See that no request failed which didn't fail in the recording; a page that sends it again may do so.

        outcomes: those of the steps that were reported: one whose request failed since wasn't ok.
        waits: whether the answers to what the last step requested are awaited.
        Raises ReplayFailed: one did.
        """
        if waits and self._counts and not self._driver.closed:
            await self._driver.settled("answers")
        if self._first() is None:
            return
        with suppress(PageClosed):
            await self._driver.settled("rest")
        found = self._first()
        if found is None:
            return
        index, request = found
        self._judged.add((index, request))
        error = self._error(index, request)
        for place, outcome in enumerate(outcomes):
            if outcome.index == index and outcome.status == "ok":
                outcomes[place] = replace(outcome, status="failed", error=error.message)
        raise error

    def words(self) -> str:
        """What failed and didn't fail in the recording, in words; empty for nothing."""
        found = self._first()
        return "" if found is None else f"; {found[1]} was requested, and failed"

    def _first(self) -> tuple[int, FailedRequest] | None:
        """The first failure that the skill doesn't name; it names each as often as it came in the recording."""
        for act in self._driver.acts.since(self._began[0][0]) if self._counts else ():
            index = next(index for first, index in reversed(self._began) if first <= act.number)
            step = self._steps[index]
            for request in failed_requests([act]):
                if (index, request) in self._judged or (step is not None and step.optional):
                    continue
                if not self._takes(index, request):
                    return index, request
                self._judged.add((index, request))
        return None

    def _takes(self, index: int, request: FailedRequest) -> bool:
        """Whether the skill says that this step's request failed, or an earlier one's; reports may come a step late."""
        following = self._steps.get(index + 1)
        if following is not None and index + 1 not in self._left:
            self._left[index + 1] = Counter(following.fails)
        for number in (index, index + 1, *range(index - 1, -1, -1)):
            left = self._left.get(number, Counter())
            for shape in left:
                if left[shape] > 0 and shape_of(shape).matches(request):
                    left[shape] -= 1
                    return True
        return False

    def _error(self, index: int, request: FailedRequest) -> ReplayFailed:
        step: SkillStep | None = self._steps[index]
        what = "it was started" if step is None else f"step {index} ({step.note or step.command}) was done"
        if index and index == self._doing[-1]:  # which one it is, the error says anyway
            what = "it was done"
        shape = " ".join(request.shape)
        place = f"step {index}" if index else "the skill"
        return ReplayFailed(
            f"{what}, but its request failed: {request}",
            hint=f"look at the page. If that belongs to it, give {place} in replay.yaml `fails: ['{shape}']`",
            request=str(request),
        )
