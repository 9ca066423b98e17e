"""Rows that were read when the kernel was killed come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import CommandTimeout, ExtractionError
from skillbook.extraction.frames import row_log
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.extraction.walking import big_tables
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_folder

PAGER = """<h1>Parts</h1><table><thead><tr><th>Part<th>Price</thead><tbody id=body></tbody></table>
<nav class=pagination><button id=next>Next</button></nav>
<script>
let at = 0;
function show() {
  body.innerHTML = Array.from({length: 5}, (_, i) => at * 5 + i)
    .map(n => `<tr><td><a href='/p/${n}'>Part ${n}</a><td>€${n}.50`).join('');
}
next.onclick = () => { at++; show(); };
show();
</script>"""
VIRTUAL = """<div id=box role=list style="height:200px;overflow-y:auto">
<div id=room style="position:relative"></div></div>
<script>
const HIGH = 20, ALL = 400;
room.style.height = `${ALL * HIGH}px`;
function show() {
  const first = Math.floor(box.scrollTop / HIGH);
  room.innerHTML = Array.from({length: Math.min(14, ALL - first)}, (_, i) => first + i)
    .map(n => `<div role=listitem style="position:absolute;height:20px;width:200px;top:${n * HIGH}px">
      <b>Item ${n}</b> <i>€${n}.50</i></div>`).join('');
}
box.onscroll = show;
show();
</script>"""
LONG = "<table><thead><tr><th>Id<th>Name</thead>" + "".join(f"<tr><td>{n}<td>Name {n}" for n in range(90))

READER = """
import os, signal, sys
import skillbook as sb
from skillbook.extraction.walking import big_tables
big_tables.BLOCK_ROWS = 10
browser = sb.launch(headless=True)
page = browser.open(sys.argv[1])
def die(pages, rows):
    if rows >= 30:
        os.kill(os.getpid(), signal.SIGKILL)
how = eval(sys.argv[2])
sb.tables(page, progress=die) if how is None else sb.extract(page, progress=die, **how)
print("not killed")
"""
FULL = """
import resource, sys
from pathlib import Path
import skillbook as sb
from skillbook.extraction.walking import big_tables
big_tables.BLOCK_ROWS = 10
browser = sb.launch(headless=True)
page = browser.open(sys.argv[1])
def fill_the_disk(pages, rows):
    if rows == 30:
        [kept] = Path(sys.argv[2]).glob("extractions/*")
        resource.setrlimit(resource.RLIMIT_FSIZE, (kept.stat().st_size + 300, resource.RLIM_INFINITY))
frame = sb.extract(page, progress=fill_the_disk)
print(len(frame), frame.skillbook.complete)
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    for name, html in (("pager", PAGER), ("virtual", VIRTUAL), ("long", LONG)):
        (folder / f"{name}.html").write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    with serve_folder(folder) as served:
        yield served


@pytest.mark.parametrize(
    ("name", "how"), [("pager", {"next": True}), ("virtual", {"scroll": True}), ("long", {}), ("long", None)]
)
def test_a_killed_kernel_loses_no_row(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: dict[str, bool] | None
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))
    command = [sys.executable, "-c", READER, f"{site.url}/{name}.html", repr(how)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == -9, ended.stderr
    with pytest.warns(IncompleteFrame, match="the kernel ended while it was read"):
        frame = sb.recover()
    assert len(frame) >= 30
    first = frame.columns[0]
    numbers = frame[first].astype(str).str.extract(r"(\d+)")[0].astype(int)
    assert numbers.tolist() == list(range(len(frame)))
    known = frame.skillbook
    assert not known.complete
    assert known.source(29, first).url == f"{site.url}/{name}.html"
    assert known.source(29, first).ref
    with pytest.warns(IncompleteFrame):
        pd.testing.assert_frame_equal(sb.recover(known.run), frame)
    for path in (home / "extractions").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600


def test_what_an_error_ended_is_found_like_what_a_killed_kernel_read(
    serve_html: Callable[[str], Page],
) -> None:
    def fail(pages: int, rows: int) -> None:
        if rows >= 10:
            raise CommandTimeout("the page never came")

    page = serve_html(PAGER)
    with pytest.raises(ExtractionError, match="the page never came") as ended:
        sb.extract(page, next=True, progress=fail)
    with pytest.warns(IncompleteFrame, match="the page never came"):
        frame = sb.recover()
    assert len(frame) == 10
    pd.testing.assert_frame_equal(frame, ended.value.frame)  # type: ignore[attr-defined]


def test_what_ended_well_can_be_had_again_too(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(LONG)
    frame = sb.extract(page)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = sb.recover(frame.skillbook.run)
    pd.testing.assert_frame_equal(again, frame)
    assert again.skillbook.complete
    with pytest.raises(ExtractionError, match="no rows of an extraction 'nothing' are kept"):
        sb.recover("nothing")


def test_the_biggest_table_that_tables_reads_in_blocks_is_kept(
    serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(big_tables, "BLOCK_ROWS", 10)
    small = "<table><tr><th>Who<th>Sum<tr><td>Ann<td>3<tr><td>Bo<td>4</table>"
    frames = sb.tables(serve_html(small + LONG + "</table><table><tr><th>Day<th>Hour</table>"))
    assert [len(frame) for frame in frames] == [2, 90, 0]
    again = sb.recover(frames[1].skillbook.run)
    pd.testing.assert_frame_equal(again, frames[1])
    assert again.skillbook.complete
    with pytest.raises(ExtractionError):
        sb.recover(frames[0].skillbook.run)


def test_what_a_full_disk_kept_is_partial(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))
    # No compiled files, which the limit would cut off.
    command = [sys.executable, "-B", "-c", FULL, f"{site.url}/long.html", str(home)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout.strip() == "90 True", ended.stderr
    [kept] = (home / "extractions").iterdir()
    with pytest.warns(IncompleteFrame, match="only 30 rows were kept on disk"):
        frame = sb.recover(kept.stem)
    assert len(frame) == 30
    assert not frame.skillbook.complete


def test_what_is_too_large_to_keep_is_partial(
    serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = serve_html(LONG)
    monkeypatch.setattr(row_log, "MOST_BYTES", 4000)
    monkeypatch.setattr(big_tables, "BLOCK_ROWS", 10)
    frame = sb.extract(page)
    assert len(frame) == 90
    assert frame.skillbook.complete
    with pytest.warns(IncompleteFrame, match=r"only \d0 rows were kept on disk: they take more than"):
        kept = sb.recover(frame.skillbook.run)
    assert 0 < len(kept) < 90


def test_what_another_kernel_still_reads_is_not_broken_off(
    serve_html: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = serve_html(LONG)
    run = sb.extract(page).skillbook.run
    path = page.driver.browser.settings.home / "extractions" / f"{run}.jsonl"
    head, *rows, _ = path.read_text().splitlines()
    folder = tmp_path / "other" / "extractions"
    folder.mkdir(parents=True)
    monkeypatch.setenv("SKILLBOOK_HOME", str(folder.parent))
    begun = json.dumps(json.loads(head) | {"pid": os.getppid()})
    (folder / path.name).write_text("\n".join([begun, *rows]))
    with pytest.raises(ExtractionError, match=f"{run} is not broken off: another process reads it still"):
        sb.recover()
    with pytest.warns(IncompleteFrame, match="it is still being read"):
        assert len(sb.recover(run)) == 90
    (folder / "empty.jsonl").touch()
    with pytest.raises(ExtractionError, match="has no rows of an extraction"):
        sb.recover()
