from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from skillbook.errors import ExtractionError
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActLog
from skillbook.session.page.page_rest import Settled
from skillbook.skill.model.spec_steps import Extract, SkillStep
from skillbook.skill.replay.step_outputs import run_extract
from tests.trees import snapshot

ROW = '  listitem setsize={0}\n    link "Item {1}" +\n    generic\n      "by Ann"\n'


class Source:
    """A page that never changes."""

    def __init__(self, claimed: int) -> None:
        self.text = "list\n" + "".join(ROW.format(claimed, n) for n in range(5))
        self.page = None
        self.acts = ActLog(str)

    async def act(self, command: str, target: Any = None, **params: Any) -> None:
        raise AssertionError("reading acts on nothing")

    async def status(self) -> int:
        return 200

    async def retry_after(self) -> float | None:
        return None

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        return False

    def row_log(self) -> None:
        return None

    async def snapshot(self) -> Snapshot:
        return snapshot(self.text)

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        return await self.snapshot()

    async def run(self, command: str, params: Any) -> dict[str, Any]:
        return {}  # nothing comes behind its rows

    async def settled(self, need: str = "rest", seconds: float | None = None) -> Settled:
        return Settled("rest")


async def run(claimed: int, **wanted: Any) -> list[pd.DataFrame]:
    kept: list[pd.DataFrame] = []
    step = SkillStep(command="extract", extract=Extract(**wanted))
    await run_extract(Source(claimed), step, {}, keep=kept.append)  # type: ignore[arg-type]
    return kept


async def test_fault_43_rows_that_are_not_all_fail_a_step_unless_it_allows_that() -> None:
    assert len((await run(5))[0]) == 5
    with pytest.raises(
        ExtractionError, match="not all rows were read: read 1 page, 5 rows; the page says 12"
    ):
        await run(12)
    (partly,) = await run(12, allow_partial=True)
    assert (len(partly), partly.skillbook.complete) == (5, False)


async def test_what_the_recording_lacked_too_fails_no_step() -> None:
    (partly,) = await run(12, leftover=["count"])
    assert (len(partly), partly.skillbook.complete) == (5, False)
    with pytest.raises(ExtractionError, match="not all rows were read"):
        await run(12, leftover=["text"])
