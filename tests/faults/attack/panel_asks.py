"""A page tries to ask what only the side panel may ask of a kernel; what reaches the kernel is counted there."""

from __future__ import annotations

import json
import time
from typing import Any

from skillbook.bridge.peer import Answer
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.session.sync import Browser
from skillbook.testing.site import Site
from tests.faults.attack.acting import close_others
from tests.faults.attack.sends import Tried

TITLE = "Asks of the side panel"
_PANEL = f"chrome-extension://{EXTENSION_ID}/sidepanel.html"
_SECONDS = 3.0
_ASK = "{ui: 'ask', id: 1, kernel: KERNEL, name: 'about', params: {}}"
_WIRE = "JSON.stringify({v: 1, type: 'ask', id: 1, name: 'about', params: {}})"
_IN_FRAME = f"""const frame = document.createElement('iframe'); frame.src = '{_PANEL}';
  frame.onload = () => frame.contentWindow.postMessage({_ASK}, '*'); document.body.append(frame)"""

WAYS = {
    "a port of the extension's": f"chrome.runtime.connect(ID, {{name: 'ui'}}).postMessage({_ASK})",
    "a message to the extension": f"chrome.runtime.sendMessage(ID, {_ASK})",
    "a message to its own window": f"postMessage({_ASK}, '*')",
    "an event for the content script": f"document.dispatchEvent(new CustomEvent('skillbook', {{detail: {_ASK}}}))",
    "the panel's page in a frame": _IN_FRAME,
    "the panel's page in a window": f"open('{_PANEL}').postMessage({_ASK}, '*')",
    "a channel of the panel's name": f"new BroadcastChannel('ui').postMessage({_ASK})",
    "the kernel's socket": f"""const socket = new WebSocket('ws://127.0.0.1:PORT/skillbook/bridge');
  socket.onopen = () => socket.send({_WIRE})""",
    "a request to the kernel's port": f"""fetch('http://127.0.0.1:PORT/skillbook/bridge',
  {{method: 'POST', mode: 'no-cors', body: {_WIRE}}})""",
    "a socket of a frame without origin": """const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts'; frame.srcdoc = `<script>const socket = new WebSocket(
    'ws://127.0.0.1:PORT/skillbook/bridge'); socket.onopen = () => socket.send('{"type": "ask"}')<\\/script>`;
  document.body.append(frame)""",
}


def try_asks(browser: Browser, site: Site) -> list[Tried]:
    """Have a page try each way; `arrived` is whether the kernel answered."""
    server = browser.driver.server
    before: Answer | None = server._asks.answer
    asked: list[str] = []

    async def note(name: str, params: dict[str, Any]) -> Any:
        asked.append(name)
        return await before(name, params) if before is not None else None

    server.answer_with(note)
    names = {"KERNEL": json.dumps(server.kernel.id), "ID": json.dumps(EXTENSION_ID), "PORT": str(server.port)}
    tries = []
    kept = {page.driver.tab.id for page in browser.pages}
    try:
        for way, code in WAYS.items():
            for name, value in names.items():
                code = code.replace(name, value)
            page = browser.open(site.url)
            asked.clear()
            page.evaluate(f"(() => {{ try {{ {code} }} catch {{}} return 0 }})()")
            deadline = time.monotonic() + _SECONDS
            while not asked and time.monotonic() < deadline:
                time.sleep(0.05)
            tries.append(Tried(way, arrived=bool(asked)))
            close_others(browser, kept)
    finally:
        server._asks.answer = before
    return tries
