"""What the benchmarks compute, without a browser."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import report
from benchmarks.chart import Bar, render_chart
from benchmarks.figures import Figure, race, tokens
from benchmarks.measures.texts import peer_elements, share
from benchmarks.report import with_derived
from benchmarks.runner import Results


@pytest.mark.parametrize(
    ("kind", "ours", "theirs", "goal", "ratio", "met"),
    [
        ("faster", 10.0, 80.0, 8.0, 8.0, True),
        ("faster", 10.0, 79.0, 8.0, 7.9, False),
        ("share", 45.0, 100.0, 0.45, 0.45, True),
        ("share", 46.0, 100.0, 0.45, 0.46, False),
        ("at most", 4001.0, None, 4000.0, 4001.0, False),
        ("at least", 99.6, 100.0, 99.5, 99.6, True),
    ],
)
def test_a_goal_is_met_or_not(
    kind: str, ours: float, theirs: float | None, goal: float, ratio: float, met: bool
) -> None:
    figure = Figure("what", "page", ours, theirs, "ms", kind, goal)
    assert figure.ratio == pytest.approx(ratio)
    assert figure.met is met


def test_racers_take_turns_and_the_first_round_is_not_counted() -> None:
    order: list[str] = []
    race(lambda: order.append("ours"), lambda: order.append("theirs"), 3, prepare=lambda: order.append("-"))
    assert order[::2] == ["-"] * 8
    assert order[1::2] == ["theirs", "ours", "ours", "theirs", "theirs", "ours", "ours", "theirs"]


def test_playwrights_lines_are_read() -> None:
    text = """- generic [active] [ref=e1]:
  - link "Home" [ref=e4] [cursor=pointer]:
    - /url: "#home"
  - 'button "Price: \\"low\\" to ''high''" [disabled] [ref=e5]'
  - text: button "no" [ref=e6]
  - textbox [ref=e7]: typed
"""
    assert list(peer_elements(text)) == [
        ("link", "Home"),
        ("button", "Price:\"low\"to'high'"),
        ("textbox", ""),
    ]


def test_what_is_lost_counts_as_often_as_it_was_there() -> None:
    words = Counter({"a": 3, "b": 1})
    assert share(words, words - Counter({"a": 1, "b": 5})) == 50.0
    assert share(Counter(), Counter()) == 100.0


def test_tokens_are_counted() -> None:
    assert tokens("") == 0
    assert 2 <= tokens("hello big world") <= 4


def test_the_chart_is_xml_and_has_every_bar() -> None:
    svg = ElementTree.fromstring(
        render_chart([Bar("fast <b>", "9×", 9.0), Bar("slow", "0.5×", 0.0)], "A & B")
    )
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"A & B", "fast <b>", "slow", "9×", "0.5×"} <= set(texts)
    bars = [element.get("fill") for element in svg.iter("{http://www.w3.org/2000/svg}rect")][1:]
    assert len(set(bars)) == 2


def test_the_median_of_real_pages_is_a_figure() -> None:
    pages = {"1,000 elements": 90.0, "swagger": 20.0, "shoelace": 10.0, "pydocs": 50.0}
    figures = [Figure("full snapshot", page, 10.0, time, "ms", "faster", 1) for page, time in pages.items()]
    found = with_derived(figures)[-1]
    assert (found.page, found.ratio, found.met) == ("real pages", 2.0, True)
    assert with_derived(figures[:1]) == figures[:1]


def test_a_figure_takes_the_place_of_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "KEPT", tmp_path / "measured.json")
    one, other = (Figure(name, "page", 10.0, None, "ms", "at most", 20.0) for name in ("one", "other"))
    report.keep(Results([one, other], [], {}), "a slow machine")
    kept, machine = report.keep(Results([replace(one, ours=5.0)], [], {}), "a quick machine")
    assert [(figure.measure, figure.ours) for figure in kept.figures] == [("one", 5.0), ("other", 10.0)]
    assert machine == "a quick machine"


def test_a_click_on_a_large_page_stands_beside_one_on_a_small_page() -> None:
    figures = [
        Figure("click by ref", page, time, 50.0, "ms", "share", 1.2)
        for page, time in {"100 elements": 20.0, "10,000 elements": 32.0}.items()
    ]
    found = with_derived(figures)[-1]
    assert (found.peer, found.ratio, found.met) == ("100 elements", 1.6, False)


def test_what_lost_more_than_the_fence_is_named() -> None:
    kept = [
        Figure("click by ref", "page", 10.0, 20.0, "ms", "share", 1.2),
        Figure("full snapshot", "page", 10.0, 30.0, "ms", "faster", 2),
        Figure("tokens", "page", 10.0, None, "tokens", "at most", 20),
    ]
    assert not report.slower([replace(one, ours=11.0) for one in kept], kept, 0.15)
    lost = report.slower([replace(one, ours=12.0) for one in kept], kept, 0.15)
    assert lost == ["click by ref, page: 60%, kept was 50%", "full snapshot, page: 2.5×, kept was 3.0×"]
