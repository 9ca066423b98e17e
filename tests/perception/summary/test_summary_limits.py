"""A summary keeps its limits whatever a page has."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given

from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary import summarize
from tests.strategies import snapshots
from tests.summaries import summary_problems
from tests.trees import snapshot

pytest.importorskip("bpe_openai")

_LANDMARKS = ("banner", "navigation", "main", "complementary", "contentinfo", "search", "form", "region")
_LONG = {
    "latin": "Internationalisation " * 90,
    "noise": "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyzABCDEF0123456789+/=", k=2_000)),
    "chinese": "查看全部商品分类并加入购物车" * 120,
    "rare ideographs": "".join(chr(code) for code in range(0x3400, 0x3400 + 2_000)),
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀" * 120,
    "symbols": "⟦⟧⸨⸩꧁꧂𝕬𝖇𝖈" * 150,
    "cuneiform": "".join(chr(code) for code in range(0x12000, 0x12000 + 900)) * 2,
    "escapes": '\\"[ref=e1]\\' * 900,
    "invisible": "\u200b\u202e\ufeff\u2060 a" * 400,
    "one word": "a" * 3_000,
}


def _said(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def huge_names(text: str) -> Snapshot:
    """Everything that has a name has a huge one."""
    name = _said(text)
    lines = [f"{role} {name}" for role in _LANDMARKS] + ["main"]
    for n in range(24):
        lines += [f"  form {name}", f"    textbox {name} + html_name={_said(text[:50])} type=text"]
        lines += [f"    button {_said(f'{n} {text}')} + type=submit", f"  link {_said(text[n:])} + href=/{n}"]
    for _ in range(24):
        lines += [f"  table {name}", "    row"] + [f"      columnheader {name}"] * 9
        for n in range(3):
            lines += ["    row"] + [f"      cell\n        {_said(f'{n}{text}')}"] * 9
    return snapshot("\n".join(lines), title=text, url=f"http://site.test/{text[:3000]}")


_EACH_TIME = {"noise", "rare ideographs", "escapes", "invisible", "one word"}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in _EACH_TIME else pytest.mark.more) for kind in _LONG]
)
def test_huge_names(kind: str) -> None:
    assert summary_problems(huge_names(_LONG[kind])) == []


def many_forms() -> Snapshot:
    fields = "\n".join(f'    textbox "Field {n}" + required type=text' for n in range(40))
    return snapshot("\n".join(f'  form "Form {n}"\n{fields}\n    button "Send {n}" +' for n in range(40)))


def many_landmarks() -> Snapshot:
    lines = []
    for n in range(500):
        lines.append(
            f'{_LANDMARKS[n % len(_LANDMARKS)]} "Part {n}"\n  button "Act {n}" +\n  textbox "Say {n}" +'
        )
    return snapshot("\n".join(lines))


def many_lists() -> Snapshot:
    item = '    listitem\n      link "Go {0} {1}" +\n      generic\n        "by Ann"\n'
    return snapshot(
        "\n".join(f'  list "List {n}"\n' + "".join(item.format(n, i) for i in range(4)) for n in range(300))
    )


def odd_refs() -> Snapshot:
    """Numbers as long as a page's life makes them."""
    return snapshot(
        "\n".join(
            f'  button "B {n}" + ref=e{10**15 + n}\n  textbox "T {n}" + ref=e{10**15 + 500 + n}'
            for n in range(90)
        )
    )


@pytest.mark.parametrize("make", [many_forms, many_landmarks, many_lists, odd_refs])
def test_very_many(make: object) -> None:
    page = make()  # type: ignore[operator]
    assert summary_problems(page) == []
    summary = summarize(page)
    assert len(summary.actions) + len(summary.forms) + len(summary.collections) >= 20
    assert "query(text)" in summary.text() or len(summary.text()) < 6_000


@given(snapshots(max_nodes=60))
def test_any_page(page: Snapshot) -> None:
    assert summary_problems(page) == []
