"""Steps of an interrupted run, made again from its conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, ToolMessage

from skillbook.agents.fence import unfence
from skillbook.agents.records import StepRecord
from skillbook.agents.tools.base import effect_of

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from langchain_core.tools import BaseTool


def restore_steps(messages: Sequence[AnyMessage], tools: Mapping[str, BaseTool]) -> list[StepRecord]:
    """One record for each call that was answered; times, costs and snapshots of an earlier kernel are lost."""
    answers = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    steps: list[StepRecord] = []
    for message in messages:
        if not isinstance(message, AIMessage):
            continue
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
                    said=message.text,
                    result=unfence(answer.text),
                    error="failed" if answer.status == "error" else None,
                )
            )
    return steps
