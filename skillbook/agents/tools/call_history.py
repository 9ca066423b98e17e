"""What a run's conversation with the model says of its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, ToolMessage

from skillbook.agents.fence import unfence
from skillbook.agents.state.step_records import StepRecord
from skillbook.agents.tools.tool_base import effect_of
from skillbook.errors import AgentError

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from langchain_core.tools import BaseTool


def last_call(messages: list[Any], call_id: str) -> tuple[str, dict[str, Any]] | None:
    """What the model said beside a call, and the arguments it gave; None where no message has the call."""
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                if call["id"] == call_id:
                    return str(message.text), call["args"]
    return None


def has_calls_of(tool: str, messages: Sequence[AnyMessage]) -> bool:
    """Whether a conversation has a call of a tool."""
    made = (message.tool_calls for message in messages if isinstance(message, AIMessage))
    return any(call["name"] == tool for calls in made for call in calls)


def messages_before(messages: list[AnyMessage], call_id: str) -> list[AnyMessage]:
    """The conversation up to the answer that made a call, that answer left out."""
    for place, message in enumerate(messages):
        if isinstance(message, AIMessage) and any(
            call["id"] == call_id for call in [*message.tool_calls, *message.invalid_tool_calls]
        ):
            return messages[:place]
    raise AgentError("That step is no longer part of the conversation: it was condensed into a summary.")


def restore_steps(messages: Sequence[AnyMessage], tools: Mapping[str, BaseTool]) -> list[StepRecord]:
    """One record for each call that was answered; times, costs and snapshots of an earlier kernel are lost."""
    steps: list[StepRecord] = []
    for place, message in enumerate(messages):
        if not isinstance(message, AIMessage):
            continue
        # Up to the next answer only: in runs of an earlier version ids come again.
        after = takewhile(lambda each: not isinstance(each, AIMessage), messages[place + 1 :])
        answers = {each.tool_call_id: each for each in after if isinstance(each, ToolMessage)}
        for call in message.tool_calls:
            answer = answers.get(str(call["id"]))
            if answer is None or call["name"] not in tools:
                continue
            steps.append(
                StepRecord(
                    index=len(steps) + 1,
                    tool=call["name"],
                    args=call["args"],
                    call_id=str(call["id"]),
                    effect=effect_of(tools[call["name"]]),
                    said=str(message.text),
                    result=unfence(answer.text),
                    error="failed" if answer.status == "error" else None,
                    at=0.0,
                )
            )
    return steps
