"""The run needs its person: requests for help, questions, the task list."""

from __future__ import annotations

import json
import time

from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import DEADLINE_SECONDS, SETUP, Open, shown, wait_for_answers

__all__ = ["shown"]

TASKS = """
from skillbook.agents.state.tasks import TaskList
from skillbook.protocol.asks.run_asks import TaskView
tasks = TaskList()
tasks.add("Search", type="input", parameters={"query": "lamp"})
tasks.add("Open the first", type="click", after=[1])
source.state = replace(source.state, tasks=[TaskView(**task) for task in tasks.to_json()])
source.notify()
"""


def test_requests_for_help_are_prominent(lab: Open) -> None:
    notebook = lab(
        SETUP.replace(
            'call("q1"), call("q2", target="e3", value="ash")',
            'help_wanted("h1", "captcha", "Solve the puzzle")',
        ),
        "",
    )
    notebook.run(0)
    expect(notebook.panel.locator(".sbp-status")).to_have_text("Needs your help")
    expect(notebook.panel.get_by_role("alert").first).to_contain_text("Solve the puzzle")
    notebook.panel.get_by_role("button", name="Done, go on").click()
    assert wait_for_answers(notebook, 1) == [["h1", "done", {}, ""]]


def test_that_the_help_seems_done_is_said(lab: Open) -> None:
    asked = 'help_wanted("h1", "login", "Please sign in")'
    notebook = lab(SETUP.replace('call("q1"), call("q2", target="e3", value="ash")', asked), "")
    notebook.run(0)
    expect(notebook.panel.get_by_text("This seems to be done")).to_be_hidden()
    notebook.evaluate(
        1,
        "asked = replace(source.state.run.question, noticed=True)\n"
        "source.state = replace(source.state, question=asked); source.notify()",
    )
    expect(notebook.panel.get_by_text("This seems to be done")).to_be_visible()
    notebook.panel.get_by_role("button", name="Done, go on").click()
    assert wait_for_answers(notebook, 1) == [["h1", "done", {}, ""]]


def test_a_question_has_a_button_for_each_answer(lab: Open) -> None:
    asked = 'help_wanted("h1", "question", "How many?", choices=["one", "two"])'
    notebook = lab(SETUP.replace('call("q1"), call("q2", target="e3", value="ash")', asked), "")
    notebook.run(0)
    expect(notebook.panel.locator(".sbp-status")).to_have_text("Has a question")
    expect(notebook.panel.get_by_role("alert")).to_have_count(0)  # a question is no alarm
    notebook.panel.get_by_role("button", name="two").click()
    assert wait_for_answers(notebook, 1) == [["h1", "choose", {}, "two"]]


def test_tasks_are_shown_and_edited(shown: LabNotebook) -> None:
    shown.evaluate(1, TASKS)
    tasks = shown.panel.get_by_role("list", name="Tasks").get_by_role("listitem")
    shown.panel.get_by_text("Tasks", exact=True).click()
    expect(tasks).to_have_count(2)
    shown.panel.get_by_label("Task 2, pending").fill("Open the cheapest")
    shown.panel.get_by_label("Task 2, pending").press("Tab")
    shown.panel.get_by_role("button", name="Later: Search").click()
    shown.panel.get_by_role("button", name="Take out: Search").click()
    shown.panel.get_by_label("Add a task").fill("Pay")
    shown.panel.get_by_label("Add a task").press("Enter")
    edits = [
        ["change", 2, "Open the cheapest", 0],
        ["move", 1, "", 2],
        ["remove", 1, "", 0],
        ["add", 0, "Pay", 0],
    ]
    code = "import json; print(json.dumps([(e.act, e.id, e.title, e.to) for e in source.edits]))"
    deadline = time.monotonic() + DEADLINE_SECONDS
    while (said := json.loads(shown.evaluate(1, code))) != edits:
        assert time.monotonic() < deadline, said
