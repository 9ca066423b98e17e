"""In which order the rows of a map are done."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from skillbook.scale import row_runs
from skillbook.scale.claims import Claims
from skillbook.scale.mapping import _record_of
from skillbook.scale.row_runs import RowRuns
from skillbook.scale.row_store import FolderStore, RowResult
from skillbook.scale.worker import Job
from skillbook.scale.worker_browser import RESOURCE
from skillbook.skill.model.spec import SkillSpec

_both = threading.Barrier(2, timeout=60)
_lock = threading.Lock()
_done: list[str] = []
_under_way: set[str] = set()


def run_row(job: Job, key: str, row: dict[str, Any]) -> RowResult:
    """Stands for the skill: the workers are threads of this process."""
    with _lock:
        assert row["name"] not in _under_way
        _under_way.add(row["name"])
    if key in {"a1", "b1"}:
        _both.wait()  # records go beside each other
    with _lock:
        _done.append(key)
        _under_way.discard(row["name"])
    return RowResult("ok")


def test_fault_93_rows_of_one_record_are_done_in_their_order_on_two_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_runs, "run_row", run_row)
    rows = {key: {"name": key[0]} for key in ("a1", "a2", "a3", "b1", "b2", "a4")}
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, resources=RESOURCE, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        claims = Claims(FolderStore(tmp_path))
        job = Job("", claims.name, "")
        runs = RowRuns(
            client, job, FolderStore(tmp_path), claims, rows, 0, lambda result: None, lambda row: row["name"]
        )
        found = runs.run()
    assert [found[key].status for key in rows] == ["ok"] * 6
    assert [key for key in _done if key[0] == "a"] == ["a1", "a2", "a3", "a4"]
    assert [key for key in _done if key[0] == "b"] == ["b1", "b2"]


def test_only_what_may_come_out_otherwise_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(job: Job, key: str, row: dict[str, Any]) -> RowResult:
        return RowResult("failed", key, is_final=key == "refused")

    monkeypatch.setattr(row_runs, "run_row", fail)
    rows: dict[str, dict[str, Any]] = {"refused": {}, "broke": {}}
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, resources=RESOURCE, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        claims = Claims(FolderStore(tmp_path))
        found = RowRuns(
            client, Job("", claims.name, ""), FolderStore(tmp_path), claims, rows, 2, lambda result: None
        ).run()
    assert {key: result.attempts for key, result in found.items()} == {"refused": 1, "broke": 3}


SENDS = {
    "name": "rename",
    "description": "Rename a person",
    "origins": ["https://people.test"],
    "start": "https://people.test/people?name=${input:who}",
    "inputs": [{"name": "who"}, {"name": "to"}],
    "steps": [
        {"command": "fill", "target": {"selectors": ["textbox 'Name'"]}, "params": {"value": "${input:to}"}},
        {"command": "click", "target": {"selectors": ["button 'Save' in row '${input:who}'"]}},
    ],
    "sends": [{"step": 2, "method": "POST", "origin": "https://people.test", "path": "/people"}],
}


def test_a_record_is_named_by_the_inputs_of_targets_and_addresses() -> None:
    spec = SkillSpec.model_validate(SENDS)
    assert spec.record_inputs == {"who"}
    assert _record_of(spec, None, {"who": "Ann", "to": "Bea"}) == ("Ann",)
    reads = SkillSpec.model_validate({**SENDS, "sends": [], "steps": SENDS["steps"][:1]})  # type: ignore[index]
    assert _record_of(reads, None, {"who": "Ann", "to": "Bea"}) is None
