"""What actions and large pages take of memory: the kernel's after many actions, the browser's after a snapshot."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import psutil

from benchmarks.figures import Figure
from benchmarks.pages import write_page
from benchmarks.peers import Peers, Tab
from benchmarks.sites import Sites

_ELEMENTS, _MANY_ELEMENTS = 5_000, 50_000
_BEFORE, _ACTIONS = 200, 1_000
_MOST_KERNEL, _MOST_BROWSER, _MOST_KEPT = 10.0, 100.0, 30.0  # megabytes


def measure(peers: Peers, sites: Sites, _: int) -> Iterator[Figure]:
    """Resident memory before and after: of the kernel, and of all the browser's processes."""
    label = f"{_ELEMENTS:,} elements"
    with peers.open(sites.page(write_page(sites.folder, _ELEMENTS)), label, "#probe") as tab:
        _fill_and_click(tab, _BEFORE)
        before = _kernel()
        _fill_and_click(tab, _ACTIONS)
        grown = _kernel() - before
    note = f"fills and clicks in turns, after {_BEFORE} of them"
    name = f"memory that the kernel grows by in {_ACTIONS:,} actions"
    yield Figure(name, label, grown, None, "MB", "at most", _MOST_KERNEL, note)
    label = f"{_MANY_ELEMENTS:,} elements"
    with peers.open(sites.page(write_page(sites.folder, _MANY_ELEMENTS)), label, "#probe") as tab:
        before = _browser(peers)
        tab.ours.snapshot(timeout=120)
        grown = _browser(peers) - before
        tab.cdp().send("HeapProfiler.collectGarbage")
        kept = _browser(peers) - before
    note = "all of its processes"
    name = "memory that the browser grows by with a snapshot"
    yield Figure(name, label, grown, None, "MB", "at most", _MOST_BROWSER, note)
    name = "memory that the browser keeps of a snapshot"
    yield Figure(
        name,
        label,
        kept,
        None,
        "MB",
        "at most",
        _MOST_KEPT,
        f"{note}, after the page's garbage was collected",
    )


def _fill_and_click(tab: Tab, count: int) -> None:
    snapshot = tab.ours.snapshot()
    field = str(snapshot.find("textbox 'Search'").ref)
    button = str(next(node.ref for node in snapshot.elements if node.role == "button"))
    for number in range(count):
        if number % 2:
            tab.ours.click(button)
        else:
            tab.ours.fill(field, f"words {number}")


def _kernel() -> float:
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 1e6


def _browser(peers: Peers) -> float:
    process = peers.browser.driver.process
    assert process is not None
    first = psutil.Process(process.pid)
    return sum(each.memory_info().rss for each in (first, *first.children(recursive=True))) / 1e6
