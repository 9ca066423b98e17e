"""Names and descriptions of the dom engine in Chromium: by the specifications, by Chrome, and by a peer library."""

from __future__ import annotations

import pytest

from tests.integration.engine_page import EnginePages, fold

# HTML and the name that accname 1.2 and HTML-AAM give the element marked x, or the first one.
CASES: list[tuple[str, str]] = [
    ("<button>Buy <b>now</b></button>", "Buy now"),
    ("<button aria-label='Close'>×</button>", "Close"),
    ("<button aria-label='  '>Text</button>", "Text"),
    ("<button title=Tip></button>", "Tip"),
    ("<button title=Tip>Text</button>", "Text"),
    ("<button><img alt=Icon src=a></button>", "Icon"),
    ("<button><svg width=9 height=9><title>Icon</title></svg></button>", "Icon"),
    ("<button><span aria-hidden=true>x</span>Save</button>", "Save"),
    ("<button><span hidden>x</span>Save</button>", "Save"),
    ("<button><span style='display:none'>x</span>Save</button>", "Save"),
    ("<button><span style='visibility:hidden'>x</span>Save</button>", "Save"),
    ("<button x aria-labelledby='a b'></button><i id=a>One</i><i id=b>Two</i>", "One Two"),
    ("<button x aria-labelledby=a></button><i id=a hidden>Hidden</i>", "Hidden"),
    ("<button x aria-labelledby=a></button><i id=a>Shown<b hidden>not</b></i>", "Shown"),
    ("<button x id=s aria-label=Delete aria-labelledby='s f'></button><i id=f>File</i>", "Delete File"),
    ("<button x aria-labelledby=gone>Text</button>", "Text"),
    ("<button x aria-labelledby=a></button><i id=a aria-labelledby=b>A</i><i id=b>B</i>", "A"),
    ("<label>Name <input x></label>", "Name"),
    ("<label for=i>Name</label><input x id=i>", "Name"),
    ("<label for=i>First</label><label for=i>Second</label><input x id=i>", "First Second"),
    ("<label for=i aria-label=Aria>Name</label><input x id=i>", "Aria"),
    ("<input x title=Tip placeholder=Hint>", "Tip"),
    ("<input x placeholder=Hint>", "Hint"),
    ("<textarea x placeholder=Hint></textarea>", "Hint"),
    (
        "<label><input type=checkbox x> Flash the screen <input value=3> times</label>",
        "Flash the screen 3 times",
    ),
    (
        "<label for=i>Wait <select><option>a<option selected>five</select> minutes</label><input x id=i>",
        "Wait five minutes",
    ),
    ("<label for=i>To <input type=range value=7 min=0 max=9></label><input x id=i>", "To 7"),
    ("<label for=i>Pin <input type=password value=geheim></label><input x id=i>", "Pin"),
    ("<input type=submit value=Send>", "Send"),
    ("<input type=submit>", "Submit"),
    ("<input type=reset>", "Reset"),
    ("<input type=button value=Go>", "Go"),
    ("<input type=image alt=Map src=a>", "Map"),
    ("<img alt=Cat src=a>", "Cat"),
    ("<img title=Cat src=a>", "Cat"),
    (
        "<map name=m><area x href=/ alt=Area shape=rect coords=0,0,9,9></map><img usemap=#m src=a alt='' width=9>",
        "Area",
    ),
    ("<fieldset><legend>Ship to</legend></fieldset>", "Ship to"),
    ("<table><caption>Prices</caption><tr><td>1</td></tr></table>", "Prices"),
    ("<figure><img src=a><figcaption>Fig 1</figcaption></figure>", "Fig 1"),
    ("<select size=2><option x label=Short>Long</option></select>", "Short"),
    ("<a href='/'>Read <em>more</em></a>", "Read more"),
    ("<a href='/'><span title=Home></span></a>", "Home"),
    ("<a href='/'><img src=a alt='Logo'> Home</a>", "Logo Home"),
    ("<h2>The <a href='/'>link</a></h2>", "The link"),
    ("<div role=button><div>A</div><div>B</div></div>", "A B"),
    ("<div role=button><span>A</span><span>B</span></div>", "AB"),
    ("<div role=button><span style='display:inline-block'>A</span><span>B</span></div>", "A B"),
    ("<div role=button>A<br>B</div>", "A B"),
    ("<div role=checkbox aria-checked=true>Agree</div>", "Agree"),
    ("<div role=tab>\n  First\n  tab </div>", "First tab"),
    ("<div role=link aria-labelledby=a x></div><div id=a aria-label=Inner>Outer</div>", "Inner"),
    ("<button>Go to <input aria-label=Page value=4></button>", "Go to 4"),
    ("<details><summary x>More</summary>text</details>", "More"),
    ("<style>.s::before{content:'★ '}</style><button class=s x>Star</button>", "★ Star"),
    ("<style>.s::after{content:' new' / ' fresh'}</style><button class=s x>Star</button>", "Star fresh"),
    ("<style>.c::after{content:'';display:table}</style><button class=c x>Clear</button>", "Clear"),
    (
        "<x-b><template shadowrootmode=open><button x><slot></slot></button></template>Slotted</x-b>",
        "Slotted",
    ),
    ("<iframe title=Frame src=about:blank></iframe>", "Frame"),
]

_PIN = "<label for=i>Pin <input type=password value=geheim></label><input x id=i>"
_FIGURE = "<figure><img src=a><figcaption>Fig 1</figcaption></figure>"
_HOME = "<a href='/'><span title=Home></span></a>"
_WBR = "<a href='/'>a<wbr>b</a>"

# Where Chrome differs, and why ours holds.
CHROME_DIFFERS = {
    _PIN: "Chrome reads a password's bullets",
    _FIGURE: "HTML-AAM names figures by figcaption; Chrome leaves it to the children",
    _HOME: "accname takes tooltips on the way (2I); Chrome only where there is something to see",
    _WBR: "Chrome puts a space at each wbr, where no person reads one",
}

# Where dom-accessibility-api 0.7 differs, and why ours holds.
PEER_DIFFERS = {
    _FIGURE: "HTML-AAM names figures by figcaption",
    _HOME: "accname takes tooltips on the way (2I)",
    _PIN: "the library reads passwords",
    "<input x placeholder=Hint>": "HTML-AAM names by placeholder",
    "<textarea x placeholder=Hint></textarea>": "HTML-AAM names by placeholder",
    "<select size=2><option x label=Short>Long</option></select>": "HTML-AAM names options by label",
    "<div role=button>A<br>B</div>": "a br ends a line",
}


def _is_peer_blind(html: str) -> bool:
    """The library knows no areas, and reads generated content only where it is told to."""
    return html in PEER_DIFFERS or "<area" in html or "content:" in html


FIND = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap((e) => e.shadowRoot ?? [])];
  return roots.map((root) => root.querySelector('[x]')).find(Boolean)
    ?? [...document.body.children].find((e) => e.localName !== 'style');
}"""


@pytest.mark.parametrize(("html", "name"), [*CASES, (_WBR, "ab")])
def test_name(engine: EnginePages, html: str, name: str) -> None:
    page = engine.page
    if "shadowrootmode" in html:
        page.goto(f"data:text/html,<!doctype html>{html}")
    else:
        page.set_content(f"<!doctype html>{html}")
    page.evaluate(engine.source)
    handle = page.evaluate_handle(FIND)
    told = page.evaluate("(element) => skillbookNames(element)", handle)
    assert fold(told["name"]) == name
    if html not in CHROME_DIFFERS:
        assert chrome_name(engine, handle) == name
    if not _is_peer_blind(html):
        assert fold(told["peerName"]) == name


@pytest.mark.parametrize(
    "selector",
    [
        *("button", "#b", ".größe", r".sm\:wide", r".\31 0", ".one.two", "*", "[data-x=']'] button"),
        *("body > * > button", ".none, .one", "b + button", "div :last-child", "button:not(.none)"),
        *(":where(#b)", ":is(.one, a)", "[class*=on]"),
    ],
)
def test_generated_text_by_any_selector(engine: EnginePages, selector: str) -> None:
    rule = selector.replace(", .", "::before, .") + "::before { content: 'New ' }"
    html = "<div data-x=']'><b></b><button id=b class='one two größe sm:wide 10'>Star</button></div>"
    engine.show(f"<style>{rule}</style>{html}")
    names = [node.name for node in engine.nodes()]
    # Elsewhere such text is a text of its own.
    assert [name for name in names if name not in {"", "New"}] == ["New Star"]
    assert ("New" in names) == (selector == "*")


def test_generated_text_where_case_does_not_count(engine: EnginePages) -> None:
    engine.page.goto(
        "data:text/html,<style>.ONE::before{content:'New '}</style><button class=one>Star</button>"
    )
    engine.install()
    assert [node.name for node in engine.nodes()] == ["New Star"]


@pytest.mark.parametrize(
    ("html", "description"),
    [
        ("<button x aria-describedby=d>A</button><i id=d hidden>More</i>", "More"),
        ("<button x aria-describedby='d e'>A</button><i id=d>One</i><i id=e>Two</i>", "One Two"),
        ("<button x aria-description=More>A</button>", "More"),
        ("<button x title=Tip>A</button>", "Tip"),
        ("<button x title=Tip></button>", ""),
        ("<button x aria-describedby=gone title=Tip>A</button>", "Tip"),
    ],
)
def test_description(engine: EnginePages, html: str, description: str) -> None:
    engine.page.set_content(f"<!doctype html>{html}")
    engine.page.evaluate(engine.source)
    told = engine.page.evaluate("(element) => skillbookNames(element)", engine.page.evaluate_handle(FIND))
    assert told["description"] == description


def chrome_name(engine: EnginePages, handle: object) -> str:
    """The name that Chrome computes."""
    engine.page.evaluate("(element) => { window.target = element; }", handle)
    session = engine.page.context.new_cdp_session(engine.page)
    session.send("Accessibility.enable")
    ident = session.send("Runtime.evaluate", {"expression": "target"})["result"]["objectId"]
    tree = session.send("Accessibility.getPartialAXTree", {"objectId": ident, "fetchRelatives": False})
    session.detach()
    return fold(tree["nodes"][0].get("name", {}).get("value"))
