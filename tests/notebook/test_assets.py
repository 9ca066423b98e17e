"""The widget's files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbook.notebook import assets
from skillbook.notebook.assets import panel_module, panel_style

STATIC = Path(assets.__file__).parent / "static"


def test_every_script_is_part_of_the_module() -> None:
    assert {path.stem for path in STATIC.glob("*.js")} == set(assets._PARTS)
    assert "import " not in re.sub(r"//.*|/\*.*?\*/", "", panel_module(), flags=re.DOTALL)
    assert re.findall(r"^export .*", panel_module(), re.MULTILINE) == ["export default { render };"]


def test_names_are_unique_over_the_parts() -> None:
    names = re.findall(r"^(?:const|let|function) (\w+)", panel_module(), re.MULTILINE)
    assert len(names) == len(set(names))


def test_nothing_is_parsed_as_markup() -> None:
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert word not in panel_module()


def test_nothing_is_synced_to_the_kernel_by_traits() -> None:
    assert "save_changes" not in panel_module()
    assert "model.set(" not in panel_module()


def test_the_style_styles_only_the_panel() -> None:
    rules = re.sub(r"/\*.*?\*/", "", panel_style(), flags=re.DOTALL)
    selectors = [part.strip() for part in re.findall(r"([^{}]+)\{", rules)]
    strangers = [each for each in selectors if ".sbp" not in each and not each.startswith(("@", "50%"))]
    assert strangers == []


@pytest.mark.skipif(shutil.which("node") is None, reason="Node checks the syntax here")
def test_the_module_is_valid(tmp_path: Path) -> None:
    module = tmp_path / "panel.mjs"
    module.write_text(panel_module(), encoding="utf-8")
    subprocess.run(["node", "--check", module], check=True)


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, skillbook.notebook; print([m for m in ('anywidget', 'IPython', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
