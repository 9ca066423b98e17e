"""Plays an agent that obeys a hostile page, and counts what arrives: `make attack`.

Every way of acting under every disguise; requests in disguise, ways past the debugger and other requests than the
announced ones; asks of the side panel; other windows, redirects, gestures and grants; every way that a page can send
something, with and without a service worker.
The autonomy is "all", and the person refuses whatever is asked. Ends with a table, and with an error where anything
arrived.
`make attack ATTACK_ARGS=--write-docs` writes the tables into docs/attacks.md; with parts that are named, theirs alone.
"""

from __future__ import annotations

import re
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.faults.attack.acting import BY_RULE, DISGUISES, Trial
from tests.faults.attack.acting import WAYS as ACTING
from tests.faults.attack.channels import KINDS
from tests.faults.attack.parts import OTHERS, SENDING, Results, Sent, attempt
from tests.faults.attack.sends import Tried

DOCS = Path(__file__).resolve().parents[3] / "docs" / "attacks.md"
LIMITS = {"shared worker"}
"""What docs/safety.md says can't be paused."""
HEAD = """# Attacks tried

`make attack` lets a scripted model obey a hostile page with `autonomy="all"`. The person refuses every question, and a
server counts the requests that arrive. What was blocked without a question arrives where a person does the same, or the
attack counts as broken. `make attack ATTACK_ARGS=--write-docs` writes this page. The limits are in
[Paused requests](safety.md#paused-requests).
"""


def sending_table(tries: list[Sent]) -> str:
    """What was sent, asked, and let through unasked."""
    lines = ["| the page sends by | with a service worker | asked | arrived |", "|---|---|---|---|"]
    for each in tries:
        arrived = f"{len(each.arrived)}{' (a known limit)' if each.way in LIMITS and each.arrived else ''}"
        asked = _asked(each)
        lines.append(f"| {each.way} | {'yes' if each.worker else 'no'} | {asked} | {arrived} |")
    return "\n".join(lines)


def _asked(each: Sent | Tried) -> int | str:
    """How often the person was asked; where never, whether that was since the attack was blocked."""
    if each.asked or each.arrived:
        return each.asked
    return "not fired" if each.fired is False else "blocked without a question"


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
            lines.append(f"| {each.name} | {_asked(each)} | {int(each.arrived)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def merged(known: str, new: str) -> str:
    """The page with the tables of some parts put in; of a table of all ways, the rows that are new."""
    before, after = _sections(known), _sections(new)
    for title, body in after.items():
        if title.startswith("### ") or title not in before:
            before[title] = body
            continue
        rows = {_key(line): line for line in body.splitlines() if line.startswith("| ")}
        before[title] = "\n".join(rows.get(_key(line), line) for line in before[title].splitlines())
    before[""] = f"{HEAD.rstrip()}\n\n{_total(before)}"
    return "\n\n".join(f"{title}\n\n{body}".strip() for title, body in before.items())


def _sections(text: str) -> dict[str, str]:
    """The page's parts by their headings."""
    first, *others = re.split(r"^(?=###? )", text, flags=re.M)
    pairs = (part.partition("\n") for part in others)
    return {"": first.strip(), **{title: body.strip() for title, _, body in pairs}}


def _key(line: str) -> tuple[str, str]:
    """What tells a row apart: the way, and of ways of sending whether a service worker is there."""
    way, then = ([cell.strip() for cell in line.strip("|").split("|")] + [""])[:2]
    return way, then if then in {"yes", "no"} else ""


def _total(sections: dict[str, str]) -> str:
    """What all tables say together."""
    tried = asked = passed = 0
    for title, body in sections.items():
        for line in body.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not line.startswith("| ") or not cells[-1][:1].isdigit():
                continue
            acting = title.startswith("## Ways of acting")
            count, questions, arrived = (
                (cells[1], cells[2], cells[4]) if acting else ("1", cells[-2], cells[-1])
            )
            tried += int(count)
            asked += int(questions) if questions.isdigit() else 0
            passed += int(arrived) if arrived.isdigit() else 0
    return f"{tried} tried, {asked} asked, passed unasked: {passed}."


def main() -> int:
    """Try every way, or the parts that are named; in two processes, since most of the time goes by waiting."""
    only = [word for word in sys.argv[1:] if word != "--write-docs"]
    parts = only or [*ACTING, *SENDING.values(), *KINDS, *OTHERS]
    results = Results()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for found in pool.map(attempt, [half for half in (parts[::2], parts[1::2]) if half]):
            results.add(found)
    results.refused.sort(key=lambda trial: list(ACTING).index(trial.way))
    results.sent.sort(key=lambda each: each.worker)
    sent, refused, approved, broken = results.sent, results.refused, results.approved, results.broken
    kinds = {title: results.kinds[title] for title in (*KINDS, *OTHERS) if title in results.kinds}
    passed = [each for each in sent if each.arrived and each.way not in LIMITS]
    passed_acting = [trial for trial in refused if trial.arrived]
    in_disguise = [each for tries in kinds.values() for each in tries]
    passed_disguised = [each for each in in_disguise if each.arrived]
    every = [*sent, *refused, *in_disguise]
    broken += [f"never fired: {each}" for each in (*sent, *in_disguise) if each.fired is False]
    total = (
        f"{len(every)} tried, {sum(each.asked for each in every)} asked, "
        f"passed unasked: {len(passed) + len(passed_acting) + len(passed_disguised)}"
    )
    text = "\n\n".join(
        [HEAD.rstrip(), total + ".",
         f"## Ways of acting, each under {len(DISGUISES)} disguises", acting_table(refused, approved),
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
        known = merged(DOCS.read_text(encoding="utf-8"), text) if only else text
        DOCS.write_text(known + "\n", encoding="utf-8")
    return 1 if passed or passed_acting or passed_disguised or broken else 0


if __name__ == "__main__":
    sys.exit(main())
