"""`skill.map` over many inputs: workers that are killed in the middle, and two workers beside one."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd
import psutil

from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from skillbook.skill import Skill
from skillbook.skill.model import SkillInput, SkillOutput, SkillSpec, SkillStep, StepTarget
from skillbook.testing.site import serve_app
from skillbook.testing.sites.web import Request, Response

_ROWS = 500
_KILLS = 4
_RACED = 40
_WAIT_SECONDS = 0.3
_GONE_SECONDS = 20.0
_WAITING = f"each page's server waits {_WAIT_SECONDS:g} s, so that the time is not the cores'"


class Answers:
    """A slow site with one page for each number; `visits` counts them."""

    def __init__(self) -> None:
        self.visits: Counter[int] = Counter()

    def respond(self, request: Request) -> Response:
        """The page for a number, after a while."""
        if request.path != "/answer":
            return Response("", status=404)
        number = int(request.query["number"])
        self.visits[number] += 1
        time.sleep(_WAIT_SECONDS)
        return Response(f"<!doctype html><title>Answer</title><h1>{_answer(number)}</h1>")


def _answer(number: int) -> int:
    return 7 * number + 1


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Read one fact for each of 500 inputs while workers are killed, then 40 with one worker and with two."""
    answers = Answers()
    with serve_app(answers) as site:
        skill = _skill(site.url)
        yield from _killed(skill, answers)
        one, two = _timed(skill, 1), _timed(skill, 2)
    label = f"{_RACED} inputs"
    yield Figure("skill.map, two workers", label, two, one, "ms", "faster", 1.7, _WAITING, "one worker")


def _skill(site: str) -> Skill:
    step = SkillStep(
        command="get",
        params={"what": "text"},
        target=StepTarget(selectors=["heading"]),
        output=SkillOutput(name="answer", type="int"),
    )
    return Skill(
        SkillSpec(
            name="read-answer",
            description="Reads the answer for a number.",
            inputs=[SkillInput(name="number", type="int")],
            start=f"{site}/answer?number=${{input:number}}",
            origins=[site],
            sends=[],
            steps=[step],
        )
    )


def _inputs(first: int, count: int) -> pd.DataFrame:
    return pd.DataFrame({"number": range(first, first + count)})


def _killed(skill: Skill, answers: Answers) -> Iterator[Figure]:
    left: list[psutil.Process] = []
    with _cluster(2) as (cluster, client):

        def kill_some(done: int, total: int, result: Any) -> None:
            each = total // (_KILLS + 1)
            if done % each == 0 and done // each <= _KILLS:
                nannies = list(cluster.workers.values())
                worker = psutil.Process(nannies[done // each % len(nannies)].pid)
                left.extend(worker.children(recursive=True))
                os.kill(worker.pid, signal.SIGKILL)

        out = skill.map(_inputs(0, _ROWS), client, progress=kill_some)
    _, alive = psutil.wait_procs(left, timeout=_GONE_SECONDS)
    right = out["status"].eq("ok") & out["answer"].eq(_answer(out["number"]))
    exact = int(right.sum()) if list(out["number"]) == list(range(_ROWS)) else 0
    again = sum(count - 1 for count in answers.visits.values())
    note = f"{again} rows were in hand when their worker was killed, and were read again by another"
    label = f"{_ROWS} inputs, {_KILLS} times a worker is killed"
    yield Figure(
        "skill.map, rows that came once and right", label, exact, None, "rows", "at least", _ROWS, note
    )
    ended = f"of {len(left)} that killed workers had started"
    yield Figure("skill.map, processes left over", label, len(alive), None, "processes", "at most", 0, ended)


def _timed(skill: Skill, workers: int) -> float:
    """Milliseconds for some rows, once each worker has its browser."""
    with _cluster(workers) as (_, client):
        skill.map(_inputs(_ROWS, 3 * workers), client, progress=False)
        started = time.perf_counter()
        skill.map(_inputs(2 * _ROWS, _RACED), client, progress=False)
        return (time.perf_counter() - started) * 1000


@contextmanager
def _cluster(workers: int) -> Iterator[tuple[Any, Any]]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield cluster, client
