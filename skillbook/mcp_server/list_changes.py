"""Clients learn that skills and workflows came or went: they list the tools again then."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged

from skillbook.config import load_settings
from skillbook.mcp_server.client_skills import prompt_skills, skill_tools
from skillbook.mcp_server.client_workflows import workflow_tools
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.skill.library import skills

_LOOK_SECONDS = 1.0
_MOST_CLIENTS = 100
_FILES = ("SKILL.md", "replay.yaml", "skill.py")
_APPROVED = "approved-skills.json"


class ListChanges:
    """Watches what the lists are made of, from the first list that a client gets until the server is gone.

    Parameters
    ----------
    bus : reaches the clients of the newer protocol, which subscribe.
    """

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._sessions: dict[str, Any] = {}
        self._watching: asyncio.Task[None] | None = None

    async def listed(self, key: str, session: Any, *, subscribes: bool) -> None:
        """A client got a list.

        Parameters
        ----------
        key, session : name and reach it.
        subscribes : whether it subscribes to changes, instead of being sent them.
        """
        if not subscribes:
            self._sessions[key] = session
            while len(self._sessions) > _MOST_CLIENTS:
                del self._sessions[next(iter(self._sessions))]
        if self._watching is None or self._watching.done():
            seen, lists = await asyncio.to_thread(lambda: (_traces(), _lists()))
            self._watching = asyncio.ensure_future(_watch(weakref.ref(self), seen, lists))

    async def publish(self) -> None:
        """Say to every client that the lists changed."""
        for event in (ToolsListChanged(), PromptsListChanged()):
            await self._bus.publish(event)
        for key, session in list(self._sessions.items()):
            try:
                await session.send_tool_list_changed()
                await session.send_prompt_list_changed()
            except Exception:  # its connection is gone
                self._sessions.pop(key, None)


async def _watch(found: weakref.ref[ListChanges], seen: Hashable, lists: Hashable) -> None:
    """Look every second whether a file or a workflow changed, and only then whether a list did."""
    with suppress(RuntimeError):  # the process ends, and gives no thread any more
        while found() is not None:
            await asyncio.sleep(_LOOK_SECONDS)
            now = await asyncio.to_thread(_traces)
            if now == seen:
                continue
            seen, before = now, lists
            lists = await asyncio.to_thread(_lists)
            watched = found()
            if lists != before and watched is not None:
                await watched.publish()
            del watched


def _traces() -> Hashable:
    """What is cheap to look at: the times of the skills' files, and which workflows there are."""
    paths = [file for folder in skills.folders for name in _FILES for file in folder.glob(f"*/{name}")]
    paths.append(load_settings().home / _APPROVED)
    times = []
    for path in paths:
        with suppress(OSError):
            times.append((str(path), path.stat().st_mtime_ns))
    return (tuple(sorted(times)), tuple((name, id(workflows[name])) for name in workflows))


def _lists() -> Hashable:
    tools = [repr(tool) for tool in [*skill_tools(), *workflow_tools()]]
    return (*tools, *(f"{skill.name} {skill.spec.digest}" for skill in prompt_skills()))
