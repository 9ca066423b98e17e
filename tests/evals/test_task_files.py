from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.errors import InvalidTask
from skillbook.evals import Task, load_tasks, suites
from skillbook.evals.eval_task import parse_goal
from skillbook.evals.served_start import make_site

GOOD = """suite: mine
start: {site: shop, cookies: {user: demo}}
tags: [all]
tasks:
  - name: one
    goal: Look around.
    expected: {text: Home}
  - name: two
    goal: Log in.
    start: {path: /login, cookies: {}}
    inputs: {password: {secret: shop}}
    expected: {page: "action(kind='logout') & ~form(purpose='login')"}
    tags: [write]
"""


def write(folder: Path, text: str, name: str = "tasks.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_its_tasks_what_they_share(tmp_path: Path) -> None:
    one, two = load_tasks(write(tmp_path, GOOD))
    assert (one.start.site, one.start.path, one.start.cookies) == ("shop", "/", {"user": "demo"})
    assert (two.start.site, two.start.path, two.start.cookies) == ("shop", "/login", {})
    assert (one.tags, two.tags) == (["all"], ["all", "write"])


def test_tasks_are_chosen_by_tag_and_read_from_a_folder(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace("name: ", "name: other-"), "more.yml")
    assert len(load_tasks(tmp_path)) == 4
    assert [task.name for task in load_tasks(tmp_path, tags=["write"])] == ["other-two", "two"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("goal: Look around.", "gaol: Look around.", 6, "no such field"),
        ("expected: {text: Home}", "expected: {tekst: Home}", 7, "no such field"),
        ("start: {path: /login", "start: {path: login", 10, "pattern"),
        ("kind='logout'", "kind='fly'", 12, "no actions of the kind 'fly'"),
        ("kind='logout'", "kind=open('x')", 12, "is no goal"),
        ("action(kind", "__import__(kind", 12, "is no goal"),
        ("  - name: two", "  - name: two/", 8, "pattern"),
        ("suite: mine", "sweet: mine", 1, "no such field"),
        ("{text: Home}", "{text: Home", 8, "expected ',' or '}'"),
    ],
)
def test_an_error_names_file_and_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InvalidTask) as caught:
        load_tasks(path)
    assert f"{path}, line {line}," in caught.value.message
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"name": "a", "start": {"site": "shop"}}, "needs a goal, a skill or a workflow"),
        ({"name": "a", "goal": "x", "start": {}}, "needs one of site, folder and url"),
        ({"name": "a", "goal": "x", "start": {"site": "shop", "url": "https://a.example"}}, "needs one of"),
        (
            {"name": "a", "goal": "x", "start": {"url": "https://a.example"}, "expected": {"sends": []}},
            "expected.sends is for sites",
        ),
        ({"name": "a", "goal": "x", "start": {"site": "shop", "cassette": "c"}}, "needs the url"),
        ({"name": "a", "goal": "x", "start": {"site": "shop"}, "more": 1}, "more: no such field"),
    ],
)
def test_a_task_that_cannot_be_one_is_refused(task: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidTask, match=words.replace(".", r"\.")):
        load_tasks([task])


def test_two_tasks_of_one_name_and_no_task_are_refused(tmp_path: Path) -> None:
    (one,) = load_tasks({"name": "a", "goal": "x", "start": {"site": "shop"}})
    with pytest.raises(InvalidTask, match="two tasks have the name 'a'"):
        load_tasks([one, one])
    with pytest.raises(InvalidTask, match="no task"):
        load_tasks([one], tags=["other"])
    with pytest.raises(InvalidTask, match="bundled suites: admin"):
        load_tasks("nowhere")
    with pytest.raises(InvalidTask, match="no site 'nowhere'"):
        make_site("nowhere")


def test_every_bundled_suite_can_be_read() -> None:
    assert suites() == ["admin", "basics", "chat", "miniwob", "portal", "shop"]
    for name in suites():
        assert all(task.goal and task.expected != type(task.expected)() for task in load_tasks(name))


def test_the_three_examples_of_browser_agent_skills() -> None:
    said = {task.goal: task.expected.answer for task in load_tasks("basics")}
    assert said == {
        "Navigate to https://example.com": "Successfully navigated to the URL",
        "Click the Submit button": "Clicked on the submit button element",
        "Type hello into the search box": "Typed the text into the search input field",
    }


def test_a_digest_changes_with_the_task() -> None:
    given = {"name": "a", "goal": "x", "start": {"site": "shop"}}
    one, other = Task.model_validate(given), Task.model_validate({**given, "goal": "y"})
    assert one.digest != other.digest
    assert one.digest == Task.model_validate(given).digest


def test_a_goal_reads_back_as_it_is_written() -> None:
    text = "action(kind='logout') & (~form(purpose='login') | url('*/orders/*'))"
    assert repr(parse_goal(repr(parse_goal(text)))) == repr(parse_goal(text))
