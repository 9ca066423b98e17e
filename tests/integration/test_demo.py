"""The demo as `skillbook demo` runs it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from skillbook.skill.files.skill_folder import read_skill
from skillbook.testing.demo import OTHER_WORD, WORD, run_demo
from skillbook.testing.openai_server import Fault, OpenAIServer
from skillbook.testing.sites import SITES


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    for name in ("OPENAI_API_KEY", "SKILLBOOK_API_KEY", "SKILLBOOK_MODEL", "SKILLBOOK_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_the_demo_runs_and_its_data_are_the_shops(tmp_path: Path) -> None:
    console = Console(record=True, width=200, force_terminal=False)
    assert run_demo(output=tmp_path / "out", console=console) == 0
    said = console.export_text()
    assert "a scripted model" in said
    assert "0 model calls" in said
    shop = SITES["shop"]()
    for word in (WORD, OTHER_WORD):
        wanted = shop.catalogue.search(word)  # type: ignore[attr-defined]
        frame = pd.read_parquet(tmp_path / "out" / f"{word}s.parquet")
        assert list(frame["name"]) == [product.name for product in wanted]
        assert list(frame["price"]) == [product.price for product in wanted]
        assert len(pd.read_csv(tmp_path / "out" / f"{word}s.csv")) == len(wanted)
        assert str(tmp_path / "out" / f"{word}s.csv") in said
    spec = read_skill(tmp_path / "out" / "skills" / "shop-search")
    assert WORD in [one.default for one in spec.inputs]
    # The example stands where the input is described, and nowhere else.
    assert WORD not in spec.body.partition("## Start")[2]


def test_an_unreachable_model_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(record=True, width=200)
    with OpenAIServer([]) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        monkeypatch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        server.faults.append(Fault("status", 401))
        assert run_demo(output=tmp_path / "out", model="small", console=console) == 1
    said = console.export_text()
    assert "the model small" in said
    assert "model_unreachable" in said
    assert "API key" in said
