"""The targets of a replay's steps: found on the page, photographed, and changed in a patch where they moved."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from skillbook.config import load_settings
from skillbook.errors import SkillbookError
from skillbook.limits import CAUSE_SECONDS
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model import SkillSpec, SkillStep, StepTarget
from skillbook.skill.model.templates import Value, placeholders
from skillbook.skill.replay.skill_result import Change, Patch
from skillbook.skill.targets.element_target import target_of
from skillbook.skill.targets.healing import Found, Healer, LetPoint, Wanted, find_target
from skillbook.skill.targets.second_load import by_second_load
from skillbook.skill.targets.surroundings import without_keys
from skillbook.storage import caching

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
    healer, let_point, keep_screenshots: see `skillbook.skill.replay.replayer.run_skill`.
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
