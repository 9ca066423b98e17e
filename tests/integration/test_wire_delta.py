"""What crosses the wire of a changed page makes the same snapshot as the whole tree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from skillbook.perception.nodes import Columns
from skillbook.perception.snapshot import Snapshot
from tests.integration.engine_page import EnginePages, build_engine, engine_pages

MUTATIONS = Path(__file__).resolve().parent / "pages/mutations.js"
STEPS = 6


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnginePages]:
    with engine_pages(build_engine(tmp_path_factory.mktemp("engine"))) as pages:
        yield pages


def test_changes_that_cross_the_wire_make_the_same_columns(engine: EnginePages) -> None:
    assert _count_deltas(engine, range(5_000, 5_030)) > 40


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many(engine: EnginePages) -> None:
    assert _count_deltas(engine, range(1_000, 3_000)) > 2_000


def _count_deltas(engine: EnginePages, seeds: range) -> int:
    """Random documents change in steps; each change as it crosses the wire must make the whole tree's columns."""
    deltas = 0
    for seed in seeds:
        engine.show("<body></body>")
        engine.page.evaluate(MUTATIONS.read_text(encoding="utf-8"))
        engine.page.evaluate(
            "(seed) => { window.engine = skillbookEngine(); window.run = mutations(seed); run.build(); }",
            seed,
        )
        held: Snapshot | None = None
        for _ in range(STEPS):
            stamp = next(iter(held.document_snapshots.values())).stamp if held else None
            found, whole = engine.page.evaluate(
                """(held) => { run.change(); return [held, null].map((stamp) =>
                JSON.stringify(engine.snapshot(stamp).tree)); }""",
                stamp,
            )
            deltas += '"base":' in found
            changed = Snapshot.from_wire(
                {"documents": [json.loads(found)]}, earlier=held.document_snapshots if held else None
            )
            held = Snapshot.from_wire({"documents": [json.loads(whole)]})
            assert _columns(changed) == _columns(held), f"seed {seed}"
    return deltas


def _columns(snapshot: Snapshot) -> dict[str, Any]:
    return {field.name: getattr(snapshot.columns, field.name) for field in fields(Columns)}


def test_a_stamp_that_is_not_the_last_gets_the_whole_tree(engine: EnginePages) -> None:
    engine.show("<p>One<p>Two")
    first = json.loads(engine.page.evaluate("JSON.stringify(engine.snapshot(null).tree)"))
    engine.page.evaluate("document.querySelector('p').firstChild.data = 'Three'")
    second = json.loads(engine.page.evaluate(f"JSON.stringify(engine.snapshot({first['stamp']}).tree)"))
    again = json.loads(engine.page.evaluate(f"JSON.stringify(engine.snapshot({first['stamp']}).tree)"))
    assert second["base"] == first["stamp"]
    assert second["name"] == ["Three"]
    assert "base" not in again
    assert "Three" in again["name"]
