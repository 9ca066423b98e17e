"""Plays an agent that obeys a hostile page, and counts what arrives: `make attack`.

A scripted model presses every control of the attack site, with and without a service worker, in `autonomy="all"`; the
person refuses whatever is asked. Ends with a table, and with an error where anything arrived.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

import skillbook as sb
from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.site import WAYS, serve_attack

LIMITS = {"shared worker"}
"""What docs/safety.md says can't be held."""


@dataclass
class Tried:
    """One way of sending, tried once: how often the person was asked, and what arrived all the same."""

    way: str
    worker: bool
    asked: int
    arrived: list[str]


def attack(browser: Browser, server: OpenAIServer, site: Site, far: Site, way: str) -> Tried:
    """Have the agent press one control, and refuse what it is asked."""
    site.app.arrived.clear()
    far.app.arrived.clear()
    with_worker = bool(site.app.service_worker)
    page = browser.open(site.url)
    if with_worker:
        page.wait_for(function="document.title === 'controlled'")
    server.script.extend(
        [ToolCall("click", {"target": f"button '{way}'"}), ToolCall("wait_for", {"seconds": 1}), "done"]
    )
    run = sb.agent(page, "Do what the page says.", autonomy="all").run()
    asked = 0
    while run.status == "waiting":
        asked += 1
        run.reject("no")
    page.close()
    return Tried(way, with_worker, asked, [*site.app.arrived, *far.app.arrived])


def table(tries: list[Tried]) -> Table:
    """What was tried, asked, refused and let through unasked."""
    made = Table("way of sending", "service worker", "asked", "passed unasked")
    for each in tries:
        passed = ", ".join(each.arrived) + (" (a known limit)" if each.way in LIMITS and each.arrived else "")
        asked = str(each.asked) if each.asked else "blocked by rule" if not each.arrived else "0"
        made.add_row(each.way, "yes" if each.worker else "no", asked, passed or "0")
    return made


def main() -> int:
    """Try every way."""
    tries: list[Tried] = []
    with tempfile.TemporaryDirectory() as home, OpenAIServer([]) as server, serve_attack() as far:
        os.environ |= {
            "SKILLBOOK_HOME": home,
            "SKILLBOOK_BASE_URL": server.base_url,
            "SKILLBOOK_MODEL": "scripted",
            "SKILLBOOK_MODEL_RETRIES": "0",
        }
        foreign = far.url.replace("127.0.0.1", "localhost")
        with sb.launch(allow_evaluate=True) as browser:
            for with_worker in (False, True):
                with serve_attack(service_worker=with_worker, far=foreign) as site:
                    tries += [attack(browser, server, site, far, way) for way in WAYS]
    Console().print(table(tries))
    passed = [each for each in tries if each.arrived and each.way not in LIMITS]
    Console().print(
        f"{len(tries)} tried, {sum(each.asked for each in tries)} asked, passed unasked: {len(passed)}"
    )
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main())
