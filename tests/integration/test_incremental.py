"""Incremental snapshots are what a whole walk finds, whatever happens to the page in between."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from skillbook.perception.nodes import Columns
from skillbook.perception.snapshot import Snapshot
from tests.integration.engine_page import EnginePages

pytestmark = pytest.mark.integration

MUTATIONS = Path(__file__).resolve().parent / "pages/mutations.js"
STEPS = 6
_PER_PAGE = 50


def _prepare(engine: EnginePages) -> None:
    engine.show("<body></body>")
    engine.page.evaluate(MUTATIONS.read_text(encoding="utf-8"))


def _run(engine: EnginePages, seeds: range, *, heard: bool = False) -> None:
    """Sequences of changes; each change is followed by a snapshot that must equal a whole walk's."""
    partial = pictures = 0
    for count, seed in enumerate(seeds):
        if count % _PER_PAGE == 0:
            _prepare(engine)
        result: dict[str, Any] = engine.page.evaluate(
            "([seed, ...rest]) => mutations(seed).run(window.engine = skillbookEngine(), ...rest)",
            [seed, STEPS, heard],
        )
        assert not result["differing"], f"seed {seed}: {json.dumps(result, indent=1)}"
        partial += result["partial"]
        pictures += result["pictures"]
    # A property of whole walks alone would say nothing.
    assert partial > pictures / 3


def test_short(engine: EnginePages) -> None:
    _run(engine, range(1, 121))


def test_with_listeners_that_come_and_go(engine: EnginePages) -> None:
    _run(engine, range(1, 61), heard=True)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many(engine: EnginePages) -> None:
    _run(engine, range(1_000, 3_000))


def test_changes_that_cross_the_wire_make_the_same_columns(engine: EnginePages) -> None:
    deltas = 0
    for seed in range(5_000, 5_015):
        _prepare(engine)
        engine.page.evaluate(
            "(seed) => { window.engine = skillbookEngine(); window.run = mutations(seed); run.build(); }",
            seed,
        )
        held: Snapshot | None = None
        for _ in range(STEPS):
            stamps = [picture.stamp for picture in held.document_snapshots.values()] if held else [None]
            found, whole = engine.page.evaluate(
                """(held) => { run.change(); const { tree } = engine.snapshot(true, held);
                const whole = engine.pictureAnew(true).tree; return [JSON.stringify(tree), JSON.stringify(whole)]; }""",
                stamps[0],
            )
            deltas += '"base":' in found
            wanted = _columns(Snapshot.from_wire({"documents": [_without_frames(json.loads(whole))]}))
            held = Snapshot.from_wire(
                {"documents": [json.loads(found)]}, earlier=held.document_snapshots if held else None
            )
            assert _columns(held) == wanted, f"seed {seed}"
    assert deltas > 20


def _without_frames(tree: dict[str, Any]) -> dict[str, Any]:
    for _, facts in tree["extra"]:
        facts.pop("document", None)
    return tree


def _columns(snapshot: Snapshot) -> dict[str, Any]:
    columns = {field.name: getattr(snapshot.columns, field.name) for field in fields(Columns)}
    # Frames' secret numbers are told with a snapshot, not with a picture.
    told = {
        at: {name: value for name, value in facts.items() if name != "document"}
        for at, facts in columns["extra"].items()
    }
    return {**columns, "extra": {at: facts for at, facts in told.items() if facts}}


def test_a_stamp_that_is_not_the_last_gets_the_whole_tree(engine: EnginePages) -> None:
    engine.show("<p>One<p>Two")
    first = json.loads(engine.page.evaluate("JSON.stringify(engine.snapshot(true, null).tree)"))
    engine.page.evaluate("document.querySelector('p').firstChild.data = 'Three'")
    second = json.loads(engine.page.evaluate(f"JSON.stringify(engine.snapshot(true, {first['stamp']}).tree)"))
    again = json.loads(engine.page.evaluate(f"JSON.stringify(engine.snapshot(true, {first['stamp']}).tree)"))
    assert second["base"] == first["stamp"]
    assert second["name"] == ["Three"]
    assert "base" not in again
    assert "Three" in again["name"]
