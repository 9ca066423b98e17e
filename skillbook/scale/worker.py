"""What a worker process does: it runs the skill for one row after another in one browser."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from skillbook.errors import (
    ApprovalRequired,
    ClusterLost,
    NotAllowed,
    ReplayFailed,
    RowNotGranted,
    SkillbookError,
)
from skillbook.extraction.frames.row_sources import sources_of
from skillbook.io_thread import io
from skillbook.limits import CAUSE_SECONDS, READ_SECONDS
from skillbook.policy.secrets import store as secrets
from skillbook.policy.urls import origin_of
from skillbook.scale.claims import ClaimAsker, first_effect
from skillbook.scale.row_store import RowResult, Status
from skillbook.scale.worker_browser import (
    host_name,
    recycle_worker_browser,
    require_fit,
    worker_browser,
    worker_state,
)
from skillbook.session.page_driver import PageDriver
from skillbook.session.saved_state import SavedState
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.templates import Value, fill_url
from skillbook.skill.replay.replayer import run_skill
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.skill.replay.step_targets import small_screenshot

_GONE = {"connection_lost", "not_connected"}
"""Errors after which nobody knows what the browser still did."""


@dataclass(frozen=True)
class Job:
    """What every row of a map has in common.

    spec: the skill as JSON.
    claims: the name under which claims are answered.
    version: of skillbook, at the client.
    approve: the skill's digest, if a person approved its steps that can't be undone.
    launch: options of `sb.launch`.
    recycle: after how many rows, or seconds, a browser is replaced.
    """

    spec: str
    claims: str
    version: str
    approve: str | None = None
    launch: dict[str, Any] = field(default_factory=dict)
    recycle: tuple[int, float] = (500, 3600.0)


_lock = threading.Lock()


def _asker(job: Job, client: Any, key: str) -> ClaimAsker:
    return ClaimAsker(client, job.claims, key, host_name(), uuid.uuid4().hex)


def _redacted(value: Any) -> Any:
    return secrets.redact_kept(value) if isinstance(value, str) else value


def _asked_too_often(seconds: float) -> ReplayFailed:
    asks = f", and asks to wait {seconds:g} s" if seconds else ""
    return ReplayFailed(
        f"the site answered that it is asked too often{asks}",
        hint="more `retries` try the row again after that; `every` lets rows begin more slowly",
    )


def run_row(job: Job, key: str, inputs: dict[str, Any]) -> RowResult:
    """Run the skill for one row; one at a time in a process.

    Raises HostUnfit: nothing of the row was begun, since no browser can be had here.
    """
    from distributed import get_client, get_worker

    client, worker = get_client(), str(get_worker().name)
    with _lock:
        spec = SkillSpec.model_validate_json(job.spec)
        recycle_worker_browser(*job.recycle)
        state = worker_state(job.claims)
        require_fit(job.version, spec.all_secrets, job.launch)
        started = time.perf_counter()
        result = _Row(job, spec, inputs, _asker(job, client, key), state).run()
        result.worker, result.host = worker, host_name()
        result.elapsed_ms = (time.perf_counter() - started) * 1000
        return result


class _Row:
    """One attempt at a row."""

    def __init__(
        self,
        job: Job,
        spec: SkillSpec,
        inputs: dict[str, Any],
        asker: ClaimAsker,
        state: SavedState | None,
    ) -> None:
        self._job, self._spec, self._inputs, self._asker, self._state = job, spec, inputs, asker, state
        self._origin = ""
        self._screenshot = b""
        self._first: int | None = None
        self._claimed = False

    def run(self) -> RowResult:
        outcome, url, refused = SkillResult(self._spec.name), "", None
        try:
            values = bind_inputs(self._spec, self._inputs)
            self._first = first_effect(self._spec, values, self._job.approve)
            self._wait(values)
            url = self._replay(values, outcome)
        except SkillbookError as error:
            outcome.ok, outcome.error = False, outcome.error or error
        if isinstance(outcome.error, RowNotGranted):
            refused = outcome.error.data["status"]
        elif isinstance(outcome.error, ClusterLost):
            refused = "cancelled"
        frame = outcome.frame if outcome.has_rows else None
        facts = dict(outcome.values)
        if outcome.answer is not None and not (outcome.returned is not None and len(outcome.returned)):
            facts["value"] = outcome.answer
        why = secrets.redact_kept(outcome.error.message if outcome.error else "")
        result = RowResult(refused or self._status(outcome), why, frame, facts, secrets.redact_kept(url))
        result.is_final = isinstance(outcome.error, NotAllowed | ApprovalRequired)
        result.sources = sources_of(frame)
        if result.status != "ok":
            result.steps, result.screenshot = outcome.steps.map(_redacted).reset_index(), self._screenshot
        return result

    def _wait(self, values: dict[str, Value]) -> None:
        """Wait until a row may begin at its site; while it waits, the map may end, and then nobody answers."""
        self._origin = origin_of(fill_url(self._spec.start or "", values)) or ""
        while (seconds := self._asker.begin(self._origin)) > 0:
            time.sleep(min(seconds, READ_SECONDS))

    def _replay(self, values: dict[str, Value], outcome: SkillResult) -> str:
        browser = worker_browser(self._job.launch)
        if browser.driver.gateway.robots is not None:
            # How long the client may take to fetch a site's robots.txt and send it here.
            browser.driver.gateway.robots.fetch_by(self._asker.robots, CAUSE_SECONDS)
        page = browser.open("about:blank")
        try:
            io.sync(
                run_skill(
                    self._spec,
                    page.driver,
                    values,
                    start="always",
                    approve=self._job.approve,
                    result=outcome,
                    given=[str(value) for value in self._inputs.values()],
                    before_step=partial(self._before_step, page.driver),
                    state=self._state,
                )
            )
            return page.url
        finally:
            if not outcome.ok and (obstacle := io.sync(self._look(page.driver))):
                outcome.error = obstacle
            page.close()

    async def _look(self, driver: PageDriver) -> ReplayFailed | None:
        """Keep what a page looks like on which a row failed; have all workers wait if its site asks for that."""
        self._screenshot = await small_screenshot(driver)
        seconds = await self._rest(driver)
        return None if seconds is None or self._claimed else _asked_too_often(seconds)

    async def _rest(self, driver: PageDriver) -> float | None:
        """Have all workers wait as long as the page's site asks for; returns the seconds that are left.

        None if the page is no such answer. A page that is one still is one when its time is over.
        """
        seconds = None
        with suppress(SkillbookError):  # a page that can't be read asks for nothing
            seconds = await driver.retry_after()
        if seconds:
            await asyncio.to_thread(self._asker.rest, self._origin, seconds)
        return seconds

    async def _before_step(self, driver: PageDriver, number: int) -> None:
        """Claim the row before the first step that mustn't happen twice, unless its site asks to wait."""
        # Before the start there is no page of the row yet.
        if number and not self._claimed and (seconds := await self._rest(driver)) is not None:
            raise _asked_too_often(seconds)
        if self._claimed or self._first is None or number < self._first:
            return
        why = await asyncio.to_thread(self._asker.claim)
        if why:
            status: Status = "cancelled" if why.startswith("the map") else "unknown"
            raise RowNotGranted(why, status=status)
        self._claimed = True

    def _status(self, outcome: SkillResult) -> Status:
        if outcome.ok:
            return "ok"
        lost = outcome.error is not None and outcome.error.code in _GONE
        return "unknown" if lost and self._claimed else outcome.status
