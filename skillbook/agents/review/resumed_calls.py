"""Calls of a run that another kernel began: they are for what its model saw there, and for nothing else.

Refs count from one in every document, so `e13` of an earlier kernel is any element here. A call is inherited where
the model made it before this kernel showed it the page, or where it names a ref that this kernel has not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from skillbook.agents.state.checkpoints import KeptRun
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.formatting import page_text
from skillbook.errors import StaleRef
from skillbook.protocol.refs import is_ref
from skillbook.session.action import PreparedAction

_MARK = "resumed"
_INTRODUCTION = (
    "The work goes on in another session. Every ref and tab number from before this message is void. "
    "The page is now:"
)


class ResumeMiddleware(AgentMiddleware[Any, Any, Any]):
    """Shows the model of a resumed run the page of this kernel before it answers."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Add the page to the conversation, once in each kernel."""
        context = self._context
        if not context.resumed or context.page_shown:
            return None
        text = f"{_INTRODUCTION}\n{page_text(context, await context.snapshot())}"
        context.page_shown = True
        return {"messages": [HumanMessage(text, name=_MARK)]}


def is_inherited(context: RunContext, messages: Sequence[AnyMessage], args: Mapping[str, Any]) -> bool:
    """Whether a call rests on what an earlier kernel showed the model."""
    if not context.resumed:
        return False
    if not context.page_shown:
        return True
    marks = [place for place, message in enumerate(messages) if message.name == _MARK]
    # Where the mark is gone, all before it was condensed into a summary, which leaves refs out.
    shown = [
        message.text
        for message in messages[marks[-1] if marks else 0 :]
        if not isinstance(message, AIMessage)
    ]
    return any(not re.search(rf"\b{ref}\b", text) for ref in refs_in(args) for text in ["\n".join(shown)])


def check_inherited(
    kept: KeptRun | None, call_id: str, args: Mapping[str, Any], action: PreparedAction | None
) -> str:
    """Compare what an inherited call was judged on with what it would act on here.

    Parameters
    ----------
    kept: what the earlier kernel kept.
    call_id, args: the call.
    action: what it would do here; None for a call that no policy judges.

    Returns
    -------
    Why a person is asked anew; empty where the call meets the very document and element that it was made for.

    Raises
    ------
    StaleRef: it names an element or a tab by a number that means something else here.
    """
    numbered = "tab" in args or any(refs_in(args))
    before = kept.binding if kept is not None and kept.call_id == call_id else None
    if action is None or before is None or kept is None:
        if numbered:
            raise _stale("nobody wrote down what it was made for")
        return "This call was made in an earlier kernel, before it was judged" if action is not None else ""
    now = replace(action.binding, tab=before.tab, document=before.document)
    differences = before.differences(now)
    if kept.url != (action.call.url or ""):
        differences.insert(0, f"the address was {kept.url} and is {action.call.url}")
    if differences and numbered:
        raise _stale("; ".join(differences))
    if differences:
        return f"This call was made in an earlier kernel: {'; '.join(differences)}"
    if action.binding.document != before.document:
        return "The page was opened anew since this call was made"
    return ""


def _stale(why: str) -> StaleRef:
    return StaleRef(
        f"This call was made in an earlier kernel, and names what it means by a number: {why}.",
        hint="Read the page with `snapshot`, then call again if it is still needed.",
    )


def refs_in(value: Any) -> Iterator[str]:
    """Every ref in a call's arguments."""
    if isinstance(value, str):
        if is_ref(value):
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from refs_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from refs_in(each)
