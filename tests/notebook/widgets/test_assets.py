"""The widget's files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbook.notebook.widgets import widget
from skillbook.notebook.widgets.widget import (
    frame_module,
    panel_module,
    replay_module,
    view_module,
    widget_style,
)

STATIC = Path(widget.__file__).parents[1] / "static"


MODULES = pytest.mark.parametrize(
    "module",
    [panel_module(), view_module(), replay_module(), frame_module()],
    ids=["panel", "view", "replay", "frame"],
)


def test_every_script_is_part_of_a_module() -> None:
    written = "spoken"  # from `run_words`
    assert {written, *(path.stem for path in STATIC.glob("*.js"))} == {
        *widget._PANEL,
        *widget._RECORDER,
        *widget._VIEW,
        *widget._REPLAY,
        *widget._FRAME,
    }


@MODULES
def test_the_parts_are_one_module(module: str) -> None:
    assert "import " not in re.sub(r"//.*|/\*.*?\*/", "", module, flags=re.DOTALL)
    assert re.findall(r"^export .*", module, re.MULTILINE) == ["export default { render };"]


@MODULES
def test_names_are_unique_over_the_parts(module: str) -> None:
    names = re.findall(r"^(?:const|let|function) (\w+)", module, re.MULTILINE)
    assert len(names) == len(set(names))


@MODULES
def test_nothing_is_parsed_as_markup(module: str) -> None:
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert word not in module


@MODULES
def test_nothing_is_synced_to_the_kernel_by_traits(module: str) -> None:
    assert "save_changes" not in module
    assert "model.set(" not in module


def test_the_style_styles_only_the_panel() -> None:
    rules = re.sub(r"/\*.*?\*/", "", widget_style(), flags=re.DOTALL)
    selectors = [part.strip() for part in re.findall(r"([^{}]+)\{", rules)]
    strangers = [each for each in selectors if ".sbp" not in each and not each.startswith(("@", "50%"))]
    assert strangers == []


@pytest.mark.skipif(shutil.which("node") is None, reason="Node checks the syntax here")
@MODULES
def test_the_module_is_valid(module: str, tmp_path: Path) -> None:
    file = tmp_path / "widget.mjs"
    file.write_text(module, encoding="utf-8")
    subprocess.run(["node", "--check", file], check=True)


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, skillbook.notebook; print([m for m in ('anywidget', 'IPython', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
