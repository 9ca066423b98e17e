"""The widgets' module and style sheet, as they are built."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbook.notebook.widgets.widget import widget_module, widget_style

MOST_BYTES = 120_000
SOURCES = [
    path
    for folder in ("notebook", "panel")
    for path in (Path(__file__).parents[3] / "extension/src/ui" / folder).glob("*.ts*")
]


def test_it_is_one_small_module() -> None:
    module = widget_module()
    assert len(module.encode()) <= MOST_BYTES
    assert not re.search(r"\bimport\s*[({\"'*\w]", module)
    assert re.findall(r"export\s*\{[^}]*\}", module) == [module[module.rindex("export") :].rstrip(";\n")]
    assert "as default" in module


def test_nothing_is_parsed_as_markup_and_nothing_is_synced_to_the_kernel_by_traits() -> None:
    assert SOURCES
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        for word in (
            "dangerouslySetInnerHTML", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            "Function(", "save_changes", "model.set(",
        ):  # fmt: skip
            assert word not in source, path


def test_the_style_styles_only_the_widgets() -> None:
    rules = re.sub(r"/\*.*?\*/", "", widget_style(), flags=re.DOTALL)
    selectors = [part.strip() for part in re.findall(r"([^{}]+)\{", rules)]
    strangers = [each for each in selectors if ".sbp" not in each and not each.startswith(("@", "50%"))]
    assert strangers == []


@pytest.mark.skipif(shutil.which("node") is None, reason="Node checks the syntax here")
def test_the_module_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "widget.mjs"
    file.write_text(widget_module(), encoding="utf-8")
    subprocess.run(["node", "--check", file], check=True)


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, skillbook.notebook; print([m for m in ('anywidget', 'IPython', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
