"""Lists in 22 markups, what may change of them until the next day, and who was acted on."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Item:
    """One record: its key is made of `number`, as in a link."""

    number: int
    name: str
    price: str
    state: str = "in stock"


# {name}, {price} and {state} are an item's own, {link} leads to it, {number} is its key, {place} counts the items;
# {control} is what is acted on.
MARKUPS: Mapping[str, tuple[str, str, str]] = {
    "h3 and p": ("<div>", "<div class=card><h3>{name}</h3><p>{price}</p>{control}</div>", "</div>"),
    "link": ("<div>", "<div class=card><a href={link}>{name}</a><p>{price}</p>{control}</div>", "</div>"),
    "li with h3": ("<ul>", "<li><h3>{name}</h3><p>{price}</p>{control}</li>", "</ul>"),
    "article": ("<div>", "<article><h2>{name}</h2><p>{price}</p>{control}</article>", "</div>"),
    "price first": ("<div>", "<div class=card><p>{price}</p><h3>{name}</h3>{control}</div>", "</div>"),
    "tree": (
        "<div role=tree aria-label=All>",
        "<div role=treeitem><span>{name}</span> <span>{price}</span> {control}</div>",
        "</div>",
    ),
    "details": (
        "<div>",
        "<details open><summary>{name}</summary><p>{price}</p>{control}</details>",
        "</div>",
    ),
    "table": (
        "<table><tr><th>Name<th>State<th>Price<th>",
        "<tr><td>{name}<td>{state}<td>{price}<td>{control}",
        "</table>",
    ),
    "state first": ("<table>", "<tr><td>{state}<td>{price}<td>{name}<td>{control}", "</table>"),
    "row header": ("<table>", "<tr><th scope=row>{name}<td>{price}<td>{control}", "</table>"),
    "grid": (
        "<div role=grid>",
        "<div role=row><span role=gridcell>{name}</span> <span role=gridcell>{price}</span>"
        " <span role=gridcell>{control}</span></div>",
        "</div>",
    ),
    "linked row": ("<table>", "<tr><td><a href={link}>{name}</a><td>{price}<td>{control}", "</table>"),
    "list": ("<ul>", "<li><span>{name}</span> <i>{price}</i> {control}</li>", "</ul>"),
    "definitions": ("<dl>", "<dt>{name}</dt><dd><span>{price}</span> {control}</dd>", "</dl>"),
    "fieldset": ("<div>", "<fieldset><legend>{name}</legend><p>{price}</p>{control}</fieldset>", "</div>"),
    "bare lines": ("<div>", "<span>{name}</span> <b>{price}</b> {control}<br>", "</div>"),
    "figure": ("<div>", "<figure><figcaption>{name}</figcaption><p>{price}</p>{control}</figure>", "</div>"),
    "heading apart": ("<div>", "<h3>{name}</h3><p>{price}</p><div>{control}</div>", "</div>"),
    "row with a key": ("<table>", "<tr data-id={number}><td>{name}<td>{price}<td>{control}", "</table>"),
    "card with a key": (
        "<div>",
        "<div class=card data-item-id={number}><h3>{name}</h3><p>{price}</p>{control}</div>",
        "</div>",
    ),
    "item with an id": ("<ul>", "<li id=item-{number}><b>{name}</b> <i>{price}</i> {control}</li>", "</ul>"),
    "counted row": ("<table>", "<tr data-id={place}><td>{name}<td>{price}<td>{control}", "</table>"),
}
COMMANDS: Mapping[str, str] = {
    "click": "<button type=button onclick=\"did('{name}')\">Mark</button>",
    "fill": "<input aria-label=Amount oninput=\"did('{name}')\">",
    "check": "<input type=checkbox aria-label=Choose oninput=\"did('{name}')\">",
    "select": "<select aria-label=Size oninput=\"did('{name}')\"><option>small<option>large</select>",
}
ITEMS = (
    Item(11, "Ann Lee", "10 EUR"),
    Item(42, "Bob Fox", "12 EUR", "sold out"),
    Item(13, "Cy Orr", "15 EUR"),
    Item(7, "Dee Poe", "19 EUR", "sold out"),
)
BOB = ITEMS[1]


def _added(items: list[Item]) -> list[Item]:
    return [Item(10, "Eve Ott", "12 EUR", "sold out"), *items]


def _reordered(items: list[Item]) -> list[Item]:
    return items[::-1]


def _removed(items: list[Item]) -> list[Item]:
    return items[1:]


def _gone(items: list[Item]) -> list[Item]:
    """Bob is gone, and another has his price and his place."""
    return [replace(items[0], name="Zed Ash", number=20), replace(items[0], price=BOB.price), *items[2:]]


def _prices(items: list[Item]) -> list[Item]:
    """Each costs what the one after it did, and all are on top of the one before it: Ann costs what Bob did."""
    return [
        replace(item, price=after.price) for item, after in zip(items, [*items[1:], items[0]], strict=True)
    ]


def _renamed(items: list[Item]) -> list[Item]:
    return [replace(item, name="Bob Foxglove" if item == BOB else item.name) for item in items]


def _namesake(items: list[Item]) -> list[Item]:
    return [replace(BOB, number=30, price="99 EUR"), *items]


def _namesake_instead(items: list[Item]) -> list[Item]:
    """The recorded one is gone, and another is called the same: only the link says so."""
    return [replace(item, number=30, price="99 EUR") if item == BOB else item for item in items]


CHANGES: Mapping[str, Callable[[list[Item]], list[Item]]] = {
    "added": _added,
    "removed": _removed,
    "reordered": _reordered,
    "prices moved": _prices,
    "all at once": lambda items: _prices(_added(_reordered(items))),
    "translated": lambda items: items,
    "gone": _gone,
    "renamed": _renamed,
    "namesake": _namesake,
    "namesake instead": _namesake_instead,
}
TOLD_BY_NAMES = ("added", "removed", "reordered", "prices moved", "all at once", "translated")
"""Changes after which a person could say by the names which one it is."""
KEYED = ("link", "linked row", "row with a key", "card with a key", "item with an id")
"""Markups in which a link or a key says which one it is, whatever it is called."""


def page_of(markup: str, command: str, change: str = "") -> str:
    """The list, as it is after a change; what was acted on stands in `out`."""
    first, item, last = MARKUPS[markup]
    items = CHANGES[change](list(ITEMS)) if change else list(ITEMS)
    heading = "Alle Produkte" if change == "translated" else "All products"
    lines = []
    for place, each in enumerate(items):
        called = f"{each.name} {each.number}"
        control = COMMANDS[command].replace("{name}", html.escape(called))
        texts = {"name": each.name, "price": each.price, "state": each.state, "link": f"/item/{each.number}"}
        lines.append(item.format(control=control, number=each.number, place=place, **texts))
    language = "de" if change == "translated" else "en"
    return (
        f"<!doctype html><html lang={language}><meta charset=utf-8><title>Shop</title><main><h1>{heading}</h1>"
        f"{first}{''.join(lines)}{last}</main><p id=out></p>"
        "<script>function did(name) { if (!out.textContent.includes(name)) out.textContent += name + ';' }</script>"
    )


def judged(markup: str, change: str, did: str, *, by_key: bool = True) -> str:
    """Whether the right one was acted on: "done", "refused" or "wrong".

    Parameters
    ----------
    by_key : whether the record's link or key was known; a selector says its name alone.
    """
    if not did:
        return "refused"
    right = f"{BOB.name} {BOB.number};"
    if change == "renamed":
        right = f"Bob Foxglove {BOB.number};"
    elif change == "namesake instead" and not (by_key and markup in KEYED):
        return "done"  # nobody could say that it is another
    return "done" if did == right and (change != "renamed" or markup in KEYED) else "wrong"


def as_json(markup: str, command: str) -> str:
    """All pages of a markup and a command by change; the page as it was recorded is ""."""
    return json.dumps({change: page_of(markup, command, change) for change in ("", *CHANGES)})
