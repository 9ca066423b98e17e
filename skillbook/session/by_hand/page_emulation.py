"""Showing a page as on another device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.errors import InvalidParams
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.session.actions.result import measure
from skillbook.session.devices import ShownAs, device_named, network_of, place_of, screen_of
from skillbook.session.page_driver import PageDriver

if TYPE_CHECKING:
    from pandas import Series


class Emulation:
    """What a page is shown as; at the end of a `with` block the page is shown as before it.

    Parameters
    ----------
    driver : PageDriver
        The page's.
    before : ShownAs
        What was in force.
    """

    def __init__(self, driver: PageDriver, before: ShownAs) -> None:
        self._driver, self._before = driver, before

    async def __aenter__(self) -> Emulation:
        return self

    async def __aexit__(self, *_: object) -> None:
        await io.wait(self._driver.emulation.restore(self._before))

    def __repr__(self) -> str:
        return f"<Emulation {self._driver.emulation.now.words or 'ended'}>"


class PageEmulating:
    """What a page can be shown as."""

    driver: PageDriver

    async def metrics(self) -> Series[float]:
        """Read what the browser has measured of the page.

        :returns: LCP, INP, FCP and TTFB in ms, CLS; DOM nodes, heap (bytes), layouts, styles, long tasks,
            requests and bytes of the document. What isn't known, or not yet, is missing (`nan`): without an
            interaction there is no INP.
        """
        series: Series[float] = hooks.make_series(await io.wait(measure(self.driver)), self.driver.url)
        return series

    async def emulate(
        self,
        device: str | None = "",
        *,
        viewport: Sequence[int] | Mapping[str, Any] | None = None,
        locale: str | None = None,
        timezone: str | None = None,
        dark: bool | None = None,
        reduced_motion: bool | None = None,
        geolocation: Sequence[float] | Mapping[str, float] | None = None,
        cpu: float | None = None,
        network: str | Mapping[str, Any] | None = None,
        user_agent: str | None = None,
        touch: bool | None = None,
    ) -> Emulation:
        """Show the page as on another device, until this is called again, with None for the browser's own.

        What is given adds to what is in force, also in documents to come. It ends with the tab's sharing.
        Pages often choose by the device while they load: `page.reload()` lets them choose anew.

        :param device: A name such as "iPhone 15" or "Pixel 7": screen, touch and user agent. None ends all.
        :param viewport: Width and height in CSS pixels; a dict may also have `scale` and `mobile`.
        :type viewport: tuple or dict
        :param locale: Such as "de-DE", for `navigator.language`, dates, numbers and `Accept-Language`.
        :param timezone: Such as "Europe/Berlin".
        :param dark, reduced_motion: What the person prefers.
        :param geolocation: Latitude and longitude in degrees, and an accuracy in metres. A page gets it if
            it may know the place.
        :type geolocation: tuple or dict
        :param cpu: How many times slower, 1 to 100.
        :param network: "offline", "slow 3g", "fast 3g" or "4g"; or `latency_ms`, `download_rate`,
            `upload_rate` (bytes a second).
        :param user_agent: The user agent; `{chrome}` stands for the browser's version, with client hints
            that fit.
        :param touch: Whether there is a touch screen. Clicks stay those of a mouse.
        :returns: In a `with` block it ends with the block.
        :raises InvalidParams: No such device, connection or value.
        :raises DebuggerUnavailable: The tab has no debugger.

        >>> page.emulate("iPhone 15", dark=True)
        >>> with page.emulate(network="slow 3g"):
        ...     page.reload()
        """
        given: dict[str, Any] = {
            "locale": locale, "timezone": timezone, "dark": dark, "reduced_motion": reduced_motion, "cpu": cpu,
            "touch": touch,
        }  # fmt: skip
        changes = {name: value for name, value in given.items() if value is not None}
        words = [device] if device else []
        if viewport is not None:
            changes["screen"] = screen_of(viewport)
            words.append("{width}×{height}".format_map({"width": "?", "height": "?", **changes["screen"]}))
        if network is not None:
            changes["network"] = network_of(network)
        if geolocation is not None:
            changes["geolocation"] = place_of(geolocation)
        if user_agent is not None:
            changes["user_agent"] = {"text": user_agent}
        emulation = self.driver.emulation
        if device is None:
            if changes:
                raise InvalidParams("emulate(None) ends all of it", hint="call it before, without more")
            return Emulation(self.driver, await io.wait(emulation.set(ShownAs())))
        plain = {**given, "network": network, "geolocation": geolocation}
        words += [f"{name}={value}" for name, value in plain.items() if value is not None]
        words += ["a user agent"] if user_agent is not None else []
        now = emulation.now
        base = dict(now.settings) | (device_named(device) if device else {})
        all_words = ", ".join([*([now.words] if now.words and not device else []), *words])
        wanted = ShownAs(base | changes, all_words, device or now.device)
        return Emulation(self.driver, await io.wait(emulation.set(wanted)))
