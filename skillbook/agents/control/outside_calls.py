"""Calls that come from outside, such as from another program's agent over MCP, in the place of a model's answers.

So a call of theirs is reviewed, shown, approved, journaled and saved as one of a model here, and holds the same limits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from skillbook.agents.control.controller import FREE, ControllerModel
from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.tools.page_images import images_of

_MARK = "The page's image that was asked for."


@dataclass(frozen=True)
class OutsideAnswer:
    """What came of a call.

    Parameters
    ----------
    text : as a model here would read it; page text is fenced.
    ok : whether it was carried out.
    images : Base64 of PNGs.
    """

    text: str
    ok: bool
    images: tuple[str, ...] = ()


@dataclass(eq=False)
class OutsideCall:
    """One call, from when it came until it is answered.

    Parameters
    ----------
    name, args : the run's tool and its arguments.
    id : names it in the run and the journal.
    answer : what came of it.
    called_off : whether the program doesn't wait for it any more.
    """

    name: str
    args: dict[str, Any]
    id: str = field(default_factory=lambda: f"call-{uuid4().hex[:12]}")
    answer: asyncio.Future[OutsideAnswer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    called_off: bool = False


class OutsideCalls:
    """The calls of one program, one at a time: it decides in the place of a `Controller`.

    Parameters
    ----------
    name : what the person calls the program.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._coming: asyncio.Queue[OutsideCall | None] = asyncio.Queue()
        self._current: OutsideCall | None = None

    def choice(self) -> ModelChoice:
        """What a run takes for its model."""
        name = f"{self.name}, over MCP"
        return ModelChoice(ControllerModel(controller=self, model_name=name), name, FREE)

    def put(self, name: str, args: dict[str, Any]) -> OutsideCall:
        """Have the run make a call."""
        call = OutsideCall(name, args)
        self._coming.put_nowait(call)
        return call

    def end(self) -> None:
        """The program leaves: the run ends once it has made the calls that came, and holds what they still send."""
        self._coming.put_nowait(None)

    async def answer(self, messages: Sequence[BaseMessage] = ()) -> AIMessage:
        """Answer the last call from the conversation, then wait for the next."""
        self._take(messages)
        call = await self._coming.get()
        while call is not None and call.called_off:
            call.answer.set_result(OutsideAnswer("Not done: it was called off before it began.", False))
            call = await self._coming.get()
        self._current = call
        if call is None:
            return AIMessage(f"{self.name} left.")
        return AIMessage("", tool_calls=[{"name": call.name, "args": call.args, "id": call.id}])

    def _take(self, messages: Sequence[BaseMessage]) -> None:
        call, self._current = self._current, None
        if call is None or call.answer.done():
            return
        for place in range(len(messages) - 1, -1, -1):
            message = messages[place]
            if isinstance(message, ToolMessage) and message.tool_call_id == call.id:
                call.answer.set_result(_answer(message, messages[place + 1 :]))
                return


def _answer(message: ToolMessage, after: Sequence[BaseMessage]) -> OutsideAnswer:
    """A call's answer, with what was said to the model after it."""
    said = [str(each.text) for each in after if isinstance(each, HumanMessage)]
    text = "\n\n".join([str(message.text), *(words for words in said if not words.startswith(_MARK))])
    return OutsideAnswer(text, message.status != "error", tuple(images_of(message)))
