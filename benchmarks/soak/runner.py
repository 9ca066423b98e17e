"""One soak, from launch to verdict."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import CDPSession
from playwright.async_api import Error as DevtoolsError

import skillbook as sb
from benchmarks.soak.drive import Driver, Story
from benchmarks.soak.faults import Faults, devtools_of
from benchmarks.soak.site import SoakSite
from benchmarks.soak.verdict import Finding, judge, outstanding
from benchmarks.soak.wire import CountedBridge
from skillbook.journal import read_journal
from skillbook.testing.site import serve_app

ARRIVAL_SECONDS = 30.0
"""What was reported done reaches the site within this; the verdict counts what doesn't."""


@dataclass(frozen=True)
class Soak:
    """A soak that was run: what happened, and how it stands against its goals."""

    story: Story
    findings: list[Finding]


async def run_soak(actions: int, every: int = 50, seed: int = 1) -> Soak:
    """Run one.

    Parameters
    ----------
    actions : how many.
    every : a fault under every so manieth action.
    seed : of the random choices.
    """
    app = SoakSite()
    with serve_app(app) as site:
        browser = await sb.aio.launch(args=["--remote-debugging-port=0"])
        wire = CountedBridge(browser.driver.gateway.bridge)
        browser.driver.gateway.bridge = wire
        try:
            async with devtools_of(browser) as (_, session):
                driver = Driver(browser, site.url, Faults(browser, session), seed, _heap_reader(session))
                story = await driver.run(actions, every)
            await _arrived(story, app)
            journal = read_journal(browser.driver.journal.path)
        finally:
            await browser.close()
    return Soak(story, judge(story, app, wire, journal))


async def _arrived(story: Story, app: SoakSite) -> None:
    """Wait for the beacons on their way: they arrive in the order in which the browser has a socket for them."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + ARRIVAL_SECONDS
    while any(outstanding(story, app)):
        if loop.time() >= deadline:
            return
        await asyncio.sleep(0.02)


def _heap_reader(session: CDPSession) -> Callable[[], Awaitable[int]]:
    """Reads the worker's heap over DevTools; 0 where it isn't running."""
    answers: dict[str, asyncio.Future[str]] = {}

    def hear(event: dict[str, str]) -> None:
        future = answers.get(event["sessionId"])
        if future is not None and not future.done() and json.loads(event["message"]).get("id") == 1:
            future.set_result(event["message"])

    session.on("Target.receivedMessageFromTarget", hear)

    async def read() -> int:
        targets = (await session.send("Target.getTargets"))["targetInfos"]
        worker = next((target for target in targets if target["type"] == "service_worker"), None)
        if worker is None:
            return 0
        try:
            attached = await session.send(
                "Target.attachToTarget", {"targetId": worker["targetId"], "flatten": False}
            )
            ids = {"sessionId": attached["sessionId"]}
            answers[ids["sessionId"]] = asyncio.get_running_loop().create_future()
            ask = '{"id":1,"method":"Runtime.getHeapUsage"}'
            await session.send("Target.sendMessageToTarget", {**ids, "message": ask})
            answer = await asyncio.wait_for(answers[ids["sessionId"]], 5)
            await session.send("Target.detachFromTarget", ids)
        except (DevtoolsError, TimeoutError):
            return 0
        return int(json.loads(answer).get("result", {}).get("usedSize", 0))

    return read
