"""Tools that a page itself declares (WebMCP): listed, and called as its own code."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from skillbook.protocol.commands.act import ActionOutcome
from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.model import WireModel

MOST_TOOLS = 40
NAME_LENGTH, WORDS_LENGTH, SCHEMA_LENGTH, FRAME_LENGTH = 100, 500, 8_000, 300


class PageToolsParams(WireModel):
    pass


class PageTool(WireModel):
    """A tool as the page declares it; every word of it is the page's."""

    name: str = Field(max_length=NAME_LENGTH)
    description: str = Field("", max_length=WORDS_LENGTH)
    input_schema: str = Field(
        "", max_length=SCHEMA_LENGTH, description="JSON Schema of its arguments, as text."
    )
    output_schema: str = Field("", max_length=SCHEMA_LENGTH, description="The same of its answer.")
    consequential: bool = Field(False, description="Whether the page says that it can't be undone.")
    frame: str = Field(
        "",
        max_length=FRAME_LENGTH,
        description="Address of the frame that declares it, up to its `?`; empty for the page itself.",
    )


class PageToolsResult(WireModel):
    supported: bool = Field(description="Whether the browser has such tools on this page at all.")
    tools: list[PageTool] = Field(max_length=MOST_TOOLS)
    silent: list[Annotated[str, Field(max_length=FRAME_LENGTH)]] = Field(
        [],
        max_length=MOST_TOOLS,
        description="Addresses of frames that don't say which tools they have; an empty one for the page itself.",
    )


class CallPageToolParams(WireModel):
    name: str = Field(
        min_length=1, max_length=NAME_LENGTH, description="The tool's name, as the page lists it."
    )
    args: dict[str, Any] = Field({}, description="Its arguments.")
    frame: str = Field("", max_length=FRAME_LENGTH, description="Its frame, as the page lists it.")


class CallPageToolOutcome(ActionOutcome):
    answer: str = Field("", description="What the tool answered: its text, or JSON text.")
    value: Any = None  # the same as a value of JSON; none where it is too long
    waits: bool = Field(
        False, description="Whether it hasn't answered yet: a form waits for somebody to send it."
    )


PAGE_TOOL_COMMANDS: tuple[Command, ...] = (
    Command(
        name="page_tools",
        params=PageToolsParams,
        result=PageToolsResult,
        effect=Effect.READ,
        description="List the tools that the page declares.",
        phrase="List the page's own tools",
        page_tools=True,
        quiet=True,
    ),
    Command(
        name="call_page_tool",
        params=CallPageToolParams,
        result=CallPageToolOutcome,
        effect=Effect.WRITE,
        description="Call a tool that the page declares.",
        doc="""
        It needs `launch(page_tools=True)`.

        :param timeout: Seconds it may take, 30 by default; then it is cancelled, as by an interrupt.
        :returns: Its `data` has the "answer" as text or JSON text, the same as "value" (dict, list, text or number),
            both untrusted, or "waits" if a form was filled in and waits for somebody to send it.
        :raises CommandError: The page has no such tool, it takes other arguments, or it failed.
        :raises CommandTimeout: It didn't answer in time; it may have done a part.
        :raises NotAllowed: The origin of the page or the frame isn't allowed.
        """,
        phrase="Call the page's own tool",
        page_tools=True,
        shows_outcome=True,
    ),
)
