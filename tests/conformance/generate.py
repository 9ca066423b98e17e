"""Random documents from a grammar of elements, roles, labels, hidden parts and shadow roots; one seed, one document."""

from __future__ import annotations

import random

_WORDS = (
    "Alpha", "Beta", "Gamma", "Delta", "Order", "Save", "Name", "City",
    "Total", "Next", "Open", "Price", "Mail", "Search", "Help", "Close",
)  # fmt: skip
_LEAF_ROLES = ("button", "link", "checkbox", "radio", "switch", "heading", "slider",
               "spinbutton", "textbox", "combobox", "note", "status", "img", "none", "nonsense")  # fmt: skip
_OWNED = {
    "tab": "tablist",
    "menuitem": "menu",
    "option": "listbox",
    "treeitem": "tree",
    "radio": "radiogroup",
}
"""Roles that need another one around them."""
_GROUP_ROLES = (
    "group",
    "region",
    "list",
    "toolbar",
    "presentation",
    "tablist",
    "menu",
    "navigation",
    "dialog",
)
_INPUTS = ("text", "email", "search", "number", "range", "checkbox", "radio", "button", "submit", "reset", "date",
           "password", "color", "tel", "image", "file")  # fmt: skip
_HIDING = ("hidden", 'style="display:none"', 'style="visibility:hidden"', 'aria-hidden="true"', "inert",
           'style="content-visibility:hidden"', 'style="opacity:0"')  # fmt: skip
_DISPLAYS = ("block", "inline", "inline-block", "flex", "contents")


class Document:
    """A random document.

    Parameters
    ----------
    seed : decides everything.
    size : about how many elements.
    """

    def __init__(self, seed: int, size: int = 25) -> None:
        self._random = random.Random(seed)
        self._prefix = f"g{seed}-"
        self._ids = 0
        self._short: list[str] = []
        self._left = size
        self.html = "".join(self._block(0) for _ in range(3))
        while self._left > 0:
            self.html += self._block(0)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _words(self, most: int = 3) -> str:
        return " ".join(self._random.choices(_WORDS, k=self._random.randint(1, most)))

    def _new_id(self) -> str:
        self._ids += 1
        return f"{self._prefix}{self._ids}"

    def _some_id(self) -> str:
        """Something short that was written before, or nothing."""
        return self._random.choice([*self._short, f"{self._prefix}gone"])

    def _attributes(self, *, hide: bool = True) -> str:
        chosen = [f'id="{self._new_id()}"']
        if self._chance(0.12):
            chosen.append(f'aria-label="{self._words(2)}"')
        if self._chance(0.1):
            chosen.append(f'aria-labelledby="{self._some_id()} {self._some_id()}"')
        if self._chance(0.08):
            chosen.append(f'title="{self._words(2)}"')
        if self._chance(0.06):
            chosen.append(f'aria-describedby="{self._some_id()}"')
        if hide and self._chance(0.08):
            chosen.append(self._random.choice(_HIDING))
        return " ".join(chosen)

    def _block(self, depth: int) -> str:
        self._left -= 1
        if depth > 4 or self._left <= 0:
            return self._inline(depth)
        kind = self._random.choice(
            ("p", "div", "role", "list", "table", "fieldset", "section", "label", "details", "shadow", "heading",
             "style", "link", "button", "control", "control", "figure", "referred")
        )  # fmt: skip
        inside = self._phrase(depth + 1)
        match kind:
            case "p":
                return f'<p id="{self._new_id()}">{inside}</p>'
            case "div":
                return f"<div {self._attributes()}>{self._block(depth + 1)}{self._block(depth + 1)}</div>"
            case "role":
                role = self._random.choice(_GROUP_ROLES)
                return f'<div role="{role}" {self._attributes()}>{self._block(depth + 1)}{inside}</div>'
            case "list":
                items = "".join(
                    f"<li>{self._phrase(depth + 1)}</li>" for _ in range(self._random.randint(1, 3))
                )
                return f"<ul {self._attributes()}>{items}</ul>"
            case "table":
                cells = "".join(f"<td>{self._phrase(depth + 2)}</td>" for _ in range(2))
                return (
                    f"<table {self._attributes()}><caption>{self._words()}</caption><tr><th>{self._words()}</th>"
                    f"<th>{self._words()}</th></tr><tr>{cells}</tr></table>"
                )
            case "fieldset":
                off = " disabled" if self._chance(0.2) else ""
                return (
                    f"<fieldset{off} {self._attributes()}><legend>{self._words()}</legend>"
                    f"{self._control()}{self._block(depth + 1)}</fieldset>"
                )
            case "section":
                tag = self._random.choice(("section", "nav", "header", "footer", "aside", "article", "form"))
                return f"<{tag} {self._attributes()}>{self._block(depth + 1)}</{tag}>"
            case _:
                return self._leaf_block(kind, depth)

    def _leaf_block(self, kind: str, depth: int) -> str:
        """A block of a kind that holds no other phrase."""
        match kind:
            case "label":
                return self._labelled()
            case "details":
                opened = " open" if self._chance(0.6) else ""
                return (
                    f"<details{opened}><summary>{self._words()}</summary>{self._block(depth + 1)}</details>"
                )
            case "shadow":
                slot = f"<slot>{self._words(1)}</slot>"
                inner = self._random.choice(
                    (
                        f"<button>{slot}</button>",
                        f"<p>{slot}</p>{self._control()}",
                        f"<div>{self._inline(depth)}{slot}</div>",
                    )
                )
                mode = self._random.choice(("open", "closed"))
                return (
                    f'<x-host><template shadowrootmode="{mode}">{inner}</template>{self._words(2)}</x-host>'
                )
            case "heading":
                level = self._random.randint(1, 6)
                ident = self._new_id()
                self._short.append(ident)
                return f'<h{level} id="{ident}">{self._words()} {self._decoration()}</h{level}>'
            case "style":
                display = self._random.choice(_DISPLAYS)
                return (
                    f'<div style="display:{display}"><span>{self._words(1)}</span>{self._inline(depth)}</div>'
                )
            case "link":
                return f'<a href="#{self._words(1)}" {self._attributes()}>{self._phrase(5)}</a>'
            case "button":
                return f"<button {self._attributes()}>{self._phrase(5)}</button>"
            case "figure":
                caption = f"<figcaption>{self._words()}</figcaption>"
                return f"<figure {self._attributes()}>{self._inline(depth)}{caption}</figure>"
            case "referred":
                ident = self._new_id()
                hide = self._random.choice(("", " hidden", ' aria-hidden="true"'))
                self._short.append(ident)
                button = f'<button aria-labelledby="{ident}">{self._words(1)}</button>'
                return f'<span id="{ident}"{hide}>{self._words()}</span>{button}'
            case _:
                return self._control()

    def _phrase(self, depth: int) -> str:
        parts = [self._words()]
        for _ in range(self._random.randint(0, 2)):
            parts.append(self._inline(depth) if depth < 5 else self._decoration())
            if self._chance(0.5):
                parts.append(self._words(1))
        self._random.shuffle(parts)
        return self._random.choice((" ", " ", "")).join(parts)

    def _decoration(self) -> str:
        """What may stand inside a link or a button."""
        self._left -= 1
        words = self._words(1)
        return self._random.choice(
            (
                f"<b>{words}</b>", f"<i hidden>{words}</i>", f'<img alt="{words}" width="9" height="9">',
                f'<span aria-hidden="true">{words}</span>', f'<span aria-label="{words}" role="img">x</span>',
                f'<span style="display:block">{words}</span>', f'<span class="gen">{words}</span>', "<br>",
                f'<svg width="9" height="9"><title>{words}</title><circle r="4"></circle></svg>',
                f'<span style="visibility:hidden">{words}</span>', f"<em>{words}</em>", f"<div>{words}</div>",
            )
        )  # fmt: skip

    def _inline(self, depth: int) -> str:
        self._left -= 1
        kind = self._random.choice(("link", "button", "role", "owned", "control", "deco", "deco", "editable"))
        match kind:
            case "link":
                return f'<a href="#x" {self._attributes()}>{self._words()}{self._decoration()}</a>'
            case "button":
                return f"<button {self._attributes()}>{self._decoration()}{self._words()}</button>"
            case "role":
                role = self._random.choice(_LEAF_ROLES)
                tab = ' tabindex="0"' if self._chance(0.7) else ""
                state = self._random.choice(
                    ("", ' aria-checked="true"', ' aria-expanded="false"', ' aria-disabled="true"')
                )
                value = ' aria-valuenow="3"' if role in {"slider", "spinbutton"} else ""
                return f'<span role="{role}"{tab}{state}{value} {self._attributes()}>{self._words()}</span>'
            case "owned":
                role, around = self._random.choice(list(_OWNED.items()))
                parts = "".join(
                    f'<div role="{role}" tabindex="0" {self._attributes()}>{self._words()}</div>'
                    for _ in range(2)
                )
                return f'<div role="{around}" aria-label="{self._words(1)}">{parts}</div>'
            case "editable":
                return f'<span contenteditable role="textbox" {self._attributes()}>{self._words()}</span>'
            case "deco":
                return self._decoration()
            case _:
                return self._control()

    def _labelled(self) -> str:
        ident = self._new_id()
        kind = self._random.choice(("checkbox", "text", "radio", "search"))
        field = f'<input type="{kind}" id="{ident}">'
        words = self._words()
        return self._random.choice(
            (
                f"<label>{field} {words}</label>", f"<label>{words} {field}</label>",
                f'<label for="{ident}">{words}</label>{field}',
                f'<label for="{ident}">{words}</label><label for="{ident}">{self._words(1)}</label>{field}',
                f'<label for="{ident}">{words} {self._decoration()}</label>{field}',
                f'<label for="{ident}">{words} <input value="7" aria-label="n"></label>{field}',
            )
        )  # fmt: skip

    def _control(self) -> str:
        self._left -= 1
        own = self._attributes(hide=self._chance(0.5))
        hint = f' placeholder="{self._words(1)}"' if self._chance(0.3) else ""
        match self._random.choice(("input", "input", "select", "textarea", "list", "meter", "img")):
            case "select":
                many = self._random.choice(("", "", " multiple", ' size="3"'))
                options = f"<option>{self._words(1)}</option><option selected>{self._words(1)}</option>"
                return f"<select{many} {own}>{options}</select>"
            case "textarea":
                return f"<textarea{hint} {own}>{self._words(1)}</textarea>"
            case "list":
                ident = f"{self._new_id()}-list"
                options = f'<datalist id="{ident}"><option>{self._words(1)}</option></datalist>'
                return f'<input list="{ident}"{hint} {own}>{options}'
            case "meter":
                return f'<meter value="0.4" {own}>x</meter>'
            case "img":
                return f'<img alt="{self._words(1)}" width="9" height="9" {own}>'
            case _:
                kind = self._random.choice(_INPUTS)
                text = f' value="{self._words(1)}"' if kind in {"text", "button", "submit", "search"} else ""
                number = ' value="4"' if kind in {"number", "range"} else ""
                state = self._random.choice(("", "", " disabled", " required", " checked"))
                return f'<input type="{kind}"{text}{number}{hint}{state} {own}>'


def page_of(seeds: range) -> str:
    """One page of many documents."""
    body = "".join(f'<div data-seed="{seed}">{Document(seed).html}</div>' for seed in seeds)
    style = '<style>.gen::before{content:"Pre "}.gen::after{content:" post"}</style>'
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>Generated</title>{style}<body>{body}</body></html>"
