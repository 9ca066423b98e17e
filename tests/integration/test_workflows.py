"""Workflows on a real page: a person's calls, sync and awaited, from Python and from a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook import cli
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_site

FLOW = '''import skillbook as sb

@sb.workflow("lamps")
def lamps(page, *, query: str, most: int = 3):
    """Search the shop."""
    page.fill("searchbox 'Search products'", query)
    page.click("button 'Search'")
    yield "searched"
    return sb.extract(page).head(most)
'''


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


def test_a_workflow_acts_as_the_person_and_gives_rows(
    shop: Site, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    (tmp_path / "flows.py").write_text(FLOW)
    sb.workflows.load(tmp_path / "flows.py")
    page = open_page(shop.url)
    result = sb.workflows["lamps"].run(page, query="lamp", most="2")
    assert len(result.frame) == 2
    assert result.frame.skillbook.source(0, result.frame.columns[0]) is not None
    assert [str(each) for each in result.progress] == ["searched"]
    assert "q=lamp" in page.url


async def test_an_awaitable_page_is_the_same_tab(shop: Site, open_page: Callable[[str], Page]) -> None:
    async def title(page: Any) -> str:
        await page.click("link 'Stores'")
        return str(page.url)

    page = open_page(shop.url)
    flow = sb.workflow("title")(title)
    assert (await flow.arun(page)).text == page.url == f"{shop.url.rstrip('/')}/stores"


def test_copilot_waits_for_the_person(shop: Site, open_page: Callable[[str], Page]) -> None:
    result = sb.workflows["copilot"].run(open_page(shop.url), goal="search for lamps", model="")
    run = result.value
    assert run.status in {"running", "waiting"}
    run.auto(20)
    assert run.status == "succeeded"
    assert "lamp" in run.page.url


def test_the_terminal_lists_and_runs_them(
    shop: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "flows.py").write_text(FLOW)
    given = ["--workflows", str(tmp_path / "flows.py")]
    assert cli.main(["workflow", *given]) == 0
    assert "lamps" in capsys.readouterr().out
    csv = tmp_path / "lamps.csv"
    args = ["--url", shop.url, "--input", "query=lamp", "--csv", str(csv)]
    assert cli.main(["workflow", "lamps", *given, *args]) == 1, "the read has more pages"
    assert "lamps.partial.csv has the 3 rows there are, not all" in capsys.readouterr().out
    assert len((tmp_path / "lamps.partial.csv").read_text().splitlines()) >= 4
    assert not csv.exists()
    assert cli.main(["workflow", "nowhere"]) == 1
