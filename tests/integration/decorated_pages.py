"""Lists as sites decorate them: each text of theirs is in a cell, and how a row looks says nothing more.

`TABLES`, `LISTS` and `CARDS` have one row each, by what is special of it; `pages()` makes pages of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Item(NamedTuple):
    """What a row is about; `n` counts from 1."""

    n: int
    name: str
    status: str
    price: float
    city: str
    share: int

    @property
    def is_odd(self) -> str:
        return "odd" if self.n % 2 else "even"

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.name.split())


ITEMS = [
    Item(1, "Ann Lee", "Open", 120.5, "Oslo", 12),
    Item(2, "Bob Fox", "Closed", 80.0, "Bern", 80),
    Item(3, "Cy Orr", "Open", 45.1, "Rome", 45),
    Item(4, "Dee Kay", "Pending", 310.0, "Kyiv", 33),
    Item(5, "Eve Hall", "Open", 99.99, "Lima", 99),
    Item(6, "Flo Ray", "Closed", 15.25, "Bonn", 15),
    Item(7, "Gus Orr", "Pending", 60.0, "Graz", 60),
    Item(8, "Hal Dunn", "Open", 210.4, "Turin", 21),
]
LAST = len(ITEMS)
STYLE = """
td, th {padding: 4px; width: 100px} .odd {background: #eee} .neg {color: red} .hid {visibility: hidden}
.dot, .arrow, .flag, .icon, .medal, .knob, .swatch, .ph {display: inline-block; width: 9px; height: 9px;
background: gray} .dot-Open {background: green} .up {background: green} .down {background: red}
.bar {display: inline-block; height: 9px; background: green}
.track, .stars {display: inline-block; width: 100px; height: 9px; background: #eee}
.rule {height: 1px; background: #ccc} .pic {height: 20px; width: 40px; background: #ccd}
"""
Row = Callable[[Item], str]


def state(item: Item, mark: str, where: bool) -> str:
    return mark if where else ""


def icon_of(item: Item) -> str:
    return f"<svg width=20 height=20><path d='M{item.share} {item.n}L{item.n * 2} 4z'/></svg>"


def line_of(item: Item) -> str:
    points = " ".join(f"{20 * at},{item.share * at % 16}" for at in range(4))
    return f"<svg width=60 height=16><polyline fill=none stroke=blue points='{points}'/></svg>"


TABLES: dict[str, tuple[str, Row]] = {
    "stripes by class": ("Name City", lambda i: f"<tr class={i.is_odd}><td>{i.name}<td>{i.city}"),
    "stripes by style": (
        "Name City",
        lambda i: f"<tr style='background:#{i.n % 2}00'><td>{i.name}<td>{i.city}",
    ),
    "striped cells": (
        "Name Currency",
        lambda i: f"<tr><td class={i.is_odd}>{i.name}<td class={i.is_odd}>EUR<td class={i.is_odd}>{i.price}",
    ),
    "striped space": ("Space Name", lambda i: f"<tr><td class='gap g{i.n % 2}'><td>{i.name}<td>{i.city}"),
    "numbered cells": (
        "Name Currency",
        lambda i: f"<tr><td class='c1 r{i.n}'>{i.name}<td class='c2 r{i.n}'>EUR",
    ),
    "a selected row": (
        "Name Currency",
        lambda i: f"<tr><td>{i.name}<td class='{state(i, 'on', i.n == 3)}'>EUR<td>{i.price}",
    ),
    "a coloured word": (
        "Name Status",
        lambda i: f"<tr><td>{i.name}<td><b class=is-{i.status}>{i.status}</b>",
    ),
    "a dot beside its word": (
        "Name Status",
        lambda i: f"<tr><td>{i.name}<td><i class='dot dot-{i.status}'></i> {i.status}",
    ),
    "a column of dots": (
        "Dot Name Status",
        lambda i: f"<tr><td><i class='dot dot-{i.status}'></i><td>{i.name}<td>{i.status}",
    ),
    "a red minus": (
        "Name Sum",
        lambda i: (
            f"<tr><td>{i.name}<td class={state(i, 'neg', i.n % 3 == 0)}>{state(i, '-', i.n % 3 == 0)}{i.price}"
        ),
    ),
    "arrows beside signed numbers": (
        "Name Trend Change",
        lambda i: (
            f"<tr><td>{i.name}<td><i class='arrow {'up' if i.n % 3 else 'down'}'></i>"
            f"<td>{'+' if i.n % 3 else '-'}{i.share / 10}%"
        ),
    ),
    "lines of a chart": ("Name Week", lambda i: f"<tr><td>{i.name}<td>{line_of(i)}"),
    "initials": (
        "Who Name",
        lambda i: f"<tr><td><b style='background:hsl({i.n * 40},50%,50%)'>{i.initials}</b><td>{i.name}",
    ),
    "flags beside their names": (
        "Name City",
        lambda i: f"<tr><td>{i.name}<td><span class='flag flag-{i.city[:2]}'></span> {i.city}",
    ),
    "a column of flags": (
        "Flag City",
        lambda i: f"<tr><td><i class='flag flag-{i.city[:2]}'></i><td>{i.city}",
    ),
    "stripes of teams": (
        "Pos Driver",
        lambda i: f"<tr><td>{i.n}<td><i class=flag style='background:#{i.n}a{i.n}0f0'></i>{i.name}",
    ),
    "buttons": (
        "Name Actions",
        lambda i: f"<tr><td>{i.name}<td><button class=btn-{i.is_odd}>Edit</button><button>Delete</button>",
    ),
    "buttons with icons": (
        "Name Actions",
        lambda i: (
            f"<tr><td>{i.name}<td><button aria-label=Edit class={state(i, 'off', i.n == 2)}>{icon_of(i)}</button>"
        ),
    ),
    "links of one name": (
        "Name More",
        lambda i: f"<tr><td>{i.name}<td><a href=/d{i.n} class=m-{i.n}>Details</a>",
    ),
    "bars with their number inside": (
        "Name Done",
        lambda i: (
            f"<tr><td>{i.name}<td><div class=track><div class=bar style='width: {i.share}%'>{i.share}%</div></div>"
        ),
    ),
    "bars with their number beside": (
        "Name Bar Done",
        lambda i: (
            f"<tr><td>{i.name}<td><div class=track><i class=bar style='width:{i.share}%'></i></div><td>{i.share}%"
        ),
    ),
    "bars of the largest": (
        "Name Votes Bar",
        lambda i: (
            f"<tr><td>{i.name}<td>{i.share * 1000:,}<td><i class=bar style='width:{i.share / 99 * 100:.4f}px'></i>"
        ),
    ),
    "bars of logarithms": (
        "Name Votes Bar",
        lambda i: (
            f"<tr><td>{i.name}<td>{i.share}<td><i class=bar style='width:{math.log(i.share) * 20:.1f}px'></i>"
        ),
    ),
    "two bars": (
        "Name Bar Wins Losses",
        lambda i: (
            f"<tr><td>{i.name}<td><i class='bar won' style='width:{i.share}%'></i>"
            f"<i class='bar lost' style='width:{100 - i.share}%'></i><td>{i.share}<td>{100 - i.share}"
        ),
    ),
    "icons of files": (
        "Icon File",
        lambda i: (
            f"<tr><td><i class='icon icon-{'pdf' if i.n % 3 else 'doc'}'></i>"
            f"<td>{i.city}.{'pdf' if i.n % 3 else 'doc'}"
        ),
    ),
    "medals": (
        "Rank Medal Name",
        lambda i: f"<tr><td>{i.n}<td>{state(i, f'<i class=medal{i.n}></i>', i.n < 4)}<td>{i.name}",
    ),
    "tick boxes": (
        "Box Name",
        lambda i: f"<tr><td><input type=checkbox {state(i, 'checked', i.n == 2)}><td>{i.name}<td>{i.city}",
    ),
    "toggles": (
        "Like Name",
        lambda i: (
            f"<tr><td><button class=f{i.n % 3} aria-pressed={i.n % 3 == 0} aria-label=Like>★</button><td>{i.name}"
        ),
    ),
    "a sign by its number": (
        "Name Sign Sum",
        lambda i: (
            f"<tr><td>{i.name}<td><b class={'cr' if i.n % 3 else 'dr'}>€</b><td>{state(i, '-', i.n % 3 == 0)}{i.price}"
        ),
    ),
    "a map of heat": (
        "Name A B",
        lambda i: f"<tr><td>{i.name}<td style='background:rgba(9,0,0,.{i.n})'>{i.share}<td>0",
    ),
    "equal values of two classes": (
        "Name A B",
        lambda i: f"<tr><td>{i.name}<td>{i.share}<td class='zero {state(i, 'late', i.n > 5)}'>0",
    ),
    "indents": (
        "Name City",
        lambda i: f"<tr><td><i style='padding-left:{i.n % 3 * 20}px'></i>{i.name}<td>{i.city}",
    ),
}
LISTS: dict[str, Row] = {
    "photos": lambda i: f"<img alt='' src=/p{i.n}.jpg width=20 height=20><b>{i.name}</b> <i>{i.city}</i>",
    "photos that some have": lambda i: (
        (f"<img alt='' src=/p{i.n}.jpg width=20 height=20>" if i.n % 3 else "<span class=ph></span>")
        + f"<b>{i.name}</b> <i>{i.city}</i>"
    ),
    "drawn faces": lambda i: (
        f"<svg width=20 height=20>{''.join(f'<rect width=4 height=4 fill=#{i.n}a{k} />' for k in range(5))}</svg>"
        f"<b>{i.name}</b> <i>{i.city}</i>"
    ),
    "a legend": lambda i: (
        f"<span class=swatch style='background-color:rgb({i.n * 20},{i.share},90)'></span>"
        f"<b>{i.city}</b> <i>{i.price}</i>"
    ),
    "links that were opened": lambda i: (
        f"<a href=/x{i.n} class='t {state(i, 'v', i.n % 3 > 0)}'>{i.name}</a> <i>{i.city}</i>"
    ),
    "a time line of two sides": lambda i: (
        f"<span class='knob {i.is_odd}'></span><time>{2000 + i.n}</time><p>{i.name} moved to {i.city}</p>"
    ),
    "a time line with ends": lambda i: (
        f"<span class='knob {state(i, 'first', i.n == 1)}{state(i, 'last', i.n == LAST)}'></span>"
        f"<time>{2000 + i.n}</time><p>{i.name} moved to {i.city}</p>"
    ),
    "lines between": lambda i: f"<b>{i.name}</b> <i>{i.city}</i>{state(i, '<hr class=rule>', i.n < LAST)}",
    "tools that hovering shows": lambda i: (
        f"<b>{i.name}</b> <i>{i.city}</i><span class=hid><button>Edit</button></span>"
    ),
    "handles": lambda i: f"<span class='handle h{i.n}'>⋮⋮</span><b>{i.name}</b> <i>{i.city}</i>",
    "a turned arrow": lambda i: (
        f"<span style='transform:rotate({90 * (i.n == 2)}deg)'>›</span><b>{i.name}</b> <i>{i.city}</i>"
    ),
    "counts in badges": lambda i: f"<b>{i.name}</b> <span class='badge bg-{i.is_odd}'>{i.share}</span>",
    "an unread dot": lambda i: (
        f"<b class={state(i, 'new', i.n < 3)}>{i.name}</b> wrote <time>{i.n} h ago</time>"
    ),
    "steps": lambda i: f"<span class='num {'done' if i.n < 4 else 'todo'}'>{i.n}</span><b>{i.city}</b>",
    "quotes": lambda i: f"<blockquote>I like {i.city} a lot</blockquote><cite>{i.name}</cite>",
}
CARDS: dict[str, Row] = {
    "one word in classes of each": lambda i: (
        f"<h3>{i.name}</h3><p class='tag tag-{i.n}'>New</p><p>{i.price}</p>"
    ),
    "one word of two classes": lambda i: (
        f"<h3>{i.name}</h3><p class='tag t{i.n % 3}'>Sale</p><p>{i.price}</p>"
    ),
    "delays": lambda i: (
        f"<i class=icon style='transition-delay:{i.n * 0.1}s'></i><h3>{i.name}</h3><p>{i.city}</p>"
    ),
    "places": lambda i: f"<i class=rule style='top:{i.n * 40}px'></i><h3>{i.name}</h3><p>{i.city}</p>",
    "lines between": lambda i: (
        f"<h3>{i.name}</h3><p>{i.city}</p>{state(i, '<div class=rule></div>', i.n < LAST)}"
    ),
    "images on their way": lambda i: (
        f"<span class='lazy {state(i, 'loaded', i.n < 4)}'><img alt='' src=/i{i.n}.jpg width=30 height=30></span>"
        f"<h3>{i.name}</h3><p>{i.price}</p>"
    ),
    "stars with their number": lambda i: (
        f"<h3>{i.name}</h3><div class=stars style='--r:{i.share / 20:.1f}'></div>"
        f"<i>{i.share / 20:.1f}</i><p>{i.price}</p>"
    ),
    "stars with number and count": lambda i: (
        f"<h3>{i.name}</h3><span class=stars><i class=bar style='width:{i.share}%'></i></span> "
        f"<i>{i.share / 20:.2f} ({i.n * 3})</i><p>{i.price}</p>"
    ),
    "stars that are rounded": lambda i: (
        f"<h3>{i.name}</h3><i class='stars stars-{round(i.share / 20)}'></i> <i>{i.share / 20:.1f}</i><p>{i.price}</p>"
    ),
    "stars with a name": lambda i: (
        f"<h3>{i.name}</h3><div role=img aria-label='{i.n % 5 + 1} of 5 stars'>"
        f"{''.join(f'<i class={chr(111) * (k <= i.n % 5 + 1)}></i>' for k in range(5))}</div><p>{i.price}</p>"
    ),
    "photos by class": lambda i: f"<div class='pic p{i.n}'></div><h3>{i.name}</h3><p>{i.price}</p>",
    "a word over some photos": lambda i: (
        f"<div class=pic></div><h3>{i.name}</h3><p>{i.price}</p>{state(i, '<em>Sold out</em>', i.n % 3 == 0)}"
    ),
    "icons of services": lambda i: (
        f"<i class='icon fa-{i.city}'></i><h3>{i.city} service</h3><p>We do {i.city} well.</p>"
    ),
    "drawn icons": lambda i: f"{icon_of(i)}<h3>{i.city} service</h3><p>We do {i.city} well.</p>",
    "charts under numbers": lambda i: (
        f"<h3>{i.city}</h3><b>{i.share}</b><svg width=50 height=20><rect x=0 width=5 height={i.share / 5} /></svg>"
    ),
}
AFTER = {
    "comments beside": "<aside><h2>Comments</h2><div><p>Nice.</p><p>Indeed.</p></div>"
    "<button>Load more comments</button></aside>",
    "tools below": "<div><button>Export</button><button>Print</button><a href=/help>Help</a>"
    "<button>Refresh</button></div>",
    "one page": "<nav aria-label=Pages><button disabled>Previous</button><span aria-current=page>1</span>"
    "<button disabled>Next</button></nav><p>Showing 1 to 8 of 8 entries</p>",
    "rows per page": "<p>Rows per page: <select><option>10<option>25</select> 1–8 of 8 "
    "<button aria-label='Next page' disabled>›</button></p>",
    "a text below": "<p>About our accounts: this page lists all of them. <a href=/about>Read more</a></p>",
}
BEFORE = {
    "filters above": "<form><label>Search <input name=q></label><button>Apply</button></form>"
    "<div><a href=?all>All (8)</a> <a href=?open>Open (3)</a> <a href=?closed>Closed (5)</a></div>",
    "chips above": "<div><button class=on>All 8</button><button>Open 3</button><button>Closed 12</button></div>",
}


def pages() -> Iterator[tuple[str, str]]:
    """All of these, each as a page with one list, by name."""
    for name, (heads, row) in TABLES.items():
        yield f"table, {name}", page_of(table_of(heads, row))
    for name, row in LISTS.items():
        yield f"list, {name}", page_of(f"<ul>{''.join(f'<li>{row(item)}</li>' for item in ITEMS)}</ul>")
    for name, row in CARDS.items():
        yield f"cards, {name}", page_of("".join(f"<div class=card>{row(item)}</div>" for item in ITEMS))
    plain = table_of("Name City", lambda i: f"<tr><td>{i.name}<td>{i.city}")
    for name, html in AFTER.items():
        yield f"table, {name}", page_of(plain + html)
    for name, html in BEFORE.items():
        yield f"table, {name}", page_of(html + plain)


def table_of(heads: str, row: Row) -> str:
    head = "".join(f"<th>{name}" for name in heads.split())
    return f"<table><thead><tr>{head}<tbody>{''.join(map(row, ITEMS))}</table>"


def page_of(html: str) -> str:
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><main><h1>Accounts</h1>{html}</main>"
