"""States that skills name: the part that is for a skill's origins is brought into the browser in which it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from skillbook.errors import ConfigError
from skillbook.policy.urls import origin_of
from skillbook.session.cassette import replaying
from skillbook.session.page_driver import PageDriver
from skillbook.session.saved_state import SavedState, load_state, state_path, warn_of_expired
from skillbook.session.state_keeping import StatefulBrowser, bring_state, fill_session


def takes_states(browser: Any) -> bool:
    """Whether a browser is signed in by states: not your own, not a profile's, and not while a cassette answers."""
    return browser.process is not None and browser.kept_cookies is None and not replaying()


async def bring_named(
    browser: Any, name: str, addresses: Iterable[str], *, handed: SavedState | None = None
) -> SavedState | None:
    """Bring the state that a skill names into the browser.

    Parameters
    ----------
    name : of the state.
    addresses : where the skill goes and acts; of the state only what is for their origins is brought.
    handed : the state, where it is not one of this machine.

    Returns
    -------
    What was brought now; None if all of it was there, or if the browser takes no state.

    Raises
    ------
    ConfigError : there is no such state, it is for other origins, or the browser is signed in there by another one.
    """
    found = await missing_part(browser, name, addresses, handed=handed)
    if found is None:
        return None
    part, expired = found
    warn_of_expired(name, expired)
    await bring_state(cast(StatefulBrowser, browser), part)
    browser.brought = part if browser.brought is None else browser.brought.with_others(part)
    return part


async def missing_part(
    browser: Any, name: str, addresses: Iterable[str], *, handed: SavedState | None = None
) -> tuple[SavedState, list[str]] | None:
    """What `bring_named` would bring, with the names of its expired cookies; nothing is done."""
    if not takes_states(browser):
        return None
    if handed is not None:
        state, expired = handed, list[str]()
    else:
        state, expired = await asyncio.to_thread(load_state, state_path(name, browser.settings.home))
    part = part_for(state, name, addresses)
    there: dict[str, str] = browser.signed_in
    for origin in part.origins:
        if there.get(origin, part.source) != part.source:
            raise ConfigError(
                f"this browser is signed in at {origin} by the state {there[origin]!r}, and the skill names {name!r}",
                hint=f"run it in a browser of its own: sb.launch(state={name!r})",
            )
    left = part.only(origin for origin in part.origins if origin not in there)
    return (left, expired) if left.origins else None


def part_for(state: SavedState, name: str, addresses: Iterable[str]) -> SavedState:
    """The part of a state that is for the origins of some addresses.

    Raises
    ------
    ConfigError : there is none.
    """
    origins = sorted({origin for address in addresses if (origin := origin_of(address)) is not None})
    part = state.only(origins)
    if not part.origins:
        raise ConfigError(
            f"the state {name!r} is for {', '.join(state.origins)}, and the skill is for "
            f"{', '.join(origins) or 'no site that it names'}",
            hint="save a state of the skill's site: browser.save_state(name, origins=[…])",
        )
    return part


async def fill_tab(page: PageDriver, address: str) -> None:
    """Give a page's tab the session storage that a state brought for where it goes next."""
    browser: Any = page.browser
    origin = origin_of(address)
    if takes_states(browser) and origin in browser.session_storage:
        await fill_session(browser, page.tab.id, str(origin))
