"""Interactive elements found, against what DevTools knows to have listeners."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from benchmarks.figures import Figure
from benchmarks.marks import Marked, listeners_of, mark
from benchmarks.peers import Tab

_CLICKS = {"click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"}
_LARGEST = 12_000
_SECONDS = 10.0
# Of the marked elements, those that show; and whether an actionable one is in them or around them.
_PLACE = """([marks, actionable]) => {
  const all = new Map();
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const found = /zz-mark-(\\d+)/.exec(element.getAttribute("class") ?? "");
      if (found) all.set(Number(found[1]), element);
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  const up = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const acts = new Set(actionable.map((mark) => all.get(mark)));
  const holds = new Set();
  for (const element of acts) for (let at = element && up(element); at; at = up(at)) holds.add(at);
  const inside = (element) => {
    for (let at = up(element); at; at = up(at)) if (acts.has(at)) return true;
    return false;
  };
  const shown = marks.filter((mark) => {
    const element = all.get(mark);
    const box = element?.getBoundingClientRect();
    return box && box.width > 1 && box.height > 1 && element.checkVisibility({ visibilityProperty: true });
  });
  return shown.map((mark) => {
    const element = all.get(mark);
    const place = acts.has(element) ? "itself" : holds.has(element) ? "around" : inside(element) ? "inside" : "lost";
    const looks = element.getAttribute("class").replace(/ ?zz-mark-\\d+/g, "").trim().split(/\\s+/)[0];
    return [place, looks ? `${element.localName}.${looks}` : element.localName];
  });
}"""
# Frameworks listen here for everything below; one acts on what is below.
_DELEGATES = {"html", "body"}
# What React builds in is listened on for eighty kinds of events, whatever is in it.
_KINDS = 50


def measure(tab: Tab) -> Iterator[Figure]:
    """Of what one can press: the share that a snapshot soon after loading has among its elements.

    Counted are elements of the main document, through open shadow roots, that show, have a box and have a listener for
    the mouse or touch, as Chrome reports when the snapshot is taken. Not counted is one that has a found element in
    it or around it: a list that listens for its buttons, or the parts of a button. Neither is one that listens for all
    kinds of events, as what React builds in does.
    """
    tab.reload()
    cdp = tab.cdp()
    marked = mark(tab, cdp)
    if len(marked.backend) > _LARGEST:
        cdp.detach()
        return
    cdp.send("DOM.enable")
    listening = [
        number
        for number, backend in marked.backend.items()
        if marked.tags[number] not in _DELEGATES and _is_pressed(listeners_of(cdp, backend))
    ]
    end = time.monotonic() + _SECONDS
    placed = _place(tab, marked, listening)
    # The debugger is queried after the first snapshot, for the next ones.
    while any(place == "lost" for place, _ in placed) and time.monotonic() < end:
        marked = mark(tab, cdp)
        placed = _place(tab, marked, listening)
    cdp.detach()
    places = Counter(place for place, _ in placed)
    found, lost = places["itself"], places["lost"]
    notes = [f"{found} found, {lost} not"]
    if places["around"] or places["inside"]:
        notes.append(
            f"not counted are {places['around']} that listen for a found one in them,"
            f" and {places['inside']} parts of one"
        )
    missed = Counter(looks for place, looks in placed if place == "lost")
    notes += [f"not found: {looks} ({times}×)" for looks, times in missed.most_common(4)]
    share = 100 * found / (found + lost) if lost else 100.0
    yield Figure(
        "elements with listeners found",
        tab.label,
        share,
        None,
        "%",
        "at least",
        100,
        "; ".join(notes),
        "Chrome",
    )


def _place(tab: Tab, marked: Marked, listening: list[int]) -> list[tuple[str, str]]:
    actionable = [number for number, node in marked.ours.items() if node.actionable]
    placed: list[tuple[str, str]] = tab.theirs.evaluate(_PLACE, [listening, actionable])
    return placed


def _is_pressed(kinds: set[str]) -> bool:
    return len(kinds) < _KINDS and bool(kinds & _CLICKS)
