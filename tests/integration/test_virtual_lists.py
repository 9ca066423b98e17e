"""Virtualised lists tell how many rows they have, estimated from the room that they keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.perception.collections import find_collections
from skillbook.session.sync import Page

SCRIPT = Path(__file__).resolve().parent / "pages" / "virtual.js"
KINDS = ["absolute", "list", "moved", "padded", "table", "plain", "options", "page"]


@pytest.fixture(scope="module")
def script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_about_a_thousand(serve_html: Callable[[str], Page], script: str, kind: str) -> None:
    page = serve_html(f"<script>{script}</script>")
    page.evaluate(f"build({kind!r}, 1000)")
    for part in (0, 0.5, 1):
        page.evaluate(f"scrollList({part})")
        for engine in ("dom", "cdp"):
            snapshot = page.snapshot(engine=engine)
            (found,) = find_collections(snapshot)
            assert found.estimated, (part, engine)
            assert found.count < 50
            assert 980 <= found.total <= 1020, (part, engine, found)
            assert "of about 1,0" in snapshot.text() or "of about 99" in snapshot.text(), snapshot.text()
    page.evaluate(f"build({kind!r}, 12)")
    assert [(one.total, one.estimated) for one in find_collections(page.snapshot())] == (
        [] if kind in {"plain", "options"} else [(12, False)]
    )


SHORT_TEXTS = """<h1>Parts</h1><div id=box style="height:300px;overflow:auto">
<div style="height:1400px;position:relative"></div></div><script>
const box = document.querySelector("#box"), last = LAST;
function render() {
  const first = Math.max(Math.floor(box.scrollTop / 35) - 1, 0);
  const rows = [...Array(12).keys()].map((at) => first + at).filter((at) => at < last);
  box.firstElementChild.innerHTML = rows.map((at) =>
    `<div style="position:absolute;left:0;height:35px;top:${35 * at}px">Part ${at + 1}</div>`).join("");
}
box.onscroll = render;
render();
</script>"""


@pytest.mark.parametrize(("last", "complete"), [(40, True), (39, False)])
@pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")
def test_rows_that_fill_the_room_are_all_though_more_were_estimated(
    serve_html: Callable[[str], Page], last: int, complete: bool
) -> None:
    page = serve_html(SHORT_TEXTS.replace("LAST", str(last)))
    assert not sb.extract(page).skillbook.complete
    frame = sb.extract(page, scroll=True)
    assert frame.iloc[:, 0].tolist() == [f"Part {at + 1}" for at in range(last)]
    assert frame.skillbook.complete is complete, frame.skillbook.reason
