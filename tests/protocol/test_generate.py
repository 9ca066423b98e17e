"""The generated TypeScript says what the Python registry says."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.protocol import generate
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.events import EVENTS


@pytest.fixture(scope="module")
def written() -> str:
    return generate.build_typescript()


def test_generation_is_deterministic(written: str) -> None:
    assert generate.build_typescript() == written


def test_every_command_and_event_is_there(written: str) -> None:
    for command in COMMANDS.values():
        assert f"  {command.name}: {{ params: {command.params.__name__};" in written
        assert f'  {command.name}: {{ effect: "{command.effect.value}", scope: "{command.scope}", ' in written
    for name, model in EVENTS.items():
        assert f"  {name}: {model.__name__};" in written


def test_tuples_keep_their_length_and_discriminators_are_required(written: str) -> None:
    assert "  viewport: [number, number];" in written
    assert '  type: "hello";' in written


def test_check_reports_a_page_that_is_out_of_date(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "TARGET", tmp_path / "src" / "generated.ts")
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    # That it writes the same each time is shown above.
    monkeypatch.setattr(generate, "build_typescript", lambda: written)
    assert generate.main(["--check"]) == 1
    assert list(tmp_path.iterdir()) == []
    assert generate.main([]) == 0
    assert generate.TARGET.read_text("utf-8") == written
    assert generate.main(["--check"]) == 0
    page = tmp_path / "commands.md"
    page.write_text(page.read_text("utf-8").replace("click", "clack", 1), "utf-8")
    assert generate.main(["--check"]) == 1
