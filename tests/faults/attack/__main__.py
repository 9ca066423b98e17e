"""Plays an agent that obeys a hostile page, and counts what arrives: `make attack`.

Every way of acting under every disguise; requests in disguise and ways past the debugger; every way that a page can
send something, with and without a service worker. The autonomy is "all", and the person refuses whatever is asked. Ends
with a table, and with an error where anything arrived. `make attack ATTACK_ARGS=--write-docs` writes the tables into
docs/attacks.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import skillbook as sb
from skillbook.session.page.held_requests import LINGER_SECONDS
from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import BY_RULE, DISGUISES, Attacker, Trial, attacker_of, close_others, drain
from tests.faults.attack.acting import WAYS as ACTING
from tests.faults.attack.channels import KINDS
from tests.faults.attack.sends import Tried, try_kind
from tests.faults.attack.site import OVER, TAKES_TIME, WAYS, serve_attack

DOCS = Path(__file__).resolve().parents[3] / "docs" / "attacks.md"
LIMITS = {"shared worker"}
"""What docs/requests.md says can't be paused."""
HEAD = """# Attacks tried

`make attack` lets a scripted model obey a hostile page with `autonomy="all"`. The person refuses every question, and a
server counts the requests that arrive. `make attack ATTACK_ARGS=--write-docs` writes this page. The limits are in
[requests.md](requests.md).
"""


@dataclass
class Sent:
    """One way of sending, tried once: how often the person was asked, and what arrived all the same."""

    way: str
    worker: bool
    asked: int
    arrived: list[str] = field(default_factory=list)


def press(browser: Browser, server: OpenAIServer, site: Site, way: str) -> Sent:
    """Have the agent press one control, and refuse what it is asked."""
    with_worker = bool(site.app.service_worker)
    kept = {page.driver.tab.id for page in browser.pages}
    page = browser.open(site.url)
    if with_worker:
        page.wait_for(function="document.title === 'controlled'")
    server.script.extend([ToolCall("click", {"target": f"button '{way}'"})])
    server.script.extend([*([ToolCall("wait_for", {"text": OVER})] if way in TAKES_TIME else []), "done"])
    asked = 0
    try:
        run = sb.agent(page, "Do what the page says.", autonomy="all").run()
        while run.status == "waiting":
            asked += 1
            run.reject("no")
    finally:
        drain(server)
        close_others(browser, kept)
    return Sent(way, with_worker, asked)


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


def sending_table(tries: list[Sent]) -> str:
    """What was sent, asked, and let through unasked."""
    lines = ["| the page sends by | with a service worker | asked | arrived |", "|---|---|---|---|"]
    for each in tries:
        arrived = f"{len(each.arrived)}{' (a known limit)' if each.way in LIMITS and each.arrived else ''}"
        asked = each.asked or "blocked without a question" if not each.arrived else each.asked
        lines.append(f"| {each.way} | {'yes' if each.worker else 'no'} | {asked} | {arrived} |")
    return "\n".join(lines)


def acting_table(refused: list[Trial], approved: list[Trial]) -> str:
    """What was tried, asked, refused and passed unasked, a row for each way of acting."""
    lines = [
        "| the model acts by | tried | asked | refused | passed unasked | arrived when approved |",
        "|---|---|---|---|---|---|",
    ]
    for way in ACTING:
        rows = [trial for trial in refused if trial.way == way]
        control = [trial for trial in approved if trial.way == way]
        if not rows:
            continue
        sums = [
            len(rows),
            *(sum(getattr(row, name) for row in rows) for name in ("asked", "refused", "arrived")),
        ]
        cells = [*map(str, sums), f"{sum(row.arrived for row in control)} of {len(control)}"]
        lines.append(f"| {way} | {' | '.join(cells)} |")
    rules = "\n".join(f"- {way}: {why}." for way, why in BY_RULE.items())
    return "\n".join(lines) + f"\n\nRefused without a question, so that nobody can approve it:\n\n{rules}"


def kinds_table(kinds: dict[str, list[Tried]]) -> str:
    """What was tried of each kind, asked, and passed unasked."""
    parts = []
    for title, tries in kinds.items():
        lines = [f"### {title}", "", "| attack | asked | arrived |", "|---|---|---|"]
        for each in tries:
            lines.append(
                f"| {each.name} | {each.asked or 'blocked without a question'} | {int(each.arrived)} |"
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


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


def main() -> int:
    """Try every way."""
    sent: list[Sent] = []
    refused: list[Trial] = []
    approved: list[Trial] = []
    broken: list[str] = []
    kinds: dict[str, list[Tried]] = {}
    only = [word for word in sys.argv[1:] if word != "--write-docs"]
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
            with attacker_of(browser, server, Path(home)) as attacker:
                chosen = [way for way in ACTING if not only or way in only]
                refused, approved = act_all(attacker, chosen, broken)
            for title, kind in KINDS.items():
                if only and title not in only:
                    continue
                with _going_on(title, broken), serve_attack() as site:
                    kinds[title] = try_kind(browser, server, site, kind)
                    print(*kinds[title], sep="\n", flush=True)
            ways = [way for way in WAYS if not only or way in only]
            for with_worker in (False, True) if ways else ():
                with serve_attack(service_worker=with_worker, far=foreign) as site:
                    sent += press_all(browser, server, (site, far), ways, broken)
    passed = [each for each in sent if each.arrived and each.way not in LIMITS]
    passed_acting = [trial for trial in refused if trial.arrived]
    in_disguise = [each for tries in kinds.values() for each in tries]
    passed_disguised = [each for each in in_disguise if each.arrived]
    every = [*sent, *refused, *in_disguise]
    total = (
        f"{len(every)} tried, {sum(each.asked for each in every)} asked, "
        f"passed unasked: {len(passed) + len(passed_acting) + len(passed_disguised)}"
    )
    text = "\n\n".join(
        [HEAD.rstrip(), total + ".", "## Ways of acting, each under eight disguises", acting_table(refused, approved),
         "## Ways of sending", sending_table(sent), "## Requests in disguise", kinds_table(kinds)]
    )  # fmt: skip
    print(
        text,
        *passed,
        *passed_acting,
        *passed_disguised,
        *(f"broke down: {what}" for what in broken),
        sep="\n",
    )
    if "--write-docs" in sys.argv[1:] and not broken:
        DOCS.write_text(text + "\n", encoding="utf-8")
    return 1 if passed or passed_acting or passed_disguised or broken else 0


if __name__ == "__main__":
    sys.exit(main())
