"""What becomes of attempts: figures, differences, files. No browser: attempts are made by hand."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import skillbook as sb
from skillbook.errors import EvalError, InvalidTask
from skillbook.evals import Attempt, Evaluation, Task, evaluate, load_tasks
from skillbook.evals.attempt import Plan
from skillbook.evals.eval_target import AgentTarget, FunctionTarget, SkillTarget, make_target
from skillbook.evals.evaluation_run import FILE, Interrupted, KeptAttempts, Runner
from skillbook.testing import NonsenseModel

TASKS = load_tasks([{"name": f"t{n}", "goal": "x", "start": {"site": "shop"}} for n in range(12)])


def evaluation(name: str, chance: float, tasks: int = 40, repetitions: int = 3) -> Evaluation:
    dice = random.Random(name)
    attempts = [
        Attempt(
            f"t{n}", r, name, f"{n}-{r}", passed=dice.random() < chance, steps=n % 5, scores={"text": 1.0}
        )
        for r in range(1, repetitions + 1)
        for n in range(tasks)
    ]
    return Evaluation(name, attempts)


def test_the_frame_has_a_row_for_each_attempt_and_a_column_for_each_score() -> None:
    found = evaluation("a", 0.5)
    assert len(found.frame) == len(found) == 120
    assert found.frame["score_text"].eq(1).all()
    assert found.by_task.loc["t3", ["attempts", "steps"]].tolist() == [3, 3]
    low, high = found.interval()
    assert low < found.passed < high


def test_a_difference_is_sure_only_where_it_is_large() -> None:
    weak, strong = evaluation("weak", 0.3), evaluation("strong", 0.9)
    compared = weak.compare(strong)
    assert compared.frame.loc["passed", "sure"]
    assert compared.frame.loc["passed", "low"] > 0
    assert "strong passes" in repr(compared)
    assert "weak passes" not in repr(compared)
    assert not weak.compare(weak).frame["sure"].any()
    assert not compared.frame.loc["steps", "sure"]


def test_two_alike_are_rarely_said_to_differ() -> None:
    sure = [
        evaluation(f"a{n}", 0.5, 30, 1).compare(evaluation(f"b{n}", 0.5, 30, 1)).frame.loc["passed", "sure"]
        for n in range(40)
    ]
    assert sum(sure) <= 6, "5 % are expected"


def test_of_few_tasks_nothing_is_sure_even_where_all_differ() -> None:
    def all_the_same(name: str, passed: bool, tasks: int) -> Evaluation:
        return Evaluation(name, [Attempt(f"t{n}", 1, name, str(n), passed=passed) for n in range(tasks)])

    five, six = (all_the_same("a", False, n).compare(all_the_same("b", True, n)).frame for n in (5, 6))
    assert not five.loc["passed", "sure"]
    assert six.loc["passed", "sure"]
    low, high = all_the_same("b", True, 5).interval()
    assert (0.5 < low < 0.7, high) == (True, 1.0)


def test_evaluations_without_a_common_task_are_not_compared() -> None:
    with pytest.raises(EvalError, match="no task in common"):
        evaluation("a", 0.5).compare(Evaluation("b", [Attempt("other", 1, "b", "k")]))


HOSTILE = "</script><script>alert(1)</script>\x00 & \"'"


def test_report_and_junit_escape_what_pages_said(tmp_path: Path) -> None:
    calls = [{"tool": "click", "args": {"target": HOSTILE}}]
    bad = Attempt("t", 1, HOSTILE, "k", answer=HOSTILE, error=HOSTILE, calls=calls)
    failed = Attempt("t", 2, HOSTILE, "l", answer=HOSTILE, scores={"text": 0.0})
    found = Evaluation(HOSTILE, [bad, failed, Attempt("t", 3, "x", "m", passed=True)])
    html = found.report(tmp_path / "new" / "report.html").read_text(encoding="utf-8")
    assert "<script>" not in html
    assert "<script>" not in found._repr_mimebundle_()["text/html"]
    suite = ElementTree.fromstring(found.junit(tmp_path / "junit.xml").read_text(encoding="utf-8"))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [len(case) for case in suite] == [1, 1, 0]
    assert suite[1][0].get("message") == "text 0.00"


def test_an_empty_evaluation_can_be_shown(tmp_path: Path) -> None:
    none = Evaluation("a", [], 5)
    assert none.interrupted
    assert repr(none) == "<Evaluation a: 0 of 0 of 5 attempts passed, 0 asked, 0 acts unasked>"
    assert none._repr_mimebundle_()["text/html"]
    none.report(tmp_path / "r.html")
    none.junit(tmp_path / "j.xml")


# --- the runner ---------------------------------------------------------------------------------


def function(page: Any, task: Any) -> None:
    """A target that no attempt here calls."""


PLAN = Plan(FunctionTarget(function))


def made(plan: Plan, task: Task, repetition: int, browsers: Any = None) -> Attempt:
    return Attempt(task.name, repetition, "function", plan.key_of(task, repetition), passed=True)


def jobs(repetitions: int = 1) -> list[tuple[Task, int]]:
    return [(task, r) for r in range(1, repetitions + 1) for task in TASKS]


def test_attempts_come_in_order_whoever_was_first() -> None:
    others = threading.Event()

    def slow(plan: Plan, task: Task, repetition: int, browsers: Any) -> Attempt:
        if task.name == "t0":
            others.wait(20)
        else:
            others.set()
        return made(plan, task, repetition)

    seen: list[str] = []
    runner = Runner(PLAN, KeptAttempts(None), 4, attempt=slow)
    found = runner.run(jobs(2), lambda attempt: seen.append(attempt.task))
    assert [each.task for each in found] == [task.name for task, _ in jobs(2)]
    assert len(seen) == 24


def test_what_was_kept_is_not_made_again_and_a_cut_line_is_no_harm(tmp_path: Path) -> None:
    Runner(PLAN, KeptAttempts(tmp_path), 2, attempt=made).run(jobs(), lambda attempt: None)
    path = tmp_path / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:20])
    again: list[str] = []

    def count(plan: Plan, task: Task, repetition: int, browsers: Any) -> Attempt:
        again.append(task.name)
        return made(plan, task, repetition)

    found = Runner(PLAN, KeptAttempts(tmp_path), 2, attempt=count).run(jobs(), lambda attempt: None)
    assert (len(found), len(again)) == (12, 7)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 12


def test_a_changed_task_or_target_is_attempted_anew() -> None:
    changed = TASKS[0].model_copy(update={"goal": "y"})
    assert PLAN.key_of(changed, 1) != PLAN.key_of(TASKS[0], 1) != PLAN.key_of(TASKS[0], 2)
    assert Plan(FunctionTarget(made)).key_of(TASKS[0], 1) != PLAN.key_of(TASKS[0], 1)


def test_a_file_that_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"task": 1}\n', encoding="utf-8")
    with pytest.raises(EvalError, match="line 1: no result"):
        KeptAttempts(tmp_path)


def test_an_interrupt_gives_what_there_is(tmp_path: Path) -> None:
    def interrupt(attempt: Attempt) -> None:
        if attempt.task == "t3":
            raise KeyboardInterrupt

    kept = KeptAttempts(tmp_path)
    with pytest.raises(Interrupted) as caught:
        Runner(PLAN, kept, 1, attempt=made).run(jobs(), interrupt)
    assert [each.task for each in caught.value.args[0]] == ["t0", "t1", "t2", "t3"]


KILLED = """
import sys
from tests.evals.test_evaluation import PLAN, KeptAttempts, Runner, jobs, made
def stuck(plan, task, repetition, browsers):
    if task.name == "t3":
        sys.stdin.read()
    return made(plan, task, repetition)
Runner(PLAN, KeptAttempts(sys.argv[1]), 1, attempt=stuck).run(jobs(), lambda attempt: print(attempt.task, flush=True))
"""


def test_a_killed_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        seen = [process.stdout.readline().strip() for _ in range(3)]
        process.send_signal(signal.SIGKILL)
    assert seen == ["t0", "t1", "t2"]
    kept = KeptAttempts(tmp_path)
    known = [task.name for task, r in jobs() if kept.find(PLAN.key_of(task, r))]
    assert known == seen


def test_a_fault_of_a_worker_ends_the_evaluation_rather_than_hang() -> None:
    def broken(plan: Plan, task: Task, repetition: int, browsers: Any) -> Attempt:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        Runner(PLAN, KeptAttempts(None), 2, attempt=broken).run(jobs(), lambda attempt: None)


def test_dask_makes_the_attempts_where_a_client_is_given() -> None:
    distributed = pytest.importorskip("distributed")

    def fail(plan: Plan, task: Task, repetition: int) -> Attempt:
        if task.name == "t3":
            raise RuntimeError("lost")
        return made(plan, task, repetition)

    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    with distributed.Client(**options) as client:
        found = Runner(PLAN, KeptAttempts(None), 1, client, fail).run(jobs(), lambda attempt: None)
    assert [each.task for each in found] == [task.name for task in TASKS]
    assert [each.error for each in found if not each.passed] == ["RuntimeError: lost"]


def test_what_goes_to_a_cluster_can_be_sent() -> None:
    import cloudpickle

    for target in (AgentTarget(NonsenseModel()), SkillTarget(sb.load_skill("search")), PLAN.target):
        plan = cloudpickle.loads(cloudpickle.dumps(Plan(target)))
        assert plan.key_of(TASKS[0], 1) == Plan(target).key_of(TASKS[0], 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"repetitions": 0}, "at least 1"),
        ({"client": object(), "cassettes": "c"}, "one process"),
        ({"client": object(), "browser": object()}, "can't use your browser"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(EvalError, match=words):
        evaluate(TASKS, target=function, **options)


def test_one_target_at_a_time() -> None:
    with pytest.raises(InvalidTask, match="one target"):
        make_target(model="openai:x", skill=None, workflow=None, target=function, agent=None)
    with pytest.raises(InvalidTask, match="options of an agent"):
        make_target(model=None, skill=None, workflow=None, target=function, agent={"max_steps": 3})
    assert make_target(model=False, skill=None, workflow=None, target=None, agent=None).name == "no model"
