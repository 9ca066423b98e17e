"""The targets of a replay's steps: found, also by a second load of the page, photographed, and changed in a patch.

Where a record's key is another one than the recorded, a second load says whether keys of the kind last. Ids that
scripts make look like any other. Where two loads of one page give the same record two keys, those say nothing; where
they give it one, a record with another key is another record.
"""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from skillbook.config import load_settings
from skillbook.errors import SkillbookError
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.nodes import Node
from skillbook.perception.records import ChangedFact, Record, record_of
from skillbook.perception.records.record_pieces import conflicts, kind_of_key
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from skillbook.skill.model.templates import Value, placeholders
from skillbook.skill.replay.skill_result import Change, Patch
from skillbook.skill.targets.element_target import target_of
from skillbook.skill.targets.healing import Found, Healer, LetPoint, Wanted, find_now, find_target
from skillbook.skill.targets.surroundings import seen_record, without_keys
from skillbook.storage import caching


@dataclass(eq=False)
class _OnlyReads:
    """Nothing is sent from the tab of a second load."""

    key: str
    actor: Actor = "replay"
    send_allowlist: bool = True
    announced_is_approved: bool = False

    async def judge(self, request: HeldRequest) -> RequestDecision:
        return RequestDecision(False, f"{request.fact} isn't needed to look at the page")


async def by_second_load(driver: PageDriver, wanted: Wanted, snapshot: Snapshot, key: str) -> Found | None:
    """The target in the record of the same names, if a second load proves that its key says nothing; None if not.

    key: of the replay, under which the journal has what is done.
    """
    seen = seen_record(wanted.fingerprint)
    is_page = urlsplit(snapshot.url).scheme in {"http", "https"}
    if seen is None or not seen.names or wanted.by_input or not is_page:
        return None
    bare = replace(wanted, fingerprint=without_keys(wanted.fingerprint))
    found = find_now(snapshot, bare)
    now = record_of(found.node) if found is not None else None
    if found is None or now is None:
        return None
    others = [*_conflicts(seen, now)]
    if not others:
        return None
    kinds = frozenset(kind_of_key(was) for was, _ in others)
    again = await _again(driver, snapshot.url, bare, key)
    then = record_of(again) if again is not None else None
    if then is None or not kinds <= {kind_of_key(was) for was, _ in _conflicts(now, then)}:
        return None
    words = " and ".join(sorted(kind or "the link" for kind in kinds))
    why = f"{words} changes with each load of the page, and the record's names are the same"
    changed = tuple(ChangedFact(was, becomes) for was, becomes in others)
    return Found(found.node, "alternative", why, found.score, changed, kinds)


def _conflicts(one: Record, other: Record) -> list[tuple[str, str]]:
    return [*conflicts(one.keys, one.counted, other.keys, other.counted)]


async def _again(driver: PageDriver, url: str, wanted: Wanted, key: str) -> Node | None:
    """A target in a tab of its own, which is closed afterwards."""
    browser, front = driver.browser, driver.browser.active
    tab: PageDriver | None = None
    try:
        tab = await browser.open("about:blank", active=False)
        await tab.requests.attach(_OnlyReads(key))
        await tab.act("goto", actor="replay", run=key, url=url)
        await tab.settled("rest")
        found = find_now(await tab.snapshot_for(*wanted.selectors, texts=False), wanted)
        return found.node if found is not None else None
    except SkillbookError:
        return None  # nothing is proved
    finally:
        if tab is not None and not tab.closed:
            with suppress(SkillbookError):
                await browser.close_page(tab)
        if front is not None and not front.closed and browser.active is not front:
            await browser.switch_to(front)


_FOLDER = "skill-targets"
_MOST_SKILLS = 100
_WIDEST = 400


async def target_screenshot(driver: PageDriver, ref: str) -> bytes:
    """A screenshot of an element as PNG bytes, in which secrets are blank; empty where none can be taken."""
    try:
        data = await driver.run("screenshot", {"ref": ref, "max_width": _WIDEST})
    except SkillbookError:
        return b""
    return base64.b64decode(data["data"])


async def small_screenshot(driver: PageDriver) -> bytes:
    """A small screenshot of the page as JPEG bytes, in which secrets are blank; empty where none can be taken."""
    try:
        data = await driver.run("screenshot", {"format": "jpeg", "quality": 60, "max_width": _WIDEST})
    except SkillbookError:
        return b""
    return base64.b64decode(data["data"])


def keep_screenshot(home: Path, digest: str, step: int, part: str, png: bytes) -> None:
    """Keep what a step's target of this version of a skill looks like; of the oldest versions nothing is kept."""
    folder = home / _FOLDER / digest
    with caching(folder):
        if not folder.is_dir():
            folder.mkdir(parents=True, mode=0o700)
            known = sorted((home / _FOLDER).iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
            for old in known[_MOST_SKILLS:]:
                shutil.rmtree(old, ignore_errors=True)
        fresh = folder / f".{step}-{part}.{os.getpid()}"
        fresh.write_bytes(png)
        fresh.replace(folder / f"{step}-{part}.png")


def kept_screenshot(home: Path, digest: str, step: int, part: str) -> bytes:
    """What a step's target looked like; empty where nobody knows."""
    try:
        return (home / _FOLDER / digest / f"{step}-{part}.png").read_bytes()
    except OSError:
        return b""


Part = Literal["target", "to"]


@dataclass
class StepTargets:
    """Finds them, and keeps what a patch would change.

    inputs: every input's value; they change as loops go on.
    healer, let_point, keep_screenshots: see `skillbook.skill.replay.replayer.Replay`.
    changes: those proposed so far.
    key: of the replay, in the journal.
    """

    spec: SkillSpec
    driver: PageDriver
    inputs: Mapping[str, Value]
    healer: Healer | None = None
    let_point: LetPoint | None = None
    keep_screenshots: bool = False
    changes: list[Change] = field(default_factory=list)
    key: str = ""
    _screenshots: dict[tuple[int, Part], bytes] = field(default_factory=dict)

    @property
    def patch(self) -> Patch | None:
        """What the replay proposes to change in the skill; None where everything was as recorded."""
        return Patch(self.spec.name, self.spec.digest, tuple(self.changes)) if self.changes else None

    async def find(self, index: int, step: SkillStep, part: Part) -> Found | None:
        """Find one; None where the step has none.

        Raises ReplayFailed: nothing on the page is surely it.
        """
        target: StepTarget | None = getattr(step, part)
        if target is None:
            return None
        found = await find_target(
            self.driver,
            Wanted.of(target, self.inputs),
            note=step.note,
            look_again=partial(by_second_load, key=self.key),
            healer=self.healer,
            let_point=self.let_point,
            seconds=CAUSE_SECONDS,
        )
        if found.node.ref is not None and (found.how != "locator" or self.keep_screenshots):
            png = await target_screenshot(self.driver, found.node.ref)
            self._screenshots[index, part] = png
            if found.how == "locator" and png:
                keep_screenshot(load_settings().home, self.spec.digest, index, part, png)
        return found

    def propose(self, index: int, step: SkillStep, part: Part, found: Found | None) -> None:
        """Propose what was found as the step's target, where it was not found as recorded."""
        if found is None or found.how == "locator":
            return
        old: StepTarget = getattr(step, part)
        if next(placeholders(old.selectors), None) is not None:
            return  # this run's element is not the one of another input
        if index not in self.spec.own_numbers:
            return  # another skill's file says it
        change = Change(
            index,
            part,
            old,
            _target_of(found),
            found.why,
            found.score,
            kept_screenshot(load_settings().home, self.spec.digest, index, part),
            self._screenshots.get((index, part), b""),
            found.node.snapshot.columns.document_at(found.node.index).url,
        )
        self.changes = [one for one in self.changes if (one.step, one.part) != (index, part)]
        self.changes.append(change)


def _target_of(found: Found) -> StepTarget:
    """How to find an element again, without the keys that say nothing."""
    target = target_of(found.node)
    return target.model_copy(update={"fingerprint": without_keys(target.fingerprint, found.unsteady)})
