"""A picture of the pages that an exploration saw: a column for each step from the start, the path in bold."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

_WIDTH, _COLUMN = 180, 230
_CAPTION, _THUMBNAIL = 26, 80
_GAP = 10
_MOST_ROWS, _MOST_ROWS_WITH_THUMBNAILS = 14, 7
_MOST_THUMBNAILS = 16
"""A saved notebook keeps them: each is some 3 kB."""
_MOST_LETTERS = 24
_MARGIN = 10

Pages = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class _Box:
    """A page's place; its thumbnail is above its title."""

    x: int
    y: int
    thumbnail: bytes

    @property
    def height(self) -> int:
        return _CAPTION + (_THUMBNAIL if self.thumbnail else 0)


def draw(
    pages: Pages,
    edges: Collection[tuple[str, str]],
    path: Sequence[str],
    thumbnails: Mapping[str, bytes] | None = None,
) -> str:
    """The picture as SVG; titles are page text and escaped.

    Parameters
    ----------
    pages : title, depth and status by address; only those that were seen are drawn.
    edges : which page links to which.
    path : the addresses on the way that was found.
    thumbnails : JPEG screenshots by address; those of the path, and of the pages seen first, are shown.
    """
    known = thumbnails or {}
    with_thumbnail = [*(url for url in path if url in known), *(url for url in pages if url in known)]
    shown = {url: known[url] for url in list(dict.fromkeys(with_thumbnail))[:_MOST_THUMBNAILS]}
    columns: dict[int, list[str]] = {}
    for url, data in pages.items():
        columns.setdefault(data["depth"], []).append(url)
    boxes: dict[str, _Box] = {}
    more, bottom = [], 0
    for depth, urls in columns.items():
        placed, y = _place(depth, urls, path, shown)
        boxes |= placed
        if len(urls) > len(placed):
            more.append(_words(depth, y, f"and {len(urls) - len(placed)} more"))
            y += _CAPTION
        bottom = max(bottom, y)
    on_path = set(pairwise(path))
    lines = [_line(boxes[a], boxes[b], (a, b) in on_path) for a, b in _tree(edges, boxes, on_path)]
    drawn = [_draw_box(box, pages[url], url, url in path) for url, box in boxes.items()]
    width = _MARGIN + max(box.x for box in boxes.values()) + _WIDTH + _MARGIN
    look = f"max-width: {width}px; width: 100%"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + _MARGIN}" style="{look}" role="img" '
        f'aria-label="The pages that were seen" font-family="system-ui, sans-serif" font-size="12" fill="none" '
        f'stroke="currentColor">{"".join([*lines, *drawn, *more])}</svg>'
    )


def _place(
    depth: int, urls: Sequence[str], path: Collection[str], shown: Mapping[str, bytes]
) -> tuple[dict[str, _Box], int]:
    """A column's boxes, the path's first, and where the column ends."""
    most = _MOST_ROWS_WITH_THUMBNAILS if shown else _MOST_ROWS
    first = sorted(urls, key=lambda url: (url not in path, url not in shown))
    boxes, y = {}, _MARGIN
    for url in first[:most]:
        boxes[url] = _Box(_MARGIN + depth * _COLUMN, y, shown.get(url, b""))
        y += boxes[url].height + _GAP
    return boxes, y


def _tree(
    edges: Collection[tuple[str, str]],
    boxes: Mapping[str, _Box],
    path: Collection[tuple[str, str]],
) -> list[tuple[str, str]]:
    """One edge into each page, from a column before it: that of the path, else the first."""
    into: dict[str, tuple[str, str]] = {}
    for a, b in sorted(edges, key=lambda edge: edge not in path):
        if a in boxes and b in boxes and boxes[a].x < boxes[b].x:
            into.setdefault(b, (a, b))
    return list(into.values())


def _line(a: _Box, b: _Box, bold: bool) -> str:
    x, y, to_x, to_y = a.x + _WIDTH, a.y + a.height // 2, b.x, b.y + b.height // 2
    middle = (x + to_x) // 2
    look = 'stroke-width="2.5"' if bold else 'stroke-opacity="0.35"'
    return f'<path d="M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}" {look}/>'


def _draw_box(box: _Box, data: Mapping[str, Any], url: str, bold: bool) -> str:
    title = data["title"] or url
    text = title if len(title) <= _MOST_LETTERS else f"{title[: _MOST_LETTERS - 1]}…"
    look = 'stroke-width="2.5"' if bold else 'stroke-opacity="0.5"'
    found = ' fill="#2a9d5c" fill-opacity="0.25"' if data["status"] == "found" else ""
    image = ""
    if box.thumbnail:
        data_url = f"data:image/jpeg;base64,{base64.b64encode(box.thumbnail).decode()}"
        image = (
            f'<image x="{box.x + 1}" y="{box.y + 1}" width="{_WIDTH - 2}" height="{_THUMBNAIL - 1}" '
            f'preserveAspectRatio="xMidYMin slice" href="{data_url}"/>'
        )
    x, y = box.x + 8, box.y + box.height - 9
    return (
        f"<g><title>{escape(f'{title} {url}')}</title>{image}"
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{box.height}" rx="5" {look}{found}/>'
        f'<text x="{x}" y="{y}" stroke="none" fill="currentColor">{escape(text)}</text></g>'
    )


def _words(depth: int, y: int, words: str) -> str:
    x = _MARGIN + depth * _COLUMN + 8
    return f'<text x="{x}" y="{y + 17}" stroke="none" fill="currentColor" fill-opacity="0.7">{words}</text>'
