"""An answer ends a run only if it is one; a call written as text, in whichever way, is none."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from skillbook.agents.models.answer_faults import AnswerFault, find_fault

TOOLS = ("click", "fill", "snapshot", "goto")
ARGUMENTS = ("target", "value", "url")


def fault(
    text: str, reason: str | None = "stop", tools: tuple[str, ...] = TOOLS, **message: Any
) -> AnswerFault | None:
    answer = AIMessage(text, response_metadata={"finish_reason": reason} if reason else {}, **message)
    return find_fault(answer, tools, arguments=ARGUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "click", "arguments": {"target": "e2"}}',
        '{"name": "press_button", "arguments": {"id": 5}}',
        '[{"name": "click", "parameters": {"target": "e2"}}]',
        '```json\n{"name": "click", "arguments": {"target": "e2"}}\n```',
        'I will press it now.\n\n```json\n{\n  "tool": "click",\n  "target": "e2"\n}\n```\nDone.',
        '{"name": "fill", "arguments": {"target": "e2", "value": "cut of',
        "{'name': 'click', 'arguments': {'target': 'e2'}}",
        '{"type": "function", "function": {"name": "click", "arguments": "{}"}}',
        '<tool_call>\n{"name": "click", "arguments": {"target": "e2"}}\n</tool_call>',
        "<tool_call>",
        '<function=click><parameter=target>e2</parameter></function>',
        '<invoke name="click"><parameter name="target">e2</parameter></invoke>',
        "<click><target>e2</target></click>",
        'Now:\n<click target="e2"/>',
        '<|python_tag|>click.call(target="e2")',
        '[TOOL_CALLS][{"name": "click", "arguments": {"target": "e2"}}]',
        '<｜tool▁calls▁begin｜>function<｜tool▁sep｜>click\n{"target": "e2"}',
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.click:0<|tool_call_argument_begin|>{}',
        '<|channel|>commentary to=functions.click <|message|>{"target": "e2"}',
        '[click(target="e2")]',
        '```tool_code\nclick(target="e2")\n```',
        "Thought: press it.\nAction: click\nAction Input: e2",
        'Action: {"action": "click", "action_input": {"target": "e2"}}',
        "<think>I should click</think>\n{\"name\": \"snapshot\", \"arguments\": {}}",
    ],
)  # fmt: skip
def test_a_call_as_text_is_no_answer(text: str) -> None:
    found = fault(text)
    assert found is not None, text
    assert found.again
    assert "call written as text" in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "Added one pen.",
        "The cheapest is `Lamp {small}`; I used click and fill.",
        'The API answers {"name": "click"} as its first event.',
        '{"name": "Ada", "age": 36}',
        '```json\n[{"name": "Lamp", "price": 5}]\n```',
        "| name | arguments |\n|---|---|\n| click | e2 |",
        "The form has <select> and <input value=5>.",
        "It has a [tool box](http://site.test/tools) in stock.",
        "Steps: click (e2), then fill.",
        "<p>The page's markup</p>",
        "5",
    ],
)
def test_words_and_data_are_an_answer(text: str) -> None:
    assert fault(text) is None, text
    assert fault(text, reason=None) is None


def test_in_cells_a_program_as_text_is_no_answer() -> None:
    code = "```python\npage.click('e2')\n```"
    assert fault(code, tools=("run_cell",)) is not None
    assert fault(code) is None


@pytest.mark.parametrize(
    ("text", "reason", "again", "words"),
    [
        ("", "stop", True, "empty"),
        (" \n", "stop", True, "empty"),
        ("<think>hm</think>", "stop", True, "empty"),
        ("<think>hm", "stop", True, "empty"),
        ("The lamp is", "length", True, "cut off"),
        ("The lamp is", "MAX_TOKENS", True, "cut off"),
        ("I press it.", "tool_calls", True, "no call"),
        ("", "MALFORMED_FUNCTION_CALL", True, "empty"),
        ("I can", "content_filter", False, "content_filter"),
        ("I can", "SAFETY", False, "safety"),
        ("I can", "error", False, "error"),
    ],
)
def test_an_answer_counts_only_if_the_model_finished(text: str, reason: str, again: bool, words: str) -> None:
    found = fault(text, reason)
    assert found is not None
    assert found.again is again
    assert words in found.reason


@pytest.mark.parametrize("reason", ["stop", "STOP", "stopstop", "end_turn", "eos_token", "COMPLETE", None])
def test_providers_words_for_a_finish(reason: str | None) -> None:
    assert fault("Done.", reason) is None


def test_a_refusal_fails_with_its_words() -> None:
    found = fault("", additional_kwargs={"refusal": "I can't help with that."})
    assert found == AnswerFault("the model refused: I can't help with that.", again=False)


def test_a_call_that_was_cut_off_is_not_made() -> None:
    call = {"name": "fill", "args": {"target": "e2", "value": "half a se"}, "id": "1", "type": "tool_call"}
    assert fault("", "length", tool_calls=[call]) is not None
    assert fault("", "content_filter", tool_calls=[call]) is not None
    for reason in ("tool_calls", "stop", "tool_use", None):
        assert fault("", reason, tool_calls=[call]) is None


def test_with_a_schema_words_are_no_result() -> None:
    found = find_fault(AIMessage("It is Ada."), TOOLS, schema="Saved")
    assert found is not None
    assert "`Saved`" in found.words
