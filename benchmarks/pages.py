"""Synthetic pages with a given number of elements: a shop's list, a third of it interactive."""

from __future__ import annotations

from pathlib import Path

_WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "iris",
    "jade",
    "kelp",
    "lotus",
)
_PER_CARD = 12


def write_page(folder: Path, elements: int) -> str:
    """Write a page of about so many elements; returns its file name."""
    cards = "".join(_card(number) for number in range(elements // _PER_CARD))
    html = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop {elements}</title><style>
    body {{ font: 14px sans-serif }} .card {{ border: 1px solid #ccc; margin: 4px; padding: 4px }}
    </style></head><body><header><nav><a href="#home">Home</a> <a href="#about">About</a></nav></header>
    <main><h1>Products</h1><button id="probe" onclick="this.textContent = 'Hit ' + (++window.hits)">Probe</button>
    <label>Search <input id="search" name="q"></label><div id="list">{cards}</div></main>
    <footer><p>Imprint</p></footer><script>window.hits = 0;
    document.querySelector("#list").addEventListener("click", (event) => {{
      const card = event.target.closest("[data-add]"); if (card) card.textContent = "Added";
    }});</script></body></html>"""
    name = f"shop-{elements}.html"
    (folder / name).write_text(html, encoding="utf-8")
    return name


def write_table(folder: Path, rows: int) -> str:
    """Write a page with one table; returns its file name."""
    body = "".join(
        f"<tr><td>{n}</td><td>{card_name(n)}</td><td>{n * 7 % 100}</td><td>€{n * 1.25:.2f}</td></tr>"
        for n in range(rows)
    )
    head = "<tr><th>Id</th><th>Name</th><th>Stock</th><th>Price</th></tr>"
    name = f"table-{rows}.html"
    (folder / name).write_text(
        '<!doctype html><meta charset="utf-8"><title>Table</title>'
        f"<table><thead>{head}</thead><tbody>{body}</tbody></table>",
        encoding="utf-8",
    )
    return name


def card_name(number: int) -> str:
    """What the card of a number is called."""
    return f"{_WORDS[number % 12].title()} {_WORDS[number * 7 % 12]} {number}"


def _card(number: int) -> str:
    name = card_name(number)
    return f"""<article class="card" aria-label="{name}"><div class="head"><h3>{name}</h3>
    <a href="/item/{number}">Details of {name}</a></div><p class="text">A fine <b>{_WORDS[number % 12]}</b>
    for <i>{_WORDS[number % 12]}</i> days.</p><div class="buy"><span class="price">€{number * 1.25:.2f}</span>
    <label><input type="checkbox" name="c{number}"> Compare</label>
    <button data-add>Add {number}</button></div></article>"""
