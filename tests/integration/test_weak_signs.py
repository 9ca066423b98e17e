"""Test ids and class words of buttons count if a script listens for clicks further up; both engines agree."""

from __future__ import annotations

import time
from collections.abc import Callable

from skillbook.perception import Snapshot
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

MARKUP = """
<main id=app>
<div id=submit data-testid="submit-btn">Submit</div>
<div id=next class="clickable">Next</div>
<p>Read <span id=more class="link">more</span> of it</p>
<em id=cypress data-cy="row-menu">Menu</em>
<div id=trash class="btn btn-danger"><svg width=16 height=16><path d="M0 0h16v16H0z"/></svg></div>
<div id=camel class="Card_closeButton__x1">Close</div>
<a id=anchor class="btn">Add</a>
<li id=item class="nav-link">Item</li>
<div id=group class="btn-group"><div id=left class="btn">Left</div><div id=right class="btn">Right</div></div>
<div id=bar class="button-bar"><button id=real>Real</button></div>
<div id=blinking class="blinking linked">Not a link</div>
<div id=empty class="btn-icon"></div>
<section id=article data-testid="article"><h2>Title</h2><p>One</p><p>Two</p><p>Three</p><ul><li>Four</li></ul></section>
<button id=plain><span id=inside class="btn-label">Plain</span></button>
</main>
"""
DELEGATED = """<script>
const clicks = [];
document.addEventListener("click", (event) => {
  const hit = event.target.closest("[data-testid],[data-cy],.clickable,.link,.btn");
  if (hit) clicks.push(hit.id);
});
</script>"""
WEAK = {"submit", "next", "more", "cypress", "trash", "camel", "item", "left", "right"}


def weak(snapshot: Snapshot) -> dict[str, str]:
    """Ids and refs of what is actionable by a weak sign alone."""
    return {
        str(node.html_id): str(node.ref)
        for node in snapshot.elements
        if {"test id", "class"} & set(node.extra.get("why", ()))
    }


def listening(snapshot: Snapshot) -> bool:
    return any("listener" in node.extra.get("why", ()) for node in snapshot.elements)


def wait_for_signs(page: Page) -> Snapshot:
    """A snapshot after the debugger said who listens."""
    end = time.monotonic() + 10
    while not weak(snapshot := page.snapshot()):
        assert time.monotonic() < end, snapshot.text()
    return snapshot


def test_signs_are_reasons_below_a_listener(serve_html: Serve) -> None:
    page = serve_html(MARKUP + DELEGATED)
    snapshot = wait_for_signs(page)
    assert set(weak(snapshot)) == WEAK
    assert [node.html_id for node in snapshot.find_all("link")] == ["anchor"]
    page.click(weak(snapshot)["trash"])
    page.click("generic 'Submit'")
    page.click("generic 'Left'")
    assert page.evaluate("clicks") == ["trash", "submit", "left"]
    line = next(line for line in snapshot.text().splitlines() if f"[ref={weak(snapshot)['trash']}]" in line)
    assert "graphics" not in line


def test_a_listener_on_an_element_between_counts_too(serve_html: Serve) -> None:
    page = serve_html(MARKUP + '<script>app.addEventListener("mousedown", () => {})</script>')
    assert set(weak(wait_for_signs(page))) == WEAK


def test_both_engines_agree(serve_html: Serve) -> None:
    page = serve_html(MARKUP + DELEGATED)
    ours = weak(wait_for_signs(page))
    theirs = weak(page.snapshot(engine="cdp"))
    theirs.pop("anchor")  # a link to the content script; Chrome gives it no role
    assert theirs == ours


def test_signs_are_nothing_if_nobody_listens(serve_html: Serve) -> None:
    page = serve_html(
        MARKUP + '<div id=card>Card</div><script>card.addEventListener("click", () => {})</script>'
    )
    end = time.monotonic() + 10
    while not listening(snapshot := page.snapshot()):
        assert time.monotonic() < end
    assert not weak(snapshot)
    assert not weak(page.snapshot(engine="cdp"))


def test_unnamed_controls_show_their_test_id(read_html: Serve) -> None:
    page = read_html(
        '<button data-testid="save-order"><svg width=9 height=9></svg></button><button>Go</button>'
    )
    text = page.snapshot().text()
    assert 'testid "save-order"' in text
    assert text.count("testid") == 1


def test_canvas_and_charts_have_lines_and_refs(read_html: Serve) -> None:
    page = read_html("""
    <canvas id=plot width=300 height=150></canvas>
    <div aria-hidden=true><canvas id=hidden width=200 height=100></canvas></div>
    <svg id=chart width=400 height=200><text x=10 y=20>Jan</text><text x=90 y=20>Feb</text><path d="M0 0h9"/></svg>
    <svg id=icon width=16 height=16><path d="M0 0h9"/></svg>
    <img id=photo width=300 height=200 src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
    <img id=dot width=9 height=9 src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
    """)
    for snapshot in (page.snapshot(), page.snapshot(engine="cdp")):
        refs = {str(node.html_id): f"[ref={node.ref}]" for node in snapshot.nodes if node.html_id}
        text = snapshot.text()
        shown = {name for name, ref in refs.items() if ref in text}
        assert shown == {"plot", "hidden", "chart", "photo"}, text
        assert text.count("Jan") == 1
