"""The fourteen properties that an assistant in the browser has to have, on the real loop.

The loop is the one of every run: middleware, checkpoints, approvals. The model is a script, and the tools write on a
desk instead of a page.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_view import run_view
from skillbook.agents.run.run_words import HELP_WORDS
from skillbook.agents.state.session_context import SessionContext
from skillbook.agents.state.step_records import FINAL_STATUSES
from skillbook.agents.state.tasks import ENDED, STATUSES, TASK_TYPES
from skillbook.agents.tools.offered import make_tools
from skillbook.agents.tools.tool_base import check_args
from skillbook.errors import InvalidParams, SkillbookError
from skillbook.notebook.html.page_and_run import record_html
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.agents.conftest import Bench
from tests.agents.steps import settle
from tests.shown import after_reading
from tests.trees import snapshot

# An example is a whole run: an ordinary test run tries twenty of each, `make property` five hundred.
often = settings(
    deadline=None,
    max_examples=max(20, settings().max_examples),
    suppress_health_check=[HealthCheck.too_slow],
)
words = st.text("abcdefghij ", min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)
titles = st.lists(words, min_size=1, max_size=4)
says = st.text("abc xyz", min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@st.composite
def plans(draw: Any) -> list[dict[str, Any]]:
    """Task lists in which a task comes after earlier ones only."""
    made = []
    for number, title in enumerate(draw(titles), 1):
        after = draw(st.lists(st.integers(1, number - 1), unique=True, max_size=2)) if number > 1 else []
        kind = draw(st.sampled_from(TASK_TYPES))
        made.append(
            {"id": number, "title": title, "type": kind, "parameters": {"value": title}, "after": after}
        )
    return made


@pytest.fixture(scope="module", autouse=True)
def no_search_of_old_objects() -> Iterator[None]:
    """Spare the garbage collector what was there before: thousands of short runs would have it searched each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@contextmanager
def desk() -> Iterator[Bench]:
    bench = Bench(Path("unused"), kept=InMemorySaver())
    try:
        yield bench
    finally:
        for run in bench.runs:
            run.stop()


def plan(tasks: list[dict[str, Any]]) -> ToolCall:
    return ToolCall("plan", {"tasks": tasks})


def write(value: str) -> ToolCall:
    return ToolCall("write", {"value": value})


def begin(bench: Bench, script: list[Any], **options: Any) -> Run:
    return settle(bench.run(script, **options).start())


def help_wanted(kind: str, message: str, **more: Any) -> ToolCall:
    return ToolCall("request_assistance", {"type": kind, "message": message, **more})


@often
@given(tasks=plans())
def test_property_01_interpretation_gives_a_valid_task_list(tasks: list[dict[str, Any]]) -> None:
    """Feature: browser-automation-assistant, Property 1: Task interpretation produces valid structure."""
    with desk() as bench:
        run = begin(bench, [plan(tasks), "done", "done"], plan_first=True)
        assert [(task.id, task.title) for task in run.tasks] == [
            (each["id"], each["title"]) for each in tasks
        ]
        numbers = {task.id for task in run.tasks}
        for task in run.tasks:
            assert task.type in TASK_TYPES
            assert task.status in STATUSES
            assert isinstance(task.parameters, dict)
            assert set(task.after) <= numbers
        assert bench.desk.written == []


@often
@given(tasks=plans())
def test_property_02_the_interface_shows_the_task_list(tasks: list[dict[str, Any]]) -> None:
    """Feature: browser-automation-assistant, Property 2: UI reflects task interpretation results."""
    with desk() as bench:
        run = begin(bench, [plan(tasks), "done"], plan_first=True)
        view = run_view(run)
        assert [task.title for task in view.tasks] == [each["title"] for each in tasks]
        shown = record_html([(view, "")], None)
        assert all(each["title"] in shown and each["title"] in repr(run.tasks) for each in tasks)


@often
@given(question=says, options=st.lists(says, min_size=2, max_size=5, unique=True), eager=st.booleans())
def test_property_03_an_ambiguous_goal_is_asked_about_before_anything_happens(
    question: str, options: list[str], eager: bool
) -> None:
    """Feature: browser-automation-assistant, Property 3: Ambiguous input triggers clarification."""
    with desk() as bench:
        before = [write("too early")] if eager else []
        script = [*before, help_wanted("question", question, options=options), "ok"]
        run = begin(bench, script, plan_first=True, autonomy="all")
        assert run.pending is not None
        assert run.pending.options == tuple(options)
        assert bench.desk.written == []


@often
@given(goals=st.lists(st.tuples(words, says), min_size=1, max_size=3))
def test_property_04_the_context_keeps_what_every_run_brought(goals: list[tuple[str, str]]) -> None:
    """Feature: browser-automation-assistant, Property 4: Context preservation across interactions."""
    session = SessionContext()
    with desk() as bench:
        for number, (answer, feedback) in enumerate(goals):
            run = bench.run([answer], run_id=f"run-{number}", session=session)
            run.feedback(feedback)
            run.run()
            assert len(session) == number + 1
        text = session.text()
        assert [past.result for past in session.runs] == [answer for answer, _ in goals]
        assert all(answer in text and feedback in text for answer, feedback in goals)


_CONTEXT: Any = SimpleNamespace(page=None, files=(), cells=None, run_workflow=None)
_TOOLS = make_tools(_CONTEXT, allow_evaluate=True, page_tools=True)


@often
@given(name=st.sampled_from([each.name for each in COMMANDS.values() if not each.internal]), where=st.data())
def test_property_05_every_command_has_a_tool_that_takes_its_parameters(name: str, where: Any) -> None:
    """Feature: browser-automation-assistant, Property 5: DOM tool availability."""
    tool = _TOOLS[name]
    schema = tool.get_input_jsonschema()
    assert schema["type"] == "object"
    stranger = where.draw(says.filter(lambda text: text not in schema.get("properties", {})))
    with pytest.raises(InvalidParams, match=name):
        check_args(tool, {stranger: 1})


@often
@given(kind=st.sampled_from(["captcha", "login", "question", "custom"]), message=says)
def test_property_06_a_need_for_a_person_makes_a_request_and_pauses(kind: str, message: str) -> None:
    """Feature: browser-automation-assistant, Property 6: Assistance request creation."""
    with desk() as bench:
        run = begin(bench, [help_wanted(kind, message), write("later"), "ok"], autonomy="all")
        assert run.status == "waiting"
        assert run.pending is not None
        assert run.pending.review.reason == message
        assert bench.desk.written == []


@often
@given(done=words, answer=says, after=words, restart=st.booleans())
def test_property_07_an_answered_request_goes_on_where_the_run_was(
    done: str, answer: str, after: str, restart: bool
) -> None:
    """Feature: browser-automation-assistant, Property 7: Execution resumption after assistance."""
    model = ScriptedModel([write(done), help_wanted("custom", "help"), write(after), "ok"])
    with desk() as bench:
        run = begin(bench, model, autonomy="all")  # type: ignore[arg-type]
        if restart:
            run.stop()
            run = settle(bench.run(model, autonomy="all").start())
        after_reading(run).respond(answer)
        assert bench.desk.written == [done, after]
        assert run.status == "succeeded"
        asked = next(step for step in run.records if step.tool == "request_assistance")
        assert asked.ok
        assert any(answer in message.text for message in run.messages if isinstance(message, ToolMessage))


@often
@given(rows=st.lists(words, min_size=0, max_size=6), wall=st.booleans())
@example(rows=[], wall=True)
def test_property_08_the_state_of_the_page_is_judged_at_every_step(rows: list[str], wall: bool) -> None:
    """Feature: browser-automation-assistant, Property 8: Continuous state assessment."""
    lines = [f'link "{row}" + box=0,0,50,10' for row in rows]
    robot = ['checkbox "I\'m not a robot" + box=0,0,20,20'] if wall else []
    before = page_of(lines)
    requests = SimpleNamespace(
        release_held_requests=nothing, attach=nothing, available=False, take_outcomes=list, unreachable=0
    )
    rest = SimpleNamespace(on_wait=None, awaits="", is_known=True)
    page = SimpleNamespace(
        latest=before,
        url="http://site.test/",
        closed=None,
        requests=requests,
        rest=rest,
        read_if_stale=nothing,
        settled=nothing,
    )

    async def change() -> None:
        page.latest = page_of([*lines, *robot])

    with desk() as bench:
        bench.desk.during = change
        run = bench.run([write("a"), write("b"), "ok"], autonomy="all")
        # The desk's tools touch no page; what the run sees of one is put beside it.
        run._context.page = page
        run._stepper._watching_person = nullcontext
        settle(run.start())
        assert (run.status == "waiting") is wall
        assert bench.desk.written == (["a"] if wall else ["a", "b"])


def page_of(lines: list[str]) -> Snapshot:
    return snapshot("\n".join(["main", *(f"  {line}" for line in lines)]))


async def nothing(*_: object) -> None:
    return None


@often
@given(places=st.lists(st.sampled_from(["here", "nowhere", "there"]), min_size=1, max_size=6), tasks=plans())
def test_property_09_an_error_is_recovered_from_or_becomes_a_request(
    places: list[str], tasks: list[dict[str, Any]]
) -> None:
    """Feature: browser-automation-assistant, Property 9: Error handling and recovery."""
    script: list[Any] = [plan(tasks)]
    script += [ToolCall("look", {"where": place}) for place in places]
    with desk() as bench:
        run = begin(bench, [*script, "the end", "the end"], autonomy="all")
        assert run.status == "succeeded" or run.pending is not None
        assert all(task.status in STATUSES for task in run.tasks)
        failed = [step for step in run.records if step.error is not None]
        assert len(failed) <= places.count("nowhere")
        assert len(bench.desk.looked) <= len(places)


@often
@given(tasks=plans())
def test_property_10_a_completed_task_is_marked_and_the_next_begins(tasks: list[dict[str, Any]]) -> None:
    """Feature: browser-automation-assistant, Property 10: Task completion and progression."""
    script: list[Any] = [plan(tasks)]
    for each in tasks:
        script += [write(f"task {each['id']}"), plan([{"id": each["id"], "status": "completed"}])]
    with desk() as bench:
        run = begin(bench, [*script, "the end"], autonomy="ask")
        for number in range(1, len(tasks) + 1):
            assert run.pending is not None
            assert run.tasks[number].status == "executing"
            assert all(run.tasks[earlier].status == "completed" for earlier in range(1, number))
            after_reading(run).approve()
        assert run.status == "succeeded"
        assert {task.status for task in run.tasks} == {"completed"}


@often
@given(tasks=plans(), failed=st.booleans())
def test_property_11_the_end_of_a_task_list_is_announced(tasks: list[dict[str, Any]], failed: bool) -> None:
    """Feature: browser-automation-assistant, Property 11: Workflow completion notification."""
    last = tasks[-1]["id"]
    statuses = {each["id"]: "failed" if failed and each["id"] == last else "completed" for each in tasks}
    ends = plan([{"id": number, "status": status} for number, status in statuses.items()])
    with desk() as bench:
        run = begin(bench, [plan(tasks), ends, "the end"], autonomy="all")
        assert run.status == "succeeded"
        done = len(tasks) - failed
        assert f"{done} of {len(tasks)} tasks completed" in run.notice
        assert ("Failed: " in run.notice) is failed
        assert run_view(run).notice == run.notice


@often
@given(feedback=says, way=st.sampled_from(["feedback", "reject", "edit_tasks"]), tasks=plans())
def test_property_12_feedback_changes_what_comes_next(
    feedback: str, way: str, tasks: list[dict[str, Any]]
) -> None:
    """Feature: browser-automation-assistant, Property 12: Feedback incorporation."""

    def obey(messages: list[Any]) -> ToolCall:
        heard = any(feedback in message.text for message in messages)
        return write("as they said" if heard else "as planned")

    with desk() as bench:
        run = begin(bench, [plan(tasks), write("first"), obey, "ok"])
        if way == "feedback":
            run.feedback(feedback)
            after_reading(run).approve()
        elif way == "reject":
            after_reading(run).reject(feedback)
        else:
            run.tasks.add(feedback)
            after_reading(run).approve()
        after_reading(run).approve()
        assert bench.desk.written[-1] == "as they said"


@often
@given(tasks=plans(), done=st.integers(0, 4))
def test_property_13_progress_is_what_the_interface_shows(tasks: list[dict[str, Any]], done: int) -> None:
    """Feature: browser-automation-assistant, Property 13: Progress visualization."""
    done = min(done, len(tasks))
    ends = [plan([{"id": each["id"], "status": "completed"}]) for each in tasks[:done]]
    with desk() as bench:
        run = begin(bench, [plan(tasks), *ends, write("next"), "ok"])
        state = run_view(run)
        shown = [task.status for task in state.tasks]
        assert shown == [task.status for task in run.tasks]
        assert shown.count("completed") == done
        assert shown.count("executing") == (1 if done < len(tasks) else 0)
        assert state.status == "waiting"
        assert len(state.steps) == len(run.records)


@often
@given(
    kind=st.sampled_from(["captcha", "login", "question", "custom"]),
    message=says,
    options=st.lists(says, max_size=4),
)
def test_property_14_a_request_for_help_is_shown_with_what_to_do(
    kind: str, message: str, options: list[str]
) -> None:
    """Feature: browser-automation-assistant, Property 14: Assistance request display."""
    with desk() as bench:
        run = begin(bench, [help_wanted(kind, message, options=options), "ok"], autonomy="all")
        asked = run_view(run).question
        assert asked is not None
        assert asked.kind == ("choose" if kind == "question" and options else "assist")
        assert asked.words == (message or HELP_WORDS[kind])
        assert asked.obstacle == kind
        assert "respond" in asked.decisions
        assert asked.choices == (options if kind == "question" else [])


@often
@given(
    acts=st.lists(
        st.sampled_from(["approve", "reject", "respond", "stop", "start", "drop", "restart", "feedback"]),
        max_size=8,
    )
)
def test_no_task_is_left_undefined_and_nothing_is_done_twice(acts: list[str]) -> None:
    script: list[Any] = [
        plan([{"title": "a"}, {"title": "b"}]),
        write("one"),
        ConnectionError("dropped"),
        write("two"),
    ]
    model = ScriptedModel([*script, write("three"), *(["done"] * 6)])
    with desk() as bench:
        run = settle(bench.run(model, plan_first=True).start())
        for act in acts:
            try:
                if act == "restart":
                    run.stop()
                    run = settle(bench.run(model, plan_first=True).start())
                elif act in {"start", "drop"}:
                    settle(run.start())
                elif act in {"respond", "feedback"}:
                    getattr(run, act)("words")
                else:
                    getattr(run, act)()
            except SkillbookError:
                pass
            settle(run)
            assert run.status in FINAL_STATUSES | {"waiting", "paused"}
            assert all(task.status in STATUSES for task in run.tasks)
        assert len(bench.desk.written) == len(set(bench.desk.written))
        assert len(bench.desk.written) <= sum(act == "approve" for act in acts)
        assert all(task.status not in ENDED for task in run.tasks)
