"""Where a full snapshot's time goes: the walk in the page, the messages, the join in Python."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.peers import Tab
from skillbook.io_thread import io
from skillbook.perception.snapshot import Snapshot

_ROUNDS = 5


@dataclass(frozen=True)
class Breakdown:
    """Milliseconds of one call, one after another.

    Attributes
    ----------
    page : what it was measured on.
    total : the whole call.
    script : the content script's work in the page, by Chrome's profiler (which slows it a little).
    browser : the rest until the extension sends the answer: asking for frames, messages between its parts.
    wire : until Python has the parsed and validated answer: socket, JSON, models, journal.
    join : making the `Snapshot` of it.
    megabytes : the answer's size as JSON.
    functions : the DOM functions that cost the script most, in milliseconds; "script" is all else.
    """

    page: str
    total: float
    script: float
    browser: float
    wire: float
    join: float
    megabytes: float
    functions: tuple[tuple[str, float], ...]


def break_down(tab: Tab) -> Breakdown:
    """Measure one page, each round on a document loaded anew."""
    parts: list[tuple[float, float, float, float]] = []
    scripts: list[Counter[str]] = []
    size = 0
    cdp = tab.cdp()
    cdp.send("Profiler.enable")
    cdp.send("Profiler.setSamplingInterval", {"interval": 500})
    for _ in range(_ROUNDS):
        tab.reload()
        cdp.send("Profiler.start")
        started = time.perf_counter()
        data = io.sync(tab.ours.driver.run("snapshot", {"engine": "dom"}))
        answered = time.perf_counter()
        Snapshot.from_wire(data)
        joined = time.perf_counter()
        profile = cdp.send("Profiler.stop")["profile"]
        scripts.append(_script_times(profile))
        plain = data if isinstance(data, dict) else data.model_dump(exclude_none=True)
        size = len(json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode())
        call = (answered - started) * 1000
        parts.append((scripts[-1].total(), plain["took_ms"], call, (joined - answered) * 1000))
    cdp.detach()
    script, took, call, join = (median(column) for column in zip(*parts, strict=True))
    functions: Counter[str] = Counter()
    for each in scripts:
        functions.update(each)
    most = tuple((name, value / _ROUNDS) for name, value in functions.most_common(6))
    return Breakdown(
        tab.label, call + join, script, max(0.0, took - script), call - took, join, size / 1e6, most
    )


_BARE = """() => {
  const began = performance.now();
  let seen = 0;
  for (const element of document.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const read = [style.display, style.visibility, style.opacity, style.position, style.overflow, style.cursor];
    const box = element.getBoundingClientRect();
    seen += read.length + style.pointerEvents.length + (box.width > 0) + element.checkVisibility();
  }
  return performance.now() - began;
}"""


def bare_loop(tab: Tab) -> float:
    """Milliseconds of a loop that reads visibility, seven style properties and the box of every element."""
    took = []
    for _ in range(_ROUNDS):
        tab.reload()
        took.append(float(tab.theirs.evaluate(_BARE)))
    return median(took)


def _script_times(profile: dict[str, Any]) -> Counter[str]:
    """Milliseconds of the extension's script by the DOM function that it is in."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    parent = {child: node["id"] for node in profile["nodes"] for child in node.get("children", [])}
    times: Counter[str] = Counter()
    for at, delta in zip(profile["samples"], [*profile["timeDeltas"][1:], 0], strict=True):
        owner: int | None = at
        native = nodes[at]["callFrame"]["functionName"]
        while owner is not None and not nodes[owner]["callFrame"]["url"].startswith("chrome-extension:"):
            owner = parent.get(owner)
        if owner is None:
            continue
        times["script" if owner == at else native or "script"] += delta / 1000
    return times
