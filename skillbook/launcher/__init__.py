"""Find and start a Chromium that has the skillbook extension loaded."""

from __future__ import annotations

from skillbook.launcher.chromium_search import Chromium, find_chromium
from skillbook.launcher.doctor import Check, run_checks
from skillbook.launcher.process import ChromiumProcess, launch_chromium
from skillbook.launcher.profile import EXTENSION_ID, extension_path

__all__ = [
    "EXTENSION_ID",
    "Check",
    "Chromium",
    "ChromiumProcess",
    "extension_path",
    "find_chromium",
    "launch_chromium",
    "run_checks",
]
