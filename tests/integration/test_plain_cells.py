"""Cells of one text are read by a shorter way: it must find what the rules for all elements find."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from skillbook.perception.nodes.document import with_plain_rows
from tests.integration.engine_page import EnginePages

SEEDS = 14
# The rules for all elements read these cells, and find the same: a comment is nothing that a page shows.
BY_ALL_RULES = (
    "() => { for (const td of document.querySelectorAll('td')) td.append(document.createComment('')); }"
)
TEXTS = [
    *("Bolt", "  12 ", "€1.50", "a &amp; b", "two\n words", "x&nbsp;y", "\ue001", "\ue001 Star", "", " "),
    *("&lt;b>", "<b>Bold</b>", "one<br>two", "<a href=/p>Part</a>", "<!-- c -->", "a<!-- c -->b"),
    *("<input value=v>", "3<sup>2</sup>", "<span hidden>no</span>yes", "<img alt=Icon src=data:,>"),
    *("<table><tr><td>In</table>", "<button>Go</button>",),
]  # fmt: skip
PLAIN = [
    "",
    " ",
    "a &amp; b",
    "x&nbsp;y",
    "&nbsp;",
    "&lt;b>",
    "two\n words ",
    "\u200b",
    "€ 1.50",
    '"quoted"',
    "\xad",
]
ATTRIBUTES = [
    *("class=c1", "class=c2", "class='c3 x'", "class=c4", "class=c5", "class=btn", "data-x='a,b'"),
    *("data-a='b::before'", "title=Tip", "aria-label=Said", "aria-hidden=true", "data-no-ai", "id=one"),
    *("tabindex=0", "role=button", "inert", "role=gridcell", "hidden", "onclick='1'", "data-testid=t"),
    *("colspan=2", "rowspan=2", "aria-owns=one", "scope=row", "aria-describedby=one", "contenteditable"),
    *("aria-sort=ascending", "aria-colindex=2", "align=right", "draggable=true",),
]  # fmt: skip
STYLES = [
    *("display:none", "visibility:hidden", "opacity:0", "font-size:0", "cursor:pointer", "overflow:auto"),
    *("display:block", "position:absolute;left:-9999px", "content-visibility:hidden", "display:contents"),
    *("background:red", "float:left", "position:absolute;width:1px;height:1px;overflow:hidden"),
    *("text-transform:uppercase", "visibility:collapse",),
]  # fmt: skip
RULES = [
    *(".c1::before{content:'~'}", "td.c2:after{content:' kg'}", ".c3{cursor:pointer}"),
    *("tr:nth-child(3n) td{opacity:0}", "[data-x='a,b']::before{content:'A'}"),
    *("td:nth-child(2)::before{content:'#'}", "*, ::before{box-sizing:border-box}"),
    *("@media screen{.c4::after{content:attr(class)}}", "tr.c5 td::before{content:'in '}"),
    *("th::before{content:'head '}", ":is(.c5, p) > :not(th)::before{content:'>'}"),
    *(".c1{& td::after{content:'!'}}", "table tbody td::after{content:'.'}", "td.c2{visibility:hidden}"),
    *("tr.c1{display:none}", "tr.c4{cursor:pointer}", "@layer a{TD.c1::after{content:'L'}}"),
    *(r".md\:before\:x::before,.c4\,td::before{content:'e'}", "[data-a='b::before']{color:red}"),
    *("td::before{color:red}", "td:nth-child(2){display:none}", "tr td{cursor:pointer}", "tr{font-size:0}"),
    *("td:nth-child(3){all:unset}", "tr:nth-child(2n) td{font:var(--none)}", "tbody{cursor:pointer}"),
    *("td:nth-child(4){@media screen{visibility:hidden}}", "tr{& :nth-child(1){overflow:scroll}}", "tr{display:flex}"),
    *("@layer a{:where(td){float:left}}", "tr:nth-child(3n){visibility:hidden}", "tr:nth-child(odd){opacity:0}"),
    *("tr:nth-child(3n){transform:translate(7px)}", "td:nth-child(2){transform:translate(3px)}", ".c1{translate:2px}"),
    *("td:nth-child(4n){rotate:9deg}", "tr:nth-child(4n){rotate:180deg}", "tbody{transform:skew(3deg)}", "td{zoom:2}"),
    *("table{border-collapse:collapse} tr:nth-child(5n) td{border:5px solid}", "body{columns:3}"),
    *("tr:nth-child(7n){position:relative;left:4px}", "tr{height:13.3px}", "td{padding:3.3px 5px 0 1px}"),
    *("td:nth-child(2){font-size:1px;padding:0}", "td:nth-child(3){position:relative;left:5px}"),
    *("table{border-spacing:0 3px}", "td:nth-child(1){width:33%}", "col{visibility:collapse}"),
    *("tbody:nth-of-type(2){display:block}", "tr:nth-child(6n){visibility:collapse}"),
    *("@keyframes k{to{opacity:0}} td:last-child{animation:k 1ms forwards}", "td:not(.c1){position:absolute}"),
]  # fmt: skip


def _attributes(rng: random.Random, share: float) -> str:
    said = [rng.choice(ATTRIBUTES)] if rng.random() < share else []
    said += [f"style='{rng.choice(STYLES)}'"] if rng.random() < share / 2 else []
    return " ".join(["", *said])


def _table(rng: random.Random) -> str:
    share = rng.choice([0, 0.1, 0.4])
    odd = rng.choice([0, 0.2, 0.6])
    rows = []
    for _ in range(rng.randint(1, 8)):
        cells = []
        for _ in range(rng.randint(1, 5)):
            tag = rng.choice(["td", "td", "td", "td", "th"])
            text = rng.choice(TEXTS) if rng.random() < odd else f"Text {rng.randint(0, 99)}"
            cells.append(f"<{tag}{_attributes(rng, share)}>{text}</{tag}>")
        rows.append(f"<tr{_attributes(rng, share / 3)}>{rng.choice(['', ' ']).join(cells)}</tr>")
    kind = rng.choice(["", "", "", " role=grid", " role=presentation", " class=c1", " aria-hidden=true"])
    part = rng.choice(["tbody", "tbody", "thead", "tfoot"])
    return f"<table{kind}><{part}{_attributes(rng, share / 6)}>{''.join(rows)}</{part}></table>"


def _many(rng: random.Random) -> str:
    """More cells than are read one by one, most of them alike, in several parts, in columns of different widths."""
    share = rng.choice([0, 0, 0.01, 0.1])
    parts = []
    for part in rng.choice([["tbody"], ["thead", "tbody"], ["tbody", "tbody", "tfoot"], [""]]):
        rows = []
        for row in range(rng.choice([40, 80])):
            places = range(5 if rng.random() >= share else rng.randint(0, 6))
            cells = [f"<td{_attributes(rng, share / 2)}>{row}.{place * 'x'}" for place in places]
            cells = [
                rng.choice([cell, "<th>H", "<td>", "<td><b>B</b>C"]) if rng.random() < share / 4 else cell
                for cell in cells
            ]
            rows.append(f"<tr{_attributes(rng, share / 4)}>{''.join(cells)}")
        parts.append(f"<{part}>{''.join(rows)}</{part}>" if part else "".join(rows))
    kinds = ["", "border=3", "dir=rtl", "style='table-layout:fixed;width:333px'", "style='rotate:2deg'"]
    column = "<col style='visibility:collapse'>" if rng.random() < 0.1 else ""
    return f"<table {rng.choice(kinds)}>{column}{''.join(parts)}</table>"


def _document(rng: random.Random) -> str:
    rules = ["html{--none:0px serif}", *rng.sample(RULES, rng.choice([0, 1, 1, 2, 6]))]
    adopted = rng.choice(
        ["", "", "td.c4::after{content:' adopted'}", "td:first-child::before{content:'1st '}"]
    )
    adopts = f"const s = new CSSStyleSheet(); s.replaceSync(`{adopted}`); document.adoptedStyleSheets = [s]"
    script = f"<script>{adopts}</script>"
    tables = "".join(_table(rng) for _ in range(8))
    return f"<style>{' '.join(rules)}</style>{script if adopted else ''}{_many(rng)}{tables}<p>After"


def _columns(engine: EnginePages) -> tuple[dict[str, object], int]:
    return _of(json.loads(engine.page.evaluate("JSON.stringify(skillbookEngine().snapshot().tree)")))


def _by_rows(engine: EnginePages) -> tuple[dict[str, object], int]:
    """The same, with rows of texts as columns of these; and how many parts of tables came so."""
    wanted = {"count": 10_000, "plain": True}
    text = engine.page.evaluate(
        "(rows) => JSON.stringify(skillbookEngine().snapshot(null, rows).tree)", wanted
    )
    tree = json.loads(text)
    found = with_plain_rows(tree)
    return _of({**found, "extra": list(map(list, found["extra"]))})[0], len(tree.get("plain", []))


def _of(tree: dict[str, Any]) -> tuple[dict[str, object], int]:
    names = {"role", "name", "tag", "number", "depth", "flags", "box", "roles", "tags", "elements"}
    # How rows are written is looked up only where rows are read.
    extra = [
        [at, {name: fact for name, fact in facts.items() if name != "written"}] for at, facts in tree["extra"]
    ]
    return {name: tree[name] for name in names} | {"extra": [each for each in extra if each[1]]}, len(
        tree["role"]
    )


def _at_rest(engine: EnginePages) -> tuple[dict[str, object], int]:
    """What is read twice: images that can't be loaded, and skipped contents, get another place after a first look."""
    before = None
    while before != (found := _columns(engine)):
        before = found
    return found


@pytest.mark.parametrize(
    "seeds",
    [
        range(SEEDS),
        pytest.param(range(1_000, 3_000), marks=[pytest.mark.soak, pytest.mark.timeout(3_000)]),
    ],
)
def test_cells_of_one_text_are_as_by_the_rules_for_all_elements(engine: EnginePages, seeds: range) -> None:
    every = 0
    for seed in seeds:
        engine.show(_document(random.Random(seed)))
        short, nodes = _at_rest(engine)
        assert _by_rows(engine)[0] == short, f"seed {seed}"
        engine.page.evaluate(BY_ALL_RULES)
        assert short == _columns(engine)[0], f"seed {seed}"
        every += nodes
    assert every > 250 * len(seeds)


def _plain(rng: random.Random) -> str:
    """Tables whose rows hold texts and nothing else, but for a few cells of some."""
    share = rng.choice([0, 0, 0.001, 0.01])
    parts = []
    for part in rng.choice([["tbody"], ["thead", "tbody"], ["tbody", "tbody"], ["tbody", "tfoot"]]):
        width = rng.choice([4, 5, 5, 6])
        rows = []
        for row in range(80 if part == "tbody" else 1):
            tag = "th" if part == "thead" else "td"
            texts = [rng.choice(PLAIN) if rng.random() < 0.2 else f"{row}.{at * 'x'}" for at in range(width)]
            cells = [
                f"<{tag}{_attributes(rng, 1)}>{rng.choice(TEXTS)}"
                if rng.random() < share
                else f"<{tag}>{text}"
                for text in texts
            ]
            rows.append(f"<tr>{rng.choice(['', ' ']).join(cells)}</tr>")
        parts.append(f"<{part}>{''.join(rows)}</{part}>")
    kinds = ["", "", "border=3", "dir=rtl", "role=grid", "style='rotate:2deg'", "style='cursor:pointer'"]
    kinds += ["style='display:none'", "aria-hidden=true", "style='visibility:hidden'", "role=presentation"]
    around = rng.choice(
        ["div", "div", "button", "a href=/x", "h2", "label", "dialog open", "div onclick='1'"]
    )
    return f"<{around}>Before <table {rng.choice(kinds)}>{''.join(parts)}</table> after</{around.split()[0]}>"


def _plain_document(rng: random.Random) -> str:
    rules = ["html{--none:0px serif}", *rng.sample(RULES, rng.choice([0, 0, 0, 1, 2]))]
    modal = "<dialog>Open <button>Close</button></dialog><script>document.querySelector('dialog').showModal()</script>"
    tables = "".join(_plain(rng) for _ in range(3))
    return f"<style>{' '.join(rules)}</style>{tables}<p>After{modal if rng.random() < 0.2 else ''}"


@pytest.mark.parametrize(
    "seeds",
    [
        range(12),
        pytest.param(range(1_000, 3_000), marks=[pytest.mark.soak, pytest.mark.timeout(3_000)]),
    ],
)
def test_rows_of_texts_are_as_by_the_rules_for_all_elements(engine: EnginePages, seeds: range) -> None:
    plain = 0
    for seed in seeds:
        engine.show(_plain_document(random.Random(seed)))
        short, _ = _at_rest(engine)
        rows, parts = _by_rows(engine)
        assert rows == short, f"seed {seed}"
        plain += parts
    assert plain > len(seeds) / 2


def test_style_sheets_of_other_sites_and_shadow_roots_count(engine: EnginePages) -> None:
    """A sheet that can't be read may say anything; a shadow root has sheets of its own."""
    rows = "".join(f"<tr><td>{row}<td>b" for row in range(150))
    sheet = "data:text/css,td::before{content:'far '}"
    engine.show(f'<link rel=stylesheet href="{sheet}"><table>{rows}</table>')
    engine.page.wait_for_function(
        "getComputedStyle(document.querySelector('td'), '::before').content !== 'none'"
    )
    names = [node.name for node in engine.nodes() if node.role == "cell"]
    assert len(names) == 300
    assert all(name.startswith("far ") for name in names)
    engine.show(
        "<div><template shadowrootmode=open><style>td::before{content:'in '}</style>"
        f"<table>{rows}</table></template></div>"
    )
    engine.page.evaluate(
        "(html) => { const div = document.querySelector('div'); if (!div.shadowRoot) "
        "div.attachShadow({mode: 'open'}).innerHTML = html; }",
        f"<style>td::before{{content:'in '}}</style><table>{rows}</table>",
    )
    names = [node.name for node in engine.nodes() if node.role == "cell"]
    assert len(names) == 300
    assert all(name.startswith("in ") for name in names)


@pytest.mark.parametrize(
    ("rows", "columns", "wanted", "block"),
    [
        (9, 4, {"count": 10, "nodes": 45}, None),
        (30, 4, {"count": 10}, [0, 10, 30, 0]),
        (30, 4, {"first": 25, "count": 10}, [25, 30, 30, 0]),
        (9, 40, {"count": 10, "nodes": 100}, [0, 3, 9, 0]),
        (30, 40, {"count": 10, "plain": True}, None),
        (30, 4, {"count": 10, "plain": True}, [0, 10, 30, 0]),
    ],
)
def test_tables_of_many_cells_are_read_in_part_too(
    engine: EnginePages, rows: int, columns: int, wanted: dict[str, int], block: list[int] | None
) -> None:
    row = "<tr>" + "<td>x" * columns
    engine.show(f"<table>{row * rows}</table>")
    text = engine.page.evaluate(
        "(rows) => JSON.stringify(skillbookEngine().snapshot(null, rows).tree.extra)", wanted
    )
    assert next((facts["block"] for _, facts in json.loads(text) if "block" in facts), None) == block


@pytest.mark.parametrize(
    "style", ["tr{cursor:pointer}", "tr:nth-child(2n){display:none}", "td::after{content:'!'}"]
)
def test_a_large_table_that_only_seems_to_be_texts_is_read_in_part(engine: EnginePages, style: str) -> None:
    """Its markup has nothing else, but how it is shown has."""
    engine.show(f"<style>{style}</style><table>{('<tr>' + '<td>x' * 40) * 30}</table>")
    tree = json.loads(
        engine.page.evaluate(
            "JSON.stringify(skillbookEngine().snapshot(null, {count: 10, plain: true}).tree)"
        )
    )
    assert [facts["block"] for _, facts in tree["extra"] if "block" in facts] == [[0, 10, 30, 0]]
    assert "plain" not in tree


NUMBERED = """(seed) => {
  const engine = skillbookEngine();
  engine.snapshot(null, {count: 10_000, plain: true});
  const table = document.querySelector("table");
  const known = [...document.querySelectorAll("tr, td")];
  const numbers = new Map();
  // Numbers follow the document's order.
  const first = engine.refs.numberOf(document.querySelector("tbody tr"));
  known.forEach((element, place) => numbers.set(element, first + place));
  let state = seed;
  const any = (count) => (state = (state * 48271) % 2147483647) % count;
  const one = (selector) => { const all = document.querySelectorAll(selector); return all[any(all.length)]; };
  const gone = [];
  const steps = [
    () => one("tr").before(one("tr")),
    () => one("td").before(one("td")),
    () => one("tr").append(one("td")),
    () => { const row = one("tr"); row.replaceChildren(...[...row.children].reverse()); },
    () => one("tr").prepend(document.createElement("td"), "text"),
    () => { const cell = one("td"); cell.replaceWith(document.createElement("td")); gone.push(cell); },
    () => { const row = one("tr"); row.remove(); row.append(row.firstElementChild ?? ""); gone.push(row); },
    () => { if (gone.length) one("tbody").append(gone.splice(any(gone.length), 1)[0]); },
    () => { one("td").textContent = "other"; },
    () => {
      const body = one("tbody");
      body.remove();
      body.firstElementChild?.append(body.lastElementChild.lastElementChild ?? "");
      table.append(body);
    },
    () => { const old = table.parentElement; old.remove(); one("body").append(old); },
    () => engine.snapshot(null, {count: 10_000, plain: true}),
    () => engine.snapshot(),
  ];
  const wrong = [];
  return (async () => {
    for (let step = 0; step < 40; step++) {
      steps[any(steps.length)]();
      if (any(3) === 0) await Promise.resolve();
      for (const [element, number] of numbers) {
        if (any(4)) continue;
        const has = engine.refs.numberOf(element);
        const found = engine.refs.find(number);
        const isFound = element.isConnected ? found.element === element : found.error === "stale";
        if (has !== number || !isFound) wrong.push([step, number, has, found.error]);
      }
      if (wrong.length) break;
    }
    return wrong.slice(0, 5);
  })();
}"""


def test_rows_that_change_keep_the_numbers_of_their_cells(engine: EnginePages) -> None:
    """Numbers that were given to all rows at once are each element's, wherever it goes."""
    row = "<tr>" + "<td>x" * 5
    for seed in range(1, 13):
        engine.show(f"<div><table><tbody>{row * 70}</table></div>")
        assert engine.page.evaluate(NUMBERED, seed) == [], f"seed {seed}"
