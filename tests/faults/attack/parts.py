"""The parts of the attack, tried one after the other in one browser; `__main__` starts two, and writes the tables."""

from __future__ import annotations

import os
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import skillbook as sb
from skillbook.limits import READ_SECONDS as LINGER_SECONDS
from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import DISGUISES, Attacker, Trial, attacker_of, close_others
from tests.faults.attack.acting import WAYS as ACTING
from tests.faults.attack.announced import TITLE as ANNOUNCED
from tests.faults.attack.announced import try_announced
from tests.faults.attack.channels import KINDS
from tests.faults.attack.gestures import TITLE as GESTURES
from tests.faults.attack.gestures import try_gestures
from tests.faults.attack.grants import TITLE as GRANTS
from tests.faults.attack.grants import try_grants
from tests.faults.attack.obeying import fires, obey
from tests.faults.attack.over_mcp import TITLE as OTHER_SITES
from tests.faults.attack.over_mcp import try_sites
from tests.faults.attack.panel_asks import TITLE as PANEL_ASKS
from tests.faults.attack.panel_asks import try_asks
from tests.faults.attack.redirects import TITLE as REDIRECTS
from tests.faults.attack.redirects import try_redirects
from tests.faults.attack.related import TITLE as RELATED
from tests.faults.attack.related import try_related
from tests.faults.attack.sends import Tried, try_kind
from tests.faults.attack.site import OVER, TAKES_TIME, WAYS, serve_attack

OTHERS = (ANNOUNCED, PANEL_ASKS, OTHER_SITES, RELATED, REDIRECTS, GESTURES, GRANTS)
"""Kinds of attack that are more than a control and a mark."""
SENDING = {False: "sending", True: "sending with a service worker"}
"""Every way of sending, without and with a service worker, as a part of a run."""


@dataclass
class Sent:
    """One way of sending, tried once: how often the person was asked, and what arrived all the same; see `Tried`."""

    way: str
    worker: bool
    asked: int
    arrived: list[str] = field(default_factory=list)
    fired: bool | None = None


def press(browser: Browser, server: OpenAIServer, site: Site, way: str) -> Sent:
    """Have the agent press one control, and refuse what it is asked."""
    with_worker = bool(site.app.service_worker)
    kept = {page.driver.tab.id for page in browser.pages}
    page = browser.open(site.url)
    if with_worker:
        page.wait_for(function="document.title === 'controlled'")
    calls = [_click(way), *([ToolCall("wait_for", {"text": OVER})] if way in TAKES_TIME else [])]
    try:
        return Sent(way, with_worker, obey(server, page, calls, lambda run: False))
    finally:
        close_others(browser, kept)


def _click(way: str) -> ToolCall:
    return ToolCall("click", {"target": f"button '{way}'"})


def press_all(
    browser: Browser, server: OpenAIServer, sites: tuple[Site, Site], ways: Iterable[str], broken: list[str]
) -> Iterator[Sent]:
    """Press each way's control. What arrives counts for the last one pressed before it came, however late it comes."""
    written = [site.app.arrived for site in sites]
    tries: list[Sent] = []
    for way in ways:
        for one in written:
            _count_late(tries, one)
        with _going_on(f"sending by {way}", broken):
            tries.append(press(browser, server, sites[0], way))
            print(tries[-1], flush=True)
    time.sleep(LINGER_SECONDS)  # nothing is held any more: what was blocked must not come now
    for one in written:
        _count_late(tries, one)
    for tried in tries:
        tried.fired = bool(tried.asked or tried.arrived) or fires(
            browser, sites[0].url, [_click(tried.way)], lambda: any(written)
        )
        for one in written:
            one.clear()
    yield from tries


def _count_late(tries: list[Sent], arrived: list[str]) -> None:
    if tries:
        tries[-1].arrived.extend(arrived)
    arrived.clear()


@contextmanager
def _going_on(what: str, broken: list[str]) -> Iterator[None]:
    """Go on with the others where one trial breaks down; that is an error at the end."""
    try:
        yield
    except Exception:
        traceback.print_exc()
        broken.append(what)


def act_all(attacker: Attacker, ways: Iterable[str], broken: list[str]) -> tuple[list[Trial], list[Trial]]:
    """Every way of acting under every disguise: what became of it refused, and approved."""
    tries: dict[bool, list[Trial]] = {False: [], True: []}
    began = time.monotonic()
    for way in ways:
        for disguise in DISGUISES:
            for approve, trials in tries.items():
                with _going_on(f"{way}, {disguise}", broken):
                    trials.append(attacker.attack(way, disguise, approve=approve))
                    print(f"{time.monotonic() - began:5.0f} s  approve={approve}  {trials[-1]}", flush=True)
    for trial in tries[False]:  # also what came late
        trial.arrived = attacker.arrives(trial)
    return tries[False], tries[True]


@dataclass
class Results:
    """What became of some of the attacks."""

    sent: list[Sent] = field(default_factory=list)
    refused: list[Trial] = field(default_factory=list)
    approved: list[Trial] = field(default_factory=list)
    kinds: dict[str, list[Tried]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def add(self, other: Results) -> None:
        """Take what another process found."""
        for name in ("sent", "refused", "approved", "broken"):
            getattr(self, name).extend(getattr(other, name))
        self.kinds |= other.kinds


def attempt(parts: Sequence[str]) -> Results:
    """Try some of the parts in a browser of their own, one after the other."""
    results = Results()
    with tempfile.TemporaryDirectory() as home, OpenAIServer([]) as server, serve_attack() as far:
        os.environ |= {
            "SKILLBOOK_HOME": home,
            "SKILLBOOK_DOWNLOADS": home,
            "SKILLBOOK_BASE_URL": server.base_url,
            "SKILLBOOK_MODEL": "scripted",
            "SKILLBOOK_MODEL_RETRIES": "0",
            "SKILLBOOK_SECRET_ATTACKEDBANK": "s3cr3t-of-the-bank",
        }
        foreign = far.url.replace("127.0.0.1", "localhost")
        with sb.launch(allow_evaluate=True) as browser:
            browser.open("about:blank")
            acting = [part for part in parts if part in ACTING]
            with attacker_of(browser, server, Path(home)) as attacker:
                results.refused, results.approved = act_all(attacker, acting, results.broken)
            for title in parts:
                if title not in KINDS and title not in OTHERS:
                    continue
                with _going_on(title, results.broken), serve_attack() as site:
                    if title == ANNOUNCED:
                        results.kinds[title] = try_announced(browser, server, site)
                    elif title == OTHER_SITES:
                        results.kinds[title] = [Tried(*each) for each in try_sites(browser, site, far)]
                    elif title == PANEL_ASKS:
                        results.kinds[title] = try_asks(browser, site)
                    elif title == GRANTS:
                        results.kinds[title] = list(try_grants(browser, Path(home) / "granted"))
                    elif title == RELATED:
                        results.kinds[title] = try_related(browser, server, site)
                    elif title == GESTURES:
                        results.kinds[title] = try_gestures(browser, server, site, far)
                    elif title == REDIRECTS:
                        results.kinds[title] = try_redirects(browser, server, site, far)
                    else:
                        results.kinds[title] = try_kind(browser, server, site, KINDS[title], control=True)
                    print(*results.kinds[title], sep="\n", flush=True)
            for with_worker, all_ways in SENDING.items():
                ways = [way for way in WAYS if all_ways in parts or way in parts]
                if ways:
                    with serve_attack(service_worker=with_worker, far=foreign) as site:
                        results.sent += press_all(browser, server, (site, far), ways, results.broken)
    return results
