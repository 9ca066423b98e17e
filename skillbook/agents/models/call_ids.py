"""A call is known by its turn and its place in the answer; the id that a server gives it is only returned to it.

LangGraph pairs calls and results by id, and so do the journal and a resumed run. But servers give one constant id,
count anew in each answer, or give none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage

_GIVEN = "given_ids"
"""Where an answer's `response_metadata` keeps the ids that its server gave."""


class IdentifiedModel:
    """A model for one turn: its calls have our ids as soon as it answers, and it gets its own ids back.

    Parameters
    ----------
    model : a chat model, or one that tools were bound to.
    run_id, turn : make the ids unique; a run's answers are counted from 0.
    """

    def __init__(self, model: Any, run_id: str, turn: int) -> None:
        self._model, self._run_id, self._turn = model, run_id, turn

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> IdentifiedModel:
        """The model with tools."""
        return IdentifiedModel(self._model.bind_tools(tools, **options), self._run_id, self._turn)

    def bind(self, **options: Any) -> IdentifiedModel:
        """The model with settings."""
        return IdentifiedModel(self._model.bind(**options), self._run_id, self._turn)

    async def ainvoke(self, messages: Sequence[AnyMessage]) -> AIMessage:
        """Query the model."""
        return identify(await self._model.ainvoke(given_back(messages)), self._run_id, self._turn)


def identify(answer: AIMessage, run_id: str, turn: int) -> AIMessage:
    """An answer whose calls have our ids; a call whose arguments are blank or no text at all is a whole call.

    Parameters
    ----------
    answer : as the server gave it.
    run_id, turn : name the answer.
    """
    calls: list[dict[str, Any]] = [dict(call) for call in answer.tool_calls]
    broken: list[dict[str, Any]] = []
    for invalid in answer.invalid_tool_calls:
        given: Any = invalid["args"]
        args = {} if given in (None, "", "null") else given
        if isinstance(args, dict) and invalid["name"]:
            calls.append({"name": invalid["name"], "args": args, "id": invalid["id"], "type": "tool_call"})
        else:
            broken.append(dict(invalid))
    given_ids = []
    for place, call in enumerate([*calls, *broken]):
        theirs = call["id"]
        # Where a server gives no id, the one that it gets must be the same in every replay of the run.
        given_ids.append(theirs if isinstance(theirs, str) and theirs else f"call_{turn}_{place}")
        call["id"] = f"{run_id}-{turn}-{place}"
    kept = {**answer.response_metadata, _GIVEN: {"message": answer.id, "calls": given_ids}}
    changes = {
        "tool_calls": calls,
        "invalid_tool_calls": broken,
        "response_metadata": kept,
        # LangGraph puts a message in the place of an earlier one with its id.
        "id": f"{run_id}-{turn}",
    }
    return answer.model_copy(update=changes)


def given_back(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """A conversation with the ids that the server gave, as it is sent to it; others stay."""
    theirs: dict[str, str] = {}
    return [_given_back(message, theirs) for message in messages]


def _given_back(message: BaseMessage, theirs: dict[str, str]) -> Any:
    if isinstance(message, ToolMessage):
        known = theirs.get(message.tool_call_id)
        return message if known is None else message.model_copy(update={"tool_call_id": known})
    kept = message.response_metadata.get(_GIVEN) if isinstance(message, AIMessage) else None
    if not isinstance(message, AIMessage) or not isinstance(kept, Mapping):
        return message
    calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    if len(calls) != len(kept["calls"]):
        return message
    for call, given in zip(calls, kept["calls"], strict=True):
        theirs[call["id"]] = given
    restored = [{**call, "id": theirs[call["id"]]} for call in calls]
    whole = len(message.tool_calls)
    metadata = {name: value for name, value in message.response_metadata.items() if name != _GIVEN}
    changes = {
        "tool_calls": restored[:whole],
        "invalid_tool_calls": restored[whole:],
        "response_metadata": metadata,
        "id": kept["message"],
    }
    return message.model_copy(update=changes)
