"""The task list of a run: what the model plans, what the person changes, and what the model learns of it."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from skillbook.agents.state.tasks import Task, TaskList
from skillbook.errors import InvalidParams
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.agents.steps import settle, write
from tests.shown import after_reading

PLAN = ToolCall(
    "plan",
    {
        "tasks": [
            {"id": 1, "title": "Write tea", "type": "input", "parameters": {"value": "tea"}},
            {"id": 2, "title": "Write ink", "type": "input"},
            {"id": 3, "title": "Read both", "type": "extract", "after": [1, 2]},
        ]
    },
)


def update(**statuses: str) -> ToolCall:
    return ToolCall(
        "plan", {"tasks": [{"id": int(key[1:]), "status": each} for key, each in statuses.items()]}
    )


def test_a_plan_waits_for_the_person_before_anything_happens(bench: Any) -> None:
    run = settle(bench.run([PLAN, write("tea"), "done", "done"], autonomy="all", plan_first=True).start())
    assert run.pending is not None
    assert (run.pending.tool, run.status, bench.desk.written) == ("plan", "waiting", [])
    assert next((task.title, task.type, task.status) for task in run.tasks) == (
        "Write tea",
        "input",
        "pending",
    )
    after_reading(run).approve()
    assert bench.desk.written == ["tea"]
    assert list(run.tasks.frame["after"])[2] == (1, 2)


def test_what_comes_before_the_plan_is_refused(bench: Any) -> None:
    run = bench.run([write("tea"), PLAN, "done", "done"], autonomy="all", plan_first=True).run()
    assert run.records[0].error == "agent"
    assert bench.desk.written == []
    assert run.pending is not None
    assert run.pending.tool == "plan"


def test_the_person_edits_the_list_before_it_is_approved(bench: Any) -> None:
    model = ScriptedModel([PLAN, "done", "done"])
    run = settle(bench.run(model, plan_first=True).start())
    run.tasks.change(2, title="Write oil")
    run.tasks.move(2, to=1)
    run.tasks.remove(3)
    run.tasks.add("Check it", after=[1])
    step = after_reading(run).approve()
    assert step is not None
    assert step.ok
    said = next(message.text for message in run.messages if isinstance(message, ToolMessage))
    assert said.startswith(
        "The person changed it:\n[ ] 2 Write oil\n[ ] 1 Write tea\n[ ] 3 Check it (after 1)"
    )


def test_a_rejected_plan_is_made_anew(bench: Any) -> None:
    other = ToolCall("plan", {"tasks": [{"title": "Write ink only"}]})
    run = settle(bench.run([PLAN, other, "done", "done"], plan_first=True).start())
    after_reading(run).reject("ink only, please")
    assert run.pending is not None
    assert [task.title for task in run.tasks] == ["Write ink only"]
    after_reading(run).approve()
    assert [task.title for task in run.tasks] == ["Write ink only"]


def test_an_edit_meanwhile_and_feedback_reach_the_model_once(bench: Any) -> None:
    model = ScriptedModel([PLAN, write("tea"), write("ink"), "done"])
    run = settle(bench.run(model).start())
    run.tasks.remove(3)
    run.feedback("use blue ink")
    after_reading(run).approve()
    words = [message.text for message in model.requests[2].messages]
    assert "The person says: use blue ink" in words
    assert any(text.startswith("The person changed the task list. It is now:\n") for text in words)
    after_reading(run).approve()
    assert sum(text.startswith("The person") for text in map(str, words)) == 2


def test_progress_and_failures_that_do_not_matter_to_others(bench: Any) -> None:
    calls = [PLAN, update(t1="failed"), write("ink"), update(t2="completed"), "partly done"]
    run = bench.run(calls, autonomy="all").run()
    said = [message.text for message in run.messages if isinstance(message, ToolMessage)]
    assert "Can't be done any more: 3." in said[1]
    assert "Next: 2." in said[1]
    assert bench.desk.written == ["ink"]
    assert run.tasks.progress() == "1 of 3 tasks completed, 1 failed"
    assert run.notice == "Done: the goal (1 of 3 tasks completed, 1 failed). Failed: 1."


def test_a_task_under_way_shows_as_such(bench: Any) -> None:
    run = settle(bench.run([PLAN, write("tea"), "done"]).start())
    assert run.tasks[1].status == "executing"
    assert run.tasks[2].status == "pending"


def test_an_end_with_agreed_tasks_left_is_questioned_once(bench: Any) -> None:
    model = ScriptedModel(
        [PLAN, "done", update(t1="completed", t2="completed", t3="completed"), "really done"]
    )
    run = settle(bench.run(model, plan_first=True).start())
    after_reading(run).approve()
    assert (run.status, run.result) == ("succeeded", "really done")
    assert run.tasks.progress() == "3 of 3 tasks completed"


def test_an_unclear_goal_becomes_one_question_with_options(bench: Any) -> None:
    ask = ToolCall(
        "request_assistance", {"type": "question", "message": "Which tea?", "options": ["green", "black"]}
    )
    run = settle(bench.run([ask, ask, PLAN, "done", "done"], autonomy="all", plan_first=True).start())
    assert run.pending is not None
    assert run.pending.options == ("green", "black")
    assert bench.desk.written == []
    step = after_reading(run).respond("green")
    assert step is not None
    assert step.ok
    assert run.records[1].error == "agent", "a second question is refused"
    assert run.pending is not None
    assert run.pending.tool == "plan"


def test_the_list_is_in_the_checkpoints(bench: Any) -> None:
    first = settle(bench.run([PLAN, write("tea")]).start())
    first.tasks.change(2, title="Write oil")
    first.stop()
    second = settle(bench.run(["done"], resumed=False).start())
    assert next(task.title for task in second.tasks) == "Write tea"


def test_a_later_run_learns_of_earlier_ones_until_that_is_cleared(bench: Any) -> None:
    first = bench.run(["the answer is 42"]).run()
    second = bench.run(["ok"], run_id="run-2", session=first.context).run()
    assert len(second.context) == 2
    assert "the answer is 42" in second.context.text()
    assert list(second.context.frame["status"]) == ["succeeded", "succeeded"]
    second.context.clear()
    assert len(first.context) == 0
    assert second.context.text() == ""


def test_a_later_run_gets_no_refs_of_an_earlier_page(bench: Any) -> None:
    run = bench.run(['I saw link "Next" [ref=e12] there']).run()
    assert 'I saw link "Next" there' in run.context.text()


@pytest.mark.parametrize(
    "tasks",
    [
        [Task(1, "a", after=(2,)), Task(2, "b", after=(1,))],
        [Task(1, "a", after=(7,))],
        [Task(1, " ")],
        [Task(1, "a", type="dance")],  # type: ignore[arg-type]
        [Task(1, "a", status="maybe")],  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_list_is_refused(tasks: list[Task]) -> None:
    with pytest.raises(InvalidParams):
        TaskList().put(tasks)


def test_wrong_edits_change_nothing() -> None:
    tasks = TaskList([Task(1, "a"), Task(2, "b", after=(1,))])
    for wrong in (lambda: tasks.change(9), lambda: tasks.change(1, colour="red"), lambda: tasks.move(9, 1)):
        with pytest.raises(InvalidParams):
            wrong()
    assert len(tasks) == 2


def test_words_are_said_on_the_io_thread(bench: Any) -> None:
    run = bench.run(["done"])
    run.feedback("hello")
    io.sync(_nothing())
    assert run._context.person_messages == ["hello"]


async def _nothing() -> None:
    return None
