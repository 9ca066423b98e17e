"""What a step's reading gives: facts as their types, rows of the page and of those that follow it."""

from __future__ import annotations

import asyncio
import numbers
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillbook.errors import ExtractionError, PageNavigated, ReplayFailed, SkillbookError
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.escape import clean
from skillbook.session.actions.result import ActionResult
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import BOOLS, FLOAT, INT, SkillOutput
from skillbook.skill.model.spec_steps import Extract, SkillStep
from skillbook.skill.model.templates import Value, fill_selector

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.extraction.frames.row_log import RowLog
    from skillbook.extraction.walking.partial_result import PartialResult


def typed(value: Any, output: SkillOutput) -> Any:
    """What a page gives, as the output's type.

    Raises ReplayFailed: it is none of that type; nothing is guessed.
    """
    if output.type == "any" or (output.type == "bool" and isinstance(value, bool)):
        return value
    text = clean(str(value)) if value is not None else ""
    if output.type == "str" and value is not None:
        return text
    if output.type == "bool" and text.casefold() in BOOLS:
        return BOOLS[text.casefold()]
    if output.type == "int" and INT.fullmatch(text):
        return int(text)
    if output.type == "float" and (INT.fullmatch(text) or FLOAT.fullmatch(text)):
        return float(text)
    raise ReplayFailed(
        f"{output.name} is {text!r} on the page, which is no {output.type}",
        hint="look at the page, or change the output's type in replay.yaml",
    )


def check_columns(spec: SkillSpec, frames: Sequence[pd.DataFrame]) -> None:
    """Make sure that the rows have the columns that the skill says, with their types.

    Raises ReplayFailed: a column is missing, or holds something of another type.
    """
    facts = {step.output.name for step in spec.all_steps if step.output is not None}
    if not any(len(frame) for frame in frames):
        return
    for output in spec.outputs:
        if output.name in facts:
            continue
        columns = [frame[output.name] for frame in frames if output.name in frame.columns]
        if not columns:
            raise ReplayFailed(
                f"no rows have the column {output.name!r} that {spec.name} gives",
                hint="look at the page, or take the column out of the skill's outputs",
            )
        wrong = [value for column in columns for value in column.dropna() if not _is_of(value, output)]
        if wrong:
            raise ReplayFailed(
                f"{output.name} is {str(wrong[0])[:80]!r} in {len(wrong)} rows, which is no {output.type}",
                hint="look at the page, or change the output's type in replay.yaml",
            )


def _is_of(value: Any, output: SkillOutput) -> bool:
    """Whether a cell holds a value of an output's type; whole numbers count as float."""

    if output.type == "any":
        return True
    if output.type == "str":
        return isinstance(value, str)
    is_bool = isinstance(value, bool) or type(value).__name__ == "bool"
    if output.type == "bool":
        return is_bool
    if output.type == "int":
        return not is_bool and isinstance(value, numbers.Integral)
    return not is_bool and isinstance(value, numbers.Real)


_NOT_YET = {ExtractionError.code, PageNavigated.code}


@dataclass(frozen=True)
class ReplaySource:
    """A page as extraction sees it during a replay: what it does there is the replay's doing.

    check: refuses an address that the skill may not act on.
    key: the replay's id, for the journal.
    page: the `Page` on which the rows' cells can be shown again.
    """

    driver: PageDriver
    check: Callable[[str, str], None]
    key: str
    page: Any = None

    network = None
    """A replay's rows are those that the page shows, whatever its answers have."""

    def row_log(self) -> RowLog:
        """Where rows are kept while they are read."""
        from skillbook.extraction.frames.row_log import RowLog

        return RowLog.of(self.driver.browser.settings, self.driver.url)

    async def act(self, command: str, target: Any = None, **params: Any) -> ActionResult:
        """Do something on the page."""
        if command != "scroll":
            self.check(str(params.get("url") or self.driver.url), command)
        return await self.driver.act(command, target, actor="replay", run=self.key, **params)

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Send a command without looking at what it changed."""
        return await self.driver.run(command, params, actor="replay", run=self.key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.driver, name)


async def run_extract(
    source: ReplaySource, step: SkillStep, inputs: Mapping[str, Value], *, keep: Callable[[pd.DataFrame], Any]
) -> pd.DataFrame:
    """Read the rows that a step names, once network and DOM are at rest; they are waited for as long as checks are.

    keep: called with the frame; also with what was read until then, where the walk fails or is stopped.
    Raises ExtractionError: nothing to read, a page could not be reached, or the page claims to have more rows.
    """
    from skillbook.extraction.frames.completeness import partial
    from skillbook.extraction.frames.make import make_frame
    from skillbook.extraction.walking.partial_result import PartialResult

    deadline = time.monotonic() + CAUSE_SECONDS
    await source.settled("rest", CAUSE_SECONDS)
    while True:
        so_far = PartialResult(log=source.row_log())
        try:
            frame = await _extract(source, step.extract or Extract(), inputs, so_far)
        except (SkillbookError, asyncio.CancelledError) as error:
            if so_far.rows:
                read = partial(so_far.pages, len(so_far.rows), str(error) or "stopped")
                run = so_far.end(read)
                keep(make_frame(so_far.columns, so_far.rows, page=source.page, completeness=read, run=run))
            elif getattr(error, "code", "") in _NOT_YET and await _changes(source, deadline):
                continue
            raise
        if not len(frame) and await _changes(source, deadline):
            continue  # what said that there are none may have been of before
        keep(frame)
        if not frame.skillbook.complete and not _may_lack(step.extract or Extract(), frame):
            raise ExtractionError(
                f"not all rows were read: {frame.skillbook.reason}",
                hint="the result's frame has those that were; `allow_partial: true` in the step accepts them",
            )
        return frame


def _may_lack(extract: Extract, frame: pd.DataFrame) -> bool:
    """Whether what a frame lacks was lacking in the recording, too, or is accepted whatever it is."""
    broken = {check.law for check in frame.skillbook.evidence.broken}
    return extract.allow_partial or (bool(broken) and broken <= set(extract.leftover))


async def _changes(source: ReplaySource, deadline: float) -> bool:
    """Whether the page changes before the deadline, so that rows may have come."""
    seen = source.driver.latest
    if seen is None or not await source.changed_since(seen, deadline - time.monotonic()):
        return False
    await source.settled("rest", max(deadline - time.monotonic(), 0.0))
    return True


async def _extract(
    source: ReplaySource, wanted: Extract, inputs: Mapping[str, Value], so_far: PartialResult
) -> pd.DataFrame:
    from skillbook.extraction.driver import extract_frame

    fields = wanted.fields
    return await extract_frame(
        source,
        {column: fill_selector(text, inputs) for column, text in fields.items()} if fields else None,
        within=fill_selector(wanted.within, inputs) if wanted.within else None,
        next=fill_selector(wanted.next, inputs) if isinstance(wanted.next, str) else wanted.next,
        max_pages=wanted.max_pages,
        scroll=wanted.scroll,
        so_far=so_far,
        page=source.page,
    )
