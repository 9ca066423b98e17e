"""What is made ready in advance is done in stretches, once, and seen through where the page changes in between."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.protocol.snapshot import State
from tests.integration.engine_page import EnginePages

pytestmark = pytest.mark.integration

PARTS = """
<script>
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("p { color: red } .gone { display: none } button::before { content: 'Do ' }");
  customElements.define("my-part", class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode: "open" }).innerHTML =
        `<style>i { display: none }</style><p>Part <i>unseen</i></p><button>${this.id}</button>`;
      this.shadowRoot.adoptedStyleSheets = [sheet];
    }
  });
</script>
""" + "".join(f"<my-part id=p{i}></my-part>" for i in range(40))

ROWS = "".join(
    f"<section><h2>Row {i}</h2><p>Text <a href='#{i}'>link {i}</a></p></section>" for i in range(1500)
)

READY = """(ms) => {
  let looks = 0;
  const { checkVisibility } = Element.prototype;
  Element.prototype.checkVisibility = function (...how) { looks++; return checkVisibility.apply(this, how); };
  let stretches = 0;
  while (!engine.getReady(ms) && stretches < 500) stretches++;
  Element.prototype.checkVisibility = checkVisibility;
  return { looks, stretches, elements: document.querySelectorAll("*").length };
}"""

SAME = """() => {
  const told = ({ tree }) => JSON.stringify([tree.number, tree.role, tree.name, tree.flags, tree.box]);
  return told(engine.picture(true)) === told(engine.pictureAnew(true));
}"""


def test_what_is_in_shadow_roots_is_looked_at_once(engine: EnginePages) -> None:
    engine.show(PARTS)
    done: dict[str, int] = engine.page.evaluate(READY, 10_000)
    in_roots = 40 * 3
    assert done["looks"] < 1.3 * (done["elements"] + in_roots)
    assert "button Do p7" in [line.strip() for line in engine.outline()]
    assert engine.page.evaluate(SAME)


@pytest.mark.parametrize(
    "change",
    [
        "sheet.cssRules[0].style.setProperty('display', 'none')",
        "sheet.insertRule('button { display: none }')",
        "document.querySelector('#p3').shadowRoot.styleSheets[0].cssRules[0].style.display = 'inline'",
        "document.querySelector('#p3').shadowRoot.adoptedStyleSheets = []",
        "document.querySelector('#p3').remove()",
        "document.body.append(document.querySelector('#p3'))",
    ],
)
@pytest.mark.parametrize("looks", [0, 1], ids=["met just now", "looked at before"])
def test_sheets_of_shadow_roots_that_change_are_seen(engine: EnginePages, change: str, looks: int) -> None:
    engine.show(PARTS)
    before = engine.outline()
    for _ in range(looks):
        engine.outline()
    engine.page.evaluate(f"() => {{ {change} }}")
    assert engine.page.evaluate(SAME)
    assert engine.outline() != before


@pytest.mark.parametrize(
    "between",
    [
        "",
        "scrollTo(0, scrollY + 40)",
        "document.body.style.paddingTop = `${n}px`",
        "document.querySelectorAll('h2')[n].textContent = 'Another'",
        "document.querySelectorAll('section')[n].remove()",
        "document.querySelector('section').style.height = `${50 + n}px`",
    ],
)
def test_measuring_in_stretches_is_measuring_in_one(engine: EnginePages, between: str) -> None:
    engine.show(ROWS)
    done: dict[str, Any] = engine.page.evaluate(
        """async (between) => {
          const change = new Function("n", between);
          let stretches = 0;
          // Small stretches, so that the page changes in the middle of the walk and of the measuring.
          while (!engine.getReady(1) && stretches < 400) {
            if (stretches < 60) change(stretches);
            stretches++;
            await new Promise((resolve) => setTimeout(resolve));
          }
          return { stretches, layout: engine.held?.layout !== null };
        }""",
        between,
    )
    assert done["stretches"] > 3
    assert done["layout"], "it came to an end"
    assert engine.page.evaluate(SAME)


def test_snapshots_come_also_while_a_page_never_stands_still(engine: EnginePages) -> None:
    engine.show(ROWS)
    nodes: int = engine.page.evaluate(
        """async () => {
          const restless = setInterval(() => {
            document.querySelector("h2").textContent = `${performance.now()}`;
            document.querySelector("section").style.height = `${50 + (performance.now() % 50)}px`;
          });
          try { return (await engine.prepared(() => engine.snapshot(true, null))).tree.number.length; }
          finally { clearInterval(restless); }
        }"""
    )
    assert nodes > 1500 * 3


LINKS = """<link id=icon rel=icon href="data:,">
<link id=sheet rel="Alternate StyleSheet" title=other href="data:text/css,.gone{display:none}">
<link id=plain rel=StyleSheet href="data:text/css,.gone{display:none}"><p class=gone>Gone</p>"""


def test_links_that_style_nothing_change_nothing(engine: EnginePages) -> None:
    engine.show(LINKS + ROWS)
    engine.outline()
    looks = engine.page.evaluate(
        """() => {
          let looks = 0;
          const { checkVisibility } = Element.prototype;
          Element.prototype.checkVisibility = function (...how) { looks++; return checkVisibility.apply(this, how); };
          document.getElementById("icon").rel = "";
          const head = document.head.appendChild(document.createElement("link"));
          Object.assign(head, { rel: "modulepreload", href: "data:text/javascript," });
          engine.picture(true);
          Element.prototype.checkVisibility = checkVisibility;
          return looks;
        }"""
    )
    assert looks < 50
    assert engine.page.evaluate(SAME)


@pytest.mark.parametrize(
    "change",
    [
        "plain.rel = 'icon'",
        "plain.removeAttribute('rel')",
        "plain.disabled = true",
        "plain.media = 'print'",
        "plain.remove()",
        "sheet.rel = 'stylesheet'; plain.remove()",
        "icon.href = sheet.href; icon.rel = 'preload stylesheet'; plain.remove()",
    ],
)
def test_links_that_style_are_seen(engine: EnginePages, change: str) -> None:
    engine.show(LINKS + ROWS)
    engine.page.wait_for_function("document.styleSheets.length > 0")
    assert "Gone" not in str(engine.outline())
    engine.page.evaluate(
        f"""() => {{
          const [icon, sheet, plain] = ["icon", "sheet", "plain"].map((id) => document.getElementById(id));
          {change};
        }}"""
    )
    engine.page.wait_for_function(f"() => ({SAME})()")
    engine.page.wait_for_load_state()
    is_gone = "sheet.rel" in change or "icon.rel" in change
    if is_gone:
        engine.page.wait_for_function("document.styleSheets.length > 0")
    assert ("Gone" not in str(engine.outline())) == is_gone
    assert engine.page.evaluate(SAME)


BUTTONS = """<style>button { width: 20px; height: 10px; padding: 0; border: 0; font-size: 4px; display: block }
body { display: flex; flex-wrap: wrap } body.inline, .inline button { display: inline }
#over { position: fixed; left: 0; top: 0; width: 50%; height: 100% }</style><div id=over>Over</div>""" + "".join(
    f"<div><button>{i}</button></div>" for i in range(700)
)
SLOWLY = """() => {
  const { elementAt } = engine.flat;
  const asked = [];
  let points = 0;
  // As long as that takes where the page is to be laid out and painted first.
  engine.flat.elementAt = function (...where) {
    points++;
    for (const end = performance.now() + 0.2; performance.now() < end; );
    return elementAt.apply(this, where);
  };
  engine.greet(0, 0);
  for (let isReady = false; !isReady && asked.length < 500; points = 0) {
    isReady = engine.getReady(20);
    asked.push(points);
  }
  engine.flat.elementAt = elementAt;
  return asked;
}"""


def test_who_lies_over_what_is_asked_once_in_several_stretches(engine: EnginePages) -> None:
    engine.show(BUTTONS)
    stretches = [points for points in engine.page.evaluate(SLOWLY) if points]
    assert len(stretches) > 3
    # Nine points of what is covered, one of what isn't.
    assert 600 < sum(stretches) < 600 * 6
    assert engine.page.evaluate(SAME)
    flags = [node.flags for node in engine.nodes() if node.role == "button"]
    assert 200 < sum(State.OBSCURED in flag for flag in flags) < 400


def test_who_lies_over_what_is_asked_in_the_end_where_no_answer_holds(engine: EnginePages) -> None:
    # What flows in lines is looked at anew each time.
    engine.show(BUTTONS.replace("<div><button>", "<button>").replace("</button></div>", "</button>"))
    engine.page.evaluate("document.body.className = 'inline'")
    asked: list[int] = engine.page.evaluate(SLOWLY)
    assert any(asked)
    assert len(asked) < 100
    assert engine.page.evaluate(SAME)


SHEET = """<style id=long></style><style>@container (width > 100px) { p { color: red } }</style>
<main><p>Text</p><section>Section</section><button>it</button></main>"""
LONG = """() => {
  const rules = [];
  for (let i = 0; i < 800; i++) rules.push(`.c${i}:hover + .d${i} { display: none } @media print { .e${i} {} }`);
  rules.push("main { container-type: inline-size }", "section:has(.x) { display: none }");
  rules.push("button::before { content: 'Do ' }");
  document.getElementById("long").textContent = rules.join("");
  // As long as each look at a rule takes on a slow machine.
  const { get } = Object.getOwnPropertyDescriptor(CSSStyleRule.prototype, "selectorText");
  Object.defineProperty(CSSStyleRule.prototype, "selectorText", {
    get() {
      for (const end = performance.now() + 0.1; performance.now() < end; );
      return get.call(this);
    },
  });
  engine.greet(0, 0);
  let tasks = 1;
  while (!engine.getReady(20) && tasks < 500) tasks++;
  const { containers, siblings, anchors } = engine.changes.styles.facts;
  return { tasks, containers, siblings, anchors };
}"""


def test_a_long_style_sheet_is_learned_in_several_tasks(engine: EnginePages) -> None:
    engine.show(SHEET)
    engine.outline()
    done = engine.page.evaluate(LONG)
    assert done["tasks"] > 4
    assert done["containers"] == "[style*=container], main"
    assert done["siblings"]
    assert [anchor["bare"] for anchor in done["anchors"]] == ["section"]
    assert "button Do it" in str(engine.outline())
    assert engine.page.evaluate(SAME)


STICKY = """<style>body { margin: 8px; height: 3000px; line-height: 1.37 }</style><main><p>Before</p>
<section>Around <span style="position: sticky; top: 0">stuck words</span> it <b>bold</b></section></main>"""


def test_text_in_a_sticky_part_of_a_line_is_where_it_is(engine: EnginePages) -> None:
    engine.show(STICKY + ROWS)
    engine.outline()
    for y in (0, 13, 60, 61.5, 140, 75, 30, 0):
        engine.page.evaluate(f"scrollTo(0, {y})")
        engine.page.evaluate("() => new Promise(requestAnimationFrame)")
        assert engine.page.evaluate(SAME), y


def test_what_takes_long_to_see_is_looked_at_once(engine: EnginePages) -> None:
    engine.show(ROWS)
    engine.outline()
    reads: int = engine.page.evaluate(
        """async () => {
          const { live } = engine.changes;
          const { read } = live;
          let reads = 0;
          live.read = function (...how) {
            reads++;
            for (const end = performance.now() + 15; performance.now() < end; );
            return read.apply(this, how);
          };
          document.querySelector("h2").firstChild.data = "Changed";
          await engine.prepared(() => engine.snapshot(true, null));
          live.read = read;
          return reads;
        }"""
    )
    assert reads == 1
    assert "Changed" in str(engine.outline())
