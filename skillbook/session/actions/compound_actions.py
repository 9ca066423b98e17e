"""Actions that take more than one command: lists that scripts draw, scrolling until, files to keep."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillbook.errors import CommandTimeout, NoMatch, StaleRef
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.action import call_of
from skillbook.session.actions.custom_select import choose, is_custom_widget
from skillbook.session.actions.custom_slider import is_custom_slider, slide
from skillbook.session.actions.files import keep_file
from skillbook.session.actions.targets import Resolved
from skillbook.session.actions.waiting import changed_since

if TYPE_CHECKING:
    from skillbook.policy import Call
    from skillbook.session.page_driver import PageDriver

LAZY_SECONDS = 1.5
_SCREEN = 0.8


async def execute(
    page: PageDriver,
    command: str,
    target: Resolved | None,
    params: dict[str, Any],
    own: Mapping[str, Any],
    call: Call,
    options: Mapping[str, Any],
) -> Any:
    """Do an action; returns its result as the wire has it.

    Parameters
    ----------
    page : where.
    command, target, params : what, as the wire has it.
    own : parameters that the wire doesn't have.
    call : what the policy judges.
    options : for `PageDriver.run`.
    """
    if command == "select" and target is not None and is_custom_widget(target.node):
        return await choose(page, target, params["values"], params.get("by"), _doing(page, call, options))
    if command == "fill" and target is not None and is_custom_slider(target.node):
        return await slide(page, target, str(params["value"]), _doing(page, call, options))
    if command == "scroll" and own.get("until"):
        return await scroll_until(page, target, str(own["until"]), options)
    if command == "scroll" and params.get("to") == "end":
        return await scroll_on(page, target, options)
    observe = page.snapshots.wanted() if page.latest is not None else None
    data = await page.run(command, params, target=target, call=call, observe=observe, **options)
    if command == "download":
        folder = own.get("folder") or page.browser.settings.downloads
        return {**data, "file": await keep_file(data["file"], folder)}
    return data


async def scroll_until(
    page: PageDriver, target: Resolved | None, selector: str, options: Mapping[str, Any]
) -> Any:
    """Scroll down, a screen at a time, until a role selector matches; what it matches is brought into view.

    Raises
    ------
    NoMatch : the end came first. CommandTimeout.
    """
    rest = {name: value for name, value in options.items() if name != "timeout"}
    seconds = options.get("timeout") or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    where = {"ref": target.ref} if target else {}
    while True:
        snapshot = await page.snapshot()
        found = next((node for node in snapshot.find_all(selector) if node.ref), None)
        if found is not None:
            shown = Resolved(found.ref or "", found)
            return await page.run("scroll", {"ref": shown.ref}, target=shown, **rest)
        height = target.node.box.height if target and target.node else snapshot.documents[0].viewport[1]
        step = {**where, "dy": max(50, int(height * _SCREEN))}
        try:
            await page.run("scroll", step, target=target, **rest)
        except StaleRef as error:
            error.hint = "what scrolled out of view was recycled: name the list or grid, not something in it"
            raise
        patience = min(LAZY_SECONDS, deadline - time.monotonic())
        if not await changed_since(page, snapshot, patience):
            raise NoMatch(f"scrolled to the end, and nothing matches {selector!r}", selector=selector)


async def scroll_on(page: PageDriver, target: Resolved | None, options: Mapping[str, Any]) -> Any:
    """Scroll to the bottom again and again, as long as that loads more.

    Raises
    ------
    CommandTimeout : it went on loading all the time.
    """
    rest = {name: value for name, value in options.items() if name != "timeout"}
    seconds = options.get("timeout") or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    wire = {"ref": target.ref, "to": "bottom"} if target else {"to": "bottom"}
    snapshot = await page.snapshot()
    most = _extent(snapshot)
    while True:
        data = await page.run("scroll", wire, target=target, **rest)
        settled = time.monotonic() + LAZY_SECONDS
        while not _is_more(_extent(snapshot), most):
            if not await changed_since(page, snapshot, settled - time.monotonic()):
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


def _doing(page: PageDriver, call: Call, options: Mapping[str, Any]) -> Any:
    async def do(command: str, target: Resolved | None, **params: Any) -> Any:
        wire = {**params, "ref": target.ref} if target else params
        wanted = call_of(page, command, wire, target=target, actor=call.actor)
        granted = replace(wanted, approved=call.approved)
        return await page.run(command, wire, target=target, call=granted, **options)

    return do
