"""Trying a model with one tool call, for `skillbook doctor --model`."""

from __future__ import annotations

import re

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from skillbook.agents.models.choice import as_model_error, choose_model
from skillbook.config import Settings
from skillbook.errors import ModelNotConfigured, ModelUnreachable, SkillbookError

_UNREACHABLE = re.compile(r"Connect|Timeout")
"""In the name of whatever exception a provider's client raises for a server that doesn't answer."""
_PROMPT = "Call the tool `press` with the target `button 'Save'`. Answer with the call alone."


@tool
def press(target: str) -> str:
    """Press an element of the page."""
    return target


def try_tool_call(name: str, settings: Settings) -> str:
    """Have a model call a tool; returns what it did, in words.

    Raises
    ------
    ModelNotConfigured: no such model, or no key. ModelUnreachable: no answer, or none that calls the tool.
    """
    choice = choose_model(name or None, settings)
    try:
        answer = choice.model.bind_tools([press]).invoke([HumanMessage(_PROMPT)])
    except Exception as error:
        raise _explain(error, choice.name, settings) from error
    calls = answer.tool_calls
    if not calls or calls[0]["name"] != press.name or not calls[0]["args"].get("target"):
        raise ModelUnreachable(
            f"The model {choice.name} answered, but didn't call the tool that it was offered.",
            hint="Choose a model that calls tools, or switch tool calling on at its server.",
        )
    return f"{choice.name} called a tool"


def _explain(error: Exception, name: str, settings: Settings) -> SkillbookError:
    found = as_model_error(error, name)
    if isinstance(found, ModelNotConfigured):
        return found
    if getattr(error, "status_code", None) is None and _UNREACHABLE.search(type(error).__name__):
        where = settings.base_url or "its provider"
        return ModelUnreachable(
            f"The model {name} can't be reached at {where}.",
            hint="Check SKILLBOOK_BASE_URL and the network, and that the server is running.",
        )
    if getattr(error, "status_code", None) in {401, 403}:
        return ModelUnreachable(
            f"The server refused the key for the model {name}.", hint=found.hint or "Check the API key."
        )
    return found
