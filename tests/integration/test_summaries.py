"""Summaries of real pages of any size keep their limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.pages import write_page, write_table
from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder
from tests.summaries import summary_problems

pytest.importorskip("bpe_openai")


@pytest.mark.parametrize("size", [1_000, pytest.param(10_000, marks=pytest.mark.more)])
def test_a_shop(open_page: Callable[[str], Page], tmp_path: Path, size: int) -> None:
    with serve_folder(tmp_path) as site:
        page = open_page(f"{site.url}/{write_page(tmp_path, size)}")
        assert summary_problems(page.snapshot()) == []
        assert "Add to cart" in page.summary().text() or "Probe" in page.summary().text()


def test_a_long_table(open_page: Callable[[str], Page], tmp_path: Path) -> None:
    with serve_folder(tmp_path) as site:
        page = open_page(f"{site.url}/{write_table(tmp_path, 4_000)}")
        assert summary_problems(page.snapshot()) == []
        assert "4000 ×" in page.summary().text()


HOSTILE = """<h1>{name}</h1>{landmarks}<main>{forms}<ul>{items}</ul></main><script>document.title = '{name}'</script>"""


def test_a_page_that_shouts(read_html: Callable[[str], Page]) -> None:
    name = "꧁𝕬𝖇𝖈꧂ Buy now " * 200
    forms = "".join(
        f"<form aria-label='{name}'><label>{n} {name}<input></label><button>{n} {name}</button></form>"
        for n in range(60)
    )
    landmarks = "".join(f"<section aria-label='{n} {name}'>{name}</section>" for n in range(60))
    items = "".join(f"<li><a href='/{n}'>{n} {name}</a> <i>{name}</i></li>" for n in range(60))
    page = read_html(HOSTILE.format(name=name, forms=forms, landmarks=landmarks, items=items))
    assert summary_problems(page.snapshot()) == []
