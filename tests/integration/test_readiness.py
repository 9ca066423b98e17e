"""Pictures that are made ready in short tasks, and what changes them without a mutation."""

from __future__ import annotations

import pytest

from tests.integration.engine_page import EnginePages

pytestmark = pytest.mark.integration

_CARDS = "".join(
    f"<article><h3>Card {n}</h3><p>Text of <b>{n}</b></p><button>Buy {n}</button></article>"
    for n in range(1500)
)
_PLAIN = """(picture) => JSON.stringify({ ...picture.tree, roles: 0, tags: 0,
  role: picture.tree.role.map((at) => picture.tree.roles[at]),
  tag: picture.tree.tag.map((at) => (at < 0 ? "" : picture.tree.tags[at])) })"""


def _agrees(engine: EnginePages) -> bool:
    """Whether the next picture is what a whole walk finds."""
    return bool(
        engine.page.evaluate(
            f"() => {{ const plain = {_PLAIN}; const found = plain(engine.picture(true)); "
            "return found === plain(engine.pictureAnew(true)); }"
        )
    )


def _partial(engine: EnginePages) -> bool:
    """Whether the last picture took something over."""
    return bool(engine.page.evaluate("engine.held.walk.records.spans.length > 0"))


def test_the_page_works_while_a_picture_is_made_ready(engine: EnginePages) -> None:
    engine.show(f"<main>{_CARDS}</main>")
    ticks = engine.page.evaluate(
        """async () => {
          let ticks = 0, done = false;
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => { ticks++; if (!done) port2.postMessage(0); };
          port2.postMessage(0);
          await engine.prepared(() => { window.found = engine.picture(true); });
          done = true;
          return ticks;
        }"""
    )
    assert ticks > 1
    assert engine.page.evaluate(
        f"() => {{ const plain = {_PLAIN}; return plain(found) === plain(engine.pictureAnew(true)); }}"
    )


def test_changes_between_the_tasks_are_seen(engine: EnginePages) -> None:
    engine.show(f"<main>{_CARDS}</main>")
    rounds = engine.page.evaluate(
        """() => {
          let rounds = 0;
          for (; rounds < 200 && !engine.held?.layout; rounds++) {
            engine.getReady(2);
            const cards = document.querySelectorAll("article");
            if (rounds < 20) {
              cards[(rounds * 37) % cards.length].remove();
              cards[(rounds * 53) % cards.length].querySelector("b").textContent = "changed";
            }
          }
          return rounds;
        }"""
    )
    assert 1 < rounds < 200
    assert _agrees(engine)


@pytest.mark.parametrize("rule", ["x-a:state(on){display:none}", "video:playing{display:none}"])
def test_a_page_of_which_anything_may_change_at_any_time_is_read(engine: EnginePages, rule: str) -> None:
    engine.show(f"<style>{rule}</style><main>{_CARDS}</main>")
    assert engine.page.evaluate("() => engine.prepared(() => engine.picture(true).tree.name.length)") > 4000
    # Nothing lasts, so getting ready is given up.
    assert engine.page.evaluate("() => { for (let i = 0; i < 50; i++) if (engine.getReady(5)) return true; }")


STATES = [
    (".menu ul{display:none} .menu:hover ul{display:block}", "hover", ".menu"),
    ("a:is(:hover) + p{display:none}", "hover", "a"),
    ("nav:focus-within p{display:none}", "focus", "nav a"),
    ("input:checked ~ p{display:none}", "click", "input"),
    ("input:not(:checked) + p{visibility:hidden}", "click", "input"),
    ("form:invalid button{display:none}", "type", "form input"),
    ("#over:popover-open{display:block;width:50px}", "popover", "#over"),
    ("label:has(:checked) b{display:none}", "click", "label input"),
]


@pytest.mark.parametrize(("rule", "act", "selector"), STATES)
def test_states_that_rules_look_at(engine: EnginePages, rule: str, act: str, selector: str) -> None:
    engine.show(
        f"""<style>{rule}</style><div class="menu">Menu<ul><li>One<li>Two</ul></div><a href="#x">Link</a>
        <p>Beside</p><nav><a href="#y">In nav</a><p>Nav text</p></nav>
        <div><input type="checkbox"><p>After</p></div><label><input type="checkbox"><b>Bold</b></label>
        <form><input required><button>Send</button></form><div id="over" popover>Over</div>
        <section><h2>Elsewhere</h2><p>Far away</p></section>"""
    )
    assert _agrees(engine)
    page = engine.page
    if act == "hover":
        page.hover(selector)
    elif act == "focus":
        page.focus(selector)
    elif act == "click":
        page.click(selector)
    elif act == "type":
        page.fill(selector, "text")
    else:
        page.evaluate("document.querySelector('#over').showPopover()")
    assert _agrees(engine)
    # And back.
    page.mouse.move(900, 600)
    page.evaluate("document.activeElement?.blur()")
    assert _agrees(engine)


def test_hovering_takes_the_rest_over(engine: EnginePages) -> None:
    engine.show(
        f"<style>.menu ul{{display:none}} .menu:hover ul{{display:block}}</style>"
        f"<div class='menu'>Menu<ul><li>One</ul></div><main>{_CARDS}</main>"
    )
    engine.page.evaluate("engine.picture(true)")
    engine.page.hover(".menu")
    assert _agrees(engine)
    engine.page.evaluate("document.querySelector('article b').textContent = 'x'")
    engine.page.evaluate("engine.picture(true)")
    assert _partial(engine)


def test_what_moved_together_is_not_measured_again(engine: EnginePages) -> None:
    engine.show(f"<main><p id='top'>Top</p><div>{_CARDS}</div></main>")
    engine.page.evaluate("engine.picture(true)")
    measured = engine.page.evaluate(
        """() => {
          document.querySelector("#top").style.height = "77px";
          let count = 0;
          const own = Element.prototype.getBoundingClientRect;
          Element.prototype.getBoundingClientRect = function () { count++; return own.call(this); };
          window.found = engine.picture(true);
          Element.prototype.getBoundingClientRect = own;
          return count;
        }"""
    )
    assert measured < 50
    assert engine.page.evaluate(
        f"() => {{ const plain = {_PLAIN}; return plain(found) === plain(engine.pictureAnew(true)); }}"
    )


def test_a_float_that_grows_moves_the_lines_beside_it(engine: EnginePages) -> None:
    engine.show(
        "<style>aside{float:left}</style><div><aside id='one'>x</aside></div>"
        "<section><div><p>Beside <a href='#'>link</a></p></div><div><p>More <button>b</button></p></div></section>"
    )
    assert _agrees(engine)
    engine.page.evaluate("document.querySelector('#one').style.width = '120px'")
    assert _agrees(engine)
    engine.page.evaluate("document.querySelector('#one').style.height = '90px'")
    assert _agrees(engine)
