"""Actions that take more than one command: custom widgets, scrolling until, files to keep."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

from skillbook.errors import CommandTimeout, NoMatch, StaleRef
from skillbook.perception.snapshot import Snapshot
from skillbook.session.action import PreparedAction, Resolved
from skillbook.session.actions.custom_select import choose, is_custom_widget
from skillbook.session.actions.custom_slider import is_custom_slider, slide
from skillbook.session.actions.files import keep_file
from skillbook.session.page.page_reader import PageReader

LAZY_SECONDS = 1.5
_SCREEN = 0.8


async def execute(page: PageReader, action: PreparedAction) -> Any:
    """Do an action, by one command or by several; returns its result as the wire has it."""
    command, target, params = action.command, action.target, action.params
    do = partial(do_part, page, action)
    if command == "select" and target is not None and is_custom_widget(target.node):
        return await choose(page, target, params["values"], params.get("by"), do)
    if command == "fill" and target is not None and is_custom_slider(target.node):
        return await slide(page, target, str(params["value"]), do)
    if command == "scroll" and action.local.get("until"):
        return await scroll_until(page, action, str(action.local["until"]))
    if command == "scroll" and params.get("to") == "end":
        return await scroll_on(page, action)
    observe = page.snapshots.wanted() if page.latest is not None else None
    data = await page.send(replace(action, observe=observe))
    if command == "download":
        folder = action.local.get("folder") or page.browser.settings.downloads
        return {**data, "file": await keep_file(data["file"], folder)}
    return data


async def do_part(
    page: PageReader, whole: PreparedAction, command: str, target: Resolved | None, **params: Any
) -> Any:
    """Do one command of several that carry an action out: for the same actor, and approved where that is."""
    wire = {**params, "ref": target.ref} if target else params
    part = page.action(
        command, wire, target=target, actor=whole.call.actor, run=whole.run, timeout=whole.timeout
    )
    return await page.send(part.approved() if whole.call.approved else part)


async def scroll_until(page: PageReader, action: PreparedAction, selector: str) -> Any:
    """Scroll down, a screen at a time, until a role selector matches; what it matches is brought into view.

    Raises
    ------
    NoMatch : the end came first. CommandTimeout.
    """
    target, do = action.target, partial(do_part, page, replace(action, timeout=None))
    seconds = action.timeout or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    while True:
        snapshot = await page.snapshot()
        found = next((node for node in snapshot.find_all(selector) if node.ref), None)
        if found is not None:
            return await do("scroll", Resolved(found.ref or "", found))
        height = target.node.box.height if target and target.node else snapshot.documents[0].viewport[1]
        try:
            await do("scroll", target, dy=max(50, int(height * _SCREEN)))
        except StaleRef as error:
            error.hint = "what scrolled out of view was recycled: name the list or grid, not something in it"
            raise
        patience = min(LAZY_SECONDS, deadline - time.monotonic())
        if not await page.changed_since(snapshot, patience):
            raise NoMatch(f"scrolled to the end, and nothing matches {selector!r}", selector=selector)


async def scroll_on(page: PageReader, action: PreparedAction) -> Any:
    """Scroll to the bottom again and again, as long as that loads more.

    Raises
    ------
    CommandTimeout : it went on loading all the time.
    """
    target, do = action.target, partial(do_part, page, replace(action, timeout=None))
    seconds = action.timeout or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    snapshot = await page.snapshot()
    most = _extent(snapshot)
    while True:
        data = await do("scroll", target, to="bottom")
        settled = time.monotonic() + LAZY_SECONDS
        while not _is_more(_extent(snapshot), most):
            if not await page.changed_since(snapshot, settled - time.monotonic()):
                return data
            snapshot = await page.snapshot()
        if time.monotonic() >= deadline:
            raise CommandTimeout(
                f"scrolled for {seconds:g} s, and more was loaded all the time",
                hint="give a longer timeout, or scroll until what you look for is there",
                url=page.url,
            )
        most = _extent(snapshot)


def _extent(snapshot: Snapshot) -> tuple[int, int]:
    """How much a page has: nodes, and pixels downwards."""
    return len(snapshot), snapshot.documents[0].size[1]


def _is_more(now: tuple[int, int], before: tuple[int, int]) -> bool:
    return now[0] > before[0] or now[1] > before[1]
