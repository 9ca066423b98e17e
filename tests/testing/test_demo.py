from __future__ import annotations

import pytest
from langchain_core.messages import ToolMessage

from skillbook.testing.demo import choose_demo_model, shop_script
from skillbook.testing.scripted_model import Script, ScriptedModel


def test_nothing_remote_is_called_whatever_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("SKILLBOOK_MODEL", "openai:gpt-5")
    model, words = choose_demo_model(None)
    assert isinstance(model, ScriptedModel)
    assert "scripted" in words


def test_an_option_chooses_a_real_model() -> None:
    assert choose_demo_model("tiny") == ("tiny", "the model tiny")


def test_the_script_turns_pages_only_where_there_are_more() -> None:
    one = 'searchbox "Search products" [ref=e1] button "Search" [ref=e2]'
    for page, more in ((one, False), (one + ' link "Next" [ref=e9]', True)):
        script = Script(shop_script("desk"))
        calls = [script.next([ToolMessage(page, tool_call_id="1")]).tool_calls for _ in range(6)]
        assert [call[0]["name"] for call in calls[:-1]] == ["plan", "fill", "click", "wait_for", "extract"]
        assert calls[1][0]["args"] == {"target": "e1", "value": "desk"}
        assert ("next" in calls[4][0]["args"]) is more
        assert calls[5] == []
