"""What a person sees and no cell says: more rows behind a control, a count in a heading, bars, counters, old prices.

Each kind is a neighbourhood of markups in several surroundings, on one page as sections, with right ones beside the
wrong ones: these stay complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import skillbook as sb

READ = Callable[[str], Any]
ROWS = range(1, 5)


def table_of(value: str, name: str = "Name {n}") -> str:
    lines = "".join(f"<tr><td>{name}<td>{value}</tr>".replace("{n}", str(n)) for n in ROWS)
    return f"<table><tr><th>What<th>Value</tr>{lines}</table>"


def list_of(value: str) -> str:
    lines = "".join(
        f"<li class=item><b>Ann {n}</b> <span class=v>{value}</span></li>".replace("{n}", str(n))
        for n in ROWS
    )
    return f"<ul>{lines}</ul>"


def cards_of(value: str) -> str:
    lines = "".join(
        f"<div class=item><h3>Item {n}</h3><p class=note>about {n}x</p>{value}</div>".replace("{n}", str(n))
        for n in ROWS
    )
    return f"<div class=grid>{lines}</div>"


AROUND: dict[str, Callable[[str], str]] = {"table": table_of, "list": list_of, "cards": cards_of}


def page_of(sections: Mapping[str, str], style: str = "") -> str:
    # Items of one class in sections side by side would be groups of one list.
    parts = "".join(
        f"<section>{html.replace('class=item', f'class=item{n}')}</section>"
        for n, html in enumerate(sections.values())
    )
    return f"<!doctype html><meta charset=utf-8><style>{style}</style><main>{parts}</main>"


def frames_of(read_html: READ, sections: Mapping[str, str], style: str = "") -> dict[str, Any]:
    """The frame of each section, by the section's name: it is the heading's, without signs."""
    frames = sb.tables(read_html(page_of(sections, style)))
    return {frame.skillbook.name: frame for frame in frames}


def silent(frames: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    """Which sections have no frame, or one that is called complete."""
    return [name for name in names if name not in frames or frames[name].skillbook.complete]


def alarmed(frames: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    return [
        f"{name}: {frames[name].skillbook.reason if name in frames else 'no frame'}"
        for name in names
        if name not in frames or not frames[name].skillbook.complete
    ]


CONTROLS = {
    "with a number": "<button>Show all 12 reviews</button>",
    "as a link": "<a href=/all>See all 12 reviews</a>",
    "in brackets": "<a href=/all>View all (12)</a>",
    "behind a plus": "<button>+8 more</button>",
    "without a number": "<button>Show more</button>",
    "loading": "<div class=foot><button>Load more</button></div>",
    "as a role": "<div><span role=button tabindex=0>View more</span></div>",
    "everything": "<p><a href=/all>View all</a></p>",
    "behind a count": "<p>4 of 12</p><button>Show more</button>",
    "in German": "<button>Alle 12 Bewertungen anzeigen</button>",
    "in French": "<a href=/tous>Voir les 12 avis</a>",
    "in Japanese": "<a href=/all>すべて見る</a>",
}
OTHER_CONTROLS = {
    "all are there": "<button>Show all 4 reviews</button>",
    "open already": "<button aria-expanded=true>Show less</button>",
    "beyond a text": "<p>We sell lamps since long ago.</p><button>Show more</button>",
    "about something": "<a href=/more>Learn more</a>",
    "an action": "<button>Add review</button><button>Export</button>",
    "disabled": "<button disabled>Load more</button>",
    "to select": "<button>Select</button>",
}


@pytest.mark.parametrize("around", AROUND)
def test_a_control_that_would_bring_more_is_never_passed_over(around: str, read_html: READ) -> None:
    def sections(controls: Mapping[str, str]) -> dict[str, str]:
        return {name: f"<h2>{name}</h2>{AROUND[around]('good')}{html}" for name, html in controls.items()}

    frames = frames_of(read_html, sections(CONTROLS) | sections(OTHER_CONTROLS))
    assert not silent(frames, CONTROLS)
    assert not alarmed(frames, OTHER_CONTROLS)


@pytest.mark.parametrize("around", AROUND)
def test_rows_that_are_followed_by_a_control_that_loads_are_not_all(around: str, read_html: READ) -> None:
    (frame,) = sb.tables(read_html(f"{AROUND[around]('good')}<button disabled>Loading</button>"))
    assert not frame.skillbook.complete
    assert "the page offers more: button 'Loading'" in frame.skillbook.reason.replace('"', "'")


def test_groups_of_one_list_are_looked_at_one_by_one(read_html: READ) -> None:
    def page(*groups: str) -> Any:
        return read_html("<!doctype html><meta charset=utf-8><main>" + "".join(groups) + "</main>")

    def group(heading: str, after: str = "") -> str:
        return f"<section><h2>{heading}</h2>{list_of('good')}{after}</section>"

    (frame,) = sb.tables(page(group("Open"), group("Done", "<button>Show all 12</button>"), group("Later")))
    assert 'button "Show all 12"' in frame.skillbook.reason
    (frame,) = sb.tables(page(group("Open (9)"), group("Done (4)"), group("Later")))
    assert "the page says 17" in frame.skillbook.reason
    (frame,) = sb.tables(page(group("Open (4)"), group("Done (4)"), group("Later")))
    assert frame.skillbook.complete, frame.skillbook.reason


COUNTED = {
    "Reviews (12)": "<h2>Reviews (12)</h2>{}",
    "12 comments": "<h3>12 comments</h3>{}",
    "1,204 customer ratings": "<h2>1,204 customer ratings</h2>{}",
    "Orders 12": "<h2>Orders <span class=badge>12</span></h2>{}",
    "Members [12]": "<h2>Members [12]</h2>{}",
    "Files · 12": "<h2>Files · 12</h2>{}",
    "Answers (12)": "<div role=region aria-label='Answers (12)'>{}</div>",
    "Bewertungen (12)": "<h4>Bewertungen <small>(12)</small></h4>{}",
}
NOT_COUNTED = {
    "Photos (4)": "<h2>Photos (4)</h2>{}",
    "4 guests": "<h2>4 guests</h2>{}",
    "Results (2024)": "<h2>Results (2024)</h2>{}",
    "Best of 2023": "<h2>Best of 2023</h2>{}",
    "Part (5)": "<h2>Part (5)</h2>{}",
    "Part (6)": "<h2>Part (6)</h2>{}",
    "Windows 11": "<h2>Windows 11</h2>{}",
    "Top 10 of the year": "<h2>Top 10 of the year</h2>{}",
}


@pytest.mark.parametrize("around", AROUND)
def test_a_count_in_a_lists_name_is_how_many_rows_there_are(around: str, read_html: READ) -> None:
    every = {name: html.format(AROUND[around]("good")) for name, html in (COUNTED | NOT_COUNTED).items()}
    frames = frames_of(read_html, every)
    assert not silent(frames, COUNTED)
    assert not alarmed(frames, NOT_COUNTED)


LOOKS_STYLE = """
.track {display: inline-block; width: 100px; height: 10px; background: #eee} .track > * {height: 10px; background: gold}
.rating {display: inline-block; width: 80px; height: 16px; background: gold} i.star {display: inline-block; width: 9px;
height: 9px; background: #ccc} i.on {background: gold} .clip {position: relative; display: inline-block}
.clip span {position: absolute; left: 0; overflow: hidden; white-space: nowrap} .dot {display: inline-block; width: 9px;
height: 9px} .red {background: red} .green {background: green}
"""
WORDS = ["zero", "one", "two", "three", "four"]
SCORES = {1: 3, 2: 2, 3: 3, 4: 1}
"""What the looks of a row show: as values do, one comes again."""
LOOKS: dict[str, Callable[[int], str]] = {
    "width of a bar": lambda n: f"<div class=track><div style='width:{n * 20}%'></div></div>",
    "a property": lambda n: f"<span class=rating style='--rating:{n}.5'></span>",
    "class as a word": lambda n: (
        f"<p class='rating {WORDS[n].title()}'><i class=star></i><i class=star></i></p>"
    ),
    "class with a number": lambda n: f"<span class='rating stars-{n}'></span>",
    "class of the thing beside": lambda n: (
        f"<span class='rating thing-{n * 7 + len(WORDS[n])} {WORDS[n]}'></span>"
    ),
    "data": lambda n: f"<span class=rating data-rating={n}></span>",
    "filled and empty": lambda n: "".join(f"<i class='star {'on' * (k <= n)}'></i>" for k in range(1, 6)),
    "signs by class": lambda n: "".join(
        f"<span class={'on' if k <= n else 'off'}>★</span>" for k in range(1, 6)
    ),
    "signs by colour": lambda n: "".join(
        f"<span style='color:{'gold' if k <= n else 'gray'}'>★</span>" for k in range(1, 6)
    ),
    "clipped signs": lambda n: f"<span class=clip>★★★★★<span style='width:{n * 20}%'>★★★★★</span></span>",
    "drawings": lambda n: "".join(
        f"<svg width=9 height=9 class='{'full' if k <= n else 'none'}'><path d='M0 0h9v9z'/></svg>"
        for k in range(1, 6)
    ),
    "a reference": lambda n: (
        f"<svg width=9 height=9><use href='#icon-{WORDS[n]}'/><path d='M0 0h9v9z'/></svg>"
    ),
    "a class of which nobody sees anything": lambda n: f"<span class='grade {WORDS[n]}'></span>",
    "a coloured dot": lambda n: f"<span class='dot {'red' if n % 2 else 'green'}'></span>",
    "an icon that some have": lambda n: "<i class='star on'></i>" * (n % 2),
    "an image of few": lambda n: (
        f"<img alt='' width=9 height=9 src='data:image/gif;base64,{'A' * (1 + (n > 2))}'>"
    ),
}
SAME_LOOKS: dict[str, Callable[[int], str]] = {
    "the same icon": lambda n: "<i class='star on'></i>",
    "photos": lambda n: f"<img alt='' width=9 height=9 src='data:image/gif;base64,{'A' * n}'>",
    "photos by style": lambda n: f"<div class=rating style='background-image:url(/photo-{n}.jpg)'></div>",
    "a text says it": lambda n: (
        f"<div class=track><div style='width:{n * 20}%'></div></div><em>{n * 20}%</em>"
    ),
    "stars and a text": lambda n: (
        f"<span class=clip>★★★★★<span style='width:{n * 20 - 10}%'>★★★★★</span></span><em>{n - 0.5} out of 5</em>"
    ),
    "a dot and its word": lambda n: (
        f"<span class='dot {'red' if n % 2 else 'green'}'></span><em>{'Off' if n % 2 else 'On'}</em>"
    ),
    "a value that is missing": lambda n: f"<p class=firm>{f'firm {n}' if n != 2 else ''}</p>",
    "an icon in a button": lambda n: f"<button aria-label='Menu'><i class='star s{n}'></i></button>",
}


def looks_in(
    around: str, looks: Mapping[str, Callable[[int], str]], values: Mapping[int, int] | None = None
) -> dict[str, str]:
    sections = {}
    for name, look in looks.items():
        html = AROUND[around]("@{n}@")
        for n in ROWS:
            html = html.replace(f"@{n}@", look((values or {}).get(n, n)))
        sections[name] = f"<h2>{name}</h2>{html}"
    return sections


@pytest.mark.parametrize("around", AROUND)
def test_rows_that_differ_by_looks_alone_are_never_complete(around: str, read_html: READ) -> None:
    frames = frames_of(read_html, looks_in(around, LOOKS, SCORES) | looks_in(around, SAME_LOOKS), LOOKS_STYLE)
    assert not silent(frames, dict.fromkeys(LOOKS, ""))
    assert not alarmed(frames, dict.fromkeys(SAME_LOOKS, ""))


OTHER_LOOKS: dict[str, Callable[[int], str]] = {
    "classes of each": lambda n: f"<i class='star fa-{WORDS[n]}'></i>",
    "colours of each": lambda n: f"<i class=star style='background:#{n}a0'></i>",
    "one of many": lambda n: f"<i class='star {'on' if n == 2 else ''}'></i>",
}


@pytest.mark.parametrize("around", AROUND)
def test_looks_that_may_adorn_rows_are_a_note(around: str, read_html: READ) -> None:
    """Colors of which each row has its own are values only under a header that names them."""
    others = {
        name: look for name, look in OTHER_LOOKS.items() if (around, name) != ("table", "colours of each")
    }
    frames = frames_of(read_html, looks_in(around, others), LOOKS_STYLE)
    assert not alarmed(frames, dict.fromkeys(others, ""))
    for name in others:
        assert "parts without words differ" in " ".join(frames[name].skillbook.notes), name


def test_a_dot_beside_a_name_is_a_note(read_html: READ) -> None:
    lines = "".join(
        f"<tr><td><i class='dot {'red' if n in (2, 3, 5) else 'green'}'></i> Ann {n}" for n in range(7)
    )
    (frame,) = sb.tables(read_html(f"<style>{LOOKS_STYLE}</style><table><tr><th>Who{lines}</table>"))
    assert frame.skillbook.complete
    assert 'column "Who": parts without words differ' in frame.skillbook.notes[0]


def test_what_is_drawn_on_a_canvas_is_said_not_to_be_read(read_html: READ) -> None:
    drawn = "<canvas width=50 height=20></canvas>"
    for around in AROUND.values():
        (frame,) = sb.tables(read_html(page_of({"chart": f"<h2>Charts</h2>{around(f'<b>fine</b>{drawn}')}"})))
        assert "what is drawn on 4 canvases isn't read" in frame.skillbook.notes
    none = sb.tables(read_html(f"<h1>Grid</h1>{drawn}"))
    assert not none.complete
    assert none.reason == "the page has no table, list or cards; what is drawn on a canvas isn't read"


GENERATED_STYLE = """
.count {counter-reset: rank} .count li::before, .count tr td:first-child::before, .count .grid > div::before
{counter-increment: rank; content: counter(rank) ". "}
.roman {counter-reset: rank} .roman .grid > div::before, .roman li::before, .roman td:first-child::before
{counter-increment: rank; content: "No " counter(rank, upper-roman)}
.attr [data-v]::after {content: attr(data-v)} .unit b.n::after {content: " kg"}
.share b.n {counter-reset: share var(--v)} .share b.n::after {content: counter(share) "%"}
.tip [data-tip]::after {content: attr(data-tip); opacity: 0} .sign b.n::before {content: "›"}
"""
GENERATED = {
    "count": ("<b class=n>good</b>", [f"{n}" for n in ROWS]),
    "roman": ("<b class=n>good</b>", ["No I", "No II", "No III", "No IV"]),
    "attr": ("<b class=n data-v='7{n} EUR'></b>", [f"7{n}" for n in ROWS]),
    "unit": ("<b class=n>5{n}</b>", [f"5{n}" for n in ROWS]),
    "share": ("<b class=n style='--v:4{n}'></b>", [f"4{n}" for n in ROWS]),
}


@pytest.mark.parametrize("around", AROUND)
def test_texts_that_a_style_sheet_adds_are_in_a_cell_or_said(around: str, read_html: READ) -> None:
    sections = {
        name: f"<h2>{name}</h2><div class={name}>{AROUND[around](value)}</div>"
        for name, (value, _) in GENERATED.items()
    }
    frames = frames_of(read_html, sections, GENERATED_STYLE)
    for name, (_, expected) in GENERATED.items():
        frame = frames[name]
        said = frame.skillbook.raw.astype(str).agg(" | ".join, axis=1).tolist()
        lost = [text for text, line in zip(expected, said, strict=True) if text not in line]
        assert not lost or not frame.skillbook.complete, (name, said)
        assert not lost, (name, said)


SHADOW = """<style>ul {counter-reset: rank}</style><ul></ul><script>
const sheet = new CSSStyleSheet();
sheet.replaceSync("b::after {content: ' kg'} i::before {content: attr(data-v)}");
for (const tag of ["x-own", "x-adopted", "x-closed"])
  customElements.define(tag, class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({mode: tag === "x-closed" ? "closed" : "open"});
      const n = this.getAttribute("n");
      root.innerHTML = `<style>:host::after {content: "END"} ::slotted(em)::before {content: "slot "}
        b::before {counter-increment: rank; content: "No " counter(rank) " "}
        ${tag === "x-adopted" ? "" : "b::after {content: ' kg'} i::before {content: attr(data-v)}"}</style>
        <span>Item ${n}</span> <b>5${n}</b> <i data-v="v7${n}"></i> <slot></slot>`;
      if (tag === "x-adopted") root.adoptedStyleSheets = [sheet];
    }
  });
document.querySelector("ul").innerHTML = [1, 2, 3, 4].map((n) => `<li><TAG n=${n}><em>e${n}</em></TAG></li>`).join("");
</script>"""


@pytest.mark.parametrize("tag", ["x-own", "x-adopted", "x-closed"])
def test_texts_that_style_sheets_add_in_shadow_roots_are_in_a_cell(tag: str, read_html: READ) -> None:
    (frame,) = sb.tables(read_html(SHADOW.replace("TAG", tag)))
    lines = frame.skillbook.raw.astype(str).agg(" ".join, axis=1).tolist()
    for n, line in enumerate(lines, 1):
        expected = [f"Item {n}", f"5{n}", "kg", f"v7{n}", "slot", f"e{n}", "END"]
        expected += [] if tag == "x-closed" else [f"No {n}"]
        assert [text for text in expected if text not in line] == [], line


def test_texts_that_nobody_sees_or_that_say_no_word_are_no_values(read_html: READ) -> None:
    right = {"tip": "<b class=n data-tip='Hint {n}'>good {n}</b>", "sign": "<b class=n>good {n}</b>"}
    sections = {
        name: f"<h2>{name}</h2><div class={name}>{list_of(value)}</div>" for name, value in right.items()
    }
    frames = frames_of(read_html, sections, GENERATED_STYLE)
    assert not alarmed(frames, right)
    assert not any("Hint" in text for text in frames["tip"].skillbook.raw.to_numpy().ravel())


STRUCK_STYLE = ".old {text-decoration: line-through} .was * {text-decoration: line-through red}"
STRUCK = {
    "del and ins": "<del>2{n}.00</del><ins>1{n}.00</ins>",
    "s and a text": "<s>2{n}.00</s>1{n}.00",
    "strike behind": "<b>1{n}.00</b> <strike>2{n}.00</strike>",
    "by class": "<span class=old>2{n}.00</span><span>1{n}.00</span>",
    "by style": "<span style='text-decoration:line-through'>2{n}.00</span> 1{n}.00",
    "further down": "<span class=was><span>2{n}.00</span></span> <span>1{n}.00</span>",
    "a line each": "<div><del>2{n}.00</del></div><div>1{n}.00</div>",
    "with a currency": "<del>$2{n}.00</del> $1{n}.00",
}


@pytest.mark.parametrize("around", AROUND)
def test_an_old_value_that_is_struck_out_is_never_one_with_the_new_one(around: str, read_html: READ) -> None:
    sections = {
        name: f"<h2>{name}</h2>{AROUND[around](f'<div class=price>{value}</div>')}"
        for name, value in STRUCK.items()
    }
    frames = frames_of(read_html, sections, STRUCK_STYLE)
    for name in STRUCK:
        frame = frames[name]
        columns = [column for column in frame if list(frame[column]) == [11.0, 12.0, 13.0, 14.0]]
        assert columns, (name, frame.to_string())
        rest = [column for column in frame if list(frame[column]) == [21.0, 22.0, 23.0, 24.0]]
        assert rest or "struck-out" in frame.skillbook.rules[columns[0]], (name, frame.skillbook.rules)
        assert frame.skillbook.complete, (name, frame.skillbook.reason)


def test_values_that_are_struck_out_themselves_stay_and_are_said(read_html: READ) -> None:
    html = (
        "<table><tr><th>Task<th>Days</tr><tr><td><s>Sweep</s><td>1<tr><td>Wash<td>2<tr><td>Cook<td>3</table>"
    )
    (frame,) = sb.tables(read_html(html))
    assert list(frame["Task"]) == ["Sweep", "Wash", "Cook"]
    assert frame.skillbook.rules["Task"] == "1 of 3 values are struck out"


ACCOUNTS = [("Cash", 10), ("Stock", 20), ("Current", 30), ("Land", 50), ("Plant", 7), ("Fixed", 57)]
SUMS = {"Current", "Fixed"}
WRITTEN = {
    "bold cells": lambda name, is_sum: ("", f"<b>{name}</b>" if is_sum else name),
    "a bold row": lambda name, is_sum: (" class=sum" if is_sum else "", name),
    "a row's color": lambda name, is_sum: (" class=red" if is_sum else "", name),
    "an attribute's color": lambda name, is_sum: (" bgcolor=#ffcccc" if is_sum else "", name),
    "an indent": lambda name, is_sum: ("", name if is_sum else f"<span class=in>{name}</span>"),
}
WRITING = (
    ".sum td { font-weight: 700 } .red td { background: #fcc } .in { padding-left: 20px } "
    "tr:nth-child(even) { background: #eee } .y { color: green } .r { color: red }"
)


def test_rows_that_are_written_otherwise_are_noted(read_html: READ) -> None:
    sections = {}
    for name, write in WRITTEN.items():
        lines = ""
        for account, amount in ACCOUNTS:
            attributes, text = write(account, account in SUMS)
            number = f"<b>{amount}</b>" if text.startswith("<b>") else amount
            lines += f"<tr{attributes}><td>{text}<td>{number}</tr>"
        sections[name] = f"<h2>{name}</h2><table><thead><tr><th>Account<th>Sum</tr></thead>{lines}</table>"
    frames = frames_of(read_html, sections, WRITING)
    shown = {
        name: [note for note in frames[name].skillbook.notes if "written otherwise" in note]
        for name in sections
    }
    assert [
        name for name, notes in shown.items() if "Current" not in str(notes) or "Fixed" not in str(notes)
    ] == []
    assert "indent" in shown["an indent"][0]
    assert all(frames[name].skillbook.complete and len(frames[name]) == len(ACCOUNTS) for name in sections)


def test_what_a_text_says_as_well_is_no_note(read_html: READ) -> None:
    rows = [("web1", 1.5, "down"), ("web2", 0.4, "up"), ("web3", 0.2, "up"), ("web4", 2.5, "down")]
    texts = "".join(f"<tr><td>{a}<td>{b}<td class={'r' if c == 'down' else 'y'}>{c}</tr>" for a, b, c in rows)
    ranges = "".join(f"<tr><td>{a}<td class={'r' if b > 1 else 'y'}>{b}</tr>" for a, b, _ in rows)
    stripes = "".join(f"<tr><td>{a}<td>{b}</tr>" for a, b, _ in rows)
    sections = {
        "texts": f"<h2>texts</h2><table><thead><tr><th>Host<th>Load<th>State</tr></thead>{texts}</table>",
        "ranges": f"<h2>ranges</h2><table><thead><tr><th>Host<th>Load</tr></thead>{ranges}</table>",
        "stripes": f"<h2>stripes</h2><table><thead><tr><th>Host<th>Load</tr></thead>{stripes}</table>",
    }
    frames = frames_of(read_html, sections, WRITING)
    assert {name: frames[name].skillbook.notes for name in sections} == dict.fromkeys(sections, ())


def comment(author: str, text: str, replies: str = "") -> str:
    head = f"<div><b class=author>{author}</b> <i>today</i></div>"
    return f"<div class=comment>{head}<p class=text>{text}</p>{replies}</div>"


THREADS = {
    "answers in what they answer": comment("Ada", "One", comment("Ben", "Two", comment("Cem", "Three")))
    + comment("Dan", "Four"),
    "answers that are indented": "".join(
        f"<div class=comment style='margin-left:{30 * level}px'><b>{name}</b> <span>{text}</span></div>"
        for name, text, level in (
            ("Ada", "One", 0),
            ("Ben", "Two", 1),
            ("Cem", "Three", 2),
            ("Dan", "Four", 0),
        )
    ),
}


@pytest.mark.parametrize("case", THREADS)
def test_levels_that_no_column_says_are_noted(case: str, read_html: READ) -> None:
    frame = sb.extract(read_html(f"<!doctype html><main>{THREADS[case]}</main>"))
    assert frame.iloc[:, 0].tolist() == ["Ada", "Ben", "Cem", "Dan"]
    assert "rows stand at 3 levels, one below another, and no column says at which" in frame.skillbook.notes


def test_a_cell_of_several_pictures_has_all_their_names(read_html: READ) -> None:
    def face(name: str) -> str:
        return f"<a href=# title='{name}'><img alt=Face src={name}.png></a>"

    lines = "".join(
        f"<tr><td>{n}<td>{''.join(map(face, names))}</tr>"
        for n, names in enumerate((["Ada", "Ben"], ["Cem"], ["Dan"]))
    )
    (frame,) = sb.tables(read_html(f"<table><tr><th>Team<th>Members</tr>{lines}</table>"))
    assert frame["Members"].tolist() == ["Face, Face", "Face", "Face"]
    assert any('("Ada", "Ben", "Cem")' in note for note in frame.skillbook.notes)
