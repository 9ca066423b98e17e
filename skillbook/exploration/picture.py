"""A picture of the pages that an exploration saw: a column for each step from the start, the path in bold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

_WIDTH, _HEIGHT, _COLUMN, _ROW = 180, 26, 230, 36
_MOST_ROWS, _MOST_LETTERS = 14, 24
_MARGIN = 10


def draw(
    pages: Mapping[str, Mapping[str, Any]], edges: Collection[tuple[str, str]], path: Sequence[str]
) -> str:
    """The picture as SVG; titles are page text and escaped.

    Parameters
    ----------
    pages : title, depth and status by address; only those that were seen are drawn.
    edges : which page links to which.
    path : the addresses on the way that was found.
    """
    columns: dict[int, list[str]] = {}
    for url, data in pages.items():
        columns.setdefault(data["depth"], []).append(url)
    places: dict[str, tuple[int, int]] = {}
    more = []
    for depth, urls in columns.items():
        shown = sorted(urls, key=lambda url: url not in path)[:_MOST_ROWS]
        places |= {url: (_MARGIN + depth * _COLUMN, _MARGIN + row * _ROW) for row, url in enumerate(shown)}
        if len(urls) > len(shown):
            more.append(_words(depth, len(shown), f"and {len(urls) - len(shown)} more"))
    on_path = set(pairwise(path))
    lines = [_line(places[a], places[b], (a, b) in on_path) for a, b in _tree(edges, places, on_path)]
    boxes = [_box(place, pages[url], url, url in path) for url, place in places.items()]
    width = _MARGIN + max(x for x, _ in places.values()) + _WIDTH + _MARGIN
    height = 2 * _MARGIN + _ROW * max(min(len(urls), _MOST_ROWS + 1) for urls in columns.values())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" style="max-width: {width}px; '
        f'width: 100%" role="img" aria-label="The pages that were seen" font-family="system-ui, sans-serif" '
        f'font-size="12" fill="none" stroke="currentColor">{"".join([*lines, *boxes, *more])}</svg>'
    )


def _tree(
    edges: Collection[tuple[str, str]],
    places: Mapping[str, tuple[int, int]],
    path: Collection[tuple[str, str]],
) -> list[tuple[str, str]]:
    """One edge into each page, from a column before it: that of the path, else the first."""
    into: dict[str, tuple[str, str]] = {}
    for a, b in sorted(edges, key=lambda edge: edge not in path):
        if a in places and b in places and places[a][0] < places[b][0]:
            into.setdefault(b, (a, b))
    return list(into.values())


def _line(a: tuple[int, int], b: tuple[int, int], bold: bool) -> str:
    x, y, to_x, to_y = a[0] + _WIDTH, a[1] + _HEIGHT // 2, b[0], b[1] + _HEIGHT // 2
    middle = (x + to_x) // 2
    look = 'stroke-width="2.5"' if bold else 'stroke-opacity="0.35"'
    return f'<path d="M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}" {look}/>'


def _box(place: tuple[int, int], data: Mapping[str, Any], url: str, bold: bool) -> str:
    x, y = place
    title = data["title"] or url
    text = title if len(title) <= _MOST_LETTERS else f"{title[: _MOST_LETTERS - 1]}…"
    look = 'stroke-width="2.5"' if bold else 'stroke-opacity="0.5"'
    found = ' fill="#2a9d5c" fill-opacity="0.25"' if data["status"] == "found" else ""
    return (
        f"<g><title>{escape(f'{title} {url}')}</title>"
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" {look}{found}/>'
        f'<text x="{x + 8}" y="{y + 17}" stroke="none" fill="currentColor">{escape(text)}</text></g>'
    )


def _words(depth: int, row: int, words: str) -> str:
    x, y = _MARGIN + depth * _COLUMN + 8, _MARGIN + row * _ROW + 17
    return f'<text x="{x}" y="{y}" stroke="none" fill="currentColor" fill-opacity="0.7">{words}</text>'
