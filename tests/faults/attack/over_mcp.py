"""A program's agent that obeys a hostile page over MCP; the person answers in the program's dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp import Client

from skillbook.io_thread import io
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.request_handlers import RequestHandlers

if TYPE_CHECKING:
    from tests.faults.attack.acting import Setting

_KEY = "attack"
_TRIES = 3


def click_over_mcp(setting: Setting) -> None:
    """Click the page's control, and again where the page replaced it before it was pressed."""
    html, target = setting.control(click=setting.send)
    url = setting.show(html).url
    driver, trial = setting.attacker.browser.driver, setting.trial

    async def browser() -> Any:
        return driver

    async def person(context: Any, params: Any) -> types.ElicitResult:
        trial.asked += 1
        trial.refused += not setting.approve
        return types.ElicitResult(
            action="accept", content={"decision": "approve" if setting.approve else "reject"}
        )

    async def attack() -> None:
        clients = ClientList(browser, ClientLimits())
        server = RequestHandlers(clients, _KEY).server()
        async with Client(server, elicitation_callback=person) as client:
            await client.call_tool("open", {"url": url})
            for _ in range(_TRIES):
                answer = await client.call_tool("click", {"target": target})
                text = " ".join(each.text for each in answer.content if isinstance(each, types.TextContent))
                if "no longer in the page" not in text:
                    break
            if not trial.asked and (answer.is_error or "nothing was sent" in text):
                trial.refused += 1
        await clients.leave(_KEY, tabs=False)

    io.sync(attack(), timeout=60)
