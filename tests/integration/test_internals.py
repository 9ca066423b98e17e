"""Custom elements that say what they are by `ElementInternals`, which no script but their own sees."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch
from skillbook.perception import Node, Snapshot
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

PAGE = """
<main><my-button>Save</my-button><my-button disabled>Later</my-button>
<label>News <my-check></my-check></label><label for=size>Size</label><my-field id=size></my-field>
<my-slider></my-slider><my-named></my-named><my-plain>Plain</my-plain><my-button role=link>Away</my-button></main>

<script>
var pressed = [];
class Base extends HTMLElement {
  internals = this.attachInternals();
}
customElements.define("my-button", class extends Base {
  constructor() {
    super();
    this.internals.role = "button";
    this.attachShadow({ mode: "open" }).innerHTML = "<slot></slot>";
    this.addEventListener("click", () => pressed.push(this.textContent));
  }
  connectedCallback() {
    this.tabIndex = 0;
    if (this.hasAttribute("disabled")) this.internals.ariaDisabled = "true";
  }
});
customElements.define("my-check", class extends Base {
  static formAssociated = true;
  constructor() {
    super();
    this.internals.role = "checkbox";
    this.internals.ariaChecked = "false";
    const root = this.attachShadow({ mode: "closed" });
    root.innerHTML = "<span style='display:inline-block;width:20px;height:20px'></span>";
    this.addEventListener("click", (event) => {
      event.preventDefault();
      this.internals.ariaChecked = String(this.internals.ariaChecked !== "true");
    });
  }
});
customElements.define("my-field", class extends Base {
  static formAssociated = true;
  constructor() {
    super();
    this.internals.role = "textbox";
    this.internals.ariaRequired = "true";
  }
  connectedCallback() {
    this.contentEditable = "true";
    this.style = "display:inline-block; width: 9em; height: 1em";
  }
});
customElements.define("my-slider", class extends Base {
  constructor() {
    super();
    Object.assign(this.internals, { role: "slider", ariaLabel: "Volume", ariaValueMin: "0", ariaValueMax: "9" });
    this.internals.ariaValueNow = "4";
    this.style = "display:inline-block; width: 9em; height: 1em";
  }
});
customElements.define("my-named", class extends Base {
  constructor() {
    super();
    Object.assign(this.internals, { role: "switch", ariaLabel: "Night", ariaChecked: "true" });
    this.style = "display:inline-block; width: 9em; height: 1em";
  }
});
customElements.define("my-plain", class extends HTMLElement {});
</script>"""


def wait_until(page: Page, holds: Callable[[Snapshot], bool]) -> Snapshot:
    """The snapshot of which it holds: the debugger is queried after a snapshot, for the next one."""
    end = time.monotonic() + 10
    while not holds(snapshot := page.snapshot()):
        assert time.monotonic() < end, told(snapshot)
    return snapshot


def known(page: Page) -> Snapshot:
    return wait_until(page, lambda snapshot: "Night" in told(snapshot))


def told(snapshot: Snapshot) -> dict[str, tuple[str, frozenset[str]]]:
    states = {"checked", "disabled", "required", "editable", "expanded", "collapsed"}
    return {node.name: (node.role, node.states & states) for node in snapshot.elements}


def node(snapshot: Snapshot, name: str) -> Node:
    return next(each for each in snapshot.elements if each.name == name)


def test_roles_names_and_states(serve_html: Serve) -> None:
    snapshot = known(serve_html(PAGE))
    assert told(snapshot) == {
        "Save": ("button", frozenset()),
        "Later": ("button", {"disabled"}),
        "News": ("checkbox", frozenset()),
        "Size": ("textbox", {"required", "editable"}),
        "Volume": ("slider", frozenset()),
        "Night": ("switch", {"checked"}),
        "Away": ("link", frozenset()),
    }
    volume = node(snapshot, "Volume").extra
    assert [volume.get(key) for key in ("valuemin", "valuemax", "valuenow")] == [0, 9, 4]


def test_both_engines_say_the_same(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    ours, theirs = known(page), page.snapshot(engine="cdp")
    assert {each.ref: each.name for each in ours.elements} == {
        each.ref: each.name for each in theirs.elements
    }
    assert told(ours) == told(theirs)


def test_states_are_those_of_the_moment(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    assert "checked" not in node(known(page), "News").states
    for checked in (True, False, True):
        page.click("checkbox 'News'")
        assert ("checked" in node(page.snapshot(), "News").states) is checked
    page.evaluate("document.querySelector('my-named').internals.ariaLabel = 'Day'")
    found = wait_until(page, lambda snapshot: "Day" in told(snapshot))
    assert told(found)["Day"] == ("switch", {"checked"})


def test_they_are_used_by_their_roles(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    known(page)
    page.click("button 'Save'")
    assert page.evaluate("pressed") == ["Save"]
    page.fill("textbox 'Size'", "Large")
    assert page.evaluate("document.getElementById('size').textContent") == "Large"
    page.check("checkbox 'News'")
    page.check("checkbox 'News'")
    assert page.evaluate("document.querySelector('my-check').internals.ariaChecked") == "true"


def test_elements_that_are_defined_later(serve_html: Serve) -> None:
    page = serve_html("<late-one>Later</late-one>")
    assert told(page.snapshot()) == {}
    page.evaluate(
        "customElements.define('late-one', class extends HTMLElement {"
        "constructor() { super(); this.attachInternals().role = 'button' } })"
    )
    found = wait_until(page, lambda snapshot: told(snapshot) != {})
    assert told(found) == {"Later": ("button", frozenset())}


HELPED = """<helped-one>Helped</helped-one><script>
class Internals {
  constructor(host, how) { Object.assign(host.attachInternals(), how); }
  static of(host, how) { return new Internals(host, how); }
}
customElements.define("helped-one", class extends HTMLElement {
  #internals = Internals.of(this, { role: "button", ariaExpanded: "false" });
});
</script>"""


def test_elements_that_leave_their_internals_to_a_helper(serve_html: Serve) -> None:
    found = wait_until(serve_html(HELPED), lambda snapshot: told(snapshot) != {})
    assert told(found) == {"Helped": ("button", frozenset({"collapsed"}))}


def test_a_custom_button_counts_beside_a_native_one_of_its_name(serve_html: Serve) -> None:
    page = serve_html(PAGE + "<button onclick='pressed.push(\"native\")'>Save</button>")
    known(page)
    with pytest.raises(AmbiguousMatch):
        page.click("button 'Save'", timeout=0)
    page.check("checkbox 'News'")
    assert page.is_("checked", "checkbox 'News' [checked]")
    assert page.evaluate("pressed.length") == 0
