"""What a page shows as Markdown: its main part by landmarks, tables kept, and what was left out at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urldefrag, urlsplit

from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from skillbook.perception.ai_opt_out import REASON, ClosedToAi
from skillbook.perception.escape import without_controls
from skillbook.perception.text.tokens import count_tokens
from skillbook.protocol.commands.read import MarkdownResult, ShownDocument

_AROUND = ("navigation", "banner", "contentinfo", "complementary", "search")
"""Landmarks around what a page is about."""
_MOST_HEADINGS = 8


class Markdown(str):
    """Markdown text that knows what of the page isn't in it.

    left_out: a line each, in words; the text's last line has them too, as a comment.
    """

    left_out: tuple[str, ...]

    def __new__(cls, text: str, left_out: Sequence[str] = ()) -> Markdown:  # noqa: D102
        note = f"\n\n<!-- left out: {'; '.join(left_out)} -->" if left_out else ""
        made = super().__new__(cls, f"{text}{note}".strip())
        made.left_out = tuple(left_out)
        return made

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        # Not as text/markdown: a notebook would load the page's images.
        return {"text/plain": str(self)}


@dataclass
class _Reading:
    links: bool
    closed: ClosedToAi | None
    left_out: list[str] = field(default_factory=list)


def to_markdown(
    result: MarkdownResult,
    *,
    whole: bool,
    links: bool = True,
    budget: int | None = None,
    closed: ClosedToAi | None = None,
) -> Markdown:
    """Make Markdown of what a page's documents show.

    result: the documents; the first one is read, and those in its frames.
    whole: whether all of it is wanted, rather than the main part.
    links: whether links and images keep their addresses.
    budget: tokens at most; None for no limit.
    closed: what a model may not read; None for a person.
    """
    reading = _Reading(links, closed)
    inside = {(one.owner_key, one.owner_number): one for one in result.documents[1:]}
    root = _joined(result.documents[0], inside, reading)
    canvases = sum(one.canvases for one in result.documents)
    if canvases:
        reading.left_out.append(f"{canvases} {'canvas' if canvases == 1 else 'canvases'}, see a screenshot")
    reading.left_out += [f"a frame of {_host(one.url)}: {one.reason}" for one in result.unread]
    if not whole:
        _keep_main(root, reading)
    for table in root.find_all("table"):
        _fill_spans(table)
    _address(root, result.documents[0].url, links)
    text = _Converter(
        heading_style="ATX", bullets="-", escape_underscores=False, table_infer_header=True
    ).convert_soup(root)
    text = without_controls(re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip())
    text = text.replace(_CODE_END + "`", " `").replace(_CODE_END, "")
    if budget is not None:
        text = _cut(text, budget, reading)
    return Markdown(text, reading.left_out)


def _joined(
    document: ShownDocument, inside: dict[tuple[str, int], ShownDocument], reading: _Reading
) -> BeautifulSoup:
    """A document with the documents of its frames in their places."""
    closed = reading.closed
    if closed is not None and document.key in closed.documents:
        reading.left_out.append(f"{_host(document.url)}: {REASON}")
        return BeautifulSoup("", "html.parser")
    root = BeautifulSoup(document.html.replace(_CODE_END, ""), "html.parser")
    if closed is not None and document.key not in closed.lifted:
        parts = [
            part for part in root.select("[data-no-ai]") if not part.find_parent(attrs={"data-no-ai": True})
        ]
        for part in parts:
            part.decompose()
        if parts:
            reading.left_out.append(f"{len(parts)} part{'s' * (len(parts) > 1)} of the page: {REASON}")
    unread = 0
    for frame in root.find_all("iframe"):
        child = inside.pop((document.key, int(str(frame.get("data-number") or 0))), None)
        if child is None:
            unread += 1
            frame.decompose()
        else:
            part = root.new_tag("div")
            part.extend(list(_joined(child, inside, reading).contents))
            frame.replace_with(part)
    if unread:
        reading.left_out.append(f"{unread} frame{'s' * (unread > 1)} without a document that can be read")
    return root


def _keep_main(root: BeautifulSoup, reading: _Reading) -> None:
    """Leave the main landmarks and dialogs, or where none is, all but what is around a page's content."""
    mains = [part for part in root.select("[role=main]") if _words(part)]
    before = _words(root)
    if mains:
        kept = [*mains, *root.select("[role=dialog], [role=alertdialog]")]
        outer = [
            part for part in kept if not any(part in other.descendants for other in kept if other is not part)
        ]
        parts = [part.extract() for part in outer]
        rest = [part for name in _AROUND for part in root.select(f"[role={name}]")]
        names = _named(rest)
        root.clear()
        root.extend(parts)
        where = "outside of main"
    else:
        rest = [part for name in _AROUND for part in root.select(f"[role={name}]")]
        names, where = _named(rest), "around the content"
        for part in rest:
            if not part.decomposed:
                part.decompose()
    gone = before - _words(root)
    if gone:
        listed = f" ({', '.join(names)})" if names else ""
        reading.left_out.append(f"{gone:,} words {where}{listed}")


def _named(parts: Sequence[Tag]) -> list[str]:
    return list(dict.fromkeys(str(part["role"]) for part in parts if _words(part)))


def _words(part: Tag) -> int:
    return len(part.get_text(" ").split())


def _fill_spans(table: Tag) -> None:
    """Repeat a cell in each row that it spans: rows of Markdown have no other way to say so."""
    below: dict[int, tuple[int, Tag]] = {}
    for row in table.find_all("tr"):
        if row.find_parent("table") is not table:
            continue
        cells = row.find_all(["td", "th"], recursive=False)
        column, following = 0, dict[int, tuple[int, Tag]]()
        for cell in [*cells, None]:
            while column in below:
                left, above = below[column]
                copy = BeautifulSoup(str(above), "html.parser")
                if cell is None:
                    row.append(copy)
                else:
                    cell.insert_before(copy)
                width = _span(above, "colspan")
                if left > 1:
                    following[column] = (left - 1, above)
                column += width
            if cell is None:
                break
            if (height := _span(cell, "rowspan")) > 1:
                following[column] = (height - 1, cell)
            column += _span(cell, "colspan")
        below = following


def _span(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or "1")
    return min(1_000, max(1, int(text))) if text.isdigit() else 1


def _address(root: BeautifulSoup, url: str, links: bool) -> None:
    """Keep links that lead elsewhere; a link to a place on the page is text, and its mark in a heading nothing."""
    here = urldefrag(url).url
    for link in root.find_all("a"):
        href = str(link.get("href") or "")
        del link["title"]
        leads = _scheme(href) in {"http", "https", "mailto"} and urldefrag(href).url != here
        if leads and links:
            link["href"] = _UNFIT.sub(lambda found: quote(found[0]), href)
        elif not re.search(r"\w", link.get_text()) and not link.find("img"):
            link.decompose()
        else:
            link.unwrap()
    for image in root.find_all("img"):
        address = str(image.get("src") or "")
        del image["title"]
        if links and _scheme(address) in {"http", "https"}:
            image["src"] = _UNFIT.sub(lambda found: quote(found[0]), address)
        else:
            image.replace_with(str(image.get("alt") or ""))
    for media in root.find_all(["video", "audio", "source", "embed", "object"]):
        media.unwrap()


_UNFIT = re.compile(r"""[\s()<>"'`\\\[\]]""")
"""Characters that would end an address in Markdown."""


def _scheme(address: str) -> str:
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "this page").replace("--", "")


def _cut(text: str, budget: int, reading: _Reading) -> str:
    """As many whole lines as fit, and in words what comes after."""
    total = count_tokens(text)
    if total <= budget:
        return text
    spent, lines = 0, text.splitlines()
    count = 0
    while (spent := spent + count_tokens(lines[count]) + 1) <= budget:
        count += 1
    headings = [re.sub(r"^#+\s*", "", line) for line in lines[count:] if re.match(r"#{1,6} ", line)]
    after = [re.sub(r"[<>]|--+", "", heading)[:60] for heading in headings[:_MOST_HEADINGS]]
    listed = f", with {', '.join(map(repr, after))}" if after else ""
    more = f" and {len(headings) - len(after)} more headings" if len(headings) > len(after) else ""
    reading.left_out.append(f"{total - budget:,} of about {total:,} tokens from here on{listed}{more}")
    kept = "\n".join(lines[:count]).strip()
    fence = _open_fence(kept)
    return f"{kept}\n{fence}" if fence else kept


def _open_fence(text: str) -> str:
    """The fence of the code in which a text ends; empty outside of code."""
    fence = ""
    for line in text.splitlines():
        marks = _FENCE.match(line)
        if marks and not fence:
            fence = marks[0]
        elif marks and line.strip() == fence:
            fence = ""
    return fence


_FENCE = re.compile(r"`{3,}")
_CODE_END = "\ufdd0"
"""No character: it stands where code ends, so that what comes next doesn't lengthen the marks that end it."""


class _Converter(MarkdownConverter):
    """Markdown of which nothing that the page says is HTML or another cell."""

    def escape(self, text: str, parent_tags: Any) -> str:
        # A text's end counts as what may follow: the page's next text stands right behind it.
        text = re.sub(r"\\(?=[!-/:-@\[-`{-~]|\Z)", r"\\\\", text)
        escaped: str = super().escape(text, parent_tags)  # type: ignore[misc]
        escaped = re.sub(r"<(?=[A-Za-z/!?]|\Z)|`|\](?=[(:\[]|\Z)", r"\\\g<0>", escaped)
        return re.sub(r"(?m)^(?=#{1,6}\s|>)", r"\\", escaped)

    def convert_code(self, el: Any, text: str, parent_tags: Any) -> str:
        code: str = super().convert_code(el, text, parent_tags)  # type: ignore[misc]
        return code if "_noformat" in parent_tags else re.sub(r"`(\s*)\Z", rf"`{_CODE_END}\1", code)

    convert_kbd = convert_samp = convert_code

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:
        block: str = super().convert_pre(el, text, parent_tags)  # type: ignore[misc]
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        begin, inside, end = block.partition("```")[0], block.strip()[3:-3], "\n\n" if block else ""
        fence = "`" * max(3, longest + 1)
        return f"{begin}{fence}{inside}{fence}{end}" if block else ""

    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        el["alt"] = self.escape(" ".join(str(el.get("alt") or "").split()), parent_tags)
        shown: str = super().convert_img(el, text, parent_tags)  # type: ignore[misc]
        return shown

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        converted: str = super().convert_td(el, _in_cell(text), parent_tags)  # type: ignore[misc]
        return converted

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        converted: str = super().convert_th(el, _in_cell(text), parent_tags)  # type: ignore[misc]
        return converted


def _in_cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", re.sub(r"\s*\n\s*", " ", text.strip()))
