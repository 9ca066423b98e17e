"""Page text made harmless: it can forge neither lines nor refs in what a model reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

from skillbook.lexicon.table import FILLERS

MOST_NAMED = 3
"""How many of several things a note names."""
LONGEST_TEXT = 300
"""Characters of a text that are shown and compared."""
LONGEST_NAME = 80
"""Characters of a text that may name something, or be shown as its name; what is longer says more than a name."""
_KEPT_FORMAT = {"\u200c", "\u200d"}  # joiners that Persian and emoji need
_FILLER = re.compile(f"[{''.join(sorted(FILLERS))}]")
_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
}
_REF_LIKE = re.compile(r"\[(?=\s*ref\s*=)", re.IGNORECASE)
_PLAIN = re.compile(r"[^\s\[\]|\"\\<>#](?:[^\[\]|\"\\]*[^\s\[\]|\"\\])?\Z")


def clean(text: str) -> str:
    """Fold whitespace to single spaces, compose letters and drop characters that show nothing or reorder others."""
    if not text.isascii():
        text = _FILLER.sub("", unicodedata.normalize("NFC", text))
    if text.isprintable():
        if "  " not in text and text[:1] != " " and text[-1:] != " ":
            return text
    else:
        text = "".join(_visible(char) for char in text)
    return " ".join(text.split())


_PART = 1_000
_UNCLEAN = ("  ", "| ", " |")  # spaces side by side, and at the edges of texts that bars stand between


def clean_all(texts: Sequence[str]) -> list[str]:
    """Every text cleaned; most are clean as they are, which many at once show much sooner than each by itself."""
    found: list[str] = []
    for start in range(0, len(texts), _PART):
        part = texts[start : start + _PART]
        found += part if _are_clean(part) else map(clean, part)
    return found


def _are_clean(texts: Sequence[str]) -> bool:
    """Whether cleaning leaves every text as it is; no where that isn't sure."""
    whole = f"|{'|'.join(texts)}|"
    if not whole.isprintable() or any(mark in whole for mark in _UNCLEAN):
        return False
    # What is a part of a composed text is composed (Unicode, UAX #15).
    return whole.isascii() or (unicodedata.is_normalized("NFC", whole) and not _FILLER.search(whole))


def without_controls(text: str) -> str:
    """Page text that a terminal can be given: what would command it, such as an escape sequence, is a sign to read.

    New lines and tabs stay.
    """
    return text.translate(_CONTROLS)


def _visible(char: str) -> str:
    if char.isprintable() or char in _KEPT_FORMAT:
        return char
    category = unicodedata.category(char)
    return " " if category in {"Cc", "Zs", "Zl", "Zp"} else ""


def quote(text: str, limit: int | None = None) -> str:
    """Page text as a quoted string on one line; `limit` cuts it to so many characters."""
    text = shorten(clean(text), limit)
    if '"' in text or "\\" in text:
        text = text.replace("\\", "\\\\").replace('"', '\\"')
    if "[" in text:
        text = without_refs(text)
    return f'"{text}"'


def quote_lines(text: str, limit: int | None = None) -> str:
    """What a field of several lines holds, as a quoted string on one line: a new line is `\\n`, a backslash two."""
    if "\n" not in text.strip():
        return quote(text, limit)
    whole = "\\n".join(quote(line)[1:-1] for line in text.strip().splitlines())
    return f'"{shorten(whole, limit)}"'


def without_refs(text: str) -> str:
    """Page text in which nothing can be taken for a ref."""
    return _REF_LIKE.sub(r"[\\", text)


def plain(text: str, limit: int | None = None) -> str:
    """Page text as a table's cell: bare where it can't be taken for anything else, else quoted."""
    folded = shorten(clean(text), limit)
    return folded if not folded or _PLAIN.match(folded) else quote(folded)


def counted(count: int, one: str, several: str = "") -> str:
    """A number with what it counts: "1 row", "2,000 rows"; `several` where the plural isn't made with an "s"."""
    return f"1 {one}" if count == 1 else f"{count:,} {several or one + 's'}"


def listed(texts: Sequence[str], limit: int = 40) -> str:
    """The first of several texts, quoted, and a mark where there are more."""
    shown = ", ".join(quote(text, limit) for text in texts[:MOST_NAMED])
    return f"{shown}, …" if len(texts) > MOST_NAMED else shown


def shorten(text: str, limit: int | None) -> str:
    """Cut text to so many characters, the last being an ellipsis."""
    return text if limit is None or len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def shorten_middle(text: str, limit: int) -> str:
    """Cut text to so many characters, with its beginning and its end: a page can't push either out of view."""
    if len(text) <= limit:
        return text
    left_out = f" … ({len(text) - limit:,} characters left out) … "
    return f"{text[: limit * 2 // 3].rstrip()}{left_out}{text[len(text) - limit // 3 :].lstrip()}"


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of one-line texts as plain text, the head among them; each column is as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def html_table(
    head: Iterable[str], rows: Iterable[Sequence[str]], buttons: Iterable[str] | None = None
) -> str:
    """Rows of texts as an HTML table.

    buttons: HTML for one more cell of each row.
    """
    lines = ["".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row) for row in rows]
    if buttons is not None:
        head = (*head, "")
        lines = [f"{line}<td>{button}</td>" for line, button in zip(lines, buttons, strict=True)]
    heads, body = "".join(f"<th>{cell}</th>" for cell in head), "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
