"""What is wrong with an answer that isn't one: nothing, a part, a refusal, or a call written as text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from langchain_core.messages import AIMessage

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

    Parameters
    ----------
    reason : what is wrong with it, as a sentence about the answer.
    again : whether the model may do better if it is queried once more.
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

    Parameters
    ----------
    answer : the answer.
    tools, arguments : the names of what the model may call, and of what these take.
    schema : the tool that gives the result of a run with a schema; empty for one that ends in words.
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

    Parameters
    ----------
    text : an answer without a call.
    tools, arguments : the names of what may be called, and of what these take.
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
