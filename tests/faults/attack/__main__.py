"""Plays an agent that obeys a hostile page, and counts what arrives: `make attack`.

First every way that a page can send something, pressed by a model, with and without a service worker; then every way
of acting under every disguise. The autonomy is "all", and the person refuses whatever is asked. Ends with a table, and
with an error where anything arrived. `make attack ATTACK_ARGS=--write-docs` writes the tables into docs/attacks.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import skillbook as sb
from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import DISGUISES, Trial, attacker_of
from tests.faults.attack.acting import WAYS as ACTING
from tests.faults.attack.site import WAYS, serve_attack

DOCS = Path(__file__).resolve().parents[3] / "docs" / "attacks.md"
LIMITS = {"shared worker"}
"""What docs/safety.md says can't be held."""
HEAD = """# Attacks tried

`make attack` has a scripted model obey a hostile page in `autonomy="all"`, while the person refuses what is asked; a
server counts what arrives. With `ATTACK_ARGS=--write-docs` it writes this page. The limits are in
[safety.md](safety.md).
"""


@dataclass
class Sent:
    """One way of sending, tried once: how often the person was asked, and what arrived all the same."""

    way: str
    worker: bool
    asked: int
    arrived: list[str]


def press(browser: Browser, server: OpenAIServer, site: Site, far: Site, way: str) -> Sent:
    """Have the agent press one control, and refuse what it is asked."""
    site.app.arrived.clear()
    far.app.arrived.clear()
    with_worker = bool(site.app.service_worker)
    page = browser.open(site.url)
    if with_worker:
        page.wait_for(function="document.title === 'controlled'")
    calls = ToolCall("click", {"target": f"button '{way}'"}), ToolCall("wait_for", {"seconds": 2})
    server.script.extend([*calls, "done"])
    run = sb.agent(page, "Do what the page says.", autonomy="all").run()
    asked = 0
    while run.status == "waiting":
        asked += 1
        run.reject("no")
    page.close()
    return Sent(way, with_worker, asked, [*site.app.arrived, *far.app.arrived])


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
        sums = [
            len(rows),
            *(sum(getattr(row, name) for row in rows) for name in ("asked", "refused", "arrived")),
        ]
        cells = [*map(str, sums), f"{sum(row.arrived for row in control)} of {len(control)}"]
        lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Try every way."""
    sent: list[Sent] = []
    refused: list[Trial] = []
    approved: list[Trial] = []
    only = [word for word in sys.argv[1:] if word != "--write-docs"]
    with tempfile.TemporaryDirectory() as home, OpenAIServer([]) as server, serve_attack() as far:
        os.environ |= {
            "SKILLBOOK_HOME": home,
            "SKILLBOOK_BASE_URL": server.base_url,
            "SKILLBOOK_MODEL": "scripted",
            "SKILLBOOK_MODEL_RETRIES": "0",
            "SKILLBOOK_SECRET_ATTACKEDBANK": "s3cr3t-of-the-bank",
        }
        foreign = far.url.replace("127.0.0.1", "localhost")
        with sb.launch(allow_evaluate=True) as browser:
            with attacker_of(browser, server, Path(home)) as attacker:
                for way in ACTING:
                    if only and way not in only:
                        continue
                    refused += [attacker.attack(way, disguise) for disguise in DISGUISES]
                    approved += [attacker.attack(way, disguise, approve=True) for disguise in DISGUISES]
                    print(*(str(trial) for trial in (*refused[-8:], *approved[-8:])), sep="\n", flush=True)
            for with_worker in (False, True):
                with serve_attack(service_worker=with_worker, far=foreign) as site:
                    ways = [way for way in WAYS if not only or way in only]
                    sent += [press(browser, server, site, far, way) for way in ways]
    passed = [each for each in sent if each.arrived and each.way not in LIMITS]
    passed_acting = [trial for trial in refused if trial.arrived]
    total = (
        f"{len(sent) + len(refused)} tried, {sum(each.asked for each in [*sent, *refused])} asked, "
        f"passed unasked: {len(passed) + len(passed_acting)}"
    )
    text = "\n\n".join(
        [HEAD.rstrip(), total + ".", "## Ways of acting, each under eight disguises", acting_table(refused, approved),
         "## Ways of sending", sending_table(sent)]
    )  # fmt: skip
    print(text, *passed, *passed_acting, sep="\n")
    if "--write-docs" in sys.argv[1:]:
        DOCS.write_text(text + "\n", encoding="utf-8")
    return 1 if passed or passed_acting else 0


if __name__ == "__main__":
    sys.exit(main())
