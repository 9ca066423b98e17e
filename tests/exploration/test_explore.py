from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.exploration import explore
from skillbook.session.sync import Browser
from skillbook.testing.site import serve_folder

PAGES = {
    "index.html": '<a href="help.html">Help</a><a href="about.html">About</a><a href="/logout.html">Log out</a>',
    "help.html": '<a href="index.html">Home</a><a href="help-opening.html">Opening hours</a>',
    "help-opening.html": "<h1>Opening hours</h1>",
    "about.html": "<h1>About</h1>",
    "logout.html": "<h1>Opening hours</h1>",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sb.launch() as browser:
        yield browser


@pytest.mark.browser
@pytest.mark.parametrize(("goal", "found"), [("opening hours", True), ("submarine insurance", False)])
def test_the_way_is_found_without_logging_out(
    browser: Browser, tmp_path: Path, goal: str, found: bool
) -> None:
    for name, body in PAGES.items():
        (tmp_path / name).write_text(f"<title>{name}</title><main>{body}</main>")
    with serve_folder(tmp_path) as site:
        page = browser.open(site.url)
        result = explore(page, goal)
        frame = result.frame.set_index("address")
        assert result.found is found
        assert frame.loc[f"{site.url}/logout.html", "status"] == "left out"
        assert browser.refresh() == [page]
        if found:
            assert page.url == result.path[-1][0] == f"{site.url}/help-opening.html"
            assert [label for _, label in result.path] == ["", "Help", "Opening hours"]
        else:
            assert "nearest" in result.why
        page.close()
