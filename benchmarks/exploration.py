"""`python -m benchmarks.exploration`: goals on sites that others wrote, beside breadth-first search in the same run."""

from __future__ import annotations

import json
import re
import sys
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
from benchmarks.counting import CountingProxy
from benchmarks.skills.sites import Sites
from benchmarks.skills.trials import temporary_folder
from skillbook.exploration.beam_search import Search
from skillbook.exploration.page_states import Move
from skillbook.goals import from_words
from skillbook.io_thread import io
from skillbook.testing.site import serve_folder, serve_site
from skillbook.testing.sites.portal import PASSWORD, USERNAME

PAGE = Path(__file__).resolve().parents[1] / "docs/exploration_measured.md"
GOALS = 10
_LIKE_OURS: dict[str, Any] = {"beam": 4, "depth": 3, "remember": False}
PAGES, PEER_PAGES = 40, 60
FOUND_GOAL, SHARE_GOAL = 0.85, 0.25
_DOCS = {
    "Node.js API": ("/usr/share/doc/nodejs/api", r"\s*\|.*"),
    "Valgrind manual": ("/usr/share/doc/valgrind/html", r"^\d+\.\s*|:.*"),
    "libxslt": ("/usr/share/doc/libxslt1-dev/html", r""),
}


# What a person would look for in the wiki's help, and in an office's admin.
_WIKI = {
    "MoinWiki macros": "/help-en/MoinWikiMacros",
    "Creole": "/help-en/creole",
    "Markdown": "/help-en/markdown",
    "MediaWiki": "/help-en/mediawiki",
    "reStructuredText": "/help-en/rst",
    "DocBook": "/help-en/docbook",
    "Images": "/help-en/images",
    "other text items": "/help-en/OtherTextItems",
    "template sample": "/help-en/TemplateSample",
    "month calendar": "/help-en/MoinWikiMacros/MonthCalendar",
}
_ADMIN = {
    "users": "/admin/auth/user/",
    "permissions": "/admin/auth/permission/",
    "log entries": "/admin/admin/logentry/",
    "flat pages": "/admin/flatpages/flatpage/",
    "redirects": "/admin/redirects/redirect/",
    "sessions": "/admin/sessions/session/",
    "the group Editors": "/admin/auth/group/1/change/",
    "the flat page about opening hours": "/admin/flatpages/flatpage/2/change/",
    "the form to add a user": "/admin/auth/user/add/",
    "change history of chair": "/admin/shop/item/2/history/",
}


@dataclass(frozen=True)
class Goal:
    """Words, and what an address ends with that has them."""

    words: str
    answer: str


@dataclass(frozen=True)
class Tried:
    """One goal on one site.

    Attributes
    ----------
    found, right : whether our search says that it found it, and whether that is the goal's page.
    pages : how many it opened.
    peer_found, peer_pages : whether breadth-first search came to that page, and after how many pages.
    writes : requests that reached the server and may have changed something.
    why : how our search ended.
    """

    site: str
    goal: Goal
    found: bool
    right: bool
    pages: int
    peer_found: bool
    peer_pages: int
    writes: int
    why: str


class BreadthFirst(Search):
    """The same search, which takes links in the order in which they were seen, until it has opened a page."""

    answer = ""

    async def _choose(self, moves: list[Move]) -> list[Move]:
        return moves[: self._beam]

    def _is_decided(self, moves: Sequence[Move]) -> bool:
        return any(is_at(key, self.answer) for key, _ in self.result.seen())

    def _controls(self, *args: Any) -> list[Move]:
        return []


def is_at(address: str, answer: str) -> bool:
    """Whether an address is a goal's."""
    return address.endswith(answer)


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
    times = Counter(goal.words for goal in goals)
    alone = [goal for goal in goals if times[goal.words] == 1]
    return alone[:: max(len(alone) // GOALS, 1)][:GOALS]


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
    apps = stack.enter_context(Sites(temporary_folder()))
    for name, app, path, goals in (
        ("MoinMoin wiki", "moin", "/help-en/Home", _WIKI),
        ("Django admin", "django-office", "/admin/", _ADMIN),
    ):
        with suppress(NotInstalled):
            found[name] = (apps.url(app, path), [Goal(words, answer) for words, answer in goals.items()])
    yield found


def try_all(browser: Any, report: Callable[[Tried], None], only: str = "") -> None:
    """Every goal on every site; with `only`, on those whose names have it."""
    with ExitStack() as stack, served(stack, browser) as sites:
        for name, (url, goals) in sites.items():
            for goal in goals if only.casefold() in name.casefold() else ():
                report(_try(browser, name, url, goal))


def _try(browser: Any, site: str, url: str, goal: Goal) -> Tried:
    parts = urlsplit(url)
    with CountingProxy(f"{parts.scheme}://{parts.netloc}") as proxy:
        start = proxy.url + parts.path
        page = _begin(browser, start, proxy)
        ours = Search(page.driver, from_words(goal.words), goal.words, pages=PAGES, **_LIKE_OURS)
        result = io.sync(ours.run())
        right = result.found and is_at(page.url, goal.answer)
        page.close()
        page = _begin(browser, start, proxy)
        peer = BreadthFirst(page.driver, from_words(goal.words), goal.words, pages=PEER_PAGES, **_LIKE_OURS)
        peer.answer = goal.answer
        io.sync(peer.run())
        page.close()
        return Tried(
            site, goal, result.found, right, ours.opened, peer._is_decided(()), peer.opened, len(proxy.writes),
            result.why.replace(proxy.url, ""),
        )  # fmt: skip


def _begin(browser: Any, start: str, proxy: CountingProxy) -> Any:
    page = browser.open(start)
    if urlsplit(page.url).path == "/login":
        page.fill("textbox 'User name'", USERNAME)
        page.fill("textbox 'Password'", PASSWORD)
        page.click("button 'Sign in'")
        proxy.writes.clear()  # a person signed in
    return page


def written(tried: Sequence[Tried]) -> str:
    """The page of figures."""
    both = [one for one in tried if one.right and one.peer_found]
    share = sum(one.pages for one in both) / max(sum(one.peer_pages for one in both), 1)
    right = sum(one.right for one in tried) / len(tried)
    wrong = sum(one.found and not one.right for one in tried)
    writes = sum(one.writes for one in tried)
    sites = list(dict.fromkeys(one.site for one in tried))
    lines = [
        "# Exploration, measured",
        "",
        f"`make exploration` wrote this page on {date.today()}. The sites are third-party ones and two that come with "
        "skillbook. On documentation the goals are the titles of ten pages, evenly chosen among unique titles. In the "
        "wiki, the admin and the shop they are pages that a person would look for. Each goal has one page.",
        "",
        f"`sb.explore` opens {PAGES} pages at most. Breadth-first search over the same links, with the same tabs, beam "
        f"and depth, stops once it has opened that page, or after {PEER_PAGES} pages. Nothing is known of a site "
        "before. A proxy in front of each server counts the requests.",
        "",
        f"**The goal's page is found for {right:.0%} of {len(tried)} goals (goal {FOUND_GOAL:.0%}), another page for "
        f"{wrong} (goal 0); on those that both found, {share:.0%} of the pages that breadth-first search opened (goal "
        f"{SHARE_GOAL:.0%}). {writes} requests that may change something reached a server (goal 0).**",
        "",
        "| site | goals | the goal's page | another page | pages | breadth-first: pages |",
        "|---|---|---|---|---|---|",
    ]
    for site in sites:
        of = [one for one in tried if one.site == site]
        lines.append(
            f"| {site} | {len(of)} | {sum(one.right for one in of)} | "
            f"{sum(one.found and not one.right for one in of)} | "
            f"{sum(one.pages for one in of)} | {sum(one.peer_pages for one in of)} |"
        )
    lines += [
        "",
        "## Every goal",
        "",
        "| site | goal | ours | pages | breadth-first | pages |",
        "|---|---|---|---|---|---|",
    ]
    for one in tried:
        ours = "found" if one.right else "**another page**" if one.found else f"not found: {one.why}"
        peer = "found" if one.peer_found else "not found"
        words, ours = one.goal.words.replace("|", "\\|"), ours.replace("|", "\\|")
        lines.append(f"| {one.site} | {words} | {ours} | {one.pages} | {peer} | {one.peer_pages} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try everything and write the page; with a site's name as the argument, only print what comes of it."""
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    with sb.launch() as browser:
        tried: list[Tried] = []

        def report(one: Tried) -> None:
            print(one, flush=True)
            tried.append(one)
            if not only:  # what was measured stays, whatever ends the run
                PAGE.write_text(written(tried), encoding="utf-8")

        try_all(browser, report, only)
    if only:
        print(written(tried))


if __name__ == "__main__":
    main()
