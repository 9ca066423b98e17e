"""A browser and its pages: a paired extension and its shared tabs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from skillbook.bridge.conversation import BridgeStatus
from skillbook.config import load_settings
from skillbook.errors import InvalidParams
from skillbook.hooks import bundle, hooks
from skillbook.io_thread import io
from skillbook.journal import export_journal, read_journal, read_measures, read_requests, summarize
from skillbook.session.actions.targets import Target
from skillbook.session.aio.element import Element
from skillbook.session.aio.page_actions import PageActions
from skillbook.session.aio.page_emulation import PageEmulating
from skillbook.session.aio.page_network import Network
from skillbook.session.arguments import checked_observe, checked_seconds
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.kept_profiles import profiles
from skillbook.session.page.dialogs import DialogRule, checked_rule
from skillbook.session.page_driver import PageDriver
from skillbook.session.rule_book import RuleBook
from skillbook.session.saved_state import read_state, state_path, write_state
from skillbook.session.start import connect_driver, launch_driver, relaunch_browser
from skillbook.session.state_keeping import gather_state

if TYPE_CHECKING:
    from pandas import DataFrame


class Page(PageActions, PageEmulating):
    """One shared tab, as `browser.open(url)` returns it.

    A target is a ref (`"e12"`), an `Element` or `Node`, or a role selector (`"button 'Save'"`), which is looked for
    until it matches. Every action returns an `ActionResult` and raises, among others: `UnknownRef`, `StaleRef`,
    `NoMatch`, `AmbiguousMatch`, `NotActionable`, `NotAllowed`, `CommandTimeout`, `PageClosed`, `ConnectionLost`.

    `timeout` is in seconds, as every time is whose name doesn't end in `_ms`. By default an action waits 5 s for its
    target and may then take the setting `command_timeout` (30 s). A `timeout` is for both together; with 0 the target
    has to be there already. `page["e12"]` is an `Element` of the last snapshot; `page.element(target)` waits for one.

    Parameters
    ----------
    browser : Browser
        Where the tab is.
    driver : PageDriver
        What works below this facade.

    Examples
    --------
    >>> page = browser.open("https://example.com")  # doctest: +SKIP
    >>> page.click("link 'More information...'")  # doctest: +SKIP
    """

    def __init__(self, browser: Browser, driver: PageDriver) -> None:
        self.browser = browser
        self.driver = driver

    @property
    def network(self) -> Network:
        """The page's requests from the first use of this on; see `Network`."""
        io.call_soon(self.driver.network.begin_soon)
        return Network(self.driver)

    def __getitem__(self, target: str) -> Element:
        return Element(self, self.driver.known(target))

    async def element(self, target: Target, *, timeout: float | None = None) -> Element:
        """Wait for an element, and return it. `page[target]` returns one from the last snapshot, without waiting.

        :param target: A ref or a role selector.
        :param timeout: Seconds to wait for it, 5 by default; 0 looks once.
        :returns: What one can act on; it stands for this one element, whatever the page shows later.
        :raises NoMatch: Nothing matched in time.
        :raises AmbiguousMatch: More than one element matches.
        """
        found = await io.wait(self.driver.resolve(target, timeout=checked_seconds(timeout)))
        return Element(self, found.node or self.driver.known(found.ref))

    async def popup(self, *, timeout: float | None = None) -> Page:
        """Wait for the tab that the last action on this page opened, until it has loaded.

        :param timeout: Seconds to wait for it, 5 by default; 0 looks once.
        :returns: The new tab. If the action opened several, the last of them; all are in `browser.pages`.
        :raises CommandTimeout: The last action opened no tab in time.

        >>> page.click("link 'Details'")
        >>> details = page.popup()
        """
        driver = await io.wait(self.driver.browser.popup(self.driver, checked_seconds(timeout)))
        return self.browser._page(driver)

    def recent(self) -> DataFrame:
        """The last acts in this tab, in order: of cells, agents and skills, and what a person did by hand.

        They are kept in memory, 50 at most (the setting `kept_acts`), and forgotten when the tab is closed or no longer
        shared. Secrets are there by name. By hand, acts are seen in browsers with a window. `sb.save_skill(name,
        last=3)` makes a skill of them.

        :returns: A row an act, by its number: time, who, what, in which record, the input that is proposed, address.
        """
        frame: DataFrame = hooks.recent_acts(self.driver)
        return frame

    def _ipython_key_completions_(self) -> list[str]:
        latest = self.driver.latest
        return [node.ref for node in latest.elements if node.ref] if latest else []

    def __repr__(self) -> str:
        words = self.driver.emulation.now.words
        shown = f", as on {words}" if words else ""
        return (
            f"<Page {self.title!r} {self.url}{shown}>" if not self.closed else f"<Page {self.url} (closed)>"
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self)

    def _display_(self) -> Any:
        return hooks.live_view(self)


class Browser:
    """A paired extension. Only tabs opened here, or shared by the user, are visible.

    Parameters
    ----------
    driver : BrowserDriver
        What works below this facade; `sb.launch` and `sb.connect` make one.

    Examples
    --------
    >>> with sb.launch() as browser:  # doctest: +SKIP
    ...     page = browser.open("https://example.com")
    """

    def __init__(self, driver: BrowserDriver) -> None:
        self.driver = driver
        self._pages: WeakKeyDictionary[PageDriver, Page] = WeakKeyDictionary()

    @property
    def pages(self) -> list[Page]:
        """The shared tabs, in the order they were opened."""
        return [self._page(driver) for driver in list(self.driver.pages.values())]

    @property
    def active(self) -> Page | None:
        """The page in front, else the one opened last."""
        driver = self.driver.active
        return self._page(driver) if driver else None

    @property
    def status(self) -> BridgeStatus:
        """The connection's state: waiting, connected, lost or closed; to what, and since when."""
        return self.driver.server.status

    @property
    def journal(self) -> DataFrame:
        """Every step so far as a DataFrame, in order: command, target, verdict, outcome, times, observation.

        `browser.journal.requests` is another one: the requests that were held while agents and skills acted.
        """
        path = self.driver.journal.catch_up()
        frame: DataFrame = hooks.tabulate_journal(read_journal(path), read_requests(path))
        return frame

    @property
    def metrics(self) -> DataFrame:
        """Figures of this session as a DataFrame, a row a command: how often, how well, how fast (milliseconds)."""
        path = self.driver.journal.catch_up()
        frame: DataFrame = hooks.tabulate(summarize(read_journal(path), read_measures(path)))
        return frame

    def export_journal(self, path: Path | str, *, values: bool = False, thumbnails: bool = False) -> Path:
        """Write this session as one scrubbed file, for a bug report or for `sb.load_journal`.

        :param path: The file to write.
        :param values: Keep what was typed; secrets are placeholders all the same.
        :param thumbnails: Keep the thumbnails.
        :returns: The file.
        """
        return export_journal(
            self.driver.journal.catch_up(), Path(path), values=values, thumbnails=thumbnails
        )

    @property
    def rules(self) -> RuleBook:
        """What was learned from approvals: look at it, `remove(id)` one rule, `clear()` all, `add(command, origin)`."""
        return self.driver.gateway.rules

    async def open(
        self,
        url: str,
        *,
        wait: str = "load",
        active: bool = True,
        timeout: float | None = None,
        observe: str | Collection[str] = (),
    ) -> Page:
        """Open a URL in a new tab of this notebook's tab group; allows its origin for writes.

        :param url: An http or https URL.
        :param wait: For "load", "dom" (the parsed document) or "none".
        :param timeout: Seconds it may take, 30 by default. A page that is there and still loads by then
            opens as it is.
        :param observe: Also for this page; see `sb.launch`. Its requests are seen from the first on.
        :type observe: {"network", "metrics"} or both, optional
        :returns: The new tab.
        :raises PageUnreachable: It didn't load.
        :raises NotAllowed: It isn't an http or https URL, or hides where it leads.

        >>> page = browser.open("https://example.com")
        """
        seconds, wanted = checked_seconds(timeout), checked_observe(observe)
        opening = self.driver.open(url, wait=wait, active=active, timeout=seconds, observe=wanted)
        return self._page(await io.wait(opening))

    async def refresh(self) -> list[Page]:
        """Query the extension for the shared tabs.

        :returns: The same as `browser.pages`, up to date.
        """
        return [self._page(driver) for driver in await io.wait(self.driver.refresh_tabs())]

    def allow(self, *origins: str, despite_no_ai: bool = False, despite_robots: bool = False) -> None:
        """Allow writes on origins.

        :param origins: Such as `https://example.com`.
        :param despite_no_ai: Agents and skills also see and use what asks that no AI does.
        :param despite_robots: They also go where the site's robots.txt keeps programs out.
        :raises ConfigError: One of them isn't an origin.
        """
        policy = self.driver.gateway.policy
        for origin in origins:
            allowed = policy.allow(origin)
            if despite_no_ai:
                policy.despite_no_ai.add(allowed)
            if despite_robots:
                policy.despite_robots.add(allowed)

    def on_dialog(self, rule: DialogRule) -> None:
        """Answer JavaScript dialogs of every page by a rule.

        :param rule: "ask", "accept", "dismiss" or a function; see `Page.on_dialog`.
        :raises InvalidParams: It is no rule.
        """
        self.driver.dialog_rule = checked_rule(rule)

    async def save_state(
        self,
        path: Path | str,
        origins: Iterable[str] | None = None,
        *,
        indexed_db: bool | Iterable[str] = False,
        encrypt: bool = False,
    ) -> Path:
        """Save what keeps you signed in: cookies, local and session storage. `sb.launch(state=…)` brings it back.

        Only in a browser that `sb.launch` started. The file is as good as your passwords: it has mode 0600, and no
        model, journal or notebook gets any of it.

        :param path: A file that ends in .json, or a name such as "work", which is kept in skillbook's
            folder.
        :param origins: Of what; by default of the open pages and of origins on which writes are allowed.
        :param indexed_db: Save the databases of these origins as well (IndexedDB), or those with these
            names.
        :param encrypt: Encrypt it with a key from the system keyring; needs `pip install "skillbook[state]"`.
        :returns: The file.
        :raises NotAllowed: The browser wasn't started here.
        :raises InvalidParams: No origin is known, there is no database of a name, or the path is no
            state's.
        :raises CommandError: A database has what no file can keep, such as a `CryptoKey`, or more than 16
            MB. Nothing is written.
        :raises ConfigError: The file can't be written, or the keyring gives no key.

        >>> browser.save_state("work")
        """
        file = state_path(path, self.driver.settings.home)
        state = await io.wait(gather_state(self.driver, origins, indexed_db))
        write_state(file, state, encrypt=encrypt)
        return file

    async def stop(self) -> int:
        """Stop at once what is under way in this browser: commands, replays, agents' runs.

        A command that is cut short raises `Stopped`, and whether it had its effect is unknown; the journal says so.
        Runs can go on later with `run.start()`. The popup's stop button does the same.

        :returns: How many commands were cut short.
        """
        return await io.wait(self.driver.stop())

    async def unpair(self) -> None:
        """Revoke the pairing without closing: the extension forgets this notebook and takes every tab back.

        The token and all pairing links given out so far are worthless from now on, even if the browser isn't
        connected now. `browser.pair()` offers a new one; the journal and the rules stay.

        :raises InvalidParams: The browser was launched here: `close` it.
        """
        await io.wait(self.driver.unpair())

    async def pair(self, *, wait: bool = True, timeout: float | None = None) -> None:
        """Show another pairing link: after `unpair`, or when the browser was started anew and has forgotten.

        :param wait: Return only when a browser is paired.
        :param timeout: Seconds to wait, 300 by default.
        :raises NotConnected: Nobody paired in time.
        """
        await io.wait(self.driver.pair(wait=wait, timeout=checked_seconds(timeout)))

    async def relaunch(self, *, timeout: float | None = None) -> Browser:
        """Start a browser that was launched here again, after it ended or to have a fresh one; its tabs are gone.

        Journal, allowed origins and learned rules stay. Without `user_data_dir` it has a new profile.

        :param timeout: Seconds to wait for it, the setting `connect_timeout` by default.
        :returns: This browser.
        :raises InvalidParams: It was not launched here.
        :raises LaunchError: It doesn't start.

        >>> page = browser.relaunch().open("https://example.com")
        """
        await io.wait(relaunch_browser(self.driver, checked_seconds(timeout)))
        return self

    async def close(self) -> None:
        """End the connection, and the browser if it was launched here."""
        await io.wait(self.driver.close())

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _page(self, driver: PageDriver) -> Page:
        page = self._pages.get(driver)
        if page is None:
            page = self._pages[driver] = Page(self, driver)
        return page

    def __repr__(self) -> str:
        status = self.status
        count = len(self.driver.pages)
        pages = f"{count} page{'' if count == 1 else 's'}"
        return f"<Browser {status.state}: {status.browser or 'none yet'}, {pages}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self)


async def launch(
    *,
    headless: bool | None = None,
    allow: Iterable[str] = (),
    allow_evaluate: bool = False,
    page_tools: bool = False,
    observe: str | Collection[str] = (),
    input: Literal["trusted", "synthetic"] | None = None,
    effects: bool | None = None,
    executable: str | None = None,
    user_data_dir: str | None = None,
    profile: str | None = None,
    state: Path | str | None = None,
    args: Sequence[str] = (),
    window: tuple[int, int] = (1280, 800),
    port: int = 0,
    name: str | None = None,
    timeout: float | None = None,
) -> Browser:
    """Start Chromium with the extension, already paired.

    A notebook's cell that is run again closes the browser that it started before. A browser that nothing refers to any
    more closes, too; `sb.browsers` lists those that are open.

    :param headless: Without a window; the setting `SKILLBOOK_HEADLESS` (on) by default.
    :param allow: Origins on which writes are allowed, besides those that you open.
    :param allow_evaluate: Allow `page.evaluate`.
    :param page_tools: List tools that pages declare (WebMCP), so that they can be called.
    :param observe: What every action's result has: its `requests`, and its `metrics` before and after.
        Nothing is attached else.
    :type observe: {"network", "metrics"} or both, optional
    :param input: Through the debugger, or as DOM events; the setting `SKILLBOOK_INPUT` ("trusted") by
        default.
    :param effects: Show the mouse in pages while they are driven; by default if there is a window.
    :param executable: The browser to start; found by itself by default.
    :param user_data_dir: The folder of a profile to keep; a temporary one by default.
    :param profile: The name of a profile to keep, such as "work": `sb.profiles` lists and deletes them.
    :param state: What `browser.save_state` wrote, by the same name or path: you are signed in as you
        were then.
    :param args: More command-line switches.
    :param window: Width and height in pixels.
    :param port: The bridge's port; a free one for 0.
    :param name: What the popup calls this kernel; the notebook's name by default.
    :param timeout: Seconds to wait for the browser; the setting `SKILLBOOK_CONNECT_TIMEOUT` (30) by
        default.
    :returns: The browser; `close` it, or use it in a `with` statement.
    :raises BrowserNotFound, ExtensionNotBuilt, LaunchFailed, ProfileInUse, PortInUse, StorageError: It
        can't be started, for that reason.
    :raises ConfigError: There is no such state, or others can read it.

    >>> browser = await sb.aio.launch(headless=True)
    >>> page = await browser.open("https://example.com")
    """
    folder = profiles.path(profile) if profile is not None else user_data_dir
    if profile is not None and user_data_dir is not None:
        raise InvalidParams("a profile and a user_data_dir exclude each other", hint="give one of them")
    kept = None if state is None else read_state(state_path(state, load_settings().home))
    driver = await io.wait(
        launch_driver(
            headless=headless, allow=allow, allow_evaluate=allow_evaluate, input=input, effects=effects,
            page_tools=page_tools, observe=checked_observe(observe), executable=executable,
            user_data_dir=None if folder is None else str(folder), args=args, window=window, port=port,
            name=name, timeout=checked_seconds(timeout), cell=hooks.running_cell(), state=kept,
        )
    )  # fmt: skip
    return Browser(driver)


async def connect(
    *,
    allow: Iterable[str] = (),
    allow_evaluate: bool = False,
    page_tools: bool = False,
    observe: str | Collection[str] = (),
    input: Literal["trusted", "synthetic"] | None = None,
    effects: bool | None = None,
    port: int = 0,
    public_url: str | None = None,
    name: str | None = None,
    wait: bool = True,
    timeout: float | None = None,
) -> Browser:
    """Pair the user's own browser: shows a link to open in it, and waits for the click.

    :param effects: Show the mouse in pages while they are driven; on by default.
    :param public_url: For a kernel on another computer: the address that leads to its port through a
        proxy or tunnel, such as "https://hub.example/user/me/proxy/{port}/"; the setting
        `SKILLBOOK_PUBLIC_URL` by default.
    :param wait: Return only when the browser is paired; else at once, with `browser.status` "waiting".
    :param timeout: Seconds to wait; ten times the setting `SKILLBOOK_CONNECT_TIMEOUT` (300) by default.
    :returns: The user's browser.
    :raises NotConnected: Nobody paired in time.
    :raises ConfigError: The public URL can't be used.
    :raises PortInUse: The port belongs to another process.

    >>> browser = await sb.aio.connect()
    """
    driver = await io.wait(
        connect_driver(
            allow=allow, allow_evaluate=allow_evaluate, page_tools=page_tools, observe=checked_observe(observe),
            input=input, effects=effects, port=port, public_url=public_url, name=name, wait=wait,
            timeout=checked_seconds(timeout),
        )
    )  # fmt: skip
    return Browser(driver)
