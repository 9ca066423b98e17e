"""What a call needs beyond skillbook itself is named as an extra that there is, with the line that installs it."""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import skillbook as sb
from skillbook.cells.sandbox import require_sandbox
from skillbook.errors import SkillbookError
from skillbook.evals.expectations import _openevals
from skillbook.evals.served_start import MiniWob
from skillbook.extraction.frames.accessor import FrameAccessor
from skillbook.mcp_server.mcp_command import run_mcp
from skillbook.policy.secrets import CodeSeed
from skillbook.scale.row_store import SqlStore
from skillbook.session.saved_state import _cipher
from skillbook.testing.nbtest import run_notebooks

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
FOR_THE_PROJECT = {"dev", "docs", "test"}
LINE = re.compile(r"pip install \\?\"?skillbook\[([\w,-]+)\]")


def frame(_: Path) -> Any:
    return FrameAccessor(pd.DataFrame({"a": [1]}))


CALLS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "to_excel": ("openpyxl", "excel", lambda folder: frame(folder).to_excel(folder / "a.xlsx", partial=True)),
    "to_parquet": (
        "pyarrow",
        "parquet",
        lambda folder: frame(folder).to_parquet(folder / "a.parquet", partial=True),
    ),
    "map": (
        "distributed",
        "scale",
        lambda folder: sb.load_skill(ROOT / "skills" / "search-products").map([{"query": "a"}]),  # type: ignore[union-attr]
    ),
    "rows in a database": ("sqlalchemy", "scale", lambda folder: SqlStore(f"sqlite:///{folder}/rows.db")),
    "mcp": ("mcp", "mcp", lambda _: run_mcp(argparse.Namespace(own_browser=True))),
    "cells": ("pydantic_monty", "cells", lambda _: require_sandbox()),
    "one-time codes": ("pyotp", "state", lambda _: CodeSeed("JBSWY3DPEHPK3PXP")),
    "an encrypted state": ("keyring", "state", lambda _: _cipher(make=True)),
    "nbtest": ("nbval", "nbtest", lambda folder: run_notebooks([folder])),
    "a judge": ("openevals", "evals", lambda _: _openevals()),
    "miniwob": ("miniwob", "evals", lambda _: MiniWob()),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_without_its_package_says_the_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, extra, call = CALLS[name]
    for module in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    for module in [each for each in sys.modules if f"{each}.".startswith("skillbook.scale.")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(SkillbookError) as caught:
        call(tmp_path)
    assert f'pip install "skillbook[{extra}]"' in str(caught.value)


def test_every_line_names_an_extra_for_users() -> None:
    texts = [*(ROOT / "skillbook").rglob("*.py"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    named = {
        extra
        for path in texts
        for found in LINE.findall(path.read_text(encoding="utf-8"))
        for extra in found.split(",")
    }
    assert named >= {"cells", "evals", "excel", "mcp", "nbtest", "parquet", "scale", "state"}
    assert named - EXTRAS.keys() == set()
    assert named & FOR_THE_PROJECT == set()
