"""Tools derived from the command registry, one entry there is one tool here; and tools for tabs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.fence import fence
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.formatting import after_action, note_act, page_text, record_action
from skillbook.agents.tools.tool_base import make_tool
from skillbook.cells.surface import POPUP
from skillbook.errors import NotAllowed
from skillbook.policy import Call
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands import ACTIONS, COMMANDS, Command, ModelWords
from skillbook.protocol.commands.tabs import Tab
from skillbook.session.action import PreparedAction
from skillbook.session.actions.prepare import prepare, split_call


def command_tools(context: RunContext, *, allow_evaluate: bool, page_tools: bool = False) -> list[BaseTool]:
    """A tool for each command that works on a page, where it is neither internal nor has a tool written by hand."""
    return [
        _tool_for(context, command)
        for command in COMMANDS.values()
        if command.scope == "page"
        and not command.internal
        and not command.custom_tool
        and (allow_evaluate or not command.runs_script)
        and (page_tools or not command.page_tools)
    ]


def _tool_for(context: RunContext, command: Command) -> BaseTool:
    work = _acting(context, command) if command.name in ACTIONS else _reading(context, command)
    return make_tool(
        command.name,
        command.description,
        command.tool_model,
        work,
        effect=command.effect.value,
        kind="command",
    )


def _acting(context: RunContext, command: Command) -> Any:
    async def act(**args: Any) -> str:
        page = context.page
        context.notes.before = page.latest
        context.notes.url = page.url
        given = {name: value for name, value in args.items() if value is not None}
        result = await page.perform(
            command.name,
            given,
            actor="agent",
            approval=context.take_approval(),
            run=context.journal_key(),
            given_files=context.files,
            seen=context.saw,
        )
        record_action(context, result)
        return after_action(context, result)

    return act


def _reading(context: RunContext, command: Command) -> Any:
    async def read(**args: Any) -> str:
        page = context.page
        context.notes.before = page.latest
        target, _, params = split_call(command.name, args)
        approval, run = context.take_approval(), context.journal_key()
        action = await prepare(page, command.name, target, params, actor="agent", approval=approval, run=run)
        data = await page.send(action)
        if command.runs_script:
            note_act(context, page.acts.current)
        context.notes.url = page.url
        value = data.get("value", data) if isinstance(data, dict) else data
        context.notes.value = value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        context.notes.summary = text
        return fence(text[:20_000])

    return read


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
    tab: int = Field(description="The tab's number, as `tabs` lists it.")


class CloseArgs(BaseModel):
    """A tab to close."""

    model_config = ConfigDict(extra="forbid")
    tab: int | None = Field(
        None, description="The tab's number, as `tabs` lists it; leave out for the one you work in."
    )


class TabTools:
    """The tools for the tabs of a run's browser; after `tabs_open` and `tabs_switch` the agent works in that tab."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def list_tabs(self) -> str:
        """The tabs, a line each."""
        context = self._context
        pages = self._own(await context.page.browser.refresh_tabs())
        context.notes.summary = f"{len(pages)} tabs"
        context.notes.url = context.page.url
        here = context.page.tab.id
        lines = [
            f"{page.tab.id}{' (here)' if page.tab.id == here else ''}: {page.title} {page.url}"
            for page in pages
        ]
        return fence("\n".join(lines))

    async def open_tab(self, url: str) -> str:
        """Open a tab and go on there."""
        browser, context = self._context.page.browser, self._context
        action = replace(
            open_action(url), run=context.journal_key(), timeout=browser.settings.command_timeout
        )
        approval = context.take_approval()
        if approval is not None:
            action = browser.gateway.redeem(approval, action)
        # An empty tab first: what the page sends while it loads is held as well.
        data = await browser.gateway.run(replace(action, params={**action.params, "url": "about:blank"}))
        await browser.refresh_tabs()
        page = context.page = browser.page(Tab.model_validate(data["tab"]).id)
        if context.tabs is not None:
            context.tabs.add(page)
        if context.requests is not None:
            await context.requests.join()
        options = {"run": action.run, "timeout": action.timeout}
        went = await page.do_judged(
            page.action("goto", {"url": url, "wait": "load"}, actor="agent", **options)
        )
        if went.act is not None:
            note_act(context, went.act)
        context.notes.value = page
        moved = await self._move_to(page.tab.id)
        if went.problem:
            context.notes.summary += f"; {went.problem}"
        return (
            f"The page isn't there as it should be:\n{fence(went.problem)}\n{moved}"
            if went.problem
            else moved
        )

    async def popup(self) -> str:
        """The tab that the page's last action opened."""
        context = self._context
        page = await context.page.browser.popup(context.page)
        self._check(page)
        context.notes.value = page
        context.notes.summary = f"tab {page.tab.id}: {page.title}"
        return fence(f"{page.tab.id}: {page.title} {page.url}")

    async def switch_tab(self, tab: int) -> str:
        """Go on in another tab."""
        browser = self._context.page.browser
        await browser.refresh_tabs()
        self._check(browser.page(tab))
        await browser.switch_to(browser.page(tab))
        return await self._move_to(tab)

    async def close_tab(self, tab: int | None = None) -> str:
        """Close a tab; where it is the one that the agent works in, go on in the last of the others."""
        context, here = self._context, self._context.page
        browser = here.browser
        await browser.refresh_tabs()
        closing = here if tab is None else browser.page(tab)
        self._check(closing)
        if closing.shared_by == "user":
            raise NotAllowed("that tab belongs to the person", hint="leave it open: a person closes it")
        rest = self._own(page for page in browser.pages.values() if page is not closing)
        if not rest:
            raise NotAllowed("that is the only tab", hint="open another one before")
        await browser.close_page(closing, actor="agent", run=context.journal_key())
        if closing is not here:
            context.notes.url, context.notes.summary = here.url, f"closed tab {closing.tab.id}"
            return f"Tab {closing.tab.id} is closed. You still work in tab {here.tab.id}."
        await browser.switch_to(rest[-1])
        return await self._move_to(rest[-1].tab.id)

    def _own(self, pages: Iterable[Any]) -> list[Any]:
        """Those of some tabs that the run may use."""
        tabs = self._context.tabs
        return [page for page in pages if tabs is None or tabs.has(page)]

    def _check(self, page: Any) -> None:
        if self._context.tabs is not None:
            self._context.tabs.check(page)

    async def _move_to(self, tab: int) -> str:
        context = self._context
        context.page = context.page.browser.page(tab)
        seen = await context.snapshot()
        context.notes.url, context.notes.after = seen.url, seen
        context.notes.summary = f"went on in tab {tab}"
        return f"You work in tab {tab} now. The page is:\n{page_text(context, seen)}"


def tab_tools(context: RunContext) -> list[BaseTool]:
    """The tools `tabs_list`, `tabs_open`, `popup`, `tabs_switch` and `tabs_close`."""
    tools = TabTools(context)
    return [
        make_tool("tabs_list", "List the tabs you may use.", TabsArgs, tools.list_tabs, effect="read"),
        make_tool(
            "tabs_open",
            "Open a URL in a new tab and go on there.",
            OpenArgs,
            tools.open_tab,
            effect="write",
            kind="open",
        ),
        make_tool(
            POPUP,
            "Wait for a tab that opens.",
            TabsArgs,
            tools.popup,
            effect="read",
            words=ModelWords(hidden=True),
        ),
        make_tool("tabs_switch", "Go on in another tab.", SwitchArgs, tools.switch_tab, effect="read"),
        make_tool(
            "tabs_close",
            "Close a tab that you or a page opened; those of the person stay open.",
            CloseArgs,
            tools.close_tab,
            effect="write",
        ),
    ]


def open_action(url: str) -> PreparedAction:
    """How an agent opens a tab."""
    call = Call("tabs_open", actor="agent", destination=screen_url(url))
    return PreparedAction(call, {"url": call.destination, "wait": "load", "active": True})
