"""`python -m benchmarks.exploration`: goals on sites that others wrote, beside breadth-first search in the same run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import skillbook as sb
from benchmarks.apps import NotInstalled
from benchmarks.skills.sites import Sites
from benchmarks.skills.trials import temporary_folder
from skillbook.exploration.search import Exploration, Search, _Link
from skillbook.goals import from_words
from skillbook.io_thread import io
from skillbook.testing.site import serve_folder, serve_site
from skillbook.testing.sites.portal import PASSWORD, USERNAME

PAGE = Path(__file__).resolve().parents[1] / "docs/exploration_measured.md"
GOALS = 10
PAGES, PEER_PAGES = 40, 160
FOUND_GOAL, SHARE_GOAL = 0.85, 0.25
_DOCS = {
    "Node.js API": ("/usr/share/doc/nodejs/api", r"\s*\|.*"),
    "Valgrind manual": ("/usr/share/doc/valgrind/html", r"^\d+\.\s*|:.*"),
    "libxslt": ("/usr/share/doc/libxslt1-dev/html", r""),
}


@dataclass(frozen=True)
class Goal:
    """Words, and what an address ends with that has them."""

    words: str
    answer: str


@dataclass(frozen=True)
class Tried:
    """One goal on one site: whether each search found the page, and how many pages it opened."""

    site: str
    goal: Goal
    found: bool
    right: bool
    pages: int
    peer_found: bool
    peer_pages: int


class BreadthFirst(Search):
    """The same search, which takes links in the order in which they were seen."""

    def _best(self, links: list[_Link]) -> list[_Link]:
        return links[: self._beam]


def titled(folder: Path, cut: str) -> list[Goal]:
    """Ten pages of a folder, evenly chosen, by the words of their titles."""
    goals = []
    for file in sorted(folder.rglob("*.html")):
        title = re.search(r"(?is)<title>(.*?)</title>", file.read_text(encoding="utf-8", errors="replace"))
        words = (
            re.sub(cut, "", unescape(title[1]).strip())
            if title and cut
            else title[1].strip()
            if title
            else ""
        )
        if words and file.name != "index.html":
            goals.append(Goal(" ".join(words.split()), file.relative_to(folder).as_posix()))
    return goals[:: max(len(goals) // GOALS, 1)][:GOALS]


def linked(browser: Any, url: str, address: str) -> list[Goal]:
    """What a page's own links of a kind lead to."""
    page = browser.open(url)
    try:
        links = [
            node
            for node in page.snapshot().nodes
            if node.role == "link" and re.search(address, node.href or "")
        ]
        said = Counter(one.label for one in links)
        return [Goal(one.label, urlsplit(one.href).path) for one in links if said[one.label] == 1][:GOALS]
    finally:
        page.close()


@contextmanager
def served(stack: ExitStack, browser: Any) -> Iterator[dict[str, tuple[str, list[Goal]]]]:
    """Start addresses and goals by the sites' names; a site that isn't on this machine is left out."""
    found: dict[str, tuple[str, list[Goal]]] = {}
    for name, (folder, cut) in _DOCS.items():
        if Path(folder).is_dir():
            site = stack.enter_context(serve_folder(folder))
            found[name] = (f"{site.url}/index.html", titled(Path(folder), cut))
    shop = stack.enter_context(serve_site("shop"))
    products = json.loads((Path(sb.__file__).parent / "testing/sites/shop/products.json").read_text())
    chosen = products[:: len(products) // GOALS][:GOALS]
    found["demo shop"] = (shop.url, [Goal(one["name"], f"/product/{one['slug']}") for one in chosen])
    portal = stack.enter_context(serve_site("portal"))
    years = sorted({one.month.year for one in portal.app.invoices})[:-1]
    invoices = [Goal(f"invoices of {year}", f"year={year}") for year in years]
    others = [Goal("how billing works", "/help/billing"), Goal("projects", "/projects")]
    found["demo portal"] = (portal.url, [*invoices, *others])
    with suppress(NotInstalled):
        url = stack.enter_context(Sites(temporary_folder())).url("django", "/admin/")
        found["Django admin"] = (url, linked(browser, url, r"/admin/\w+/\w+/$"))
    yield found


def try_all(browser: Any, report: Callable[[Tried], None]) -> list[Tried]:
    """Every goal on every site."""
    tried = []
    with ExitStack() as stack, served(stack, browser) as sites:
        for name, (url, goals) in sites.items():
            for goal in goals:
                one = _try(browser, name, url, goal)
                tried.append(one)
                report(one)
    return tried


def _try(browser: Any, site: str, url: str, goal: Goal) -> Tried:
    ours = _search(browser, url, goal.words, Search, PAGES)
    peer = _search(browser, url, goal.words, BreadthFirst, PEER_PAGES)
    landed = ours.path[-1][0] if ours.found else ""
    return Tried(
        site, goal, ours.found, landed.endswith(goal.answer), _opened(ours), peer.found, _opened(peer)
    )


def _search(browser: Any, url: str, words: str, kind: type[Search], pages: int) -> Exploration:
    page = browser.open(url)
    if urlsplit(page.url).path == "/login":
        page.fill("textbox 'User name'", USERNAME)
        page.fill("textbox 'Password'", PASSWORD)
        page.click("button 'Sign in'")
    search = kind(page.driver, from_words(words), words, beam=4, depth=3, pages=pages, remember=False)
    try:
        return io.sync(search.run())
    finally:
        page.close()


def _opened(found: Exploration) -> int:
    return int(found.frame["status"].isin(["seen", "found", "failed", "redirected"]).sum())


def written(tried: Sequence[Tried]) -> str:
    """The page of figures."""
    both = [one for one in tried if one.found and one.peer_found]
    share = sum(one.pages for one in both) / max(sum(one.peer_pages for one in both), 1)
    found = sum(one.found for one in tried) / len(tried)
    lines = [
        "# Exploration, measured",
        "",
        f"Written by `make exploration` on {date.today()}. On documentation the goals are the titles of ten pages, "
        "evenly chosen; the answer is that page. "
        f"Ours opens {PAGES} pages at most, breadth-first search {PEER_PAGES}, with the same tabs, beam and depth. "
        "Nothing is known of a site before. Where the page isn't the one meant, another has the goal as a heading.",
        "",
        f"**{found:.0%} of {len(tried)} goals found (goal {FOUND_GOAL:.0%}); on those that both found, {share:.0%} of "
        f"the pages that breadth-first search opened (goal {SHARE_GOAL:.0%}).**",
        "",
        "| site | goal | found | the page meant | pages | breadth-first: found | pages |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in tried:
        yes = {True: "yes", False: "no"}
        words = one.goal.words.replace("|", "\\|")
        lines.append(
            f"| {one.site} | {words} | {yes[one.found]} | {yes[one.right] if one.found else ''} | {one.pages} | "
            f"{yes[one.peer_found]} | {one.peer_pages} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try everything and write the page."""
    with sb.launch() as browser:
        tried = try_all(browser, lambda one: print(one, flush=True))
    PAGE.write_text(written(tried), encoding="utf-8")


if __name__ == "__main__":
    main()
