from __future__ import annotations

from langchain_core.messages import ToolMessage
from pydantic import SecretStr

from skillbook.config import Settings
from skillbook.testing.demo import DEFAULT_MODEL, choose_demo_model, shop_script
from skillbook.testing.script import Script
from skillbook.testing.scripted_model import ScriptedModel


def settings(**values: object) -> Settings:
    return Settings(_env_file=None, **values)  # type: ignore[arg-type]


def test_without_a_key_it_is_scripted_and_says_so() -> None:
    model, words = choose_demo_model(None, settings(api_key=None))
    assert isinstance(model, ScriptedModel)
    assert "scripted" in words


def test_a_key_a_setting_or_an_option_choose_a_real_model() -> None:
    assert choose_demo_model(None, settings(api_key=SecretStr("k")))[0] == DEFAULT_MODEL
    assert choose_demo_model(None, settings(model="openai:gpt-5"))[0] == "openai:gpt-5"
    model, words = choose_demo_model("tiny", settings(model="openai:gpt-5"))
    assert (model, "tiny" in words) == ("tiny", True)


def test_the_script_turns_pages_only_where_there_are_more() -> None:
    one = 'searchbox "Search products" [ref=e1] button "Search" [ref=e2]'
    for page, more in ((one, False), (one + ' link "Next" [ref=e9]', True)):
        script = Script(shop_script("desk"))
        calls = [script.next([ToolMessage(page, tool_call_id="1")]).tool_calls for _ in range(6)]
        assert [call[0]["name"] for call in calls[:-1]] == ["plan", "fill", "click", "wait_for", "extract"]
        assert calls[1][0]["args"] == {"target": "e1", "value": "desk"}
        assert ("next" in calls[4][0]["args"]) is more
        assert calls[5] == []
