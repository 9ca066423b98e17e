"""Files that pages hand out in their own ways: in new tabs, several of one press, late."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site

MAKE = """const save = name => { const a = document.createElement('a');
  a.href = window.URL.createObjectURL(new Blob([name])); a.download = name; a.click(); };"""
PAGE = f"""<!doctype html><title>Files</title>
<a href="/file" target="_blank">Link</a><a href="/file" target="_blank" rel="opener">Opener</a>
<button onclick="window.open('/file')">Open</button>
<button onclick="window.open('/moved')">Moved</button>
<button onclick="const tab = window.open(''); tab.location = '/file'">Blank first</button>
<form action="/file" target="_blank"><button>Send</button></form>
<form action="/file" target="_blank" method="post"><button>Post</button></form>
<a href="/shown.txt" target="_blank">Shown</a>
<a href="/page" target="_blank">Page</a>
<button onclick="for (const i of [1, 2, 3]) save(`part${{i}}.csv`)">Export all</button>
<button onclick="[1, 2, 3].forEach(i => setTimeout(() => save(`late${{i}}.csv`), i * 300))">One by one</button>
<button onclick="for (const i of [1, 2]) {{ const f = document.createElement('iframe'); f.src = '/file?' + i;
  document.body.append(f) }}">Frames</button>
<button onclick="window.open('/file'); save('beside.csv')">Both</button>
<script>{MAKE}</script>"""


class _Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/file")
            self.end_headers()
            return
        kinds = {"/file": "text/csv", "/shown.txt": "text/plain"}
        body = b"a,b\n1,2\n" if path in kinds else PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", kinds.get(path, "text/html"))
        if path == "/file":
            self.send_header("Content-Disposition", "attachment; filename=data.csv")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def files() -> Iterator[Site]:
    with Site(ThreadingHTTPServer(("127.0.0.1", 0), _Files)) as site:
        yield site


NEEDS_PRESS = ("button 'Open'", "button 'Moved'", "button 'Blank first'")
"""Without a trusted press the browser lets no script open a window."""


@pytest.fixture
def page(kind: tuple[str, Browser], files: Site) -> Iterator[Page]:
    page = kind[1].open(files.url)
    yield page
    page.close()


@pytest.mark.parametrize(
    "control",
    [
        *("link 'Link'", "link 'Opener'", "button 'Open'", "button 'Moved'", "button 'Blank first'"),
        *("button 'Send'", "button 'Post'"),
    ],
)
def test_a_download_in_a_new_tab_comes_and_the_empty_tab_goes(
    kind: tuple[str, Browser], page: Page, tmp_path: Path, control: str
) -> None:
    if kind[0] == "synthetic" and control in NEEDS_PRESS:
        pytest.skip("the browser lets a page open a window at a trusted press only")
    before = len(kind[1].pages)
    result = page.download(control, tmp_path / "kept", timeout=10)
    assert result.path == tmp_path / "kept" / "data.csv"
    assert result.path.read_text() == "a,b\n1,2\n"
    assert result.opened_tabs == ()
    page.wait_for(idle=True)
    assert len(kind[1].pages) == before


def test_a_file_shown_in_a_new_tab_is_saved(kind: tuple[str, Browser], page: Page, tmp_path: Path) -> None:
    before = len(kind[1].pages)
    result = page.download("link 'Shown'", tmp_path / "kept", timeout=10)
    assert result.path == tmp_path / "kept" / "shown.txt"
    assert (result.url, result.opened_tabs) == (page.url, ())
    page.wait_for(idle=True)
    assert len(kind[1].pages) == before


@pytest.mark.parametrize(
    ("control", "names"),
    [
        ("Export all", ["part1.csv", "part2.csv", "part3.csv"]),
        ("One by one", ["late1.csv", "late2.csv", "late3.csv"]),
        ("Frames", ["data (1).csv", "data.csv"]),
        ("Both", ["beside.csv", "data.csv"]),
    ],
)
def test_all_files_of_one_press_come(
    browser: Browser, files: Site, tmp_path: Path, control: str, names: list[str]
) -> None:
    page = browser.open(files.url)
    result = page.download(f"button {control!r}", tmp_path / "kept", timeout=15)
    assert sorted(path.name for path in result.paths) == names
    assert [file["path"] for file in result.data["files"]] == [str(path) for path in result.paths]
    assert all(path.name in str(result) for path in result.paths)
    page.close()
