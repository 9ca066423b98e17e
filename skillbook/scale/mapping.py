"""`skill.map`: a skill for every row of inputs, on a Dask cluster with one browser a worker."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import skillbook
from skillbook.config import load_settings
from skillbook.errors import (
    InvalidSkill,
    NotAllowed,
    RunInterrupted,
    SkillbookError,
    SkillError,
    SkillNotApproved,
)
from skillbook.io_thread import io
from skillbook.policy.urls import origin_of
from skillbook.scale.claims import Claims, Pace, first_effect
from skillbook.scale.row_runs import RowRuns
from skillbook.scale.row_store import RowResult, key_of, open_store
from skillbook.scale.worker import Job
from skillbook.scale.worker_browser import check_workers, state_to_hand
from skillbook.session.browser_driver import open_drivers
from skillbook.session.out_of_bounds import Robots
from skillbook.skill.consent.consent_summary import reached
from skillbook.skill.model.inputs import Empty, bind_inputs, is_blank, merge_inputs
from skillbook.skill.model.spec import SkillSpec

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.skill.facade import Skill

Progress = Callable[[int, int, RowResult], None]
_COLUMNS = (
    "status",
    "error",
    "rows",
    "attempts",
    "elapsed_ms",
    "url",
    "worker",
    "host",
    "frame",
    "steps",
    "screenshot",
)
_UNBEGUN = RowResult("cancelled", "the map ended before it was begun", attempts=0)


def map_skill(
    skill: Skill,
    inputs: Any,
    client: Any = None,
    workers: int = 2,
    *,
    folder: Path | str | None = None,
    retries: int = 1,
    approve: str | None = None,
    progress: Progress | bool = True,
    launch: Mapping[str, Any] | None = None,
    every: float = 0.0,
    recycle: tuple[int, float] = (500, 3600.0),
    empty: Empty = "refuse",
) -> pd.DataFrame:
    """Run a skill for every row of inputs; see `Skill.map`."""
    import pandas as pd

    from skillbook.scale.worker_browser import BrowserPlugin

    is_table = isinstance(inputs, pd.DataFrame)
    rows = _inputs_alone(skill.spec, _records(inputs)) if is_table else [dict(row) for row in inputs]
    table = inputs if is_table else pd.DataFrame(rows)
    given = [merge_inputs(row, {}, empty) for row in rows]
    refused = _check(skill, given, approve)
    fit = [row for place, row in enumerate(given) if place not in refused]
    state = state_to_hand(skill.spec, fit, launch or {})
    _check_sites(skill.spec, fit, launch or {})
    store = open_store(folder)
    keys = [key_of(skill.digest, place, row) for place, row in enumerate(given)]

    def framed(results: Mapping[str, RowResult]) -> pd.DataFrame:
        done = _frame(table, [results[key] for key in keys])
        return done.assign(defaulted=_left_out(rows, given)) if empty == "default" else done

    robots = Robots()
    claims = Claims(store, Pace(max(every, *_crawl_delays(robots, skill.spec))), robots)
    job = Job(
        skill.spec.model_dump_json(), claims.name, skillbook.__version__, approve, dict(launch or {}), recycle
    )
    with ExitStack() as stack:
        connected, link = _connected(stack, client, workers, lambda: framed(dict.fromkeys(keys, _UNBEGUN)))
        report = stack.enter_context(_reporting(progress, len(keys), link))
        by_key = dict(zip(keys, given, strict=True))
        record_of = partial(_record_of, skill.spec, approve)
        runs = RowRuns(connected, job, store, claims, by_key, retries, report, record_of)
        for place, why in refused.items():
            runs.refuse(keys[place], why)
        thread = claims.serve(connected)
        stack.callback(_end_claims, claims, thread)
        try:
            handed = state and replace(state, source=f"{state.source} of {claims.name}")
            stack.callback(_take_out, connected, claims.name)
            connected.register_plugin(BrowserPlugin(claims.name, handed), name=claims.name)
            check_workers(connected, job.version, skill.spec.all_secrets, job.launch)
            return framed(runs.run())
        except BaseException as error:
            raise _ended(error, framed(runs.stop())) from error


def _end_claims(claims: Claims, thread: Thread) -> None:
    """Grant nothing more, and end the thread that answers."""
    claims.close()
    thread.join(2)


def _take_out(client: Any, name: str) -> None:
    """Take a map's plugin out of the cluster; what ended the map stays what it raises.

    A map that was stopped early hadn't put it there yet, and a worker that was interrupted as well says so here.
    """
    with suppress(Exception, KeyboardInterrupt):
        if client.status == "running":
            client.unregister_worker_plugin(name)


def _inputs_alone(spec: SkillSpec, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a table without the columns that are no inputs: the result has those, too.

    A column stays, and is refused, that may be meant for an input which isn't given; so do all where none is an input.
    """
    known = [one.name for one in spec.inputs]
    columns = list(rows[0]) if rows else []
    unset = [name for name in known if name not in columns]
    for column in columns:
        if column not in known and get_close_matches(column.casefold(), unset, 1):
            return rows
    given = [name for name in columns if name in known]
    return [{name: row[name] for name in given} for row in rows] if given else rows


def _record_of(spec: SkillSpec, approve: str | None, row: Mapping[str, Any]) -> Hashable:
    """What names the record that a row changes; None where nothing is changed, or no input says which record it is."""
    names = sorted(spec.record_inputs - {"site"})
    try:
        changes = first_effect(spec, bind_inputs(spec, row), approve) is not None
    except SkillError:
        return None
    return tuple(str(row.get(name, "")) for name in names) if names and changes else None


def _left_out(rows: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]) -> list[str]:
    """By row, the names of its inputs that aren't given, since their cells are blank."""
    pairs = zip(rows, given, strict=True)
    return [", ".join(name for name in row if name not in kept) for row, kept in pairs]


def _crawl_delays(robots: Robots, spec: SkillSpec) -> list[float]:
    """The seconds that the skill's sites ask programs to wait between two pages."""
    if not load_settings().robots:
        return [0.0]

    async def ask() -> list[float]:
        return [await robots.crawl_delay(origin) for origin in spec.all_origins if "${" not in origin]

    return [0.0, *io.sync(ask())]


def _ended(error: BaseException, frame: pd.DataFrame) -> BaseException:
    """What ended a map, with the rows so far in `frame` and their number in words."""
    count = frame[_column(frame, "status")].value_counts()
    counted = (
        f"{count.get('ok', 0)} rows are done, {count.get('failed', 0)} failed, "
        f"{count.get('sent, not confirmed', 0)} were sent and not confirmed, {count.get('unknown', 0)} were under "
        f"way (unknown), {count.get('cancelled', 0)} were cancelled; `error.frame` has them"
    )
    ended: BaseException = error
    if isinstance(error, KeyboardInterrupt):
        ended = RunInterrupted(f"The map was stopped: {counted}.")
    elif isinstance(error, SkillbookError):
        error.message = f"{error.message}; {counted}"
    else:
        error.add_note(counted)
    ended.frame = frame  # type: ignore[attr-defined]
    return ended


def _column(frame: pd.DataFrame, name: str) -> str:
    """A column of ours: it has another name if the inputs have that one."""
    return f"result_{name}" if f"result_{name}" in frame else name


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Each row's inputs as plain values; a column of whole numbers that blanks turned into floats is whole again."""
    for name, column in table.items():
        if column.dtype.kind == "f" and column.isna().any() and (column.dropna() % 1 == 0).all():
            table = table.assign(**{str(name): column.astype("Int64")})
    return [
        {str(name): getattr(value, "item", lambda value=value: value)() for name, value in record.items()}
        for record in table.to_dict("records")
    ]


def _check(skill: Skill, rows: Sequence[Mapping[str, Any]], approve: str | None) -> dict[int, str]:
    """Refuse before anything is done: a prompt, a version nobody approved, a row that has no right inputs."""
    if not skill.spec.replays:
        raise InvalidSkill(f"{skill.name} is a prompt for an agent", hint="only recorded steps are mapped")
    if not skill.approved and approve != skill.digest:
        raise SkillNotApproved(
            f"nobody has approved this version of {skill.name}. {skill.wants}",
            name=skill.name,
            digest=skill.digest,
        )
    refused: dict[int, SkillError] = {}
    for place, row in enumerate(rows):
        try:
            bind_inputs(skill.spec, row)
        except SkillError as error:
            error.message = f"row {place}: {error.message}"
            if not is_blank(row.get(error.data.get("input", ""), "")):
                raise
            refused[place] = error
    if refused and len(refused) == len(rows):
        raise refused[0]
    return {place: f"{error.message}; {error.hint}" for place, error in refused.items()}


def _check_sites(spec: SkillSpec, rows: Sequence[Mapping[str, Any]], launch: Mapping[str, Any]) -> None:
    """Refuse rows of several sites that nobody allowed: one site for all rows is written in code, as an address is."""
    defaults = {one.name: one.default for one in spec.inputs if one.default is not None}
    known = {*reached(spec, defaults), *filter(None, map(origin_of, launch.get("allow", ())))}
    known |= {origin for driver in open_drivers() for origin in driver.gateway.policy.allowed}
    of_rows = {frozenset(reached(spec, bind_inputs(spec, row))) for row in rows}
    new = sorted(frozenset().union(*of_rows) - known)
    if new and len(of_rows) > 1:
        raise NotAllowed(
            f"rows of {spec.name} go to {', '.join(new)}, for which nobody approved it",
            hint=f"if you want that, allow them: launch={{'allow': {new[:3]!r}}}",
            origins=new,
        )


def _connected(
    stack: ExitStack, client: Any, workers: int, unbegun: Callable[[], pd.DataFrame]
) -> tuple[Any, str]:
    """A client for the map; an interrupt while its workers start ends the map, too."""
    try:
        return stack.enter_context(_client(client, workers))
    except KeyboardInterrupt as error:
        raise _ended(error, unbegun()) from error


@contextmanager
def _client(client: Any, workers: int) -> Iterator[tuple[Any, str]]:
    from distributed import Client, LocalCluster

    if client is not None:
        yield client, client.dashboard_link
        return
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            # What becomes of each row says what matters; a slow machine's warnings would fill the notebook.
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as made,
    ):
        yield made, made.dashboard_link


@contextmanager
def _reporting(progress: Progress | bool, total: int, link: str) -> Iterator[Callable[[RowResult], None]]:
    """Report each row as it comes: to a function, or as a bar with the dashboard's address and one for each host."""
    done = 0
    if callable(progress):

        def call(result: RowResult) -> None:
            nonlocal done
            done += 1
            progress(done, total, result)

        yield call
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), disable=not progress, transient=True) as bar:
        task = bar.add_task(f"{total} rows, {link}", total=total)
        hosts: dict[str, tuple[Any, Counter[str]]] = {}

        def show(result: RowResult) -> None:
            bar.advance(task)
            host = result.host or "no host"
            if host not in hosts:
                hosts[host] = bar.add_task("", total=total), Counter()
            line, counts = hosts[host]
            counts[result.status] += 1
            counted = ", ".join(f"{count} {status}" for status, count in counts.items())
            bar.update(line, advance=1, description=f"  {host}: {counted}")

        yield show


class _Jpeg(bytes):
    """An image that a printed table shows by its size alone."""

    def __repr__(self) -> str:
        return f"<JPEG, {len(self):,} bytes>" if self else ""

    __str__ = __repr__


def _frame(table: pd.DataFrame, results: Sequence[RowResult]) -> pd.DataFrame:
    """The inputs with what became of each row, its facts, and the rows that it read in `frame`."""
    import pandas as pd

    # A skill whose code returns rows returned none of them where its value is an empty list: `frame` says so.
    facts = list(
        dict.fromkeys(name for one in results for name, value in (one.values or {}).items() if value != [])
    )
    columns: dict[str, list[Any]] = {
        name: [(result.values or {}).get(name) for result in results] for name in facts
    }
    for name in _COLUMNS:
        if name == "rows":
            columns[name] = [0 if result.frame is None else len(result.frame) for result in results]
        else:
            field = "known_frame" if name == "frame" else name
            columns[name] = [getattr(result, field) for result in results]
    columns["screenshot"] = [_Jpeg(image) for image in columns["screenshot"]]
    taken = set(table.columns)
    named = {f"result_{name}" if name in taken else name: column for name, column in columns.items()}
    return pd.concat([table, pd.DataFrame(named, index=table.index)], axis=1)
