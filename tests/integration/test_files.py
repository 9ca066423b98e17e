"""Uploads and downloads in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import CommandTimeout, NotActionable
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder

Serve = Callable[[str], Page]
Open = Callable[[str], Page]

EXPORT = """<button onclick="
  const link = document.createElement('a');
  link.href = window.URL.createObjectURL(new Blob(['a,b\\n1,2\\n'], {type: 'text/csv'}));
  link.download = 'prices.csv'; link.click();">Export</button>
<a href="#here">Nowhere</a>"""
FIELD = """<input type=file id=f aria-label=Files multiple
  onchange="out.textContent = [...this.files].map(file => file.name + ' ' + file.size).join()"><p id=out></p>"""


def test_a_download_is_awaited_and_put_into_the_folder(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(EXPORT)
    folder = tmp_path / "files"
    first = page.download("button 'Export'", folder)
    assert first.path == folder / "prices.csv"
    assert first.path.read_text() == "a,b\n1,2\n"
    assert (first.data["name"], first.data["bytes"], first.data["mime"]) == ("prices.csv", 8, "text/csv")
    assert first.data["url"].startswith("blob:")
    second = page["button 'Export'"].download(folder)
    assert second.path == folder / "prices (1).csv"
    assert first.path.read_text() == second.path.read_text()


def test_a_served_file_is_downloaded(tmp_path: Path, open_page: Open) -> None:
    content = bytes(range(256)) * 4096
    (tmp_path / "data.csv").write_bytes(content)
    (tmp_path / "index.html").write_text("<!doctype html><a href=data.csv download>Get data</a>")
    with serve_folder(tmp_path) as site:
        result = open_page(site.url).download("link 'Get data'", tmp_path / "kept")
    assert result.path is not None
    assert result.path.read_bytes() == content
    assert result.data["url"] == f"{site.url}/data.csv"
    assert "saved data.csv" in str(result)


def test_what_downloads_nothing_says_so(serve_html: Serve) -> None:
    page = serve_html(EXPORT)
    with pytest.raises(CommandTimeout, match="no download began"):
        page.download("link 'Nowhere'", timeout=1)


def test_files_are_chosen_also_behind_a_button(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(
        f"<button onclick='f.click()'>Browse</button><div style='display:none'>{FIELD}</div>"
        "<p role=status id=shown></p><button>Other</button><script>"
        "f.addEventListener('change', () => { shown.textContent = f.files[0].name })</script>"
    )
    file = tmp_path / "note.txt"
    file.write_text("hello")
    page.upload("button 'Browse'", str(file))
    assert page.get("text", "status") == "note.txt"
    with pytest.raises(NotActionable, match="asks for no file"):
        page.upload("button 'Other'", str(file), timeout=1)


@pytest.mark.parametrize("other_process", [False, True])
def test_upload_and_evaluate_in_frames(
    tmp_path: Path, open_page: Open, browser: Browser, other_process: bool
) -> None:
    (tmp_path / "inner.html").write_text(f"<!doctype html><title>Inner</title>{FIELD}<button>Deep</button>")
    with serve_folder(tmp_path) as site:
        inner = site.url.replace("127.0.0.1", "localhost") if other_process else site.url
        browser.allow(inner)
        (tmp_path / "index.html").write_text(
            f"<!doctype html><iframe title=In src='{inner}/inner.html'></iframe>"
        )
        page = open_page(site.url)
        page.wait_for(selector="button 'Deep'")
        files = [tmp_path / "one.txt", tmp_path / "two.txt"]
        for file in files:
            file.write_text("12345")
        page.upload("button 'Files'", *map(str, files))
        page.wait_for(text="one.txt 5,two.txt 5", timeout=5)
        assert page.evaluate("element => element.textContent + location.pathname", "button 'Deep'") == (
            "Deep/inner.html"
        )


def test_a_file_that_the_browser_shows_is_saved_all_the_same(tmp_path: Path, open_page: Open) -> None:
    (tmp_path / "prices.txt").write_text("tea,2\n", encoding="utf-8")
    (tmp_path / "index.html").write_text(
        "<!doctype html><title>Prices</title><a href=prices.txt>Prices</a><a href=other.html>Other</a>"
    )
    (tmp_path / "other.html").write_text("<!doctype html><title>Other</title>")
    with serve_folder(tmp_path) as site:
        page = open_page(site.url)
        result = page.download("link 'Prices'", tmp_path / "kept")
        assert result.path is not None
        assert (result.path.name, result.path.read_text(encoding="utf-8")) == ("prices.txt", "tea,2\n")
        assert (page.url, page.title) == (f"{site.url}/", "Prices")
        with pytest.raises(CommandTimeout, match="no download began"):
            page.download("link 'Other'", timeout=2)
