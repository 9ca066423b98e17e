"""The last rung of healing: a person points at the element in the page."""

from __future__ import annotations

from skillbook.errors import CommandTimeout, StaleRef
from skillbook.perception.escape import clean, shorten
from skillbook.perception.nodes import Node
from skillbook.session.page_driver import PageDriver
from skillbook.skill.targets.healing import Wanted

POINT_SECONDS = 120.0
"""How long a replay waits for the person; then the step fails as it would have."""


async def let_point(driver: PageDriver, wanted: Wanted, note: str) -> Node | None:
    """Show the page and wait until a person presses the element that a step means; they don't press it for the page.

    Returns
    -------
    The element; None where they press Escape, or nothing in time.
    """
    await driver.browser.switch_to(driver)
    what = shorten(clean(f"{wanted.selectors[0]}{f' ({note})' if note else ''}"), 120)
    try:
        return await driver.pick(
            f"Not found: {what}. Click what it is now. Esc: none.", timeout=POINT_SECONDS
        )
    except (CommandTimeout, StaleRef):
        return None
