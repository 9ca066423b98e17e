"""Recorded targets on changed pages: skillbook beside CSS, XPath and Playwright's role locators, on the same pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import ElementHandle, Error, Locator

from benchmarks.apps import APPS, App, serve_app
from benchmarks.figures import Figure
from benchmarks.peers import Peers, Tab
from benchmarks.sites import Sites
from skillbook.errors import SkillbookError
from skillbook.perception.nodes import Node
from skillbook.skill.proof.provable_skill import GONE, KINDS, UNDO, change
from skillbook.skill.targets.element_target import target_of
from skillbook.skill.targets.healing import Wanted, find_now
from skillbook.testing.site import serve_site

_EACH = 12
_SEEDS = 2
_ROLES = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "tab", "radio"}
_KINDS = [kind for kind in KINDS if kind != "late"]
_PEERS = ("Playwright's role locator", "recorded CSS", "recorded XPath")
_XPATH = """(element) => {
  const path = [];
  for (let one = element; one && one.nodeType === 1; one = one.parentElement) {
    if (one.id) return [`//*[@id="${one.id}"]`, ...path].join('/');
    const same = [...(one.parentElement?.children ?? [one])].filter((other) => other.tagName === one.tagName);
    path.unshift(`${one.tagName.toLowerCase()}[${same.indexOf(one) + 1}]`);
  }
  return '/' + path.join('/');
}"""


@dataclass
class Tally:
    """How often each way found the target, found nothing, or took something else for it."""

    pages: int = 0
    gone: int = 0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, way: str, outcome: str) -> None:
        """Count one."""
        self.outcomes.setdefault(way, Counter())[outcome] += 1

    def found(self, way: str) -> float:
        """Percent of the pages with the target on them where it was found."""
        return 100 * self.outcomes[way]["found"] / max(self.pages - self.gone, 1)


@dataclass(frozen=True)
class Recorded:
    """One target with what each way recorded of it."""

    ref: str
    wanted: Wanted
    handle: ElementHandle
    locators: dict[str, Locator]


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Change every application's page around some of its elements, in eleven ways, and look for them again."""
    tally, apps = Tally(), 0
    for tab in _tabs(peers, sites):
        with tab as opened:
            before = tally.pages
            for recorded in _targets(opened):
                _try_all(opened, recorded, tally)
            apps += tally.pages > before
    label = f"{tally.pages} pages of {apps} applications"
    ours = tally.found("skillbook")
    said = "; ".join(f"{kind}: {count} refused" for kind, count in tally.refused.most_common())
    for peer in _PEERS:
        theirs = tally.found(peer)
        yield Figure("targets found on changed pages", label, ours, theirs, "%", "at least", 95.0, said, peer)
    wrong = tally.outcomes["skillbook"]["wrong"]
    for peer in _PEERS:
        theirs = float(tally.outcomes[peer]["wrong"])
        note = "; ".join(tally.wrong[:5])
        yield Figure(
            "wrong targets on changed pages", label, float(wrong), theirs, "pages", "at most", 0, note, peer
        )


def _tabs(peers: Peers, sites: Sites) -> Iterator[AbstractContextManager[Tab]]:
    yield _shop(peers)
    for app in APPS:
        if app.name not in {"jupyterlab", "pydocs"}:  # these are too large to be changed a hundred times
            yield _app(app, peers, sites)


@contextmanager
def _app(app: App, peers: Peers, sites: Sites) -> Iterator[Tab]:
    with serve_app(app, sites.folder) as url, peers.open(url, app.name, app.ready) as tab:
        yield tab


@contextmanager
def _shop(peers: Peers) -> Iterator[Tab]:
    with serve_site("shop") as site, peers.open(f"{site.url}/search?q=lamp", "demo shop", "main") as tab:
        yield tab


def _targets(tab: Tab) -> Iterator[Recorded]:
    """Named controls all over the page that every way finds before anything is changed."""
    snapshot = tab.ours.snapshot()
    candidates = [
        node
        for node in snapshot.elements
        if node.role in _ROLES and node.name and node.ref and not node.frame
    ]
    found = 0
    step = max(len(candidates) // (2 * _EACH), 1)
    for node in candidates[::step]:
        recorded = _record(tab, node)
        if recorded is not None:
            found += 1
            yield recorded
        if found == _EACH:
            return


def _record(tab: Tab, node: Node) -> Recorded | None:
    assert node.ref is not None
    try:
        css = tab.ours.get("css", node.ref)
        by_css = tab.theirs.locator(f"css={css}")
        if by_css.count() != 1:
            return None
        handle = by_css.element_handle(timeout=2000)
        by_role = tab.theirs.get_by_role(node.role, name=node.name, exact=True)  # type: ignore[arg-type]
        xpath = tab.theirs.locator(f"xpath={handle.evaluate(_XPATH)}")
        locators = dict(zip(_PEERS, (by_role, by_css, xpath), strict=True))
        if any(_look(locator, handle) != "found" for locator in locators.values()):
            return None
        wanted = Wanted.of(target_of(node), {})
        now = find_now(tab.ours.snapshot(), wanted)
    except (Error, SkillbookError):
        return None
    return Recorded(node.ref, wanted, handle, locators) if now and now.node.ref == node.ref else None


def _look(locator: Locator, handle: ElementHandle) -> str:
    if locator.count() != 1:
        return "refused"
    same = locator.evaluate("(found, wanted) => found === wanted", handle, timeout=2000)
    return "found" if same else "wrong"


def _try_all(tab: Tab, recorded: Recorded, tally: Tally) -> None:
    for place, kind in enumerate(_KINDS * _SEEDS):
        seed = place * 7
        try:
            if recorded.handle.evaluate(change(kind, seed)):
                _try(tab, recorded, kind, tally)
        finally:
            tab.theirs.evaluate(UNDO)
        if not recorded.handle.evaluate("element => element.isConnected"):
            return  # the page's scripts took part


def _try(tab: Tab, recorded: Recorded, kind: str, tally: Tally) -> None:
    found = find_now(tab.ours.snapshot(), recorded.wanted)
    tally.pages += 1
    tally.gone += kind == GONE
    ours = "refused" if found is None else "found" if found.node.ref == recorded.ref else "wrong"
    if ours == "wrong" and found is not None:
        tally.wrong.append(
            f"{tab.label}, {kind}: {found.node.role} {found.node.name!r} for {recorded.wanted.selectors[0]}"
        )
    if ours == "refused" and kind != GONE:
        tally.refused[kind] += 1
    tally.add("skillbook", ours)
    for name, locator in recorded.locators.items():
        tally.add(name, _look(locator, recorded.handle))
