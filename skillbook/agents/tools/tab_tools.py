"""Tools for tabs: see them, open one, go on in another, close one."""

from __future__ import annotations

from dataclasses import replace

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.context import RunContext
from skillbook.agents.fence import fence
from skillbook.agents.tools.base import make_tool
from skillbook.agents.tools.formatting import page_text
from skillbook.errors import NotAllowed
from skillbook.policy import Call
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands.tabs import Tab
from skillbook.session.action import PreparedAction


class TabsArgs(BaseModel):
    """No arguments."""

    model_config = ConfigDict(extra="forbid")


class OpenArgs(BaseModel):
    """A tab to open."""

    model_config = ConfigDict(extra="forbid")
    url: str = Field(description="Where to go.")


class SwitchArgs(BaseModel):
    """A tab to go on in."""

    model_config = ConfigDict(extra="forbid")
    tab: int = Field(description="The tab's number, as `tabs_list` gives it.")


class CloseArgs(BaseModel):
    """A tab to close."""

    model_config = ConfigDict(extra="forbid")
    tab: int | None = Field(
        None, description="The tab's number, as `tabs_list` gives it; leave out for the one you work in."
    )


def tab_tools(context: RunContext) -> list[BaseTool]:
    """The tools `tabs_list`, `tabs_open`, `tabs_switch` and `tabs_close`; the agent then works in the tab named."""

    async def tabs_list() -> str:
        pages = await context.page.browser.refresh_tabs()
        context.notes.summary = f"{len(pages)} tabs"
        context.notes.url = context.page.url
        here = context.page.tab.id
        lines = [
            f"{page.tab.id}{' (here)' if page.tab.id == here else ''}: {page.title} {page.url}"
            for page in pages
        ]
        return fence("\n".join(lines))

    async def tabs_open(url: str) -> str:
        browser = context.page.browser
        action = replace(
            open_action(url), run=context.journal_key(), timeout=browser.settings.command_timeout
        )
        approval = context.take_approval()
        if approval is not None:
            action = browser.gateway.redeem(approval, action)
        data = await browser.gateway.run(action)
        await browser.refresh_tabs()
        return await move_to(Tab.model_validate(data["tab"]).id)

    async def tabs_switch(tab: int) -> str:
        browser = context.page.browser
        await browser.refresh_tabs()
        await browser.switch_to(browser.page(tab))
        return await move_to(tab)

    async def tabs_close(tab: int | None = None) -> str:
        browser, here = context.page.browser, context.page
        await browser.refresh_tabs()
        closing = here if tab is None else browser.page(tab)
        if closing.shared_by == "user":
            raise NotAllowed("that tab is the person's own", hint="leave it open: a person closes it")
        rest = [page for page in browser.pages.values() if page is not closing]
        if not rest:
            raise NotAllowed("that is the only tab", hint="open another one before")
        await browser.close_page(closing, actor="agent", run=context.journal_key())
        if closing is not here:
            context.notes.url, context.notes.summary = here.url, f"closed tab {closing.tab.id}"
            return f"Tab {closing.tab.id} is closed. You still work in tab {here.tab.id}."
        await browser.switch_to(rest[-1])
        return await move_to(rest[-1].tab.id)

    async def move_to(tab: int) -> str:
        context.page = context.page.browser.page(tab)
        seen = await context.look()
        context.notes.url, context.notes.after = seen.url, seen
        context.notes.summary = f"went on in tab {tab}"
        return f"You work in tab {tab} now. The page is:\n{page_text(seen)}"

    return [
        make_tool("tabs_list", "List the tabs you may use.", TabsArgs, tabs_list, effect="read"),
        make_tool(
            "tabs_open",
            "Open a URL in a new tab and go on there.",
            OpenArgs,
            tabs_open,
            effect="write",
            kind="open",
        ),
        make_tool("tabs_switch", "Go on in another tab.", SwitchArgs, tabs_switch, effect="read"),
        make_tool(
            "tabs_close",
            "Close a tab that you or a page opened; the person's own stay open.",
            CloseArgs,
            tabs_close,
            effect="write",
        ),
    ]


def open_action(url: str) -> PreparedAction:
    """How an agent opens a tab."""
    call = Call("tabs_open", actor="agent", destination=screen_url(url))
    return PreparedAction(call, {"url": call.destination, "wait": "load", "active": True})
