"""What a call needs beyond skillbook itself is named as an extra that there is, with the line that installs it."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import SkillbookError
from skillbook.extraction.frames.accessor import FrameAccessor

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
    assert named >= {"cells", "evals", "excel", "mcp", "nbtest", "parquet", "scale"}
    assert named - EXTRAS.keys() == set()
    assert named & FOR_THE_PROJECT == set()
