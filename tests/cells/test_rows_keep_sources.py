"""Rows that a cell filters, renames, joins or sorts know where they came from; a source that isn't certain is none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillbook.agents.state.run_cells import frame_of_cell
from skillbook.agents.state.step_records import StepRecord
from skillbook.cells.crossing import from_plain, value_for_code
from skillbook.cells.sandbox import CellEnd, HostCall, Sandbox
from skillbook.cells.traced_rows import trace_rows, written_keys
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.row_sources import find_origin, load_origins, save_origins
from skillbook.extraction.page_tables import tables_from
from tests.trees import snapshot

LAMPS = [
    ("Aurora", "desk", "€20.00"),
    ("Beacon", "floor", "€35.00"),
    ("Cone", "desk", "€12.50"),
    ("Dot", "", ""),
]
STOCK = [("Cone", "3 left"), ("Aurora", "sold out")]


def table(
    columns: tuple[str, ...], *rows: tuple[str, ...], url: str = "http://site.test/lamps"
) -> pd.DataFrame:
    lines = [
        'main\n  table "Things"\n    row',
        *(f'      columnheader\n        "{name}"' for name in columns),
    ]
    for row in rows:
        lines.append("    row")
        lines += [f'      cell\n        "{text}"' if text else "      cell" for text in row]
    return tables_from(snapshot("\n".join(lines), url=url, key=url))[0]


@pytest.fixture(scope="module")
def lamps() -> pd.DataFrame:
    return table(("title", "kind", "price"), *LAMPS)


@pytest.fixture(scope="module")
def stock() -> pd.DataFrame:
    return table(("title", "stock"), *STOCK, url="http://site.test/stock")


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    made = Sandbox(1_700_000_000)
    yield made
    await made.close()


async def ended(sandbox: Sandbox, frames: list[pd.DataFrame], *codes: str) -> pd.DataFrame | None:
    """The frame of the rows that the last cell ended with; each extraction gives the next frame."""
    cells: list[dict[str, Any]] = []
    steps: list[StepRecord] = []
    waiting = iter(frames)
    step: HostCall | CellEnd | None = None
    for number, code in enumerate(codes):
        cells.append({"id": f"c{number}", "code": code, "answers": []})
        step = await sandbox.start(code)
        while isinstance(step, HostCall):
            frame = next(waiting)
            call_id = f"c{number}.{len(cells[-1]['answers'])}L{step.line}"
            steps.append(StepRecord(len(steps) + 1, "extract", {}, call_id, extra={"frame": frame}))
            cells[-1]["answers"].append({"value": value_for_code(frame)})
            step = await sandbox.answer(from_plain(cells[-1]["answers"][-1]["value"]))
    assert isinstance(step, CellEnd)
    assert step.error == ""
    return frame_of_cell(step.value, cells, steps)


def said(frame: pd.DataFrame | None, row: int, column: str) -> tuple[str, str] | None:
    """What the page says where a cell came from, and the page; None where nobody knows."""
    assert frame is not None
    try:
        source = frame.skillbook.source(row, column)
    except ExtractionError:
        return None
    return None if source is None else (source.text, source.url.rpartition("/")[2])


READ = "rows = sb.extract(page)\n"


async def test_rows_that_are_filtered_and_sorted(sandbox: Sandbox, lamps: pd.DataFrame) -> None:
    code = READ + "sorted([r for r in rows if r['kind'] == 'desk'], key=lambda r: r['price'])"
    frame = await ended(sandbox, [lamps], code)
    assert frame is not None
    assert list(frame["title"]) == ["Cone", "Aurora"]
    assert frame["price"].dtype == lamps["price"].dtype
    assert frame.skillbook.units == {"price": "€"} == lamps.skillbook.units
    assert said(frame, 0, "price") == ("€12.50", "lamps")
    assert said(frame, 1, "title") == ("Aurora", "lamps")
    assert (frame.skillbook.complete, frame.skillbook.reason) == (
        False,
        "a part: 2 of the 4 rows that were read",
    )
    whole = await ended(sandbox, [lamps], READ + "rows[::-1]")
    assert whole is not None
    assert whole.skillbook.complete
    assert whole.skillbook.notes == ()
    assert len(whole.skillbook.provenance()) == len(lamps.skillbook.provenance())


async def test_columns_that_are_renamed_left_out_and_computed(sandbox: Sandbox, lamps: pd.DataFrame) -> None:
    code = (
        READ
        + """\
kept = [{"name": r["title"], "cost": r.get("price"), "double": (r["price"] or 0) * 2, "shop": "Oak"} for r in rows]
for row in kept:
    row["label"] = row["name"]
kept"""
    )
    frame = await ended(sandbox, [lamps], code)
    assert said(frame, 1, "name") == said(frame, 1, "label") == ("Beacon", "lamps")
    assert said(frame, 1, "cost") == ("€35.00", "lamps")
    assert said(frame, 1, "double") is said(frame, 1, "shop") is None
    assert frame is not None
    assert frame.skillbook.notes == ("columns without a source: 'double', 'shop'",)


async def test_rows_that_are_joined(sandbox: Sandbox, lamps: pd.DataFrame, stock: pd.DataFrame) -> None:
    code = (
        READ
        + """\
left = {r["title"]: r for r in sb.extract(page)}
[{"lamp": r["title"], "price": r["price"], "left": left[r["title"]]["stock"]} for r in rows if r["title"] in left]"""
    )
    frame = await ended(sandbox, [lamps, stock], code)
    assert frame is not None
    assert list(frame["lamp"]) == ["Aurora", "Cone"]
    assert said(frame, 0, "price") == ("€20.00", "lamps")
    assert said(frame, 0, "left") == ("sold out", "stock")
    assert said(frame, 1, "left") == ("3 left", "stock")
    merged = (
        READ + "also = sb.extract(page)\n[{**a, **b} for a in rows for b in also if a['title'] == b['title']]"
    )
    frame = await ended(sandbox, [lamps, stock], merged)
    assert said(frame, 0, "kind") == ("desk", "lamps")
    assert said(frame, 0, "stock") == ("sold out", "stock")
    assert said(frame, 0, "title") is None, "both pages say it"


async def test_a_later_cell_and_a_second_reading_of_the_same_page(
    sandbox: Sandbox, lamps: pd.DataFrame
) -> None:
    frame = await ended(
        sandbox,
        [lamps],
        READ,
        "def dear(r): return r['price'] and r['price'] > 15",
        "[r for r in rows if dear(r)]",
    )
    assert [said(frame, at, "title") for at in range(2)] == [("Aurora", "lamps"), ("Beacon", "lamps")]
    frame = await ended(sandbox, [lamps, lamps], READ + "rows[:1]", READ + "rows[:2]")
    assert said(frame, 1, "title") == ("Beacon", "lamps")
    again = table(("title", "kind", "price"), *LAMPS, url="http://site.test/again")
    frame = await ended(sandbox, [lamps, again], READ + "rows[:1]", READ + "rows[:2]")
    assert said(frame, 1, "title") is None
    assert frame is not None
    assert frame.skillbook.notes[0] == "2 rows have no certain source: 0, 1"


WRONG = [
    # a mean that is somebody's price
    ("[{'kind': 'desk', 'price': (r['price'] + rows[1]['price'] - 15) / 2} for r in rows[:1]]", "price"),
    ("[{'title': 'Aurora', 'price': 20.0}]", "price"),
    ("[{'price': max(12.5, 1.0)}]", "price"),
    ("[{'title': rows[1]['title'], 'price': p} for p in [r['price'] for r in rows][1:2]]", "price"),
    # another row's value under the name of one's own
    ("[{'title': a['title'], 'price': b['price']} for a, b in zip(rows, rows[1:])]", "price"),
    ("x = dict(rows[0])\nx['price'] = rows[1]['price']\n[x]", "price"),
    ("x = dict(rows[0])\nfor k in ['price']:\n    x[k] = 20.0 * 1\n[x]", "price"),
    ("x = dict(rows[0], price=20.0)\n[x]", "price"),
    ("x = rows[0] | {'price': rows[2]['price'] + 7.5}\n[x]", "price"),
    ("x = dict(rows[0])\nx['price'] += 0\n[x]", "price"),
    ("x = dict(rows[0])\nx['price'], y = 20.0, 1\n[x]", "price"),
    # rows that say the same
    ("[{'kind': r['kind']} for r in rows if r['kind'] == 'desk']", "kind"),
    ("[{'title': r['title'].upper().title()} for r in rows]", "title"),
    ("[{'n': len(r['kind'] or ''), 'title': 'x' + r['title']} for r in rows]", "title"),
]  # fmt: skip


async def test_no_source_is_better_than_a_wrong_one(sandbox: Sandbox, lamps: pd.DataFrame) -> None:
    wrong = []
    for code, column in WRONG:
        frame = await ended(sandbox, [lamps], READ + code)
        places = range(0 if frame is None else len(frame))
        wrong += [(code, at) for at in places if said(frame, at, column) is not None]
    assert wrong == []


async def test_what_isnt_rows_that_were_read_is_no_frame(sandbox: Sandbox, lamps: pd.DataFrame) -> None:
    for code in (
        "rows[:0]",
        "len(rows)",
        "rows[0]",
        "[1, 2]",
        "[{}]",
        "[{'a': 1}]",
        "[{'title': 'Zed', 'price': 20.0}]",
    ):
        assert await ended(sandbox, [lamps], READ + code) is None, code


async def test_rows_without_a_source_keep_their_place_in_files(
    sandbox: Sandbox, lamps: pd.DataFrame, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    code = (
        READ + "[{'title': 'All of them', 'kind': 'sum'}, *rows[:2], {'title': 'End', 'kind': '-'}, rows[2]]"
    )
    frame = await ended(sandbox, [lamps], code)
    assert frame is not None
    with_ids = frame.skillbook.with_sources()
    assert said(with_ids, 0, "title") is None
    origin = frame.skillbook.origin
    save_origins([origin], tmp_path / "kept.jsonl")
    load_origins(tmp_path / "kept.jsonl")
    loaded = find_origin(origin.run)
    assert loaded is not None
    assert loaded is not origin
    assert [row.cells[0] and row.cells[0].text for row in loaded.rows] == [
        None,
        "Aurora",
        "Beacon",
        None,
        "Cone",
    ]


ROWS = st.lists(
    st.fixed_dictionaries(
        {"a": st.sampled_from("xyz"), "b": st.integers(0, 3), "c": st.sampled_from([None, "p", "q"])}
    ),
    min_size=1,
    max_size=5,
)


@settings(
    max_examples=max(50, settings().max_examples), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(ROWS, ROWS, st.data())
def test_a_row_that_was_read_is_never_taken_for_another(one: Any, two: Any, data: Any) -> None:
    """Rows of either reading, in any order, some columns of them renamed: the only source is the right one."""
    picked = data.draw(
        st.lists(st.sampled_from([(n, at) for n, rows in enumerate((one, two)) for at in range(len(rows))]))
    )
    names = data.draw(st.sets(st.sampled_from(["a", "b", "c"]), min_size=1))
    code = "[{" + ", ".join(f"'{name}2': r['{name}']" for name in sorted(names)) + "} for r in rows]"
    rows = [{f"{name}2": (one, two)[n][at][name] for name in sorted(names)} for n, at in picked]
    for found, (n, at) in zip(trace_rows(rows, [one, two], written_keys([code])), picked, strict=True):
        for column, places in found.items():
            if len(places) == 1:
                assert (places[0].reading, places[0].row, f"{places[0].column}2") == (n, at, column)
