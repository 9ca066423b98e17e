"""Elements that nothing but a script's own listener tells from text are found by the dom engine too."""

from __future__ import annotations

import time
from collections.abc import Callable

from skillbook.perception import Node, Snapshot
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

PLAIN = """
<h1>Plain</h1><div id=card>Open the card</div><p id=press>Press</p><span id=still>Still text</span>
<div id=keys>Keys only</div><label id=label>Name <input></label>
<div id=bar><button>One</button><button>Two</button><button>Three</button></div>
<div id=item>Item <button>Like</button> it</div><x-box></x-box><div id=late></div>
<script>
const on = (id, type) => document.getElementById(id).addEventListener(type, () => clicks.push(id));
const clicks = [];
on("card", "click"); on("press", "pointerdown"); on("keys", "keydown"); on("label", "click"); on("bar", "click");
on("item", "mousedown");
customElements.define("x-box", class extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: "closed" });
    root.innerHTML = "<b>In the shadow</b><div>Shadow part</div>";
    root.lastChild.addEventListener("click", () => {});
  }
});
</script>
"""


def listening(snapshot: Snapshot) -> dict[str, Node]:
    found = (node for node in snapshot.elements if "listener" in node.extra.get("why", ()))
    return {node.extra.get("html_id") or node.name: node for node in found}


def wait_for(page: Page, names: set[str]) -> Snapshot:
    """The snapshot that has just these: the debugger is queried after a snapshot, for the next one."""
    end = time.monotonic() + 10
    while set(listening(snapshot := page.snapshot())) != names:
        assert time.monotonic() < end, set(listening(snapshot)) ^ names
    return snapshot


def test_a_later_snapshot_has_what_scripts_listen_on(serve_html: Serve) -> None:
    page = serve_html(PLAIN)
    found = listening(wait_for(page, {"card", "press", "item", "Shadow part"}))
    page.click(found["card"].ref)
    assert page.evaluate("clicks") == ["card"]


def test_a_selector_waits_for_what_only_the_debugger_sees(serve_html: Serve) -> None:
    page = serve_html(PLAIN)
    page.click("generic 'Open the card'")
    assert page.evaluate("clicks") == ["card"]


def test_both_engines_say_the_same(serve_html: Serve) -> None:
    page = serve_html(PLAIN)
    ours = listening(wait_for(page, {"card", "press", "item", "Shadow part"}))
    theirs = listening(page.snapshot(engine="cdp"))
    assert {name: node.ref for name, node in ours.items()} == {
        name: node.ref for name, node in theirs.items()
    }


def test_what_comes_and_goes_where_the_document_grows(serve_html: Serve) -> None:
    page = serve_html(PLAIN)
    wait_for(page, {"card", "press", "item", "Shadow part"})
    page.evaluate(
        "const late = document.getElementById('late'); late.textContent = 'Late'; on('late', 'click');"
        "const card = document.getElementById('card'); card.replaceWith(card.cloneNode(true));"
        "for (let i = 0; i < 20; i++) document.body.append(document.createElement('hr'))"
    )
    wait_for(page, {"late", "press", "item", "Shadow part"})


def test_frames_have_their_own(serve_html: Serve) -> None:
    inner = "<div id=in>Inside</div><script>document.getElementById('in').onclick = () => 0</script>"
    page = serve_html(
        f'<div id=out>Outside</div><iframe srcdoc="{inner}"></iframe>'
        "<script>document.getElementById('out').addEventListener('click', () => 0)</script>"
    )
    found = listening(wait_for(page, {"out", "in"}))
    assert {name: node.ref.startswith("f") for name, node in found.items()} == {"out": False, "in": True}


def test_asking_often_does_the_page_no_harm(serve_html: Serve) -> None:
    page = serve_html(PLAIN + "<iframe srcdoc=\"<div onclick='0'>Inside</div>\"></iframe>")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        assert len(page.snapshot().elements) > 5


LATE = """
<main></main>
<script>
const build = (from, to) => {
  for (let i = from; i < to; i++) {
    const box = document.createElement("div");
    box.textContent = `Box ${i}`;
    box.addEventListener("click", () => {});
    document.querySelector("main").append(box);
  }
};
build(0, 150);
// Applications show themselves after the page has loaded.
globalThis.built = new Promise((resolve) => addEventListener("load", () => setTimeout(() => {
  build(150, 300);
  resolve(true);
}, 150)));
</script>
"""


def test_what_a_page_shows_after_it_loaded_is_found_too(serve_html: Serve) -> None:
    page = serve_html(LATE)
    boxes = {f"Box {i}" for i in range(300)}
    page.snapshot()
    assert page.evaluate("built")
    wait_for(page, boxes)
    for _ in range(3):
        page.reload()
        assert page.evaluate("built")
        wait_for(page, boxes)


MANY = """
<main></main><section><x-many></x-many></section><p id=alone>Alone <b>bold</b></p><img name=documentElement>
<script>
const many = (parent, count) => {
  for (let i = 0; i < count; i++) {
    const box = document.createElement("div");
    box.textContent = `Box ${i}`;
    for (let type = 0; type < 10; type++) box.addEventListener(`own${type}`, () => {});
    if (i % 2) box.addEventListener("click", () => {});
    parent.append(box);
  }
};
for (let group = 0; group < 10; group++) {
  const holder = document.createElement("article");
  holder.append(`Group ${group}`);
  many(holder, 120);
  document.querySelector("main").append(holder);
}
customElements.define("x-many", class extends HTMLElement {
  constructor() { super(); many(this.attachShadow({ mode: this.id ? "open" : "closed" }), 10); }
});
document.getElementById("alone").addEventListener("pointerup", () => {});
</script>
"""


def test_pages_with_very_many(serve_html: Serve) -> None:
    page = serve_html(MANY)
    found = wait_for(page, {"alone", *(f"Box {i}" for i in range(1, 120, 2))})
    assert len(found.find_all("text 'Box 1'")) == 11
    ours = [node.ref for node in found.elements if "listener" in node.extra.get("why", ())]
    assert len(ours) == 10 * 60 + 5 + 1
    theirs = [node.ref for node in page.snapshot("cdp").elements if "listener" in node.extra.get("why", ())]
    assert ours == theirs


OPEN = """
<main></main><form id=form><input name=shadowRoot><input name=dispatchEvent></form><img name=querySelectorAll>
<x-holder></x-holder>
<script>
globalThis.press = () => {};
for (let i = 0; i < 2000; i++) {
  const box = document.createElement(i % 100 ? "i" : "div");
  if (i % 100 === 0) box.textContent = `Box ${i}`;
  for (let type = 0; type < 5; type++) box.addEventListener(`own${type}`, press);
  if (i % 100 === 0) box.addEventListener("click", press);
  document.querySelector("main").append(box);
}
customElements.define("x-holder", class extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).innerHTML = "<div>Inside</div><x-inner></x-inner>";
    this.shadowRoot.firstChild.addEventListener("touchstart", press);
  }
});
customElements.define("x-inner", class extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).innerHTML = "<div>Deep inside</div>";
    this.shadowRoot.firstChild.onclick = press;
  }
});
document.getElementById("form").addEventListener("mouseup", press);
</script>
"""


def test_many_in_open_shadow_roots(serve_html: Serve) -> None:
    page = serve_html(OPEN)
    names = {*(f"Box {i}" for i in range(0, 2_000, 100)), "Inside", "Deep inside", "form"}
    found = listening(wait_for(page, names))
    theirs = listening(page.snapshot("cdp"))
    assert {name: node.ref for name, node in found.items()} == {
        name: node.ref for name, node in theirs.items()
    }


# What React does to the elements that it builds in, forty of them, one within another and one in a shadow root.
ROOTED = """
<main></main><x-holder></x-holder>
<script>
const kinds = ["click", "pointerdown", ...Array.from({ length: 78 }, (_, i) => `kind${i}`)];
const build = (root, name) => {
  root._reactListeningabc = true;
  for (const kind of kinds) for (const capture of [true, false]) root.addEventListener(kind, () => {}, capture);
  root.append(`Root ${name}`);
  const inner = root.appendChild(document.createElement("div"));
  inner.textContent = `Pressed ${name}`;
  inner.onclick = () => {};
  return root;
};
for (let i = 0; i < 40; i++) {
  const [section, plain, root] = ["section", "div", "div"].map((tag) => document.createElement(tag));
  plain.textContent = `Plain ${i}`;
  plain.addEventListener("click", () => {});
  section.append(plain, build(root, i));
  if (i === 39) root.append(build(document.createElement("div"), "within"));
  document.querySelector("main").append(section);
}
customElements.define("x-holder", class extends HTMLElement {
  constructor() { super(); build(this.attachShadow({ mode: "open" }), "in shadow"); }
});
</script>
"""


def test_what_react_builds_in_is_not_what_one_presses(serve_html: Serve) -> None:
    page = serve_html(ROOTED)
    names = [str(i) for i in range(40)] + ["within", "in shadow"]
    expected = {f"Pressed {name}" for name in names} | {f"Plain {i}" for i in range(40)}
    wait_for(page, expected)
    assert set(listening(page.snapshot("cdp"))) == expected
