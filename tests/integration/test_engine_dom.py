"""The dom engine's snapshots in Chromium."""

from __future__ import annotations

import re

import pytest

from skillbook.protocol.snapshot import State
from tests.integration.engine_page import EnginePages

FORM = """
<form aria-label=Order><label>Name <input name=n value=v required></label><label for=m>Mail</label>
<input id=m type=email placeholder=Hint><label>Pin <input type=password value=geheim></label>
<input type=search aria-label=Find><input type=number aria-label=Count><input type=range aria-label=Volume>
<input type=date aria-label=Day><input type=color aria-label=Colour><input type=time aria-label=Hour>
<input type=file aria-label=File><input list=l aria-label=City><datalist id=l><option>Oslo</datalist>
<fieldset><legend>Ship</legend><label><input type=radio name=s checked> Fast</label>
<label><input type=radio name=s> Slow</label></fieldset>
<label><input type=checkbox> Gift</label><select aria-label=Size><option>S<option selected>M</select>
<select multiple aria-label=Extras><optgroup label=Sauces><option>Red<option>Green</optgroup></select>
<textarea aria-label=Note></textarea><input type=image alt=Map src=a><input type=submit><input type=reset>
<button>Send <b>now</b></button><button disabled>Never</button></form>"""

WIDGETS = """
<div role=tablist><button role=tab aria-selected=true>One</button><div role=tab tabindex=0>Two</div></div>
<ul role=menu><li role=menuitem tabindex=-1>Cut</li><li role=menuitemcheckbox aria-checked=true>Wrap</li></ul>
<div role=combobox tabindex=0 aria-expanded=false aria-label=Pick>Red</div>
<ul role=listbox aria-label=List><li role=option aria-selected=true>A</li><li role=option>B</li></ul>
<ul role=tree aria-label=Tree><li role=treeitem aria-expanded=true>Root<ul role=group><li role=treeitem>Leaf</li>
</ul></li></ul>
<div role=slider tabindex=0 aria-valuenow=3 aria-valuemin=0 aria-valuemax=9 aria-label=Level></div>
<span role=switch aria-checked=mixed tabindex=0>Mode</span><div role=textbox contenteditable aria-label=Rich>x</div>
<details><summary>More</summary><button>Inside</button></details><a href=/>Home</a><a href=#x aria-current=page>Here</a>
<button aria-pressed=true>Bold</button><button aria-haspopup=menu>Menu</button><input role=spinbutton aria-label=Spin>
<button popovertarget=p>Pop</button><div popover id=p><button>In popover</button></div>
<h2><a href=/h>Head</a></h2><div role=button tabindex=0><img src=a alt=Icon> Text</div>"""

TABLES = """
<table><caption>Prices</caption><thead><tr><th>Part<th>Price</tr></thead><tbody>
<tr><th scope=row>Bolt<td>1 <a href=/b>buy</a></tr><tr><td>Nut<td colspan=2>2</tr></tbody></table>
<table role=grid aria-label=Grid><tr><td tabindex=0>One</td><td><button>Two</button></td></tr></table>
<table role=presentation><tr><td><a href=/l>layout</a></td></tr></table>"""

SHADOW = """
<x-field><template shadowrootmode=open><label for=i><slot name=label></slot></label><input id=i></template>
<span slot=label>City</span></x-field>
<x-list><template shadowrootmode=open><ul><li><button><slot></slot></button></li></ul></template>Slotted</x-list>"""

HIDDEN = """
<button style="display:none">a</button><button style="visibility:hidden">b</button><button hidden>c</button>
<div inert><button>d</button></div><div aria-hidden=true><button tabindex=-1>e</button></div>
<details><summary>S</summary><button>f</button></details><dialog><button>g</button></dialog>
<div style="content-visibility:hidden"><button>h</button></div><div hidden=until-found><button>i</button></div>
<div style="visibility:hidden">x<button style="visibility:visible">Shown</button></div>
<div style="display:contents"><button>Contents</button></div><select><option>o</select>
<div style="width:0;height:0;overflow:hidden"><p></p></div><button style="opacity:0">Clear</button>"""

PAGES = {"form": FORM, "widgets": WIDGETS, "tables": TABLES, "shadow": SHADOW, "hidden": HIDDEN}

# Where Chrome's tree has something else, and why.
ALLOWED = {
    "button 'File": "Chrome adds the chosen file's name to the label",
}


@pytest.mark.parametrize("kind", PAGES)
def test_chrome_finds_the_same_controls(engine: EnginePages, kind: str) -> None:
    engine.show(PAGES[kind])
    if "shadowrootmode" in PAGES[kind]:
        engine.page.goto(f"data:text/html,<!doctype html>{PAGES[kind]}")
        engine.install()
    count, found = engine.differences()
    assert [line for line in found if not line.startswith(tuple(ALLOWED))] == []
    assert count >= 2


def test_hidden_by_every_rule(engine: EnginePages) -> None:
    engine.show(HIDDEN)
    names = [node.name for node in engine.nodes() if node.role == "button"]
    assert names == ["S", "Shown", "Contents", "Clear"]


def test_text_is_shown_once(engine: EnginePages) -> None:
    engine.show("""<h1>Shop</h1><p>Hello <b>world</b>, see <a href=/d>docs</a> for more.</p>
      <label>Name <input></label><fieldset><legend>Ship</legend><button>Go <i>on</i></button></fieldset>
      <table><caption>Cap</caption><tr><td>cell</td><td>mixed <a href=/e>edit</a></td></tr></table>
      <ul><li>item <ul><li>nested</ul></ul><a href=/c><img alt=pic src=a></a><div>loose</div><div>end</div>""")
    nodes = engine.nodes()
    shown = engine.page.evaluate("document.body.innerText")
    inner = {i for i, node in enumerate(nodes) if node.role == "text" or not _has_children(nodes, i)}
    told = " ".join(node.name for i, node in enumerate(nodes) if i in inner)
    named = " ".join(node.name for node in nodes if node.role in {"group", "table"})
    assert sorted(re.findall(r"\w+", f"{told} {named}")) == sorted([*re.findall(r"\w+", shown), "pic"])


def test_players_with_controls_are_told(engine: EnginePages) -> None:
    engine.show("<video controls aria-label=Clip></video><video></video><audio controls></audio>")
    told = [(node.role, node.name, node.extra.why) for node in engine.nodes() if node.extra.why]
    assert told == [("video", "Clip", ["controls"]), ("audio", "", ["controls"])]


def test_text_that_does_not_show_is_not_told(engine: EnginePages) -> None:
    engine.show("""<details><summary>Closed</summary>first</details>
      <details open><summary>Open</summary>second</details>
      <a href=/x>Link <details><summary>More</summary>third</details></a>
      <div style="content-visibility:hidden">skip</div>
      <p>a<span hidden>b</span><span style="visibility:hidden">c</span></p>""")
    shown = [node.name for node in engine.nodes() if node.role in {"text", "link"}]
    assert shown == ["second", "Link", "Link", "a"]
    engine.page.click("summary >> nth=0")
    assert next(node.name for node in engine.nodes() if node.role == "text") == "first"


def _has_children(nodes: list, i: int) -> bool:  # type: ignore[type-arg]
    return i + 1 < len(nodes) and nodes[i + 1].depth > nodes[i].depth


def test_structure(engine: EnginePages) -> None:
    engine.show("""<main><div><div><button>Alone</button></div></div>
      <div class="card wide"><h3>T</h3><span>$5</span></div><p>One <b>two</b><br>three</p></main>""")
    assert engine.outline() == [
        "main",
        "  button Alone",
        "  generic",
        "    heading T",
        "    text $5",
        "  paragraph",
        "    text One two",
        "    text three",
    ]
    assert next(node for node in engine.nodes() if node.role == "generic").tag == "div.card.wide"


FIELDS = """<div><b>Item</b><span class=price>€3</span></div><p>some <em>emphasised</em> words</p>
  <div><span class=sign>$</span><span class=whole>12</span><sup>99</sup></div><h2><b>Over</b><i>view</i></h2>
  <div><span>S</span><span>ave</span></div><pre><b>def</b><i>f</i></pre><p>see <span><b>A</b><i>B</i></span></p>
  <div style="white-space:pre"><b>def</b><i>f</i></div><div><span>By <b>Ann</b></span><time>3 May</time></div>"""


def test_inline_elements_of_different_kinds_are_fields_but_for_prose(engine: EnginePages) -> None:
    engine.show(FIELDS)
    told = [node.name for node in engine.nodes() if node.role in {"text", "heading"}]
    assert told == [
        *("Item", "€3", "some emphasised words", "$12⁹⁹", "Overview", "Save", "deff", "see AB", "deff"),
        *("By Ann", "3 May"),
    ]


def test_states(engine: EnginePages) -> None:
    engine.show(FORM + WIDGETS)
    by_name = {node.name: node for node in engine.nodes() if node.number}

    def states(name: str) -> State:
        return by_name[name].flags & ~(State.ACTIONABLE | State.OFFSCREEN | State.INLINE)

    assert states("Name") == State.REQUIRED | State.EDITABLE
    assert states("Pin") == State.SECRET | State.EDITABLE
    assert states("Fast") == State.CHECKED
    assert states("Never") == State.DISABLED
    assert states("M") == State.SELECTED
    assert states("Extras") == State.MULTISELECTABLE
    assert states("Note") == State.EDITABLE | State.MULTILINE
    assert states("One") == State.SELECTED
    assert states("Wrap") == State.CHECKED
    assert states("Mode") == State.MIXED
    assert states("Pick") == State.COLLAPSED
    assert states("Bold") == State.PRESSED
    assert states("Here") == State.CURRENT
    assert states("More") == State.COLLAPSED
    assert by_name["Level"].extra.valuenow == 3
    assert by_name["Level"].extra.valuemax == 9
    assert by_name["Size"].extra.value == "M"
    assert by_name["Menu"].extra.haspopup == "menu"


def test_secrets_are_nowhere(engine: EnginePages) -> None:
    engine.show("""<label>P <input type=password value=geheim1></label><input autocomplete=cc-number value=geheim2>
      <input autocomplete=one-time-code value=geheim3><button>Go <input type=password value=geheim4></button>""")
    assert "geheim" not in engine.tree().model_dump_json()
    engine.page.evaluate("document.querySelector('input').type = 'text'")
    assert "geheim" not in engine.tree().model_dump_json()


def test_why(engine: EnginePages) -> None:
    engine.show("""<div onclick="1">a</div><div style="cursor:pointer">b <i>c</i></div><div tabindex=0>d</div>
      <div contenteditable>e</div><div draggable=true>f</div><div data-testid=t>g</div><div>h</div>
      <label style="cursor:pointer"><input type=checkbox style="display:none">i</label>
      <div style="cursor:pointer"><button>j</button></div>""")
    why = {node.name: node.extra.why for node in engine.nodes() if State.ACTIONABLE in node.flags}
    assert why == {
        "a": ["onclick"],
        "b c": ["cursor"],
        "d": ["tabindex"],
        "e": ["contenteditable"],
        "f": ["draggable"],
        "i": ["label of a hidden field", "cursor"],
        "j": None,
    }
    assert [node.extra.test_id for node in engine.nodes() if node.extra.test_id] == ["t"]


def test_refs_stay_and_are_never_reused(engine: EnginePages) -> None:
    engine.show("<button>A</button><button>B</button>")
    first = {node.name: node.number for node in engine.nodes()}
    engine.page.evaluate(
        "document.body.prepend(Object.assign(document.createElement('button'), {innerText: 'New'}))"
    )
    engine.page.evaluate("document.querySelectorAll('button')[2].outerHTML = '<button>B</button>'")
    second = {node.name: node.number for node in engine.nodes()}
    assert first == {"A": 1, "B": 2}
    assert second["A"] == 1
    assert sorted([second["New"], second["B"]]) == [3, 4]
    assert engine.page.evaluate("engine.refs.find(2)") == {"error": "stale"}
    assert engine.page.evaluate("engine.refs.find(9)") == {"error": "unknown"}


def test_behind_a_modal_dialog(engine: EnginePages) -> None:
    engine.show("<button>Behind</button><dialog><button>Front</button></dialog>")
    engine.page.evaluate("document.querySelector('dialog').showModal()")
    flags = {node.name or node.role: node.flags for node in engine.nodes()}
    assert State.OBSCURED in flags["Behind"]
    assert State.OBSCURED not in flags["Front"]
    assert State.MODAL in flags["dialog"]
    assert State.FOCUSED in flags["Front"]


_COVERS = """
<style>body{margin:0} .row{height:40px} .notice{position:fixed;left:0;top:0;width:300px;height:44px;background:#eee}
.glass{position:absolute;left:0;top:80px;width:300px;height:40px;pointer-events:none}
label{position:relative;display:block} label span{position:absolute;inset:0;background:#eee}
.scroller{height:60px;overflow:auto;position:absolute;top:300px;left:0;width:300px}
.bar{position:absolute;top:360px;left:0;width:300px;height:200px;background:#ccc}</style>
<div class="row"><button>Under the notice</button></div>
<div class="row"><button style="width:400px">Half under it</button></div>
<div class="row"><button>Under glass</button><div class="glass"></div></div>
<label><input type="checkbox"><span>Drawn by its label</span></label>
<p style="width:120px">One word <a href="#">a link that breaks into several lines</a> and <a href="#next">next</a></p>
<div class="scroller"><div style="height:90px"></div><button>Scrolled away</button></div>
<div class="bar"><button>On the bar</button></div>
<button disabled style="pointer-events:none">Takes no events</button>
<div class="notice" style="height:38px">News <button>Close</button></div>
"""


def test_controls_that_something_lies_over(engine: EnginePages) -> None:
    engine.show(_COVERS)
    told = {
        node.name: State.OBSCURED in node.flags for node in engine.nodes() if State.ACTIONABLE in node.flags
    }
    assert {name for name, covered in told.items() if covered} == {"Under the notice"}
    assert {"Half under it", "Under glass", "Drawn by its label", "Scrolled away", "Close"} <= set(told)
    engine.page.evaluate("document.querySelector('.notice').remove()")
    assert not any(State.OBSCURED in node.flags for node in engine.nodes())


def test_a_text_that_grows_over_a_control(engine: EnginePages) -> None:
    engine.show(
        "<style>body{margin:0} button{display:block;height:30px;width:200px} "
        "#news{position:absolute;top:0;left:0;background:#eee} #tip{position:absolute;top:0;left:0;width:200px}</style>"
        "<div style='position:relative'><div id=news>n</div><button>First</button><button>Second</button></div>"
        "<div style='position:relative'><div id=tip></div><button>Third</button></div>"
    )

    def covered() -> list[str]:
        return [node.name for node in engine.nodes() if State.OBSCURED in node.flags]

    assert covered() == []
    engine.page.evaluate("news.firstChild.data = 'Much longer news '.repeat(9)")
    assert covered() == ["First"]
    engine.page.evaluate("tip.textContent = 'A tip of several lines '.repeat(9)")
    assert covered() == ["First", "Third"]
    engine.page.evaluate("news.firstChild.data = ''")
    assert covered() == ["Third"]
    engine.page.evaluate("tip.firstChild.remove()")
    assert covered() == []


def test_a_control_in_a_shadow_root_under_a_curtain(engine: EnginePages) -> None:
    engine.show("<div id=host></div><div id=curtain style='position:fixed;inset:0;opacity:.2'></div>")
    engine.page.evaluate(
        "host.attachShadow({mode: 'open'}).innerHTML = '<button>Inside</button><slot></slot>'"
    )
    assert [node.name for node in engine.nodes() if State.OBSCURED in node.flags] == ["Inside"]
    engine.page.evaluate("curtain.style.display = 'none'")
    assert not any(State.OBSCURED in node.flags for node in engine.nodes())


def test_the_options_of_lists_that_cannot_be_seen_are_not_told(engine: EnginePages) -> None:
    lists = ["style='visibility:hidden'", "hidden", "style='display:block'"]
    engine.show("".join(f"<select {each}><option>{n}</option></select>" for n, each in enumerate(lists)))
    assert [node.name for node in engine.nodes() if node.role == "option"] == ["2"]


def test_off_screen(engine: EnginePages) -> None:
    engine.show("<button>Here</button><div style='height:3000px'></div><main><button>There</button></main>")
    assert {node.name for node in engine.nodes() if State.OFFSCREEN in node.flags} == {"There", ""}
    here = next(node for node in engine.nodes() if node.name == "Here")
    rect = engine.page.evaluate("document.querySelector('button').getBoundingClientRect().toJSON()")
    assert here.box[:2] == (round(rect["x"]), round(rect["y"]))
    assert abs(here.box[2] - rect["width"]) <= 1


def test_closed_shadow_roots(engine: EnginePages) -> None:
    engine.show("<div id=host></div>")
    engine.page.evaluate("""() => {
      const root = document.querySelector('#host').attachShadow({mode: 'closed'});
      root.innerHTML = '<button>Closed</button>';
      const open = (element) => (element.id === 'host' ? root : element.shadowRoot);
      window.engine = skillbookEngine(open);
    }""")
    assert engine.outline() == ["button Closed"]
    before = engine.page.evaluate("engine.watch.version")
    engine.page.evaluate(
        "engine.flat.shadow(document.querySelector('#host')).querySelector('button').append('!')"
    )
    assert engine.page.evaluate("engine.watch.version") > before
    assert engine.outline() == ["button Closed!"]


@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('i').append('x')",
        "document.querySelector('i').firstChild.data = 'y'",
        "document.querySelector('i').className = 'z'",
        "document.querySelector('i').remove()",
        "document.querySelector('input').dispatchEvent(new Event('input', {bubbles: true}))",
        "document.querySelector('input').focus()",
    ],
)
def test_version_grows_with_each_change(engine: EnginePages, change: str) -> None:
    engine.show("<i>text</i><input>")
    before = engine.page.evaluate("engine.watch.version")
    assert engine.page.evaluate("engine.watch.version") == before
    engine.page.evaluate(change)
    assert engine.page.evaluate("engine.watch.version") > before


def test_brackets_go_on_with_the_word_before_them(engine: EnginePages) -> None:
    engine.show("<p><b class=n>abs</b><span class=b>(</span><em>x</em><span class=b>)</span></p>")
    assert [node.name for node in engine.nodes() if node.role == "text"] == ["abs(x)"]
    engine.show("<p><b class=n>Inbox</b><span class=b>(3)</span></p>")
    assert [node.name for node in engine.nodes() if node.role == "text"] == ["Inbox", "(3)"]


def test_what_css_writes_in_capitals_is_told_once_as_the_page_has_it(engine: EnginePages) -> None:
    engine.show(
        "<style>* { text-transform: uppercase }</style><button>Save all</button><p>Some prose</p>"
        "<a href='#'><span style='text-transform: capitalize'>read more</span></a>"
    )
    told = [node.name for node in engine.nodes() if node.name]
    assert told == ["Save all", "Some prose", "read more"]
