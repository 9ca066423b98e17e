from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from skillbook.errors import ScriptMismatch
from skillbook.testing.scripted_model import Script, ToolCall, estimate_tokens, find_ref, ref_of

PAGE = """- main:
  - button "Next" [disabled] [ref=e7]
  - row: link "Tea" [ref=e8] button "Buy" [ref=e9]
  - row: link "Ink" [ref=e10] button "Buy" [ref=e11]
"""


def tool(text: str) -> ToolMessage:
    return ToolMessage(text, tool_call_id="1")


def test_answers_come_in_order_and_are_counted() -> None:
    script = Script(["one", ToolCall("click", {"target": "e1"}, text="now")])
    assert script.left == 2
    assert script.next([HumanMessage("hi")]).text == "one"
    call = script.next([HumanMessage("hi")])
    assert (call.text, call.tool_calls[0]["name"], call.tool_calls[0]["args"]) == (
        "now",
        "click",
        {"target": "e1"},
    )
    assert (script.used, script.left) == (2, 0)


def test_functions_see_the_messages_and_may_return_functions() -> None:
    script = Script([lambda messages: lambda again: ToolCall("say", {"text": again[-1].text})])
    assert script.next([HumanMessage("hello")]).tool_calls[0]["args"] == {"text": "hello"}


def test_one_function_answers_forever() -> None:
    script = Script(lambda messages: str(len(messages)))
    assert [script.next([HumanMessage("x")] * n).text for n in (1, 2, 5)] == ["1", "2", "5"]
    assert script.left is None


def test_an_exception_in_the_script_is_raised() -> None:
    with pytest.raises(ConnectionError, match="cable"):
        Script([ConnectionError("cable")]).next([])


def test_running_out_says_what_the_model_was_sent() -> None:
    script = Script(["only"])
    script.next([])
    with pytest.raises(ScriptMismatch, match=r"all 1 were used.*page is gone") as caught:
        script.next([HumanMessage("the page is gone")])
    assert caught.value.hint


def test_broken_arguments_become_an_invalid_call() -> None:
    message = Script([ToolCall("click", '{"target": ')]).next([])
    assert message.tool_calls == []
    assert message.invalid_tool_calls[0]["name"] == "click"
    assert Script([ToolCall("click", '{"a": 1}')]).next([]).tool_calls[0]["args"] == {"a": 1}


def test_usage_grows_with_the_messages_and_given_usage_is_kept() -> None:
    short = Script(["ok"]).next([HumanMessage("x" * 40)])
    long = Script(["ok"]).next([HumanMessage("x" * 4000)])
    assert short.usage_metadata is not None
    assert long.usage_metadata is not None
    assert (short.usage_metadata["input_tokens"], long.usage_metadata["input_tokens"]) == (10, 1000)
    given = AIMessage("hi", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3})
    kept = Script([given]).next([HumanMessage("x" * 400)])
    assert kept.usage_metadata == given.usage_metadata
    assert kept is not given
    assert estimate_tokens("") == 1


def test_ref_of_reads_the_newest_page_text() -> None:
    messages = [tool('- button "Next" [ref=e3]'), tool(PAGE), HumanMessage("go on")]
    assert ref_of(messages, "button 'Next'") == "e7"
    assert ref_of(messages, "button 'Buy'") == "e9"
    assert ref_of(messages, "button 'Buy'", nth=-1) == "e11"
    assert ref_of(messages, "link 'Ink'") == "e10"
    assert ref_of([tool('- textbox "Card" [ref=f2e3]')], "textbox 'Card'") == "f2e3"


def test_ref_of_does_not_take_the_ref_of_a_neighbour() -> None:
    assert find_ref([tool('- row: text "Tea" button "Buy" [ref=e9]')], "button 'Tea'") is None
    assert find_ref([tool(PAGE)], "button 'Buy'", nth=5) is None
    with pytest.raises(ScriptMismatch, match="Sell"):
        ref_of([tool(PAGE)], "button 'Sell'")
