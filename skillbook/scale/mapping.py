"""`skill.map`: a skill for every row of inputs, on a Dask cluster with one browser a worker."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.errors import ConfigError, InvalidSkill, SkillError, SkillNotApproved
from skillbook.scale.rows import RowResult, RowStore, key_of
from skillbook.scale.worker import Job, run_row
from skillbook.skill.consent.wants import special_steps
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import Empty, bind_inputs, merge_inputs

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.skill.facade import Skill

Progress = Callable[[int, int, RowResult], None]
_COLUMNS = ("status", "error", "rows", "attempts", "elapsed_ms", "url", "worker", "frame")


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
    empty: Empty = "refuse",
) -> pd.DataFrame:
    """Run a skill for every row of inputs; see `Skill.map`."""
    import pandas as pd

    rows = _records(inputs) if isinstance(inputs, pd.DataFrame) else [dict(row) for row in inputs]
    table = inputs if isinstance(inputs, pd.DataFrame) else pd.DataFrame(rows)
    given = [merge_inputs(row, {}, empty) for row in rows]
    _check(skill, given, approve)
    with tempfile.TemporaryDirectory(prefix="skillbook-map-") as temporary:
        store = RowStore(folder or temporary)
        once = _only_once(skill.spec, approve)
        job = Job(
            skill.spec.model_dump_json(), str(store.folder.resolve()), once, approve, dict(launch or {})
        )
        keys = [key_of(skill.digest, place, row) for place, row in enumerate(given)]
        with _client(client, workers) as (connected, link), _reporting(progress, len(keys), link) as report:
            results = _run(connected, job, store, dict(zip(keys, given, strict=True)), retries, report)
    done = _frame(table, [results[key] for key in keys])
    if empty == "default":
        done["defaulted"] = [
            ", ".join(name for name in row if name not in kept) for row, kept in zip(rows, given, strict=True)
        ]
    return done


def _only_once(spec: SkillSpec, approve: str | None) -> bool:
    """Whether a second run of a row could do something a second time; what isn't listed is blocked, or approved."""
    return bool(special_steps(spec) or spec.all_sends or (spec.all_sends is None and approve is not None))


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Each row's inputs as plain values; a column of whole numbers that blanks turned into floats is whole again."""
    for name, column in table.items():
        if column.dtype.kind == "f" and column.isna().any() and (column.dropna() % 1 == 0).all():
            table = table.assign(**{str(name): column.astype("Int64")})
    return [
        {str(name): getattr(value, "item", lambda value=value: value)() for name, value in record.items()}
        for record in table.to_dict("records")
    ]


def _check(skill: Skill, rows: Sequence[Mapping[str, Any]], approve: str | None) -> None:
    """Refuse before anything is done: a prompt, a version nobody approved, a row that has no right inputs."""
    if not skill.spec.replays:
        raise InvalidSkill(f"{skill.name} is a prompt for an agent", hint="only recorded steps are mapped")
    if not skill.approved and approve != skill.digest:
        raise SkillNotApproved(
            f"nobody has approved this version of {skill.name}. {skill.wants}",
            name=skill.name,
            digest=skill.digest,
        )
    for place, row in enumerate(rows):
        try:
            bind_inputs(skill.spec, row)
        except SkillError as error:
            error.message = f"row {place}: {error.message}"
            raise


@contextmanager
def _client(client: Any, workers: int) -> Iterator[tuple[Any, str]]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ConfigError("skill.map needs Dask", hint='pip install "skillbook[scale]"') from None
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


def _run(
    client: Any,
    job: Job,
    store: RowStore,
    rows: Mapping[str, dict[str, Any]],
    retries: int,
    report: Callable[[RowResult], None],
) -> dict[str, RowResult]:
    """Every row's result; what is done already isn't done again, what failed is tried again where that is safe."""
    from distributed import as_completed

    results: dict[str, RowResult] = {}
    waiting: dict[Any, str] = {}
    for key, row in rows.items():
        known = store.result(key)
        if known is not None and (known.status == "ok" or job.once):
            results[key] = known
            report(known)
        else:
            waiting[client.submit(run_row, job, key, row, pure=False, retries=0)] = key
    completed = as_completed(waiting)
    for future in completed:
        key = waiting[future]
        result = _result_of(future, store, key, job)
        if result.status == "failed" and not job.once and result.attempts <= retries:
            again = client.submit(run_row, job, key, rows[key], pure=False, retries=0)
            waiting[again] = key
            completed.add(again)
            continue
        results[key] = result
        report(result)
    return results


def _result_of(future: Any, store: RowStore, key: str, job: Job) -> RowResult:
    """A future's result; where its worker was lost, what is kept of the row."""
    error = future.exception()
    if error is None:
        result: RowResult = future.result()
        return result
    known = store.result(key)
    if known is not None:
        return known
    unknown = job.once and store.begun(key)
    return RowResult("unknown" if unknown else "failed", f"{type(error).__name__}: {error}"[:500])


@contextmanager
def _reporting(progress: Progress | bool, total: int, link: str) -> Iterator[Callable[[RowResult], None]]:
    """Report each row as it comes: to a function, or as a bar with the dashboard's address."""
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
        yield lambda result: bar.advance(task)


def _frame(table: pd.DataFrame, results: Sequence[RowResult]) -> pd.DataFrame:
    """The inputs with what became of each row, its facts, and the rows that it read in `frame`."""
    import pandas as pd

    facts = list(dict.fromkeys(name for result in results for name in result.values or {}))
    columns: dict[str, list[Any]] = {
        name: [(result.values or {}).get(name) for result in results] for name in facts
    }
    for name in _COLUMNS:
        if name == "rows":
            columns[name] = [0 if result.frame is None else len(result.frame) for result in results]
        else:
            columns[name] = [getattr(result, name) for result in results]
    taken = set(table.columns)
    named = {f"result_{name}" if name in taken else name: column for name, column in columns.items()}
    return pd.concat([table, pd.DataFrame(named, index=table.index)], axis=1)
