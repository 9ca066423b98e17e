"""A run as a notebook: the calls that it made, and where its data is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from skillbook.agents.run.run_code import code_cell, code_of, notebook_text, text_cell
from skillbook.cells.written_secrets import spelled_out
from skillbook.policy.secrets import Secret
from skillbook.serving.outputs import RowsOutput
from skillbook.serving.runs.agent_runs import AgentRun
from skillbook.serving.runs.served_run import ServedRun
from skillbook.session.out_of_bounds import runtime_folder
from skillbook.skill.model.spec import FIRST_LINE
from skillbook.storage import storing

FOLDER = "skillbook-runs"


def write_notebook(run: ServedRun, folder: Path) -> Path:
    """Write the notebook and its data; the calls are not run.

    folder: where the folder `skillbook-runs` is, or is made.
    """
    target = folder / FOLDER
    with storing(target):
        target.mkdir(parents=True, exist_ok=True)
    stamp = datetime.fromtimestamp(run.started).strftime("%Y%m%d-%H%M%S")
    words = re.sub(r"[^\w]+", "-", (run.name or run.title).casefold()).strip("-")[:40] or "run"
    name = f"{stamp}-{words}"
    cells = [text_cell(f"# {run.title}\n\n{run.summary().words}, on {run.summary().page or 'no page'}")]
    cells += [code_cell("import skillbook as sb"), code_cell(_open(run)), *map(code_cell, _calls(run))]
    with storing(target):
        for output in run.rows():
            path = target / f"{name}-{output.id}.csv"
            path.write_bytes(output.file("csv")[2])
            cells.append(code_cell(_read(output, path)))
        path = target / f"{name}.ipynb"
        path.write_text(notebook_text(cells), "utf-8")
    return path


def address_of(path: Path) -> str | None:
    """Where a JupyterLab of this user opens a file; None where none serves its folder."""
    full = path.resolve()
    for file in sorted(runtime_folder().glob("jpserver-*.json")):
        try:
            facts: dict[str, Any] = json.loads(file.read_text("utf-8"))
            root, url = Path(facts["root_dir"]).resolve(), str(facts["url"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if full.is_relative_to(root):
            return f"{url.rstrip('/')}/lab/tree/{quote(full.relative_to(root).as_posix())}"
    return None


def _open(run: ServedRun) -> str:
    page = run.page
    url = page.url if page is not None else run.summary().page
    if isinstance(run, AgentRun):
        first = next((step.before.url for step in run.run.records if step.before is not None), None)
        url = first or url
    return f"browser = sb.connect()\npage = browser.open({url!r})"


def _calls(run: ServedRun) -> Sequence[str]:
    given = "".join(f", {name}={_written(value)}" for name, value in run.inputs.items())
    if run.kind == "skill":
        return [f"result = sb.load_skill({run.name!r}).run(page{given})\nresult"]
    if run.kind == "workflow":
        return [
            "# load the file that defines it first: sb.workflows.load('…')",
            f"result = sb.workflows[{run.name!r}].run(page{given})\nresult",
        ]
    if not isinstance(run, AgentRun):
        return []
    if run.run.cells:
        return [FIRST_LINE, *map(spelled_out, run.run.cells)]
    lines = []
    for step in run.run.records:
        code = code_of(step) if step.ok else ""
        if code:
            lines.append(code)
        elif step.effect != "read":
            lines.append(f"# {step.in_words}" + ("" if step.ok else ": not done"))
    return lines


def _read(output: RowsOutput, path: Path) -> str:
    return (
        f"import pandas as pd\n\n{re.sub(r'[^a-z0-9_]', '_', output.id)} = pd.read_csv({str(path)!r})\n"
        + (re.sub(r"[^a-z0-9_]", "_", output.id))
    )


def _written(value: Any) -> str:
    if isinstance(value, Secret):
        return f"sb.secret({min(value.names, default='')!r})"
    return repr(value)


def is_notebook() -> bool:
    """Whether this process is a notebook's kernel; tools that only import ipykernel are none."""
    app = sys.modules.get("ipykernel.kernelapp")
    return app is not None and bool(app.IPKernelApp.initialized())
