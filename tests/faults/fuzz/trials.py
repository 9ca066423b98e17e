"""Trials of one page: a snapshot, a change of the page, an action on a ref of the snapshot, and what it hit."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import skillbook as sb
from skillbook.errors import CommandTimeout, PageUnreachable, SkillbookError
from skillbook.testing.site import Site
from skillbook.testing.sites.web import Request, Response

SITE = Path(__file__).resolve().parent / "site"
KINDS = {".html": "text/html", ".js": "text/javascript"}
PER_PAGE = 50
TIMEOUT = 0.6
JOIN_SECONDS = 5.0
LOG_SECONDS = 1.0
LANDINGS = frozenset(
    [
        "pointerdown",
        "mousedown",
        "click",
        "dblclick",
        "auxclick",
        "contextmenu",
        "keydown",
        "beforeinput",
        "input",
        "change",
        "dragstart",
        "drop",
    ]
)
"""Events by which an action takes effect on an element; passing over one with the mouse is none."""
PROOFS = {
    "click": {"mousedown", "click"}, "dblclick": {"mousedown", "click"}, "right": {"mousedown", "contextmenu"},
    "check": {"mousedown", "change"}, "drag": {"mousedown"}, "fill": {"input"}, "type": {"keydown", "input"},
    "press": {"keydown"}, "select": {"change"}, "hover": {"mouseover", "mousemove"},
}  # fmt: skip
"""For each command the events of which the target must have got one when the command reports success."""

Page = sb.aio.Page


class FuzzSite:
    """The pages of the trials, and the log of their frames of another origin, which may go away with them."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def respond(self, request: Request) -> Response:
        """Answer with a file, or take down what reached an element."""
        if request.path == "/log":
            self.log.append(request.form["entry"])
            return Response("", status=204)
        path = SITE / request.path.lstrip("/")
        if not path.is_file():
            return Response("", status=404)
        return Response(path.read_bytes(), kind=KINDS[path.suffix])


@dataclass(frozen=True)
class Trial:
    """One trial as it went."""

    seed: int
    plan: dict[str, Any]
    log: list[str]
    error: SkillbookError | None

    @property
    def landed(self) -> dict[str, set[str]]:
        """The kinds of events that each element of this trial got."""
        found: dict[str, set[str]] = {}
        for entry in self.log:
            element, kind, _ = entry.split(" ")
            if element.split(".")[1] == str(self.seed):
                found.setdefault(element, set()).add(kind)
        return found

    @property
    def wrong(self) -> dict[str, set[str]]:
        """Effects on elements that the action did not name."""
        named = {self.plan["id"]}
        effects = {
            element: kinds & LANDINGS for element, kinds in self.landed.items() if element not in named
        }
        if self.plan["command"] == "drag":
            effects = {element: kinds - {"drop"} for element, kinds in effects.items()}
        return {element: kinds for element, kinds in effects.items() if kinds}

    @property
    def empty_success(self) -> bool:
        """It reported success though its element got nothing."""
        proofs = PROOFS.get(self.plan["command"])
        if self.error or proofs is None:
            return False
        return not proofs & self.landed.get(self.plan["id"], set())

    @property
    def mute(self) -> bool:
        """It was refused without a word on what was seen."""
        return self.error is not None and not explains(self.error)

    def __str__(self) -> str:
        plan = {
            key: self.plan[key]
            for key in ("kind", "where", "command", "mutation", "trigger", "delay", "around")
        }
        answer = f"{self.error.code}: {self.error.message}" if self.error else "success"
        return f"seed {self.seed}: {json.dumps(plan)} -> {answer}; wrong {self.wrong}; landed {self.landed}"


@dataclass
class Tally:
    """What many trials came to."""

    trials: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        """Count a trial and judge it."""
        self.trials += 1
        self.answers[trial.error.code if trial.error else "success"] += 1
        if trial.error is not None:
            self.refusals[trial.plan["around"] or trial.plan["mutation"]] += 1
        for fault in ("wrong", "empty_success", "mute"):
            if getattr(trial, fault):
                self.failures.append(f"{fault}: {trial}")

    def __str__(self) -> str:
        return (
            f"{self.trials} trials, {len(self.failures)} failures; answers {dict(self.answers.most_common())}"
        )


def explains(error: SkillbookError) -> bool:
    """Whether a refusal says what it saw, and what to do."""
    if not error.hint:
        return False
    if error.code == "stale_ref":
        # Of an element that is gone it names what is like it, of one that is another now what it was.
        is_said = "candidates" in error.data or {"was", "now"} <= error.data.keys()
        return (is_said and {"ref", "role", "name"} <= error.data.keys()) or "document" in error.message
    if error.code == "not_actionable":
        return bool(error.data.get("reason"))
    if error.code == "timeout":
        return "still waited for" in error.message
    return error.code in {"page_navigated", "page_unreachable"} and "http" in error.message


async def run_trials(page: Page, site: Site, seeds: Iterable[int], tally: Tally) -> None:
    """Run one trial a seed on a page of a served `FuzzSite`."""
    for count, seed in enumerate(seeds):
        if count % PER_PAGE == 0 or not await _is_ready(page):
            await _begin(page, site.url)
        try:
            trial = await run_trial(page, site.app, seed)
        except (LookupError, CommandTimeout):
            # What an earlier trial had armed for a mouse that comes may have taken the frames away by now.
            await _begin(page, site.url)
            trial = await run_trial(page, site.app, seed)
        tally.add(trial)


async def _begin(page: Page, site: str) -> None:
    """Load the page; what an earlier trial armed may take it elsewhere just then."""
    try:
        await page.goto(f"{site}/index.html")
    except PageUnreachable:
        await page.wait_for(idle=True)
        await page.goto(f"{site}/index.html")


async def run_trial(page: Page, site: FuzzSite, seed: int) -> Trial:
    """Snapshot, arm the change, act, collect."""
    plan = await page.evaluate(f"build({seed}, {seed})")
    ref, to = await _refs(page, plan["name"], plan["to"])
    await page.evaluate(f"arm({json.dumps(plan)})")
    error: SkillbookError | None = None
    try:
        await _actions(page, ref, to, seed)[plan["command"]]()
    except SkillbookError as refused:
        error = refused
    # What crosses from another process, or a timer, may come a little later.
    settle = 20 if plan["where"] == "other" or error is None else 2
    # An element that comes under a mouse that rests hears of it only then.
    log = await _log(page, 150 if plan["command"] == "hover" else settle)
    deadline = time.monotonic() + LOG_SECONDS
    while (trial := Trial(seed, plan, [*log, *site.log], error)).empty_success:
        if time.monotonic() > deadline:
            break
        log = await _log(page, settle)
    site.log.clear()
    return trial


def _actions(page: Page, ref: str, to: str, seed: int) -> dict[str, Callable[[], Awaitable[object]]]:
    return {
        "click": lambda: page.click(ref, timeout=TIMEOUT),
        "right": lambda: page.click(ref, button="right", timeout=TIMEOUT),
        "dblclick": lambda: page.dblclick(ref, timeout=TIMEOUT),
        "hover": lambda: page.hover(ref, timeout=TIMEOUT),
        "focus": lambda: page.focus(ref, timeout=TIMEOUT),
        "press": lambda: page.press("Enter", ref, timeout=TIMEOUT),
        "check": lambda: page.check(ref, timeout=TIMEOUT),
        "fill": lambda: page.fill(ref, f"filled {seed}", timeout=TIMEOUT),
        "type": lambda: page.type(ref, f"typed {seed}", timeout=TIMEOUT),
        "select": lambda: page.select(ref, "three", timeout=TIMEOUT),
        "drag": lambda: page.drag(ref, to, timeout=TIMEOUT),
    }


async def _refs(page: Page, *names: str) -> list[str]:
    """The refs of elements by their names; on a busy machine a frame that was just made answers a little later."""
    deadline = time.monotonic() + JOIN_SECONDS
    while True:
        snapshot = await page.snapshot()
        refs = {node.name: node.ref for node in snapshot.nodes if node.ref}
        if all(name in refs for name in names):
            return [refs[name] for name in names]
        if time.monotonic() >= deadline:
            raise LookupError(f"not all of {names} are in the snapshot:\n{snapshot.text()}")


async def _is_ready(page: Page) -> bool:
    try:
        return bool(await page.evaluate("typeof build === 'function' && document.readyState === 'complete'"))
    except SkillbookError:
        return False


async def _log(page: Page, settle_ms: int) -> list[str]:
    try:
        return list(await page.evaluate(f"logged({settle_ms})"))
    except SkillbookError:
        # The document is changing: its log is kept for the next one.
        await page.wait_for(idle=True)
        return list(await page.evaluate(f"logged({settle_ms})"))
