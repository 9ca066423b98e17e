"""What is wrong with an answer that isn't one, and the ids by which the calls of an answer are known. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage

_FINISHED = frozenset(
    {"", "stop", "stopped", "stop_sequence", "end_turn", "eos", "eos_token", "complete", "completed"}
)
_CUT = re.compile(r"length|max|limit|incomplete")
_CALLED = re.compile(r"tool|function")
_REASONS = ("finish_reason", "stop_reason", "done_reason", "status")
"""Where providers say why a model stopped."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_MARK = re.compile(
    r"<?[<\[](?:\||｜|\w+:)?/?(?:tool[_▁ ]?(?:calls?|use|code)|function[_▁ ]?(?:calls?)?=?|invoke\b|python_tag)"
    r"|\bto=functions\.",
    re.IGNORECASE,
)
"""What chat templates put around a call."""
_KEYS = r"name|tool|tool_name|function|action|recipient_name"
_GIVEN = r"arguments|args|parameters|params|input|tool_input|action_input"
_NAMED = re.compile(rf"""["'](?:{_KEYS})["']\s*:\s*["'](?:functions?[.:])?([\w.-]+)["']""")
_WITH = re.compile(rf"""["'](?:{_GIVEN})["']\s*:""")
_BLOCK = re.compile(
    r"^\s*(?:```\w*\s*|[<\[][^\n>\]]*[>\]]\s*|[*_`]*[\w ]+:[*_`]*\s*)?\[?\s*[{(]", re.MULTILINE
)
"""The beginning of an object on a line of its own, after a fence, a tag or a label if there is one."""


@dataclass(frozen=True)
class AnswerFault:
    """Why an answer can't be used.

    reason: what is wrong with it, as a sentence about the answer.
    again: whether the model may do better if it is queried once more.
    """

    reason: str
    again: bool = True

    @property
    def words(self) -> str:
        """What the model reads."""
        return (
            f"Your last answer can't be used, and nothing was done: {self.reason} "
            "Call a tool, or give your whole answer in words if the work is done."
        )


def find_fault(
    answer: AIMessage, tools: Iterable[str], *, arguments: Iterable[str] = (), schema: str = ""
) -> AnswerFault | None:
    """What is wrong with a model's answer; None for one that calls a tool or ends the run.

    tools, arguments: the names of what the model may call, and of what these take.
    schema: the tool that gives the result of a run with a schema; empty for one that ends in words.
    """
    reason = _stopped_by(answer)
    calls = bool(answer.tool_calls or answer.invalid_tool_calls)
    if refusal := answer.additional_kwargs.get("refusal"):
        return AnswerFault(f"the model refused: {str(refusal)[:300]}", again=False)
    if _CUT.search(reason):
        return AnswerFault(f"It was cut off before its end (finish reason {reason!r}); be shorter.")
    if reason not in _FINISHED and not _CALLED.search(reason):
        return AnswerFault(f"the model stopped by {reason!r}, not because it had finished", again=False)
    if calls:
        return None
    text = _THOUGHT.sub("", answer.text).strip()
    if not text:
        return AnswerFault("It was empty.")
    if _CALLED.search(reason):
        return AnswerFault(f"It ended by {reason!r}, but had no call.")
    if is_call_in_text(text, frozenset(tools), frozenset(arguments)):
        return AnswerFault("It has a call written as text, which calls nothing; use the tools as such.")
    return AnswerFault(f"The result is given by a call of `{schema}`, not in words.") if schema else None


def _stopped_by(answer: AIMessage) -> str:
    """Why the model stopped, in lower case; empty where nobody says."""
    metadata = answer.response_metadata
    word = next((str(metadata[name]) for name in _REASONS if metadata.get(name)), "").lower()
    repeated = re.fullmatch(r"(.+?)\1+", word)  # a stream that says it with two of its pieces
    return repeated[1] if repeated else word


def is_call_in_text(text: str, tools: frozenset[str], arguments: frozenset[str]) -> bool:
    """Whether a text has a call as models write it that don't make one: as JSON, XML, a template's marks or code.

    tools, arguments: the names of what may be called, and of what these take.
    """
    mark = _MARK.search(text)
    if mark is not None and (
        mark.start() == 0 or _NAMED.search(text, mark.end()) or _names(tools, text[mark.end() :])
    ):
        return True
    return _as_object(text, tools, arguments) or _as_code(text, tools) or _as_tag(text, tools, arguments)


def _names(tools: frozenset[str], text: str) -> bool:
    return any(word in tools for word in re.findall(r"[A-Za-z_]\w*", text))


def _as_object(text: str, tools: frozenset[str], arguments: frozenset[str]) -> bool:
    """A JSON object, or one cut off, that begins on a line of its own."""
    for block in _BLOCK.finditer(text):
        rest = text[block.end() - 1 :]
        for named in _NAMED.finditer(rest):
            takes = _WITH.search(rest)
            known = named[1] in tools
            if (known and (takes or any(f'"{name}"' in rest for name in arguments))) or (
                takes and '"name"' in rest and block.start() == 0
            ):
                return True
    return False


def _as_code(text: str, tools: frozenset[str]) -> bool:
    """A line that is one call in code, or a program over `page` where the model writes cells."""
    if "run_cell" in tools and re.search(r"^\s*(?:\w+\s*=\s*)?(?:await\s+)?page\.\w+\(", text, re.MULTILINE):
        return True
    lines = re.findall(
        r"^[\s`\[]*(?:functions?\.|default_api\.|print\()*(\w+)\(([^\n]*)\)[\s`\]);]*$", text, re.MULTILINE
    )
    action = re.search(r"^\W*Action\W*\s(\w+)\W*$\s*^\W*Action Input\b", text, re.MULTILINE | re.IGNORECASE)
    return any(name in tools and (not given or re.search(r"[='\"]", given)) for name, given in lines) or (
        action is not None and action[1] in tools
    )


def _as_tag(text: str, tools: frozenset[str], arguments: frozenset[str]) -> bool:
    """An element named as a tool, with an argument as its attribute or child."""
    for tag in re.finditer(r"^[\s`]*<(\w+)([^<>]*)>", text, re.MULTILINE):
        after = text[tag.end() :]
        if tag[1] in tools and any(
            re.search(rf"\b{name}\s*=", tag[2]) or f"<{name}>" in after for name in arguments
        ):
            return True
    return False


# LangGraph pairs calls and results by id, and so do the journal and a resumed run. But servers give one constant id,
# count anew in each answer, or give none.

_GIVEN_IDS = "given_ids"
"""Where an answer's `response_metadata` keeps the ids that its server gave."""


class IdentifiedModel:
    """A model for one turn: its calls have our ids as soon as it answers, and it gets its own ids back.

    model: a chat model, or one that tools were bound to.
    run_id, turn: make the ids unique; a run's answers are counted from 0.
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

    answer: as the server gave it.
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
    kept = {**answer.response_metadata, _GIVEN_IDS: {"message": answer.id, "calls": given_ids}}
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
    kept = message.response_metadata.get(_GIVEN_IDS) if isinstance(message, AIMessage) else None
    if not isinstance(message, AIMessage) or not isinstance(kept, Mapping):
        return message
    calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    if len(calls) != len(kept["calls"]):
        return message
    for call, given in zip(calls, kept["calls"], strict=True):
        theirs[call["id"]] = given
    restored = [{**call, "id": theirs[call["id"]]} for call in calls]
    whole = len(message.tool_calls)
    metadata = {name: value for name, value in message.response_metadata.items() if name != _GIVEN_IDS}
    changes = {
        "tool_calls": restored[:whole],
        "invalid_tool_calls": restored[whole:],
        "response_metadata": metadata,
        "id": kept["message"],
    }
    return message.model_copy(update=changes)
