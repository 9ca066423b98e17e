"""`sb.evaluate` in a real browser: targets, questions, limits, cassettes, parallel browsers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook import cli
from skillbook.evals import Evaluation, Task
from skillbook.session.sync import Browser, Page
from skillbook.testing import ScriptedModel, ToolCall, serve_site
from skillbook.testing.site import Site

SHOP = {"site": "shop"}


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


def run(browser: Browser, task: dict[str, Any], **options: Any) -> Evaluation:
    whole = {"name": "one", "start": SHOP, **task}
    return sb.evaluate(whole, browser=browser, progress=False, **options)


def calls_and(answer: str, *calls: ToolCall) -> ScriptedModel:
    return ScriptedModel([*calls, answer])


ADD = ToolCall("click", {"target": "button 'Add to cart'"})
LAMP = {"goal": "Add it.", "start": {"site": "shop", "path": "/product/halo-ring-lamp"}}


def test_an_agents_calls_cost_and_answer_are_scored(browser: Browser) -> None:
    model = calls_and("It costs $104.50.", ToolCall("click", {"target": "link ~'Cart' in banner"}))
    expected = {"number": 104.5, "sends": [], "trajectory": [{"tool": "click"}], "url": "*/cart"}
    found = run(browser, {**LAMP, "expected": expected}, model=model)
    (attempt,) = found.attempts
    assert found.passed == 1.0, attempt
    assert set(attempt.scores) == {"number", "sends", "trajectory", "url"}
    assert (attempt.steps, attempt.usd) == (1, 0.0)
    assert attempt.tokens > 0


@pytest.mark.parametrize(
    ("given", "counts", "sent"),
    [
        ({"autonomy": "ask"}, (1, 1), []),
        ({"autonomy": "ask", "approve": True}, (2, 0), ["POST /cart/add"]),
    ],
)
def test_questions_are_answered_by_the_tasks_rule(
    browser: Browser, given: dict[str, Any], counts: tuple[int, int], sent: list[str]
) -> None:
    (attempt,) = run(browser, {**LAMP, **given}, model=calls_and("Done.", ADD)).attempts
    assert ((attempt.asked, attempt.refused), attempt.sent, attempt.error) == (counts, sent, "")


def test_a_tasks_own_yes_does_not_count_at_an_address(browser: Browser, shop: Site) -> None:
    start = {"url": f"{shop.url}/product/halo-ring-lamp"}
    task = {**LAMP, "start": start, "autonomy": "ask", "approve": True}
    (attempt,) = run(browser, task, model=calls_and("Done.", ADD)).attempts
    assert (attempt.asked, attempt.refused) == (1, 1)
    questions: list[Any] = []
    (attempt,) = run(
        browser, task, model=calls_and("Done.", ADD), approve=lambda each: questions.append(each) or True
    ).attempts
    assert (attempt.asked, attempt.refused, len(questions)) == (2, 0, 2), "the call, and what it sends"


def test_the_controller_without_a_model(browser: Browser) -> None:
    found = run(
        browser, {"goal": "search for lamps", "expected": {"url": "*search*"}, "approve": True}, model=False
    )
    assert found.name == "no model"
    assert found.passed == 1.0, found.attempts


def test_a_built_in_skill_and_a_workflow(browser: Browser) -> None:
    found = run(browser, {"skill": "search", "inputs": {"query": "lamp"}, "approve": True,
                          "expected": {"url": "*/search?q=lamp*"}}, skill="search")  # fmt: skip
    assert found.passed == 1.0, found.attempts

    @sb.workflow("eval-names")
    def names(page: Page, *, word: str) -> Any:
        page.goto(page.url + f"search?q={word}")
        return {"name": page.get("text", "heading 'Halo Ring Lamp'")}

    task = {
        "workflow": "eval-names",
        "inputs": {"word": "halo"},
        "expected": {"facts": {"name": "Halo Ring Lamp"}},
    }
    assert run(browser, task).passed == 1.0
    (attempt,) = run(browser, {**task, "inputs": {}}).attempts
    assert "word" in attempt.error


def test_a_failing_function_ends_its_attempt_only(browser: Browser) -> None:
    async def target(page: Page, task: Task) -> Any:
        if task.name == "bad":
            raise ValueError("broken")
        return {"title": page.title}

    tasks = [
        {"name": name, "goal": "x", "start": SHOP, "expected": {"text": "Oak"}} for name in ("bad", "good")
    ]

    def own(task: Task, answer: Any) -> dict[str, float]:
        return {"length": float(len(answer.text) > 5)}

    bad, good = sb.evaluate(tasks, target=target, evaluators=[own], browser=browser, progress=False).attempts
    assert (bad.error, bad.passed) == ("ValueError: broken", False)
    assert (good.passed, good.scores) == (True, {"text": 1.0, "own_length": 1.0})


def test_an_attempt_ends_when_its_time_is_over(browser: Browser) -> None:
    def slow(page: Page, task: Task) -> None:
        page.wait_for(text="never", timeout=60)

    began = time.monotonic()
    (attempt,) = run(browser, {"goal": "x", "budget": {"seconds": 1}}, target=slow).attempts
    assert attempt.error == "it took longer than 1 s"
    assert time.monotonic() - began < 30


def test_a_model_that_never_ends_is_stopped_by_the_budget(browser: Browser) -> None:
    model = ScriptedModel(lambda messages: ToolCall("snapshot", {}))
    (attempt,) = run(browser, {"goal": "x", "budget": {"steps": 3}}, model=model).attempts
    assert attempt.steps == 3
    assert "3" in attempt.error


def test_a_cassette_makes_a_repeat_free(tmp_path: Path) -> None:
    model = calls_and("104.50", ADD)
    task = {
        "name": "one",
        **LAMP,
        "expected": {"number": 104.5, "sends": ["POST /cart/add"], "url": "*/cart"},
    }
    with sb.launch() as browser:
        first = sb.evaluate(
            {**task, "approve": True}, model=model, cassettes=tmp_path, browser=browser, progress=False
        )
        assert (first.passed, model.script.left) == (1.0, 0), first.attempts
        again = sb.evaluate(
            {**task, "approve": True}, model=model, cassettes=tmp_path, browser=browser, progress=False
        )
    assert again.passed == 1.0, again.attempts


def test_parallel_browsers_and_the_awaitable_twin() -> None:
    seen: set[int] = set()
    both = threading.Barrier(2, timeout=60)

    def target(page: Page, task: Task) -> str:
        seen.add(id(page.browser.driver))
        both.wait()
        return page.title

    tasks = [{"name": name, "goal": "x", "start": SHOP, "expected": {"text": "Oak"}} for name in "ab"]
    found = asyncio.run(sb.aio.evaluate(tasks, target=target, workers=2, progress=False))
    assert (found.passed, len(seen)) == (1.0, 2), found.attempts


FLOWS = """
import skillbook as sb

@sb.workflow("eval-title")
def title(page):
    return page.title
"""
SUITE = """
start: {site: admin}
tasks:
  - {name: right, goal: x, expected: {text: People}}
  - {name: wrong, goal: x, expected: {text: Oak}}
"""


def test_the_shell_command_writes_files_and_exits_by_the_threshold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flows, tasks = tmp_path / "flows.py", tmp_path / "tasks.yaml"
    flows.write_text(FLOWS, encoding="utf-8")
    tasks.write_text(SUITE, encoding="utf-8")
    options = [
        "--workflows",
        str(flows),
        "--workflow",
        "eval-title",
        "--workers",
        "1",
        "--folder",
        str(tmp_path / "k"),
    ]
    files = ["--junit", str(tmp_path / "j.xml"), "--report", str(tmp_path / "r.html")]
    assert cli.main(["eval", str(tasks), *options, *files]) == 1
    shown = capsys.readouterr().out
    assert "1 of 2 attempts passed" in shown
    assert "text 0.00" in shown
    assert 'failures="1"' in (tmp_path / "j.xml").read_text(encoding="utf-8")
    assert "eval-title" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert cli.main(["eval", str(tasks), *options, "--threshold", "0.5"]) == 0, "kept: no browser starts"
    assert cli.main(["eval"]) == 0
    assert "portal" in capsys.readouterr().out
    tasks.write_text(SUITE.replace("goal: x", "gaol: x", 1), encoding="utf-8")
    assert cli.main(["eval", str(tasks), *options]) == 1
    assert f"{tasks}, line 4, column" in capsys.readouterr().err
