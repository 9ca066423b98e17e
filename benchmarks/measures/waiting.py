"""What it costs a page that its causes are marked, and a call that it asks for them where there are none."""

from __future__ import annotations

import json
import operator
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import CDPSession

import skillbook as sb
from benchmarks.figures import Figure
from benchmarks.peers import Peers, Tab
from benchmarks.sites import Sites
from skillbook.io_thread import io
from skillbook.testing.site import Site

_TURNS = 60
_CLICKS = 20
_SCRIPT = Path(sb.__file__).parent / "_extension/causes.js"
_ROWS = [{"id": number, "name": f"Order {number}", "price": number * 7 % 90} for number in range(150)]
# A click has a list fetched and rendered so many times, with what applications do meanwhile: chains of promises,
# timers, frames, messages, observers, listeners of the pointer, a worker. It is as much work each time.
_BUSY = f"""<!doctype html><meta charset=utf-8><title>Busy</title><button id=go>Go</button><table id=rows></table>
<script>
const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = e => postMessage(e.data + 1)"])));
const channel = new MessageChannel();
let sum = 0, turns = 0;
channel.port1.onmessage = event => {{ sum += event.data }};
worker.onmessage = event => {{ sum += event.data }};
new MutationObserver(records => {{ sum += records.length }}).observe(rows, {{childList: true, subtree: true}});
const step = async value => value + 1;
const render = list => {{
  rows.replaceChildren(...list.map(({{id, name, price}}) => {{
    const row = document.createElement("tr");
    row.innerHTML = `<td>${{id}}</td><td>${{name}}</td><td>${{price + turns % 3}} EUR</td>`;
    row.addEventListener("click", () => {{ sum++ }});
    return row;
  }}));
}};
async function turn() {{
  const list = await (await fetch("/rows")).json();
  list.sort((one, other) => (one.price - other.price) * (turns % 2 ? 1 : -1));
  render(list);
  for (let number = 0; number < 40; number++) sum += await step(number);
  for (let number = 0; number < 10; number++) setTimeout(() => {{ sum += number }}, number);
  for (let number = 0; number < 5; number++) {{ channel.port2.postMessage(number); worker.postMessage(number) }}
  queueMicrotask(() => {{ sum++ }});
  requestAnimationFrame(() => {{ document.title = `Turn ${{turns}}` }});
  if (++turns < {_TURNS}) setTimeout(turn, 20);
  else setTimeout(() => {{ document.title = "Over" }}, 100);
}}
go.onclick = () => {{ turns = 0; turn() }};
</script>"""
_NOTHING = "<!doctype html><title>Nothing</title><main><h1>Nothing</h1><button>Go</button><p>Always the same</p></main>"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        pages = {"/busy": ("text/html", _BUSY), "/rows": ("application/json", json.dumps(_ROWS))}
        kind, text = pages.get(self.path, ("text/html", _NOTHING))
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def measure(peers: Peers, _: Sites, rounds: int) -> Iterator[Figure]:
    """The work of a busy page with and without the script, and questions to a page that does nothing after a click."""
    with Site(ThreadingHTTPServer(("127.0.0.1", 0), _Answers)) as site:
        took: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(rounds):
            for script in took:
                took[script].append(_work(peers, f"{site.url}/busy", script))
        without, more = median(took[False]), median(map(operator.sub, took[True], took[False]))
        said = f"{_TURNS} renderings after a click; {more:.0f} ms of {without:.0f} ms of its thread's processor time"
        share = 100 * more / without
        yield Figure("the script that marks causes", "busy page", share, None, "%", "at most", 3, said)
        with peers.open(site.url, "page that does nothing", "button") as tab:
            asked, read = _questions(tab)
    said = f"after each of {_CLICKS} clicks; asked again without a click, {read:.1f} ms"
    yield Figure(
        "waiting for what a click caused", "page that does nothing", asked, None, "ms", "at most", 20, said
    )


def _work(peers: Peers, url: str, script: bool) -> float:
    """Milliseconds of a processor that the page's thread takes for its work, in a tab that skillbook doesn't have."""
    page = peers.context.new_page()
    try:
        session = peers.context.new_cdp_session(page)
        if script:
            source = _SCRIPT.read_text(encoding="utf-8")
            page.add_init_script(f'{{ const SKILLBOOK_CAUSES = "met"; {source} }}')
        session.send("Performance.enable")
        page.goto(url)
        before = _computed(session)
        page.click("#go")
        page.wait_for_function("document.title === 'Over'", polling=200)
        return _computed(session) - before
    finally:
        page.close()


def _computed(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")


def _questions(tab: Tab) -> tuple[float, float]:
    """Milliseconds until the page is known to be at rest after a click, and if nothing was done since."""
    after: list[float] = []
    again: list[float] = []
    for _ in range(_CLICKS):
        tab.ours.click("button 'Go'")
        for took in (after, again):
            began = time.perf_counter()
            answer = io.sync(tab.ours.driver.settled("rest"))
            took.append(1000 * (time.perf_counter() - began))
            if not answer.is_over:
                raise RuntimeError(f"a page that does nothing waits for {answer.words}")
    return median(after), median(again)
