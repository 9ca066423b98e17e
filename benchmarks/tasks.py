"""How long the browser's main thread was kept busy by skillbook, by the browser's trace."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser

_CATEGORIES = ["toplevel", "devtools.timeline"]
_SCRIPT = "content.js"
_MESSAGE = "SimpleWatcher::OnHandleReady"
_DEBUGGER = "blink.mojom.DevToolsSession"
_ENDS_SECONDS = 30.0

Event = dict[str, Any]


@dataclass
class Trace:
    """The events of a trace, once it has ended."""

    events: list[Event] = field(default_factory=list)

    def skillbook_tasks(self, began: str, ended: str) -> list[float]:
        """Milliseconds of the processor's time of each task of a page's thread that was skillbook's work.

        These are the content script's tasks; and between two marks, which `console.timeStamp`
        left, what extensions' messages and the debugger's queries took. The page's tasks and the browser's rendering
        aren't among them. While other processes take the processor a task stands still: that is no work of it.
        """
        marks = {
            str(event["args"]["data"]["message"]): event["ts"]
            for event in self.events
            if event["name"] == "TimeStamp"
        }
        threads = {
            _thread(event)
            for event in self.events
            if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
        }
        found = []
        for thread in threads:
            whole = [event for event in self.events if event.get("ph") == "X" and _thread(event) == thread]
            whole.sort(key=lambda event: event["ts"])
            starts = [event["ts"] for event in whole]
            for task in whole:
                if task["name"] != "ThreadControllerImpl::RunTask":
                    continue
                begin, end = task["ts"], task["ts"] + task["dur"]
                parts = whole[bisect_left(starts, begin) : bisect_right(starts, end)]
                within = marks[began] <= begin <= marks[ended]
                ours = sum(part["dur"] for part in parts if _is_ours(part, within=within))
                if ours > task["dur"] / 2 or (within and any(map(_is_query, parts))):
                    found.append(task.get("tdur", task["dur"]) / 1000)
        return found


def _thread(event: Event) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _is_ours(part: Event, *, within: bool) -> bool:
    """Whether a part of a task is the content script's: between the marks also a call that the trace has no address of.

    The browser calls a listener of `chrome.runtime` through a function of its own; the page is idle then.
    """
    data = part.get("args", {}).get("data")
    if part["name"] != "FunctionCall" or not isinstance(data, dict):
        return False
    address = str(data.get("url", ""))
    return _SCRIPT in address or (within and not address)


def _is_query(part: Event) -> bool:
    info = part.get("args", {}).get("chrome_mojo_event_info") or {}
    return part["name"] == _MESSAGE or info.get("mojo_interface_tag") == _DEBUGGER


@contextmanager
def traced(browser: Browser) -> Iterator[Trace]:
    """Trace all that a browser does; the events are there when this has ended.

    Raises
    ------
    TimeoutError : the browser didn't hand its events out.
    """
    session = browser.new_browser_cdp_session()
    trace = Trace()
    ended: list[Event] = []
    session.on("Tracing.dataCollected", lambda event: trace.events.extend(event["value"]))
    session.on("Tracing.tracingComplete", lambda event: ended.append(event))
    config = {"includedCategories": _CATEGORIES, "excludedCategories": ["*"]}
    session.send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"})
    try:
        yield trace
    finally:
        session.send("Tracing.end")
        deadline = time.monotonic() + _ENDS_SECONDS
        while not ended:
            if time.monotonic() > deadline:
                raise TimeoutError("the browser's trace did not end")
            # Events come while an answer is waited for.
            session.send("Browser.getVersion")
        session.detach()
