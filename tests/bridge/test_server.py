"""The server on real sockets, with an extension that behaves."""

from __future__ import annotations

import asyncio
import socket
import statistics
import threading
import time

import pytest

from skillbook.bridge import BridgeServer, BridgeStatus
from skillbook.errors import (
    CommandTimeout,
    ConnectionLost,
    NotConnected,
    StaleRef,
    ThreadError,
    UnknownCommand,
)
from skillbook.io_thread import io
from skillbook.protocol.envelopes import Event
from skillbook.testing.fake_extension import FakeExtension
from tests.bridge.conftest import EXTENSION_ID, MakeServer
from tests.bridge.helpers import ask

ECHO = {"get": lambda params, tab: {"value": [params, tab]}}


async def wait_for_state(server: BridgeServer, *states: str) -> BridgeStatus:
    reached = asyncio.Event()
    stop = server.on_status(lambda status: status.state in states and reached.set())
    if server.status.state not in states:
        await asyncio.wait_for(reached.wait(), 5)
    stop()
    return server.status


async def test_a_request_goes_down_and_its_result_comes_up(server: BridgeServer) -> None:
    async with FakeExtension(server, ECHO) as extension:
        assert await ask(server, "get", {"what": "url"}, tab=7) == {"value": [{"what": "url"}, 7]}
        [request] = extension.requests
        assert (request.command, request.tab) == ("get", 7)
        assert 4000 < request.deadline_ms <= 5000


async def test_status_tells_who_is_there(server: BridgeServer) -> None:
    seen: list[str] = []
    stop = server.on_status(lambda status: seen.append(status.state))
    assert server.status.state == "waiting"
    async with FakeExtension(server):
        status = await server.connected()
        assert (status.browser, status.profile, status.last_error) == ("FakeBrowser 1.0", "profile-1", None)
    lost = await wait_for_state(server, "lost")
    assert isinstance(lost.last_error, ConnectionLost)
    assert lost.since >= status.since
    assert seen == ["connected", "lost"]
    stop()
    await server.close()
    assert server.status.state == "closed"
    assert seen == ["connected", "lost"]


async def test_answers_find_their_requests_out_of_order(server: BridgeServer) -> None:
    async def answer(params: dict[str, object], tab: int | None) -> object:
        await asyncio.sleep(0.02 if params["n"] % 2 else 0)
        return params["n"]

    async with FakeExtension(server, {"get": answer}):
        results = await asyncio.gather(*(ask(server, "get", {"n": n}) for n in range(200)))
    assert results == list(range(200))


async def test_the_browser_s_error_is_raised_as_its_class(server: BridgeServer) -> None:
    def gone(params: dict[str, object], tab: int | None) -> object:
        raise StaleRef("e12 is gone", ref="e12")

    async with FakeExtension(server, {"click": gone}):
        with pytest.raises(StaleRef) as caught:
            await ask(server, "click", {"ref": "e12"}, tab=1)
        assert (caught.value.data, caught.value.message) == ({"ref": "e12"}, "e12 is gone")
        with pytest.raises(UnknownCommand):
            await ask(server, "dance", {})


async def test_events_arrive_and_a_failing_callback_hurts_nobody(server: BridgeServer) -> None:
    seen: list[Event] = []
    done = asyncio.Event()

    def fail(event: Event) -> None:
        raise RuntimeError("callback")

    def note(event: Event) -> None:
        seen.append(event)
        if len(seen) == 3:
            done.set()

    server.on_event(fail)
    server.on_event(note)
    async with FakeExtension(server) as extension:
        for reason in ("closed", "unshared", "crashed"):
            await extension.send_event("tab_closed", {"reason": reason}, tab=4)
        await asyncio.wait_for(done.wait(), 5)
    assert [(event.seq, event.data["reason"], event.tab) for event in seen] == [
        (1, "closed", 4),
        (2, "unshared", 4),
        (3, "crashed", 4),
    ]


async def test_a_request_made_before_the_browser_waits_for_it(server: BridgeServer) -> None:
    waiting = asyncio.create_task(ask(server, "get", {"what": "url"}))
    await asyncio.sleep(0)
    async with FakeExtension(server, ECHO):
        assert await waiting == {"value": [{"what": "url"}, None]}


async def test_fault_11_a_dropped_connection_fails_what_was_pending(server: BridgeServer) -> None:
    async with FakeExtension(server, silent=True) as extension:
        waiting = asyncio.create_task(ask(server, "click", {"ref": "e1"}, tab=1))
        await extension.wait_for_request()
        await extension.drop()
        with pytest.raises(ConnectionLost) as caught:
            await waiting
    assert caught.value.data == {"command": "click", "effect": "write", "sent": True}
    async with FakeExtension(server, ECHO) as again:
        await ask(server, "get", {"what": "url"})
        assert [request.command for request in again.requests] == ["get"]


async def test_a_session_is_resumed_after_a_drop(server: BridgeServer) -> None:
    extension = FakeExtension(server, ECHO)
    await extension.connect()
    session = extension.session
    await extension.send_event("tab_closed", {"reason": "closed"})
    await ask(server, "get", {"what": "url"})
    await extension.drop()
    extension.last_seq += 2
    await extension.connect()
    assert extension.welcome is not None
    assert extension.welcome.resumed
    assert extension.session == session
    assert (await server.connected()).missed_events == 2
    await extension.disconnect()


@pytest.mark.usefixtures("impatient")
async def test_a_late_answer_is_a_timeout_and_is_cancelled(server: BridgeServer) -> None:
    async def never(params: dict[str, object], tab: int | None) -> None:
        await asyncio.Event().wait()

    async with FakeExtension(server, {"wait_for": never} | ECHO) as extension:
        with pytest.raises(CommandTimeout):
            await ask(server, "wait_for", {"load": True}, tab=1, timeout=0.05)
        await ask(server, "get", {"what": "url"})
        assert extension.cancelled == [1]


async def test_cancelling_the_caller_cancels_in_the_browser(server: BridgeServer) -> None:
    async with FakeExtension(server, ECHO) as extension:
        extension.silent = True
        waiting = asyncio.create_task(ask(server, "wait_for", {"load": True}, tab=1))
        await extension.wait_for_request()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        extension.silent = False
        await ask(server, "get", {"what": "url"})
        assert extension.cancelled == [1]


async def test_closing_says_goodbye_frees_the_port_and_fails_what_waits(server: BridgeServer) -> None:
    async with FakeExtension(server, silent=True) as extension:
        waiting = asyncio.create_task(ask(server, "get", {"what": "url"}))
        await extension.wait_for_request()
        await server.close("finished")
        await extension.wait_closed()
        assert extension.bye is not None
        assert extension.bye.reason == "finished"
        with pytest.raises(ConnectionLost):
            await waiting
    with pytest.raises(NotConnected):
        await ask(server, "get", {"what": "url"})
    with socket.create_server(("127.0.0.1", server.port)):
        pass


@pytest.mark.usefixtures("impatient")
async def test_closing_does_not_wait_for_who_says_nothing(make_server: MakeServer) -> None:
    server = await make_server()
    with socket.create_connection(("127.0.0.1", server.port)):
        async with FakeExtension(server, ECHO):
            await ask(server, "get", {})
        begin = time.monotonic()
        await server.close()
        assert time.monotonic() - begin < 5


async def test_application_pings_keep_an_idle_connection(make_server: MakeServer) -> None:
    server = await make_server(heartbeat_seconds=0.3)
    async with FakeExtension(server, ECHO) as extension:
        await extension.wait_until(lambda: extension.pings >= 4)
        assert server.status.state == "connected"
        assert await ask(server, "get", {}, tab=1) == {"value": [{}, 1]}


async def test_it_works_on_the_io_thread_while_the_main_thread_is_blocked() -> None:
    from skillbook.config import Settings

    server = BridgeServer(Settings(_env_file=None), EXTENSION_ID)
    threads: set[str] = set()

    async def job() -> object:
        await server.start()
        async with FakeExtension(server, ECHO):
            threads.add(threading.current_thread().name)
            result = await ask(server, "get", {}, tab=1)
        await server.close()
        return result

    assert io.sync(job(), 10) == {"value": [{}, 1]}
    assert threads == {"skillbook-io"}


async def test_another_loop_is_told_to_go_through_the_io_thread(server: BridgeServer) -> None:
    with pytest.raises(ThreadError):
        await asyncio.to_thread(asyncio.run, ask(server, "get", {}))


async def test_a_large_result_arrives_whole(server: BridgeServer) -> None:
    names = [f"Größe {n} 😀" for n in range(100_000)]
    async with FakeExtension(server, {"snapshot": lambda params, tab: {"name": names}}):
        assert (await ask(server, "snapshot", {}, tab=1))["name"] == names


async def test_half_a_surrogate_pair_from_a_page_becomes_a_replacement_character(
    server: BridgeServer,
) -> None:
    async with FakeExtension(server, {"get": lambda params, tab: {"value": "a\ud83d \\ud83d 😀\udc00"}}):
        assert await ask(server, "get", {}, tab=1) == {"value": "a\ufffd \\ud83d 😀\ufffd"}


async def test_a_round_trip_takes_at_most_600_microseconds(server: BridgeServer) -> None:
    async with FakeExtension(server, ECHO):
        times: list[float] = []
        for _ in range(500):
            begin = time.perf_counter()
            await ask(server, "get", {"what": "url"}, tab=1)
            times.append(time.perf_counter() - begin)
    # The fastest tenth, because whatever else the machine does only ever adds.
    assert statistics.quantiles(times, n=10)[0] < 0.0006
