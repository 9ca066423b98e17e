"""The cdp engine in a real browser: it must find what the dom engine finds, and act under the same refs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillbook.errors import StaleRef
from skillbook.perception import Node, Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_folder

JQUERY_UI = "usr/share/doc/libjs-jquery-ui-docs/examples"

CONTROLS = """
<style>.pre::before { content: "Pre " }</style>
<h1>Hello <b>there</b></h1><p>Para <a href="/x">link</a> text</p>
<label for=mail>Email</label><input id=mail type=email value="me@x" required>
<input type=password value=hunter2 aria-label=Password>
<label>Card <input autocomplete=cc-number value=4111222233334444></label>
<select aria-label=Pick><option>One<option selected>Two</select>
<select multiple aria-label=Many><option selected>A<option>B</select>
<details><summary>More</summary><p>hidden <button>not yet</button></p></details>
<details open><summary>Open</summary><button>now</button></details>
<div style="cursor:pointer">Pointer <span>inside</span></div><div tabindex=0>Tab stop</div>
<button class=pre title=tip>Go</button><button disabled>Off</button>
<fieldset disabled><legend>Group</legend><input type=radio aria-label=r></fieldset>
<input type=checkbox id=mixed aria-label=Mixed><input type=range aria-label=Range><input type=date aria-label=Day>
<img alt=pic src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width=10 height=10>
<svg width=10 height=10><title>icon</title></svg><svg width=0 height=0><defs><path id=p d="M0 0h9v9"/></defs></svg>
<table><caption>Prices</caption><tr><th>A<th>B<tr><td>1<td><a href=#>2</a></table>
<ul><li>x<li>y <button>z</button></ul>
<div style="content-visibility:hidden"><button>skipped</button></div>
<div style="display:contents"><button>inside contents</button></div>
<div style="visibility:hidden">no<button style="visibility:visible">yes</button></div>
<div aria-hidden=true><button>unspoken</button></div><div inert><button>inert</button></div>
<a href=# aria-label="/api/jobs">/api<wbr>/jobs</a><form><button>in a form</button></form>
<div contenteditable aria-label=Note>some <i>text</i></div>
<div role=combobox tabindex=0 aria-expanded=false aria-label=Combo>Chosen</div>
<div style="height:2000px"></div><button>far below</button>
<script>document.getElementById("mixed").indeterminate = true</script>
"""

SHADOWS = """
<open-card>light<span slot=title>Title</span></open-card><closed-card><button>slotted</button></closed-card>
<script>
for (const [name, mode] of [["open-card", "open"], ["closed-card", "closed"]])
  customElements.define(name, class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode }).innerHTML =
        `<h2><slot name=title>None</slot></h2><slot></slot><button>In ${mode}</button>
         <label for=i>Amount</label><input id=i>`;
    }
  });
</script>
"""

MODAL = """
<button>behind</button><dialog><h2>Sure?</h2><button>Yes</button></dialog>
<button popovertarget=pop>Menu</button><div id=pop popover><button>Item</button></div>
<script>document.querySelector("dialog").showModal()</script>
"""


def by_ref(snapshot: Snapshot) -> dict[str, Node]:
    return {node.ref: node for node in snapshot.nodes if node.ref}


def is_found_by_listener(node: Node) -> bool:
    """The allowed difference: only the debugger sees listeners that scripts have added."""
    return "listener" in node.extra.get("why", ())


def is_mere_block(node: Node) -> bool:
    """The allowed difference: the cdp engine has the texts of one line as one, and no blocks around a single node."""
    texts = all(child.role == "text" for child in node.children)
    return node.role == "generic" and not node.name and (texts or len(node.children) == 1)


def holds_listeners(node: Node) -> bool:
    """What follows from it: a container that the dom engine sees as nothing, or as text, has something in it."""
    return any(is_found_by_listener(child) or holds_listeners(child) for child in node.children)


def compare(page: Page) -> Snapshot:
    """Assert that both engines give the same elements, in the same states and places; returns the cdp engine's."""
    page.wait_for(idle=True)
    seen = page.snapshot(engine="cdp")
    plain = page.snapshot(engine="dom")
    cdp, dom = by_ref(seen), by_ref(plain)
    assert [ref for ref in set(dom) - set(cdp) if not is_mere_block(dom[ref])] == []
    more = [cdp[ref] for ref in set(cdp) - set(dom)]
    assert [
        n.ref for n in more if not (is_found_by_listener(n) or (n.role == "generic" and holds_listeners(n)))
    ] == []
    for ref in set(dom) & set(cdp):
        node, other = dom[ref], cdp[ref]
        # Chrome takes what CSS puts in the place of an element's content for an image.
        role = "generic" if (node.role, other.role) == ("generic", "img") else other.role
        assert (role, other.tag) == (node.role, node.tag)
        # Chrome puts a space where a word may break (`wbr`).
        is_same = other.name.replace(" ", "") == node.name.replace(" ", "")
        assert is_same or (node.role == "generic" and holds_listeners(other))
        flags = (
            other.flags & ~State.ACTIONABLE | node.flags & State.ACTIONABLE
            if is_found_by_listener(other)
            else other.flags
        )
        # What lies over a control only the dom engine asks; behind a modal dialog both know, but Chrome says nothing
        # of popups there.
        covered = node.flags & State.OBSCURED if not plain.modals else 0
        popup = node.flags & State.COLLAPSED if plain.modals and node.flags & State.OBSCURED else 0
        assert State(flags | covered | popup) == State(node.flags), f"{ref} {node.role} {node.name!r}"
        if node.flags & State.ACTIONABLE:
            assert other.box == node.box, f"{ref} {node.role} {node.name!r}"
            assert other.extra.get("value") == node.extra.get("value")
            assert other.extra.get("href") == node.extra.get("href")
    assert len(dom) > 2
    return seen


@pytest.mark.parametrize("html", [CONTROLS, SHADOWS, MODAL], ids=["controls", "shadows", "modal"])
def test_engines_agree(serve_html: Callable[[str], Page], html: str) -> None:
    page = serve_html(html)
    compare(page)
    page.evaluate("scrollTo(0, 500)")
    compare(page)


@pytest.mark.parametrize(
    "demo",
    [
        "accordion/default",
        "dialog/modal-form",
        "datepicker/inline",
        "tabs/default",
        "menu/default",
        "spinner/default",
    ],
)
def test_engines_agree_on_jquery_ui(jqueryui: Site, open_page: Callable[[str], Page], demo: str) -> None:
    compare(open_page(f"{jqueryui.url.rstrip('/')}/{JQUERY_UI}/{demo}.html"))


@pytest.mark.parametrize("task", ["book-flight", "email-inbox", "social-media", "use-slider"])
def test_engines_agree_on_miniwob(miniwob: Site, open_page: Callable[[str], Page], task: str) -> None:
    page = open_page(f"{miniwob.url.rstrip('/')}/miniwob/{task}.html")
    page.evaluate("Math.seedrandom('7'); core.startEpisodeReal()")
    compare(page)


def test_engines_agree_on_swagger(swagger: Site, open_page: Callable[[str], Page]) -> None:
    page = open_page(swagger.url)
    page.wait_for(text="terminals")
    assert len(compare(page).nodes) > 300


def test_engines_agree_on_shoelace(shoelace: Site, open_page: Callable[[str], Page]) -> None:
    page = open_page(shoelace.url)
    page.wait_for(text="Gift wrap")
    compare(page)


@pytest.fixture
def two_sites(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Two origins over one folder: the second one's frames live in another process."""
    with serve_folder(tmp_path) as site:
        other = site.url.rstrip("/").replace("127.0.0.1", "localhost")

        def write(name: str, html: str) -> None:
            (tmp_path / name).write_text(f"<!doctype html><title>T</title>{html}", encoding="utf-8")

        write(
            "inner.html",
            "<button onclick=\"this.textContent='Done'\">Inner</button><iframe srcdoc='<a href=x>Deep</a>'></iframe>",
        )
        write(
            "outer.html",
            f"<h1>Outer</h1><iframe src='{other}/inner.html'></iframe><iframe src=inner.html></iframe>",
        )
        yield f"{site.url.rstrip('/')}/outer.html", other


def test_frames_of_other_processes(
    two_sites: tuple[str, str], open_page: Callable[[str], Page], browser: Browser
) -> None:
    page = open_page(two_sites[0])
    browser.allow(two_sites[1])
    page.wait_for(idle=True)
    first = page.snapshot(engine="cdp")
    assert [node.name for node in first.nodes if node.role == "button"] == ["Inner", "Inner"]
    assert [node.name for node in first.nodes if node.role == "link"] == ["Deep", "Deep"]
    assert first.missing == ()
    compare(page)
    button = next(node for node in first.nodes if node.role == "button")
    assert button.ref is not None
    assert button.ref.startswith("f")
    page.click(button.ref)
    assert page.snapshot(engine="cdp")[button.ref].name == "Done"


def test_refs_are_shared_and_new_ones_go_on(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<button id=a>A</button><button id=b>B</button>")
    before = page.snapshot(engine="cdp")
    page.evaluate("a.insertAdjacentHTML('beforebegin', '<button>New</button>')")
    dom, cdp = page.snapshot(), page.snapshot(engine="cdp")
    names = {node.ref: node.name for node in cdp.nodes if node.ref}
    assert names == {node.ref: node.name for node in dom.nodes if node.ref}
    assert [node.name for node in before.nodes if node.ref in names] == ["A", "B"]
    page.evaluate("b.remove()")
    with pytest.raises(StaleRef):
        page.click(next(node.ref for node in before.nodes if node.name == "B") or "")


def test_listeners_are_found(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<div id=a>Clicked by script</div><p>other</p><script>"
        "a.addEventListener('click', () => { a.textContent = 'Thanks' })</script>"
    )
    found = next(node for node in page.snapshot(engine="cdp").nodes if node.name == "Clicked by script")
    assert found.ref is not None
    assert found.extra["why"] == ["listener"]
    page.click(found.ref)
    assert page.snapshot(engine="cdp")[found.ref].name == "Thanks"


def test_secrets_are_never_in_it(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<input id=p type=password value=hunter2 aria-label=Password>"
        "<label id=l>Card <input autocomplete=cc-number value=4111222233334444></label>"
        "<button aria-labelledby=l>Pay</button>"
    )
    page.snapshot()
    page.evaluate("p.type = 'text'")
    seen = page.snapshot(engine="cdp")
    for secret in ("hunter2", "4111222233334444"):
        assert secret not in repr([(node.name, node.extra) for node in seen.nodes])
    assert sum(bool(node.flags & State.SECRET) for node in seen.nodes) == 2


def test_every_action_and_change_makes_a_new_snapshot(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<button onclick=\"this.textContent='Two'\">One</button><input aria-label=f>")
    one = page.snapshot(engine="cdp")
    button = next(node.ref for node in one.nodes if node.name == "One") or ""
    page.click(button)
    assert page.snapshot(engine="cdp")[button].name == "Two"
    page.evaluate("document.querySelector('button').textContent = 'Three'")
    assert page.snapshot(engine="cdp")[button].name == "Three"
    page.fill("textbox 'f'", "typed")
    assert any(node.extra.get("value") == "typed" for node in page.snapshot(engine="cdp").nodes)
    assert one[button].name == "One"


def test_pages_that_refuse_scripts_are_read_and_used(browser: Browser) -> None:
    page = browser.open("about:blank")
    page.evaluate(
        "document.body.innerHTML = `<h1>Hi</h1><button onclick=\"this.textContent='done'\">Go</button>"
        "<input aria-label=f><input type=checkbox aria-label=c>`"
    )
    for engine in ("dom", "cdp"):
        assert [node.name for node in page.snapshot(engine=engine).elements] == ["Go", "f", "c"]
    page.click("button 'Go'")
    page.fill("textbox 'f'", "hello")
    page.type("textbox 'f'", " you")
    page.check("checkbox 'c'")
    after = page.snapshot(engine="cdp")
    assert [node.name for node in after.elements] == ["done", "f", "c"]
    assert after.elements[1].extra["value"] == "hello you"
    assert after.elements[2].flags & State.CHECKED
    button = after.elements[0].ref or ""
    page.reload()
    assert len(page.snapshot(engine="cdp").nodes) == 0
    with pytest.raises(StaleRef):
        page.click(button)
    page.close()


def test_frames_in_pages_that_refuse_scripts(browser: Browser) -> None:
    page = browser.open("about:blank")
    page.evaluate(
        "new Promise(done => { document.body.innerHTML = `<button>Go</button>"
        "<iframe srcdoc='<button>One</button>'></iframe><iframe srcdoc='<button>Two</button>'></iframe>`;"
        "const all = [...document.querySelectorAll('iframe')];"
        "Promise.all(all.map(each => new Promise(ok => { each.onload = ok }))).then(() => done(all.length)) })"
    )
    for engine in ("dom", "cdp", "dom"):
        seen = page.snapshot(engine=engine)
        assert [(node.name, node.ref) for node in seen.elements if node.role == "button"] == [
            ("Go", "e1"),
            ("One", "f1e1"),
            ("Two", "f2e1"),
        ]
    page.close()
