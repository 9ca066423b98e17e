"""Saves what keeps a person signed in from a browser, brings it into another one, also by a name."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, cast

from skillbook.errors import CommandError, ConfigError, InvalidParams, NotAllowed, SkillbookError
from skillbook.limits import PAGE_SECONDS
from skillbook.policy.urls import origin_of
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.cassette import replaying
from skillbook.session.gateway import Gateway
from skillbook.session.page_driver import PageDriver
from skillbook.session.saved_state import (
    SavedState,
    belongs,
    checked_origins,
    load_state,
    sign_ins_of,
    state_path,
    warn_of_expired,
)
from skillbook.storage import expanded, write_private
from skillbook.warning import warn_user


class StatefulBrowser(Protocol):
    """The part of a browser that this needs."""

    gateway: Gateway
    server: Any
    process: Any
    pages: dict[int, Any]
    kept_cookies: Path | None
    session_storage: dict[str, dict[str, str]]
    signed_in: dict[str, str]

    def drop(self, tab: int, reason: str) -> None:
        """Forget a tab."""


_COOKIES = "skillbook-cookies.json"
_EMPTY_PAGE = "/skillbook-empty-page"
"""An address on which nothing of the site runs: the browser answers it without the network."""
_UNUSED_ORIGIN = "https://skillbook.invalid"


async def _send(
    driver: StatefulBrowser, command: str, params: Mapping[str, Any], tab: int | None = None
) -> Any:
    """Past the gateway, which would write down and mask what is to be kept as it is."""
    return await driver.gateway.bridge.request(RequestBody(command=command, tab=tab, params=dict(params)))


def _require_launched(driver: StatefulBrowser) -> None:
    if driver.process is None:
        raise NotAllowed(
            "the state of a browser that wasn't launched here isn't read or written",
            hint="your own browser stays signed in by itself; sign in once in one that sb.launch starts",
        )


async def gather_state(
    driver: StatefulBrowser, origins: Iterable[str] | None, indexed_db: bool | Iterable[str] = False
) -> SavedState:
    """Read the state of some origins; by default of those that are open, or allowed.

    indexed_db: whether databases are read, or the names of those that are.
    Raises NotAllowed: the browser wasn't launched here. InvalidParams : no origin is known, or no database of a name.
    Raises CommandError: a database can't be kept.
    """
    _require_launched(driver)
    pages = {page.tab.id: origin_of(page.url) for page in driver.pages.values() if not page.closed}
    wanted = checked_origins(
        origins if origins is not None else {*filter(None, pages.values()), *driver.gateway.policy.allowed}
    )
    cookies = (await _send(driver, "site_cookies", {}))["cookies"]
    local: dict[str, dict[str, str]] = {}
    session: dict[str, dict[str, str]] = {}
    for tab, origin in pages.items():
        if origin in wanted:
            found = await _send(driver, "site_storage", {"origin": origin}, tab)
            local[origin] = found["local"]
            session[origin] = session.get(origin, {}) | found["session"]
    databases: dict[str, list[dict[str, Any]]] = {}
    names = _database_names(indexed_db)
    rest = [origin for origin in wanted if origin not in local]
    if visited := rest if names == [] else wanted:
        async with _empty_tab(driver) as tab:
            for origin in visited:
                await _show_empty_page(driver, tab, origin)
                if origin in rest:
                    local[origin] = (await _send(driver, "site_storage", {"origin": origin}, tab))["local"]
                if names != []:
                    databases[origin] = await _read_databases(driver, tab, origin, names)
    _require_found(names, databases)
    state = SavedState(
        wanted,
        [each for each in cookies if belongs(each, wanted)],
        {origin: entries for origin, entries in local.items() if entries},
        {origin: entries for origin, entries in session.items() if entries},
        {origin: found for origin, found in databases.items() if found},
    )
    driver.gateway.secrets.hide_sign_ins(state.sign_ins())
    return state


def _database_names(indexed_db: bool | Iterable[str]) -> list[str] | None:
    """The databases to read; None for all of them."""
    if isinstance(indexed_db, bool):
        return None if indexed_db else []
    return [indexed_db] if isinstance(indexed_db, str) else list(indexed_db)


def _require_found(names: list[str] | None, databases: Mapping[str, list[dict[str, Any]]]) -> None:
    found = {each["name"] for some in databases.values() for each in some}
    if missing := [name for name in names or [] if name not in found]:
        raise InvalidParams(
            f"no origin of the state has a database {missing[0]!r}",
            hint=f"there is {', '.join(sorted(found))}" if found else "open the site first",
        )


async def _read_databases(
    driver: StatefulBrowser, tab: int, origin: str, names: list[str] | None
) -> list[dict[str, Any]]:
    params = {"origin": origin, "names": names}
    try:
        found: list[dict[str, Any]] = (await _send(driver, "site_databases", params, tab))["databases"]
    except CommandError as error:
        error.message = f"{origin}: {error.message}"
        if type(error) is CommandError:
            error.hint = "name the databases that the sign-in needs: indexed_db=[…]; or use a profile"
        raise
    return found


async def bring_state(driver: StatefulBrowser, state: SavedState) -> None:
    """Bring a state into a browser: databases, cookies and local storage now, session storage with each tab.

    Raises NotAllowed: the browser wasn't launched here. CommandError : a database can't be written.
    """
    _require_launched(driver)
    driver.gateway.secrets.hide_sign_ins(state.sign_ins())
    # First, since it is what a site with an open page can refuse.
    if state.databases:
        async with _empty_tab(driver) as tab:
            for origin, databases in state.databases.items():
                await _show_empty_page(driver, tab, origin)
                await _send(driver, "site_databases", {"origin": origin, "write": databases}, tab)
    if state.cookies:
        answer = await _send(driver, "site_cookies", {"set": state.cookies})
        if refused := answer["refused"]:
            warn_user(f"the browser didn't take {len(refused)} cookies: {', '.join(sorted(set(refused)))}")
    if state.local:
        async with _empty_tab(driver) as tab:
            for origin, entries in state.local.items():
                await _show_empty_page(driver, tab, origin)
                await _write(driver, tab, origin, local=entries)
    driver.session_storage |= state.session
    driver.signed_in = dict.fromkeys(state.origins, state.source) | driver.signed_in


async def fill_session(driver: StatefulBrowser, tab: int, origin: str) -> None:
    """Give a new tab the session storage of an origin, before it goes there."""
    await _show_empty_page(driver, tab, origin)
    await _write(driver, tab, origin, session=driver.session_storage[origin])
    await _send(driver, "network_rules", {"rules": [], "extra_headers": []}, tab)


async def use_profile(driver: StatefulBrowser, folder: Path) -> None:
    """Bring back the cookies that a profile's browser had when it was closed here, and keep them at the next close.

    A browser that is ended doesn't write its last cookies, and none of its session.
    """
    driver.kept_cookies = await asyncio.to_thread(lambda: expanded(folder).absolute() / _COOKIES)
    try:
        text = await asyncio.to_thread(driver.kept_cookies.read_text, "utf-8")
        cookies = json.loads(text)
    except (OSError, ValueError):
        return
    # The browser may be closed by hand, and then knows better.
    await asyncio.to_thread(driver.kept_cookies.unlink)
    now = time.time()
    left = [each for each in cookies if each["expires"] is None or each["expires"] > now]
    driver.gateway.secrets.hide_sign_ins(sign_ins_of(left))
    if left:
        await _send(driver, "site_cookies", {"set": left})


async def keep_profile(driver: StatefulBrowser) -> None:
    """Write down what a profile is to keep before its browser ends; what fails keeps no browser from closing."""
    if driver.kept_cookies is None or driver.server.status.state != "connected":
        return
    with suppress(SkillbookError, OSError, TimeoutError):
        async with asyncio.timeout(PAGE_SECONDS):
            answer = await _send(driver, "site_cookies", {})
            await asyncio.to_thread(write_private, driver.kept_cookies, json.dumps(answer["cookies"]))
            await _have_local_storage_written(driver)


async def _have_local_storage_written(driver: StatefulBrowser) -> None:
    """End the tabs: a page's local storage is written when it goes, else up to seconds later, or never if it's ended.

    The storage of an origin that nobody has used is then read from the disk, after what had to be written before.
    """
    async with _empty_tab(driver) as tab:
        for each in [page.tab.id for page in driver.pages.values() if page.tab.id != tab and not page.closed]:
            await _send(driver, "tabs_close", {}, each)
        await _show_empty_page(driver, tab, _UNUSED_ORIGIN)
        await _send(driver, "site_storage", {"origin": _UNUSED_ORIGIN}, tab)


async def _write(driver: StatefulBrowser, tab: int, origin: str, **entries: dict[str, str]) -> None:
    await _send(driver, "site_storage", {"origin": origin, "write": True, **entries}, tab)


@asynccontextmanager
async def _empty_tab(driver: StatefulBrowser) -> AsyncIterator[int]:
    opened = await _send(driver, "tabs_open", {"url": "about:blank", "active": False})
    tab = int(opened["tab"]["id"])
    try:
        yield tab
    finally:
        with suppress(SkillbookError):
            await _send(driver, "tabs_close", {}, tab)
        driver.drop(tab, "closed")


async def _show_empty_page(driver: StatefulBrowser, tab: int, origin: str) -> None:
    rule = {
        "pattern": f"{origin}{_EMPTY_PAGE}",
        "status": 200,
        "headers": [{"name": "content-type", "value": "text/html"}],
        "body": base64.b64encode(b"<!doctype html>").decode(),
    }
    await _send(driver, "network_rules", {"rules": [rule], "extra_headers": []}, tab)
    await _send(driver, "goto", {"url": rule["pattern"], "wait": "load"}, tab)


def takes_states(browser: Any) -> bool:
    """Whether a browser is signed in by states: not your own, not a profile's, and not while a cassette answers."""
    return browser.process is not None and browser.kept_cookies is None and not replaying()


async def bring_named(
    browser: Any, name: str, addresses: Iterable[str], *, handed: SavedState | None = None
) -> SavedState | None:
    """Bring the state that a skill names into the browser.

    addresses: where the skill goes and acts; of the state only what is for their origins is brought.
    Raises ConfigError: there is no such state, it is for other origins, or the browser is signed in there by another
        one.
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

    Raises ConfigError: there is none.
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
