"""A call of a page's own tool from the side panel: the tool is the page's code, so it is judged as an agent's call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

from skillbook.agents.fence import unfence
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import CallNotes
from skillbook.agents.tools.command_tools import command_tools
from skillbook.protocol.asks.run_asks import RunView, StepLine
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.serving.given.run_output import RunOutput, TextOutput
from skillbook.serving.runs.approved_calls import ApprovedCalls
from skillbook.session.action import acting_name
from skillbook.session.page_driver import PageDriver

_CALL = "call_page_tool"


class PageToolRun(ApprovedCalls):
    """One call, which the person approves before it is made; what it sends is judged too.

    Parameters
    ----------
    tool : as the page declares it.
    args : its arguments.
    """

    def __init__(self, driver: PageDriver, tool: PageTool, args: Mapping[str, Any]) -> None:
        title = f"Call the page's tool {tool.name}"
        super().__init__("workflow", title, name=tool.name, inputs=dict(args), driver=driver)
        self.judge_calls(RunContext(self.id, title, driver, cast(Any, None), "all"))
        self._tool = tool
        self._answer = ""

    async def work(self) -> None:
        acting_name.set("side panel")
        self.context.call_id, self.context.notes = uuid4().hex[:8], CallNotes()
        [call] = [
            tool
            for tool in command_tools(self.context, allow_evaluate=False, page_tools=True)
            if tool.name == _CALL
        ]
        coroutine: Any = call.coroutine  # type: ignore[attr-defined]
        given = {"name": self._tool.name, "args": dict(self.inputs), "frame": self._tool.frame}
        await self.requests.join()
        try:
            answer = await self.approved(lambda: coroutine(**given))
            text = unfence(str(answer[0] if isinstance(answer, tuple) else answer))
            sent = self.requests.report()
            self._answer = f"{text}\nIts requests:\n{sent}" if sent else text
            self.ok = self.context.notes.error is None
        finally:
            await self.requests.leave()

    def outputs(self) -> Sequence[RunOutput]:
        return [TextOutput("answer", "What the page answered", self._answer)] if self._answer else []

    def view(self) -> RunView:
        error, hint = self.error_words()
        steps = []
        if self.is_over:
            line = StepLine(
                number=1, words=f"{_CALL} {self._tool.name}", ok=self.ok, error=error, hint=hint,
                outcome=self.context.notes.summary, effect="write", url=self._driver.url,
            )  # fmt: skip
            steps.append(line)
        return RunView(
            **self._summary(), status=self.status, steps=steps, question=self.question, error=error, hint=hint,
            more_questions=max(0, len(self._waiting) - 1), can=self.steering(),
            outputs=[output.view() for output in self.outputs()],
        )  # fmt: skip
