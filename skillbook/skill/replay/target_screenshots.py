"""Screenshots of steps' targets: as they were when the skill was last replayed as recorded, and where one is healed."""

from __future__ import annotations

import base64
import os
import shutil
from pathlib import Path

from skillbook.errors import SkillbookError
from skillbook.session.page_driver import PageDriver
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
