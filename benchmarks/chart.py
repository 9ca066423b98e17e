"""A horizontal bar chart as plain SVG text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import log10

_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 900, 330, 140, 24, 58


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes
    ----------
    label, text : left of it and at its end.
    score : how many times the goal is reached; 1 is exactly.
    """

    label: str
    text: str
    score: float


def render_chart(bars: Sequence[Bar], title: str) -> str:
    """Bars on a logarithmic scale around the goal, which is a line; those that miss it are red."""
    scores = [min(max(bar.score, 0.02), 50.0) for bar in bars]
    low, high = min([0.5, *scores]) / 1.2, max([2.0, *scores]) * 1.2
    height = _TOP + _ROW * len(bars) + 16

    def place(score: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (log10(score) - log10(low)) / (log10(high) - log10(low))

    goal = place(1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif"'
        ' font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="12" y="22" font-size="15" font-weight="bold">{escape(title)}</text>',
        f'<text x="{goal:.1f}" y="46" text-anchor="middle" fill="#555">goal</text>',
    ]
    for number, (bar, score) in enumerate(zip(bars, scores, strict=True)):
        y = _TOP + _ROW * number
        at = place(score)
        color = "#2a9d5c" if bar.score >= 1 else "#c8442e"
        left, width = min(goal, at), abs(at - goal)
        parts += [
            f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{left:.1f}" y="{y}" width="{max(width, 1):.1f}" height="{_ROW - 7}" fill="{color}"/>',
            f'<text x="{max(at, goal) + 6:.1f}" y="{y + 13}">{escape(bar.text)}</text>',
        ]
    parts.append(f'<line x1="{goal:.1f}" x2="{goal:.1f}" y1="50" y2="{height - 12}" stroke="#222"/>')
    return "\n".join([*parts, "</svg>", ""])
