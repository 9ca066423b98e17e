"""The comparison with Playwright: `python -m benchmarks [--sizes 1000 5000 10000] [--rounds 7]`."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import bpe_openai
from rich.console import Console
from rich.table import Table

import skillbook as sb
from benchmarks.pages import write_page, write_table
from benchmarks.peers import Peers, median_ms, start_peers
from skillbook.testing.site import serve_folder


@dataclass
class Row:
    """One figure: ours, Playwright's, and the ratio to reach."""

    what: str
    ours: float
    theirs: float
    unit: str
    goal: str

    @property
    def ratio(self) -> str:
        """How the two compare."""
        if self.unit == "tokens":
            return f"{self.ours / self.theirs:.0%} of"
        return f"{self.theirs / self.ours:.1f}× faster"


def compare_page(peers: Peers, url: str, elements: int, rounds: int) -> list[Row]:
    """Snapshot time, tokens and click time on one page."""
    page, peer = peers.open(url)
    first = page.snapshot()
    probe = first.find("button 'Probe'")
    assert probe.ref
    rows = [
        Row(
            f"full snapshot, {elements:,} elements",
            median_ms(page.snapshot, rounds),
            median_ms(lambda: peer.aria_snapshot(mode="ai"), rounds),
            "ms",
            "≥ 8×",
        ),
        Row(
            f"full text, {elements:,} elements",
            _tokens(first.text(budget=None)),
            _tokens(peer.aria_snapshot(mode="ai")),
            "tokens",
            "≤ 45 %",
        ),
        Row(f"default text, {elements:,} elements", _tokens(first.text()), 4000, "tokens", "≤ 4,000"),
    ]
    hits = int(peer.evaluate("window.hits"))
    button = peer.locator("#probe")
    rows.append(
        Row(
            f"click by ref, {elements:,} elements",
            median_ms(lambda: page.click(str(probe.ref)), rounds),
            median_ms(button.click, rounds),
            "ms",
            "≥ 3×",
        )
    )
    assert int(peer.evaluate("window.hits")) == hits + 2 * (rounds + 1), "a click was lost"
    page.close()
    return rows


def compare_table(peers: Peers, url: str, rows: int) -> list[Row]:
    """A table to a DataFrame, against a loop over locators."""
    page, peer = peers.open(url)

    def loop() -> None:
        for row in peer.locator("tbody tr").all():
            row.locator("td").all_inner_texts()

    frame = sb.tables(page)[0]
    assert len(frame) == rows, "rows are missing"
    result = [
        Row(
            f"table of {rows:,} rows", median_ms(lambda: sb.tables(page), 3), median_ms(loop, 1), "ms", "≥ 5×"
        )
    ]
    page.close()
    return result


def _tokens(text: str) -> float:
    return len(bpe_openai.get_encoding("o200k_base").encode(text))


def show(rows: list[Row]) -> None:
    """Print the comparison."""
    table = Table(title="skillbook against Playwright, one run, one browser")
    for name in ("what", "skillbook", "Playwright", "ratio", "to reach"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for row in rows:
        table.add_row(
            row.what, f"{row.ours:,.1f} {row.unit}", f"{row.theirs:,.1f} {row.unit}", row.ratio, row.goal
        )
    Console().print(table)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 5000, 10000])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serve_folder(folder) as site, start_peers(folder) as peers:
            for size in options.sizes:
                rows += compare_page(peers, f"{site.url}/{write_page(folder, size)}", size, options.rounds)
            rows += compare_table(peers, f"{site.url}/{write_table(folder, 1000)}", 1000)
    show(rows)


if __name__ == "__main__":
    main()
