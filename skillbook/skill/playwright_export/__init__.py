"""A skill as a Python script for Playwright, with role locators: nobody is locked in."""

from __future__ import annotations

from skillbook.skill.playwright_export.playwright_script import to_playwright

__all__ = ["to_playwright"]
