"""Being signed in by the state that a skill names, before its first step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbook.errors import ConfigError
from skillbook.policy.urls import origin_of
from skillbook.session.page_driver import PageDriver
from skillbook.session.saved_state import SavedState
from skillbook.session.state_keeping import bring_named, fill_tab, missing_part
from skillbook.skill.consent.permission import Permission
from skillbook.skill.model import SkillSpec, Start
from skillbook.skill.model.templates import Value, fill_url


async def check_state(
    spec: SkillSpec,
    driver: PageDriver,
    values: Mapping[str, Value],
    start: Start,
    handed: SavedState | None = None,
) -> None:
    """See that a skill can be signed in on a page, before anything is done.

    Raises
    ------
    ConfigError : see `bring_state_of`; or the page was loaded before, and the skill doesn't load another one.
    NotAllowed : it begins on an origin that is none of its own.
    """
    if not spec.state:
        return
    found = await missing_part(
        driver.browser, spec.state, skill_addresses(spec, values, driver.url), handed=handed
    )
    if found is None:
        return
    if start != "here" and spec.start:
        Permission(spec, values, driver.browser.gateway, None).check_origin(
            fill_url(spec.start, values), "start"
        )
        return
    if origin_of(driver.url) in found[0].origins:
        raise ConfigError(
            f"{spec.name} goes on where the page is, which was loaded before anybody was signed in",
            hint=f"open it in a browser of sb.launch(state={spec.state!r})",
        )


async def bring_state_of(
    spec: SkillSpec, browser: Any, values: Mapping[str, Value], url: str, handed: SavedState | None = None
) -> SavedState | None:
    """Bring what a skill's state has for the skill's origins into a browser.

    Parameters
    ----------
    values : of the skill's inputs.
    url : the page's address, which is where a skill acts that names no site.
    handed : the state, where it is not one of this machine.

    Returns
    -------
    What was brought now.

    Raises
    ------
    ConfigError : there is no such state, it is for other origins, or the browser is signed in there by another one.
    """
    if not spec.state:
        return None
    return await bring_named(browser, spec.state, skill_addresses(spec, values, url), handed=handed)


async def signed_in(
    spec: SkillSpec,
    driver: PageDriver,
    values: Mapping[str, Value],
    start: Start,
    handed: SavedState | None = None,
) -> Start:
    """Sign a skill in on the page on which it begins; returns how it begins then.

    Raises
    ------
    ConfigError, NotAllowed : see `check_state`.
    """
    if not spec.state:
        return start
    await check_state(spec, driver, values, start, handed)
    brought = await bring_state_of(spec, driver.browser, values, driver.url, handed)
    if spec.start and start != "here" and (brought is not None or origin_of(driver.url) is None):
        await fill_tab(driver, fill_url(spec.start, values))
    return "always" if brought is not None and start == "auto" and spec.start else start


def skill_addresses(spec: SkillSpec, values: Mapping[str, Value], url: str) -> list[str]:
    """Where a skill begins and acts, with the values of its inputs; the page's address where it names no site."""
    return [fill_url(origin, values) for origin in spec.all_origins] or [url]
