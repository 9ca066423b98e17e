"""A program's agent that obeys a hostile page over MCP; the person answers in the program's dialog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import mcp_types as types
from mcp import Client

from skillbook.io_thread import io
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.request_handlers import RequestHandlers
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Browser, Page
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.library import load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.testing.site import Site

if TYPE_CHECKING:
    from tests.faults.attack.acting import Setting

TITLE = "Other sites than a skill's own, over MCP"
_KEY = "attack"
_TRIES = 3
_SITES = (
    "{far}", "{far}/", "http://{own}@{host}", "//{host}", "@{host}", "https://{host}", "{far}?{own}", "{far}#{own}",
    "http://{host}\\@{own}", "{site}/items/5/delete?", "{site}/items/5/delete#", "http://{own}.{host}",
)  # fmt: skip


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


def try_sites(browser: Browser, site: Site, far: Site) -> list[tuple[str, int, bool]]:
    """Give skills and workflows other sites than their own, also where the server is for some origins alone.

    Returns
    -------
    What was tried, how often the person was asked, and whether anything arrived or a site was allowed.
    """
    names = {
        "site": site.url,
        "own": site.url.removeprefix("http://"),
        "far": far.url,
        "host": far.url.removeprefix("http://"),
    }
    known = dict(workflows._known) | {"visit": Workflow("visit", _visit)}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        (f"`site` {each}", "skill_look", {"site": each.format(**names)}) for each in _SITES
    ]
    calls += [
        ("an input that is the start", "skill_start", {"address": f"{far.url}/?words"}),
        ("an input in a step's address", "skill_step", {"address": f"{far.url}/?words"}),
        ("a skill in a cell", "run_cell", {"code": f"sb.run_skill(page, 'look', site={far.url!r})"}),
        ("a cell", "run_cell", {"code": f"page.goto({far.url!r})"}),
        ("a workflow", "workflow_visit", {"site": far.url}),
    ]
    with patch.object(workflows, "_known", known):
        _write_skills(site)
        found = []
        for limits in (ClientLimits(), ClientLimits(origins=(site.url,))):
            only = " with `--origins`" if limits.origins else ""
            for name, tool, args in calls:
                before = len(far.app.all), len(site.app.arrived)
                asked = _call(browser, limits, tool, args)
                gone = (len(far.app.all), len(site.app.arrived)) != before
                allowed = far.url in browser.driver.gateway.policy.allowed
                found.append((f"{name}{only}", asked, gone or allowed))
    return found


def _visit(page: Page, *, site: str) -> str:
    """Go to a site."""
    page.goto(site)
    return page.title


def _write_skills(site: Site) -> None:
    """Skills as they are recorded on the site, approved."""
    parts: dict[str, dict[str, Any]] = {
        "look": {"start": "${input:site}/?q=words", "origins": ["${input:site}"]},
        "start": {"start": "${input:address}", "origins": ["${input:address}"]},
        "step": {"origins": ["${input:address}"]},
    }
    for name, part in parts.items():
        of_page = name == "look"
        given = SkillInput(
            name="site" if of_page else "address", default=site.url, from_page="origin" if of_page else None
        )
        params = {"url": "${input:address}"} if name == "step" else {"idle": True}
        step = SkillStep(command="goto" if name == "step" else "wait_for", params=params)
        spec = SkillSpec.model_validate(
            {"name": name, "description": "Looks.", "inputs": [given], "steps": [step], **part}
        )
        folder = write_skill(spec, Path(os.environ["SKILLBOOK_HOME"]) / "skills", overwrite=True)
        load_skill(folder).approve()


def _call(browser: Browser, limits: ClientLimits, tool: str, args: dict[str, Any]) -> int:
    """Make one call as a client whose person refuses all; how often they were asked."""
    asked = 0

    async def the_browser() -> Any:
        return browser.driver

    async def person(context: Any, params: Any) -> types.ElicitResult:
        nonlocal asked
        asked += 1
        return types.ElicitResult(action="accept", content={"decision": "reject"})

    async def attack() -> None:
        clients = ClientList(the_browser, limits)
        async with Client(RequestHandlers(clients, _KEY).server(), elicitation_callback=person) as client:
            await client.call_tool(tool, args)
        await clients.leave(_KEY)

    io.sync(attack(), timeout=60)
    return asked
