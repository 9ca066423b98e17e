"""What a worker process does: it runs the skill for one row after another in one browser."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from skillbook.errors import RowNotGranted, SkillbookError
from skillbook.io_thread import io
from skillbook.policy.secrets import store as secrets
from skillbook.scale.claims import announce, claim, first_effect
from skillbook.scale.preflight import host_name, require_fit
from skillbook.scale.rows import RowResult, Status
from skillbook.scale.worker_browser import worker_browser
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.templates import Value
from skillbook.skill.replay.replayer import run_skill
from skillbook.skill.replay.skill_result import SkillResult

_GONE = {"connection_lost", "not_connected"}
"""Errors after which nobody knows what the browser still did."""


@dataclass(frozen=True)
class Job:
    """What every row of a map has in common.

    Parameters
    ----------
    spec : the skill as JSON.
    claims : the name under which claims are answered.
    version : of skillbook, at the client.
    approve : the skill's digest, if a person approved its steps that can't be undone.
    launch : options of `sb.launch`.
    """

    spec: str
    claims: str
    version: str
    approve: str | None = None
    launch: dict[str, Any] = field(default_factory=dict)


_lock = threading.Lock()


def run_row(job: Job, key: str, inputs: dict[str, Any]) -> RowResult:
    """Run the skill for one row; one at a time in a process.

    Raises
    ------
    HostUnfit : nothing of the row was begun, since no browser can be had here.
    """
    from distributed import get_client, get_worker

    client, worker = get_client(), str(get_worker().name)
    with _lock:
        spec = SkillSpec.model_validate_json(job.spec)
        require_fit(job.version, spec.all_secrets, job.launch)
        announce(client, job.claims, key, host_name())
        started = time.perf_counter()
        result = _Row(job, spec, key, inputs, client).run()
        result.worker, result.host = worker, host_name()
        result.elapsed_ms = (time.perf_counter() - started) * 1000
        return result


class _Row:
    """One attempt at a row."""

    def __init__(self, job: Job, spec: SkillSpec, key: str, inputs: dict[str, Any], client: Any) -> None:
        self._job, self._spec, self._key, self._inputs, self._client = job, spec, key, inputs, client
        self._attempt = uuid.uuid4().hex
        self._first: int | None = None
        self._claimed = False

    def run(self) -> RowResult:
        outcome, url, refused = SkillResult(self._spec.name), "", None
        try:
            values = bind_inputs(self._spec, self._inputs)
            self._first = first_effect(self._spec, values, self._job.approve)
            url = self._replay(values, outcome)
        except SkillbookError as error:
            outcome.ok, outcome.error = False, outcome.error or error
        if isinstance(outcome.error, RowNotGranted):
            refused = outcome.error.data["status"]
        frame = outcome.frame if outcome.frames else None
        why = secrets.redact_kept(outcome.error.message if outcome.error else "")
        return RowResult(
            refused or self._status(outcome), why, frame, dict(outcome.values), secrets.redact_kept(url)
        )

    def _replay(self, values: dict[str, Value], outcome: SkillResult) -> str:
        page = worker_browser(self._job.launch).open("about:blank")
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
                    before_step=self._before_step,
                )
            )
            return page.url
        finally:
            page.close()

    async def _before_step(self, number: int) -> None:
        """Claim the row before the first step that mustn't happen twice."""
        if self._claimed or self._first is None or number < self._first:
            return
        why = await asyncio.to_thread(
            claim, self._client, self._job.claims, self._key, host_name(), self._attempt
        )
        if why:
            status: Status = "cancelled" if why.startswith("the map") else "unknown"
            raise RowNotGranted(why, status=status)
        self._claimed = True

    def _status(self, outcome: SkillResult) -> Status:
        if outcome.ok:
            return "ok"
        lost = outcome.error is not None and outcome.error.code in _GONE
        return "unknown" if lost and self._claimed else "failed"
