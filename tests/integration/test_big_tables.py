"""Tables of very many rows, read in blocks: the same frame as in one piece, and no row lost or twice unsaid."""

from __future__ import annotations

import asyncio
import signal
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import SkillbookError
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.extraction.walking import big_tables
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

ROWS = 57


def _rows(first: int, last: int) -> str:
    """Rows with links, spans over rows and columns, checkboxes, blank cells and missing ones."""
    said = []
    for n in range(first, last):
        team = f"<td rowspan=7>Team {n // 7}" if n % 7 == 0 else ""
        cells = f"<td colspan=2>none {n}" if n % 10 == 3 else f"<td><a href='/p/{n}'>Part {n}</a><td>€{n}.50"
        check = "" if n % 11 == 5 else f"<td><input type=checkbox {'checked' * (n % 2)}>"
        said.append(f"<tr>{team}{cells}<td>{'' if n % 9 == 4 else f'2024-01-{n % 28 + 1:02}'}{check}")
    return "".join(said)


HEADS = "<tr><th>Team<th>Part<th>Price<th>Since<th>On"
WITH_HEAD = (
    f"<h2>Stock</h2><table><caption>Parts</caption><thead>{HEADS}</thead><tbody>{_rows(0, 30)}</tbody>"
    f"<tbody id=second>{_rows(30, ROWS)}</tbody><tfoot><tr><td colspan=2>All<td>57<td><td></tfoot></table>"
)
WITHOUT_HEAD = f"<p>Text</p><table>{HEADS}{_rows(0, ROWS)}</table><ul><li>One<li>Two<li>Three</ul>"
MADE_BY_SCRIPT = f"""<table id=t></table><script>
const body = document.createElement('template');
body.innerHTML = `<table><tbody>{HEADS}{_rows(0, ROWS)}</tbody></table>`;
t.append(...body.content.querySelectorAll('tr'));
</script>"""
IN_A_FRAME = (
    f'<h1>Outer</h1><iframe title=Inner srcdoc="{WITH_HEAD.replace(chr(34), "")}"></iframe><p>After</p>'
)


@pytest.fixture(params=[4, 13])
def in_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setattr(big_tables, "BLOCK_ROWS", request.param)


def facts(frame: pd.DataFrame) -> dict[str, Any]:
    """Everything that a frame says, but for the numbers of refs and the time."""
    known = frame.skillbook
    sources = known.provenance().drop(columns=["ref", "time"])
    return {
        "types": frame.dtypes.astype(str).to_dict(),
        "name": known.name,
        "complete": known.complete,
        "reason": known.reason,
        "expected": known.expected,
        "units": known.units,
        "rules": known.rules,
        "sources": sources.to_dict("records"),
    }


@pytest.mark.parametrize("html", [WITH_HEAD, WITHOUT_HEAD, MADE_BY_SCRIPT, IN_A_FRAME])
def test_blocks_give_the_same_frames(serve_html: Serve, in_blocks: Callable[[], None], html: str) -> None:
    page = serve_html(f"<meta charset=utf-8>{html}")
    if "srcdoc" in html:
        page.wait_for(text="Part 1")
    whole = sb.tables(page)
    assert len(whole[0]) >= ROWS
    in_blocks()
    blocks = sb.tables(page)
    assert len(blocks) == len(whole)
    for one, other in zip(blocks, whole, strict=True):
        pd.testing.assert_frame_equal(one, other)
        assert facts(one) == facts(other)
    link = blocks[0].skillbook.source(20, "Part")
    assert "Part 2" in page.get("text", link.ref)


def test_fields_and_names_find_rows_of_all_blocks(read_html: Serve, in_blocks: Callable[[], None]) -> None:
    page = read_html(f"<meta charset=utf-8>{WITH_HEAD}")
    fields = {"part": "Part", "url": "link@href"}
    whole = sb.extract(page, fields, within="Parts")
    in_blocks()
    seen: list[int] = []
    blocks = sb.extract(page, fields, within="Parts", progress=lambda _, rows: seen.append(rows))
    pd.testing.assert_frame_equal(blocks, whole)
    assert seen == sorted(seen)
    assert len(seen) > ROWS // 13


CHANGING = """<button id=b>Change</button>
<table><thead><tr><th>Id<th>Name</thead><tbody id=body></tbody></table><script>
body.innerHTML = Array.from({length: 40}, (_, n) => `<tr><td>${n}<td>Name ${n}`).join('');
b.onclick = () => %s;
</script>"""
CHANGES = {
    "a row comes": "body.rows[2].before(body.rows[30].cloneNode(true))",
    "a row goes": "body.rows[2].remove()",
    "rows swap": "body.rows[2].before(body.rows[30])",
    "texts swap": "[2, 30].reduce((a, c) => [body.rows[a].innerHTML, body.rows[c].innerHTML] = "
    "[body.rows[c].innerHTML, body.rows[a].innerHTML])",
    "another table": "body.parentNode.replaceWith(body.parentNode.cloneNode(true))",
}


def _changing(page: Page, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let the page change its table after the second block of so many readings."""
    monkeypatch.setattr(big_tables, "BLOCK_ROWS", 10)
    driver = page.driver
    read = driver.snapshot_in_part
    left = [times]

    async def change(first: int, rows: int) -> Any:
        part = await read(first, rows)
        if first == 10 and left[0]:
            left[0] -= 1
            await driver.run("click", {"ref": page_button})
        return part

    page_button = page.snapshot().find("button 'Change'").ref
    monkeypatch.setattr(driver, "snapshot_in_part", change)


@pytest.mark.parametrize("what", CHANGES)
def test_a_table_that_changes_once_is_read_again(
    serve_html: Serve, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    page = serve_html(CHANGING % CHANGES[what])
    _changing(page, monkeypatch, 1)
    frame = sb.extract(page)
    assert frame.skillbook.complete
    monkeypatch.undo()
    pd.testing.assert_frame_equal(frame, sb.extract(page))


def test_a_table_that_keeps_changing_is_not_whole(serve_html: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page = serve_html(CHANGING % CHANGES["a row goes"])
    _changing(page, monkeypatch, 2)
    with pytest.warns(IncompleteFrame, match="changed the table while it was read"):
        frame = sb.extract(page)
    assert not frame.skillbook.complete
    assert frame["Id"].is_unique
    _changing(page, monkeypatch, 2)
    with pytest.warns(IncompleteFrame, match="changed the table while it was read"):
        frames = sb.tables(page)
    assert not frames[0].skillbook.complete


def test_what_changes_elsewhere_does_not_matter(serve_html: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page = serve_html(CHANGING % "b.title += 'x'")
    _changing(page, monkeypatch, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(sb.extract(page)) == 40


def test_an_interrupt_keeps_what_was_read(serve_html: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page = serve_html(CHANGING % "0")
    monkeypatch.setattr(big_tables, "BLOCK_ROWS", 10)

    read = page.driver.snapshot_in_part

    async def interrupt(first: int, rows: int) -> Any:
        if first == 20:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            await asyncio.sleep(60)  # cancelled by the interrupt
        return await read(first, rows)

    monkeypatch.setattr(page.driver, "snapshot_in_part", interrupt)
    with pytest.raises(KeyboardInterrupt) as error:
        sb.extract(page)
    frame = error.value.frame  # type: ignore[attr-defined]
    assert frame["Id"].tolist() == list(range(20))
    assert "interrupted" in frame.skillbook.reason
    with pytest.raises(KeyboardInterrupt) as error:
        sb.tables(page)
    assert len(error.value.frames[0]) == 20  # type: ignore[attr-defined]
    assert not error.value.frames[0].skillbook.complete  # type: ignore[attr-defined]


def test_a_table_is_read_in_blocks_on_a_page_too_large_for_one_reading(serve_html: Serve) -> None:
    # Not laid out: that takes the browser itself longer than all else.
    page = serve_html("<table><thead><tr><th>No<th>Part</thead><tbody id=body></tbody></table>")
    page.evaluate(
        "{ const row = (n) => `<tr ${n % 5000 ? 'hidden' : ''}><td>${n}<td>Part ${n}`; "
        "body.innerHTML = Array.from({length: 60_000}, (_, n) => row(n)).join('') } 0"
    )
    with pytest.raises(SkillbookError, match="too large"):
        page.snapshot()
    [frame] = sb.tables(page)
    assert frame["Part"].tolist() == [f"Part {n}" for n in range(0, 60_000, 5_000)]
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<i hidden></i>'.repeat(130_000)); 0")
    with pytest.raises(SkillbookError, match="too large"):
        sb.tables(page)
