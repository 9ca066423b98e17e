"""`python -m benchmarks.skill_variations`: record, replay on what varies, and write the table."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from benchmarks.apps import NotInstalled
from benchmarks.peers import start_peers
from benchmarks.skill_variations.cases import CASES
from benchmarks.skill_variations.trying import VARIATIONS, WAYS, Trials, Tried
from benchmarks.skills.sites import Sites
from skillbook.session.browser_driver import BrowserDriver
from skillbook.testing.openai_server import OpenAIServer

PAGE = Path(__file__).resolve().parents[2] / "docs/skill_variations_measured.md"
FIGURES = Path(__file__).resolve().parent / "measured.json"
_MOST_NEEDLESS = 0.02
_GOOD = ("right", "refused")


@dataclass(frozen=True)
class Kept:
    """One replay, as the file of figures has it."""

    app: str
    name: str
    way: str
    variation: str
    ending: str
    said: str = ""


def report(kept: Sequence[Kept]) -> str:
    """The page."""
    replays = [one for one in kept if one.variation in VARIATIONS]
    counts = Counter(one.ending for one in replays)
    tasks = dict.fromkeys((one.app, one.name) for one in kept)
    skills = {(one.app, one.name, one.way) for one in replays}
    share = counts["needless"] / max(len(replays), 1)
    lines = [
        "# Skills on what varies, measured",
        "",
        f"Written by `make skill-variations` on {date.today()}: {len(tasks)} tasks on "
        f"{len({app for app, _ in tasks})} applications that others wrote, each recorded by hand, from calls and as "
        f"code, and saved after it was done by hand: {len(skills)} "
        "skills, replayed without a model.",
        "",
        f"**{len(replays)} replays: {counts['WRONG']} wrong, {counts['needless']} failed needlessly ({share:.1%}; goal "
        f"{_MOST_NEEDLESS:.0%}), {counts['unsure']} sent and not confirmed, {counts['right']} right, "
        f"{counts['refused']} rightly refused.** What is so is read from the application's server, its database or the "
        "page's own script, never from what skillbook says. Each row is of the newest run of its skill; not all "
        "are of one day's build.",
        "",
        f"| application | task | recorded | {' | '.join(VARIATIONS)} |",
        f"|---|---|---|{'---|' * len(VARIATIONS)}",
    ]
    for app, name, way in dict.fromkeys((one.app, one.name, one.way) for one in kept):
        mine = {one.variation: one for one in kept if (one.app, one.name, one.way) == (app, name, way)}
        cells = [_cell(mine.get(variation, mine.get("recording"))) for variation in VARIATIONS]
        lines.append(f"| {app} | {name} | {way} | {' | '.join(cells)} |")
    lines += ["", "## What is not right", ""]
    lines += [
        f"- {one.app}, {one.name}, {one.way}, {one.variation}: {one.ending}. {one.said}"
        for one in kept
        if one.ending not in _GOOD
    ]
    return "\n".join([*lines, ""])


def _cell(one: Kept | None) -> str:
    if one is None:
        return ""
    return one.ending if one.ending in _GOOD else f"**{one.ending}**"


def _kept(tried: Sequence[Tried]) -> list[Kept]:
    """What was tried now, in the place of what was tried of the same skills before."""
    before = (
        [Kept(**row) for row in json.loads(FIGURES.read_text(encoding="utf-8"))] if FIGURES.exists() else []
    )
    now = [
        Kept(
            one.case.app, one.case.name, one.way, one.variation, one.ending,
            "" if one.ending in _GOOD else " ".join(one.said.split())[:300],
        )
        for one in tried
    ]  # fmt: skip
    again = {(one.app, one.name, one.way) for one in now}
    places = {(case.app, case.name): place for place, case in enumerate(CASES)}
    every = [*(one for one in before if (one.app, one.name, one.way) not in again), *now]
    known = [one for one in every if (one.app, one.name) in places]
    return sorted(known, key=lambda one: (places[one.app, one.name], WAYS.index(one.way)))


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.skill_variations")
    parser.add_argument("--only", default="", help="only cases whose application or name has this")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    options = parser.parse_args()
    tried: list[Tried] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, OpenAIServer([]) as model:
        folder = Path(name)
        os.environ |= {
            "SKILLBOOK_HOME": str(folder / "home"),
            "SKILLBOOK_BASE_URL": model.base_url,
            "SKILLBOOK_MODEL": "scripted",
        }
        # The hands are Playwright's: what they do is kept as in a browser with a window.
        BrowserDriver.has_window = True  # type: ignore[method-assign, assignment]
        with Sites(folder) as sites, start_peers(folder) as peers:
            trials = Trials(peers, sites, model, folder / "skills")
            for case in CASES:
                if not all(word in f"{case.app} {case.name}" for word in options.only.split()):
                    continue
                for way in options.ways:
                    try:
                        now = trials.run(case, way)
                    except NotInstalled as error:
                        print(case.app, error)
                        break
                    for one in now:
                        said = "" if one.ending in _GOOD else one.said[:900]
                        print(case.app, case.name, way, one.variation, one.ending, said, flush=True)
                    tried += now
                    _keep(now)
    return int(any(one.ending == "WRONG" for one in tried))


def _keep(tried: Sequence[Tried]) -> None:
    kept = _kept(tried)
    rows = ",\n".join(json.dumps(asdict(one), ensure_ascii=False) for one in kept)
    FIGURES.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    PAGE.write_text(report(kept), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
