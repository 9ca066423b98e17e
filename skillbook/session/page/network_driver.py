"""A page's network as the I/O thread sees it: watched, ruled, recorded or answered by a cassette."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from skillbook.errors import CassetteMismatch, CommandTimeout, InvalidParams, PageUnreachable, SkillbookError
from skillbook.journal import Outcome
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.envelopes import RequestBody
from skillbook.protocol.events import ExchangeRecorded, RequestLogged, RequestWanted
from skillbook.session.cassette import Cassette, current
from skillbook.session.cassette.cassette_files import Scrubber
from skillbook.session.page.request_log import (
    LoggedRequest,
    NetworkRequest,
    RequestLog,
    fits,
    http_archive,
    shown,
    whole_pattern,
)

if TYPE_CHECKING:
    from skillbook.session.gateway import Bridge, Gateway


_log = logging.getLogger("skillbook.session")


class CassetteTabs:
    """Which tab belongs to which cassette, for the tab's life.

    A tab that was replayed stays off the network when its cassette ends; one that was recorded is let go.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._cassettes: dict[int, Cassette] = {}
        self._answering: set[asyncio.Task[None]] = set()

    def mode(self) -> dict[str, str]:
        """What the extension needs to open a tab for the cassette that runs; nothing where none does."""
        cassette = current()
        return {} if cassette is None else {"cassette": "replay" if cassette.replaying else "record"}

    def add(self, tab: int, opener: int | None = None) -> None:
        """A tab was opened by this kernel, or by a page: it belongs to the cassette that runs, or to its opener's."""
        cassette = current() if opener is None else self._cassettes.get(opener)
        if cassette is None or tab in self._cassettes:
            return
        self._cassettes[tab] = cassette
        if self._end not in cassette.on_stop:
            cassette.on_stop.append(self._end)

    def of(self, tab: int) -> Cassette | None:
        """The cassette of a tab; None for the real network."""
        return self._cassettes.get(tab)

    def take(self, tab: int, event: RequestWanted | ExchangeRecorded) -> None:
        """A tab's request waits for its answer, or has got one to be recorded."""
        self.add(tab)
        cassette = self._cassettes.get(tab)
        if isinstance(event, ExchangeRecorded):
            if cassette is not None and cassette.running:
                cassette.network.record(event)
            return
        answer = {"status": 0} if cassette is None else cassette.network.answer(event)
        task = asyncio.ensure_future(self._send(tab, "answer_request", {"id": event.id, **answer}))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def explain(self, url: str, error: PageUnreachable) -> SkillbookError:
        """Why a page didn't load: where a cassette answers, because of what that doesn't have."""
        cassette = current()
        if cassette is None or not cassette.replaying or not cassette.missed:
            return error
        missed = next((one for one in cassette.missed if one.kind == "Document"), cassette.missed[-1])
        return CassetteMismatch(
            f"{url} didn't load from the cassette {cassette.name!r}, which has no answer for {missed}"
        )

    async def _end(self, cassette: Cassette) -> None:
        if cassette.replaying:
            return
        for tab in [tab for tab, its in self._cassettes.items() if its is cassette]:
            await self._send(tab, "set_cassette", {"mode": "off"})
            del self._cassettes[tab]

    async def _send(self, tab: int, command: str, params: dict[str, Any]) -> None:
        """A browser that doesn't get an answer blocks the request by itself; a tab that is gone needs nothing."""
        try:
            await self._bridge.request(RequestBody(command=command, tab=tab, params=params))
        except SkillbookError as error:
            _log.debug("%s: %s", command, error)


LARGEST_MOCKS = 4_000_000
"""Bytes of all mocks of a page: the browser keeps them where a restart of the extension's worker finds them."""
_WITH_BODIES = frozenset({"Document", "Fetch", "XHR"})


class WatchedPage(Protocol):
    """The part of a page that its network needs."""

    tab: Tab

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def title(self) -> str:
        """Its title."""

    def require_open(self) -> None:
        """Raise if it is gone."""

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Run one of its commands."""


@dataclass(frozen=True)
class MockAnswer:
    """What a mock answers with; None blocks."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class PageNetwork:
    """The network of one tab.

    gateway: what its commands pass.
    limit: bytes that are kept of requests, and again of answers.
    """

    def __init__(self, page: WatchedPage, gateway: Gateway, limit: int) -> None:
        self.log = RequestLog(limit)
        self.failure: SkillbookError | None = None
        self._page = page
        self._gateway = gateway
        self._scrubber = Scrubber(gateway.secrets)
        self._wanted = False
        self._beginning: asyncio.Task[None] | None = None
        self._rules: list[dict[str, Any]] = []
        self._headers: dict[str, dict[str, str]] = {}

    @property
    def on(self) -> bool:
        """Whether the page's requests are watched, or soon will be."""
        return self._wanted

    @property
    def rules(self) -> list[str]:
        """What answers requests in the network's place, in words."""
        answers = [f"{'mock' if rule['status'] else 'block'} {rule['pattern']}" for rule in self._rules]
        return [*answers, *(f"headers for {origin}" for origin in self._headers)]

    def begin_soon(self) -> None:
        """Watch from now on, without waiting for it; whatever is sent to the page next waits."""
        if not self._wanted:
            self._wanted = True
            self._beginning = asyncio.ensure_future(self._begin())

    async def begin(self) -> None:
        """Watch from now on.

        Raises DebuggerUnavailable: the tab has no debugger.
        """
        self.begin_soon()
        await self.begun()
        if self.failure is not None:
            raise self.failure

    async def begun(self) -> None:
        """Wait until the page is watched, if anybody wants that."""
        if self._beginning is not None:
            await asyncio.wait({self._beginning})

    async def _begin(self) -> None:
        try:
            await self._send("watch_network", {"on": True, "limit_bytes": self.log.limit})
            if self._rules or self._headers:
                await self._send_rules()
            self.failure = None
        except SkillbookError as error:
            self.failure, self._wanted = error, False
            _log.debug("the network can't be watched: %s", error)
        finally:
            self._beginning = None

    def lost(self) -> None:
        """The connection was lost, and with it perhaps what the browser was told: it is told anew."""
        if self._wanted:
            self._wanted = False
            self.begin_soon()

    def ended(self) -> None:
        """The person ended debugging: nothing is watched any more, and no rule holds."""
        self._wanted = False
        self._rules, self._headers = [], {}

    def take(self, seen: RequestLogged) -> None:
        """The extension reported a request."""
        self.log.take(seen)

    # --- what was sent ------------------------------------------------------------------------------

    def shown(self, entry: LoggedRequest) -> NetworkRequest:
        """A request as a person and a model see it."""
        return shown(entry, self.shown_url(entry.seen.url))

    def shown_url(self, url: str) -> str:
        """An address as a person and a model see it."""
        return self._scrubber.url(url)

    def requests(self) -> list[NetworkRequest]:
        """All requests that are kept."""
        return [self.shown(entry) for entry in self.log.entries]

    def since(self, n: int) -> tuple[NetworkRequest, ...]:
        """The requests from a number on."""
        return tuple(self.shown(entry) for entry in self.log.since(n))

    def entry(self, n: int) -> LoggedRequest:
        """The request of a number.

        Raises InvalidParams: it isn't kept, or never was.
        """
        entry = self.log.get(n)
        if entry is None:
            gone = "isn't kept any more" if 0 <= n < self.log.count else "isn't there"
            raise InvalidParams(f"request {n!r} {gone}", hint="see page.network.requests")
        return entry

    async def body(self, n: int, *, raw: bool = False) -> str | bytes:
        """The body of an answer, secrets masked; `raw` for reading it on in the kernel."""
        entry = self.entry(n)
        if entry.seen.done and entry.seen.status is None:
            raise InvalidParams(
                f"request {n} has no answer: {entry.seen.error}", hint="see page.network.requests"
            )
        data = await self._page.run("response_body", {"id": entry.seen.id})
        if data["base64"]:
            return base64.b64decode(data["body"])
        text = str(data["body"])
        return text if raw else self._scrubber.page_text(text)

    async def json(self, n: int) -> Any:
        """The body of an answer, read as JSON.

        Raises InvalidParams: it is no JSON.
        """
        body = await self.body(n)
        try:
            return json.loads(body)
        except ValueError:
            kind = self.entry(n).seen.mime or "of no known type"
            raise InvalidParams(
                f"the answer of request {n} is no JSON, it is {kind}",
                hint="page.network.body(n) has it as it is",
            ) from None

    async def archive(self) -> dict[str, Any]:
        """All requests that are kept as an HTTP archive, with the bodies that are known."""
        await self.begin()
        bodies = {}
        for entry in self.log.entries:
            if entry.seen.done and entry.seen.status is not None and entry.seen.resource_type in _WITH_BODIES:
                try:
                    data = await self._page.run("response_body", {"id": entry.seen.id})
                except SkillbookError:
                    continue
                bodies[entry.n] = str(data["body"]), bool(data["base64"])
        from skillbook import __version__

        return http_archive(
            self.log.entries, bodies, self._gateway.secrets, version=__version__, title=self._page.title
        )

    async def wait(self, pattern: str, seconds: float) -> NetworkRequest:
        """Wait for the answer of a request whose address fits, if it was sent since the last action began, or later."""
        await self.begin()
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            for entry in self.log.since(self.log.began_action):
                if entry.seen.done and fits(pattern, entry.seen.url):
                    return self.shown(entry)
            left = deadline - asyncio.get_running_loop().time()
            try:
                await asyncio.wait_for(self.log.changed(), max(left, 0))
            except TimeoutError:
                raise CommandTimeout(
                    f"request {pattern!r}: no answer to it within {seconds:g} s",
                    hint="see page.network.requests",
                    url=self._page.url,
                ) from None

    # --- what a person rules --------------------------------------------------------------------------

    async def add_rule(self, pattern: str, answer: MockAnswer | None, method: str | None) -> None:
        """Answer requests to an address from now on, or block them."""
        rule: dict[str, Any] = {"pattern": whole_pattern(pattern), "status": 0}
        if method:
            rule["method"] = method.upper()
        if answer is not None:
            headers = [{"name": name, "value": value} for name, value in answer.headers.items()]
            rule |= {
                "status": answer.status,
                "headers": headers,
                "body": base64.b64encode(answer.body).decode(),
            }
        size = sum(len(each.get("body", "")) for each in [*self._rules, rule])
        if size > LARGEST_MOCKS * 4 / 3:
            raise InvalidParams(
                f"the mocks of a page may have {LARGEST_MOCKS:,} bytes in all",
                hint="serve a larger file locally",
            )
        await self._change([*self._rules, rule], self._headers)

    async def set_headers(self, headers: Mapping[str, str] | None, origin: str) -> None:
        """Send headers with the requests to an origin from now on; None for no more."""
        found = {name: values for name, values in self._headers.items() if name != origin}
        await self._change(self._rules, found | ({origin: dict(headers)} if headers else {}))

    async def clear(self) -> None:
        """Forget the requests, and end all blocks, mocks and headers."""
        self.log.clear()
        if self._rules or self._headers:
            await self._change([], {})

    async def _change(self, rules: list[dict[str, Any]], headers: dict[str, dict[str, str]]) -> None:
        await self.begin()
        before = self._rules, self._headers
        self._rules, self._headers = rules, headers
        journal = self._gateway.journal
        intent = journal.intend(
            "network_rules", actor="person", effect="read", verdict="allow", tab=self._page.tab.id,
            url=self._page.url, params={"rules": self.rules}, target={},
        )  # fmt: skip
        started = time.perf_counter()
        error: SkillbookError | None = None
        try:
            await self._send_rules()
        except SkillbookError as failure:
            error = failure
            self._rules, self._headers = before
            raise
        finally:
            journal.conclude(
                intent,
                Outcome.OK if error is None else Outcome.ERROR,
                elapsed_ms=(time.perf_counter() - started) * 1000,
                error=error.to_wire() if error else None,
            )

    async def _send_rules(self) -> None:
        extra = [
            {
                "origin": origin,
                "headers": [
                    {"name": name, "value": self._filled(value, origin)} for name, value in given.items()
                ],
            }
            for origin, given in self._headers.items()
        ]
        await self._send("network_rules", {"rules": self._rules, "extra_headers": extra})

    def _filled(self, value: str, origin: str) -> str:
        return self._gateway.secrets.fill_header(value, origin)

    async def _send(self, command: str, params: dict[str, Any]) -> None:
        self._page.require_open()
        await self._gateway.bridge.request(RequestBody(command=command, tab=self._page.tab.id, params=params))


def origin_for(given: str | None, page_url: str) -> str:
    """The origin that headers are for: a given one, or the page's.

    Raises InvalidParams: it is none.
    """
    origin = origin_of(given or page_url)
    if origin is None:
        raise InvalidParams(f"{given or page_url!r} is no web address", hint="give origin='https://…'")
    return origin
