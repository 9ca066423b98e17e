"""Running notebooks as tests: what `skillbook nbtest` does."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from skillbook.errors import ConfigError

SANITIZERS = """[ports]
regex: (127\\.0\\.0\\.1|localhost|\\[::1\\]):\\d+
replace: \\1:PORT

[elapsed]
regex: \\b\\d+(\\.\\d+)? ?(ms|s)\\b
replace: TIME

[addresses]
regex: 0x[0-9a-f]{6,}
replace: ADDRESS

[runs]
regex: \\brun-[0-9a-f]{12}\\b
replace: RUN
"""
"""What differs on every run and says nothing, as nbval takes it: loopback ports, times, objects' addresses, run ids."""

_ANSI = re.compile(r"(?:\x1b|#x1B)\[[0-9;]*m")


@dataclass(frozen=True)
class Cell:
    """A code cell that was run: its notebook, its number, whether it passed, and why not."""

    notebook: str
    number: int
    ok: bool
    skipped: bool
    seconds: float
    why: str = ""


@dataclass(frozen=True)
class Report:
    """What came of running notebooks.

    cells: every code cell.
    problem: why no cell could be run, in the words of pytest; empty where all went as it should.
    """

    cells: tuple[Cell, ...]
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether there were cells, and each passed."""
        return not self.problem and bool(self.cells) and all(cell.ok for cell in self.cells)


def run_notebooks(
    paths: Sequence[Path],
    *,
    cell_timeout: float = 60.0,
    lax: bool = False,
    cassettes: str | None = None,
    sanitizers: Path | None = None,
) -> Report:
    """Run notebooks in kernels of their own, nothing live shown, and compare each cell's output with the saved one.

    cell_timeout: seconds that a cell may take.
    lax: compare only cells that are marked `# NBVAL_CHECK_OUTPUT`; all others only have to run.
    cassettes: `once`, `record` or `replay`, for every `sb.cassette`; None leaves that to the notebooks.
    sanitizers: a file in nbval's form, in addition to `SANITIZERS`.
    Raises ConfigError: nbval isn't installed, a path isn't there, or holds no notebook.
    """
    if importlib.util.find_spec("nbval") is None:
        raise ConfigError("nbtest needs nbval, which isn't installed", hint='pip install "skillbook[nbtest]"')
    notebooks = find_notebooks(paths)
    with TemporaryDirectory(prefix="skillbook-nbtest-") as folder:
        patterns, results = Path(folder) / "sanitizers.cfg", Path(folder) / "results.xml"
        extra = sanitizers.read_text(encoding="utf-8") if sanitizers else ""
        patterns.write_text(f"{SANITIZERS}\n{extra}", encoding="utf-8")
        command = [
            sys.executable, "-m", "pytest", "--nbval-lax" if lax else "--nbval", *map(str, notebooks), "-q",
            "-p", "no:cacheprovider", "--nbval-sanitize-with", str(patterns),
            "--nbval-cell-timeout", f"{cell_timeout:g}", "--junitxml", str(results),
        ]  # fmt: skip
        if importlib.util.find_spec("pytest_timeout") is not None:
            command += ["-o", "timeout=0"]  # each cell has a time of its own
        environment = os.environ | {"SKILLBOOK_QUIET": "1"}
        if cassettes is not None:
            environment["SKILLBOOK_CASSETTES"] = cassettes
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if not results.exists():
            return Report((), (done.stdout + done.stderr).strip()[-2000:])
        cells = tuple(read_results(results))
        return Report(cells, "" if cells else done.stdout.strip()[-2000:])


def find_notebooks(paths: Sequence[Path]) -> list[Path]:
    """The notebooks at some paths, checkpoints left out.

    Raises ConfigError: a path isn't there, or holds no notebook.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise ConfigError(f"{path} isn't there")
        inside = sorted(path.rglob("*.ipynb")) if path.is_dir() else [path]
        inside = [each for each in inside if ".ipynb_checkpoints" not in each.parts]
        if not inside:
            raise ConfigError(f"{path} holds no notebook", hint="name a notebook, or a folder that has some")
        found += inside
    return list(dict.fromkeys(found))


def read_results(path: Path) -> list[Cell]:
    """The cells in pytest's results."""
    cells: list[Cell] = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        failed = case.find("failure") if case.find("failure") is not None else case.find("error")
        name = case.get("name", "")
        number = int(name.rpartition(" ")[2]) if name.rpartition(" ")[2].isdigit() else len(cells)
        cells.append(
            Cell(
                notebook=case.get("classname", ""),
                number=number,
                ok=failed is None,
                skipped=case.find("skipped") is not None,
                seconds=float(case.get("time", 0)),
                why=""
                if failed is None
                else _ANSI.sub("", failed.text or failed.get("message") or "").strip(),
            )
        )
    return cells
