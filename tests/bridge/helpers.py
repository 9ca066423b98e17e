"""A machine with a peer that greets it, without sockets."""

from __future__ import annotations

import json
from typing import Any

from skillbook.bridge import BridgeServer
from skillbook.bridge.codec import make_nonce, make_proof
from skillbook.bridge.conversation import Close, Deliver, Output, Send, Settle
from skillbook.bridge.machine import Machine
from skillbook.protocol.envelopes import KernelInfo, RequestBody

TOKEN = "token-of-the-tests-" + "0" * 24
KERNEL = KernelInfo(id="k1", name="tests")


class Bench:
    """A machine, what came out of it so far, and shorthand for what goes in."""

    def __init__(self, **options: Any) -> None:
        self.machine = Machine(KERNEL, TOKEN, **options)
        self.out: list[Output] = []

    def take(self) -> list[Output]:
        outputs = self.machine.take_outputs()
        self.out += outputs
        return outputs

    def say(self, connection: int, message: Any, now: float) -> list[Output]:
        """Receive a message, a raw string, or bytes on a connection."""
        if not isinstance(message, bytes):
            message = (message if isinstance(message, str) else json.dumps(message)).encode()
        self.machine.receive(connection, message, now)
        return self.take()

    def greet(self, connection: int, now: float, *, token: str = TOKEN, **hello: Any) -> list[Output]:
        """Open a connection and go through the greeting; returns what the last step gave."""
        self.machine.open(connection, now)
        first = make_hello(**hello)
        outputs = self.say(connection, first, now)
        sent = frames(outputs)
        if not sent or sent[0]["type"] != "challenge":
            return outputs
        proof = make_proof(token, "extension", first["nonce"], sent[0]["nonce"])
        return self.say(connection, {"v": 1, "type": "auth", "proof": proof}, now)

    def request(
        self,
        now: float,
        *,
        command: str = "get",
        tab: int | None = 3,
        timeout: float = 30.0,
        is_limit: bool = True,
    ) -> int:
        body = RequestBody(command=command, params={"what": "url"}, tab=tab)
        id = self.machine.request(body, timeout, now, is_limit=is_limit)
        self.take()
        return id

    def answer(self, connection: int, id: int, result: Any, now: float) -> list[Output]:
        return self.say(connection, {"v": 1, "type": "response", "id": id, "result": result}, now)

    def run_until(self, end: float) -> list[Output]:
        """Tick at every wakeup up to a time."""
        outputs: list[Output] = []
        while (wakeup := self.machine.wakeup) is not None and wakeup <= end:
            self.machine.tick(wakeup)
            outputs += self.take()
        return outputs


def make_hello(**changes: Any) -> dict[str, Any]:
    hello = {
        "v": 1,
        "type": "hello",
        "protocol": "1.0",
        "nonce": make_nonce(),
        "kernel": KERNEL.id,
        "profile": "p1",
        "browser": "B 1",
        "extension": "0.1.0",
        "session": None,
        "last_seq": 0,
    }
    return hello | changes


def frames(outputs: list[Output], connection: int | None = None) -> list[dict[str, Any]]:
    """The messages that were sent."""
    return [
        json.loads(output.frame)
        for output in outputs
        if isinstance(output, Send) and connection in (None, output.connection)
    ]


def settled(outputs: list[Output]) -> dict[int, Settle]:
    return {output.id: output for output in outputs if isinstance(output, Settle)}


def closed(outputs: list[Output]) -> list[tuple[int, int]]:
    return [(output.connection, output.code) for output in outputs if isinstance(output, Close)]


def delivered(outputs: list[Output]) -> list[int]:
    return [output.event.seq for output in outputs if isinstance(output, Deliver)]


async def ask(
    server: BridgeServer,
    command: str,
    params: dict[str, Any],
    tab: int | None = None,
    timeout: float | None = None,
) -> Any:
    """Send a command that nothing but its parameters matters of."""
    return await server.request(RequestBody(command=command, params=params, tab=tab), timeout)
