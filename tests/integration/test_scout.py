"""A scout looks at the page and says which control is meant; nothing that acts can be reached by it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.control.scout import make_scout
from skillbook.errors import CannotBind, ModelNotConfigured, ModelUnreachable
from skillbook.io_thread import io
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

Serve = Callable[[str], Page]
REPORTS = """<h1>Reports</h1>
<p>For the north: <a href="data:text/csv,north" download="north.csv">Download report A</a></p>
<p>For the south: <a href="data:text/csv,south" download="south.csv">Download report B</a></p>
<button onclick="document.title = 'pressed'">Download nothing</button>"""


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def answer(name: str, confidence: float = 0.9) -> Callable[[list[Any]], ToolCall]:
    def call(messages: list[Any]) -> ToolCall:
        said = "\n".join(message.text for message in messages)
        found = re.search(rf"{re.escape(name)} \[ref=(\w+)\]", said)
        assert found is not None, said
        return ToolCall("answer", {"candidates": [{"ref": found[1], "confidence": confidence}]})

    return call


def test_the_control_that_the_scout_names_is_taken(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(REPORTS)
    model = ScriptedModel(
        [
            ToolCall("query", {"text": "report for the south"}),
            ToolCall("click", {"target": "button 'Download nothing'"}),
            answer("link 'Download report B'"),
        ]
    )
    result = sb.load_skill("download").run(page, what="report", model=model)
    assert result.ok, result.error
    assert [file.read_text() for file in result.files] == ["south"]
    assert page.title == "Test"
    assert "you can only look" in model.requests[-1].messages[-1].text
    assert set(model.requests[0].tools) == {
        "summary", "query", "details", "capture", "answer",
    }  # fmt: skip


def test_a_scout_whose_model_sees_gets_the_image_and_crops(serve_html: Serve) -> None:
    page = serve_html(REPORTS)
    links = ["link 'Download report A'", "link 'Download report B'"]
    model = ScriptedModel([ToolCall("capture", {"targets": links}), answer(links[1])])
    scout = make_scout(model, page.driver)
    assert not scout.vision
    scout.vision = True
    (found,) = io.sync(scout.find("the report for the south"))
    assert found.label == links[1]
    shown = model.requests[-1].messages[-1].content
    assert [block["type"] for block in shown] == ["text", "image", "image", "image"]


@pytest.mark.parametrize(
    "said",
    [
        ToolCall("answer", {"candidates": [{"ref": "e999", "confidence": 1.0}]}),
        ToolCall("answer", {"candidates": [{"ref": 7, "confidence": "very"}]}),
        ToolCall("answer", {}),
        ToolCall("answer", {"candidates": []}),
        ToolCall("answer", {"candidates": [{"ref": "e2", "confidence": 1.0}]}),
        answer("link 'Download report B'", confidence=0.4),
        "It is the second one, surely.",
    ],
)
def test_nonsense_and_doubt_choose_nothing(serve_html: Serve, said: Any) -> None:
    page = serve_html(REPORTS)
    result = sb.load_skill("download").run(page, what="report", model=ScriptedModel([said] * 3))
    assert isinstance(result.error, CannotBind)
    assert not result.files
    assert page.title == "Test"


def test_looking_for_ever_ends_at_its_budget(serve_html: Serve) -> None:
    page = serve_html(REPORTS)
    model = ScriptedModel(lambda messages: ToolCall("summary", {}))
    assert io.sync(make_scout(model, page.driver).find("the report")) == []
    assert len(model.requests) <= 6
    scout = make_scout(model, page.driver)
    scout.max_tokens = 10
    before = len(model.requests)
    assert io.sync(scout.find("the report")) == []
    assert len(model.requests) == before


def test_candidates_say_where_how_sure_and_how_risky(serve_html: Serve) -> None:
    page = serve_html("<h1>Cart</h1><button>Place order</button><button>Save for later</button>")

    def both(messages: list[Any]) -> ToolCall:
        seen = page.driver.latest
        names = (("Save for later", 0.3), ("Place order", 0.8))
        found = [
            {"ref": seen.find(f"button '{name}'").ref, "confidence": sure, "why": "?"} for name, sure in names
        ]
        return ToolCall("answer", {"candidates": found})

    page.snapshot()
    order, later = io.sync(make_scout(ScriptedModel([both]), page.driver).find("what buys"))
    assert (order.selector, order.confidence, order.why) == ("button 'Place order'", 0.8, "?")
    assert order.risk
    assert not later.risk


@pytest.mark.usefixtures("hasty")
def test_a_step_that_code_cannot_find_is_healed(serve_html: Serve) -> None:
    page = serve_html("<h1>Note</h1><button onclick=\"document.title='saved'\">Save</button>")
    with sb.recording(page) as recording:
        page.click("button 'Save'")
    skill = recording.save_skill("save-a-note").approve()
    changed = (
        "<h1>Note</h1><button onclick=\"document.title='kept'\">Keep it</button>"
        "<button onclick=\"document.title='gone'\">Throw it out</button>"
    )
    page = serve_html(changed)
    assert not skill.run(page, start="here").ok
    healed = skill.run(page, start="here", model=ScriptedModel([answer("button 'Keep it'")]))
    assert page.title == "kept"
    assert healed.healed


def test_a_model_that_fails_or_is_none_is_told(serve_html: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page = serve_html(REPORTS)
    result = sb.load_skill("download").run(page, what="report", model=ScriptedModel([RuntimeError("down")]))
    assert isinstance(result.error, ModelUnreachable)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelNotConfigured):
        sb.load_skill("download").run(page, what="report", model="nowhere:big-model")
