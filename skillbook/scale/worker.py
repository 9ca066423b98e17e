"""What a worker process does: it keeps one browser and runs the skill for one row after another."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillbook.errors import SkillbookError
from skillbook.io_thread import io
from skillbook.policy.secrets import store as secrets
from skillbook.scale.rows import RowResult, RowStore
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.replay.replayer import run_skill
from skillbook.skill.replay.skill_result import SkillResult

if TYPE_CHECKING:
    from skillbook.session.sync import Browser


@dataclass(frozen=True)
class Job:
    """What every row of a map has in common.

    Parameters
    ----------
    spec : the skill as JSON.
    folder : of the rows' results.
    once : whether a row may be begun once only.
    approve : the skill's digest, where a person approved its steps that can't be undone.
    launch : options of `sb.launch`.
    """

    spec: str
    folder: str
    once: bool
    approve: str | None = None
    launch: dict[str, Any] = field(default_factory=dict)


_lock = threading.Lock()
_browsers: list[Browser] = []


def run_row(job: Job, key: str, inputs: dict[str, Any]) -> RowResult:
    """Run the skill for one row; one at a time in a process. Its result is kept before it is returned."""
    with _lock:
        store = RowStore(job.folder)
        done = store.result(key)
        if done is not None and done.status == "ok":
            return done
        attempt = store.begin(key, once=job.once)
        if not attempt:
            return done or RowResult(
                "unknown", "the row was begun before, and doing it again could do it twice"
            )
        started = time.perf_counter()
        result = _run(job, inputs)
        result.attempts, result.worker = attempt, _worker_name()
        result.elapsed_ms = (time.perf_counter() - started) * 1000
        store.keep(key, result)
        return result


def _run(job: Job, inputs: dict[str, Any]) -> RowResult:
    spec = SkillSpec.model_validate_json(job.spec)
    outcome = SkillResult(spec.name)
    url = ""
    try:
        values = bind_inputs(spec, inputs)
        page = _browser(job.launch).open("about:blank")
        try:
            given = [str(value) for value in inputs.values()]
            io.sync(
                run_skill(
                    spec,
                    page.driver,
                    values,
                    start="always",
                    approve=job.approve,
                    result=outcome,
                    given=given,
                )
            )
            url = page.url
        finally:
            page.close()
    except SkillbookError as error:
        outcome.ok, outcome.error = False, outcome.error or error
    frame = outcome.frame if outcome.frames else None
    why = outcome.error.message if outcome.error else ""
    why, url = secrets.redact_kept(why), secrets.redact_kept(url)
    return RowResult("ok" if outcome.ok else "failed", why, frame, dict(outcome.values), url)


def _browser(options: dict[str, Any]) -> Browser:
    """The process's browser, started at the first row, and anew where it is gone."""
    import skillbook as sb

    process = _browsers[-1].driver.process if _browsers else None
    if process is not None and not process.alive:
        _browsers.pop()
    if not _browsers:
        _browsers.append(sb.launch(**options))
    return _browsers[-1]


def _worker_name() -> str:
    from distributed import get_worker

    try:
        return str(get_worker().name)
    except ValueError:
        return ""
