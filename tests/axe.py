"""What axe-core finds wrong with a part of a page, for pages that Playwright drives."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_AXE = Path(__file__).parents[1] / "extension" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """selector => axe.run(selector).then(({violations}) => violations.map(each =>
  `${each.id}: ${each.nodes.map(node => node.html.slice(0, 200)).join(' | ')}`))"""


def violations(page: Page, selector: str) -> list[str]:
    """Each rule that an element breaks, with the places.

    Parameters
    ----------
    page : Page
        The page that has it.
    selector : str
        A CSS selector of the element.
    """
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(_AXE.read_text())
    found: list[str] = page.evaluate(_RUN, selector)
    return found
