"""Fault 41: a run that another kernel goes on with acts on what its model saw, or asks anew."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import AgentError, NothingPending
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site, serve_folder
from tests.shown import after_reading

ROOT = Path(__file__).resolve().parents[2]
GOAL = "Keep the draft."
FIRST_KERNEL = """
import os, sys
import skillbook as sb
from skillbook.testing.scripted_model import ScriptedModel, ToolCall, ref_of

page = sb.launch().open(sys.argv[1])
model = ScriptedModel([lambda seen: ToolCall("click", {"target": ref_of(seen, "button 'Keep'")})])
run = sb.agent(page, sys.argv[2], model)
pending = run.step()
print(run.id, pending.args["target"])
page.browser.close()
sys.stdout.flush()
os._exit(0)
"""


def write_page(folder: Path, name: str, *buttons: str) -> None:
    """A page of buttons; the last word of its title is the last one that was pressed."""
    made = "".join(f"<button onclick='document.title = this.textContent'>{each}</button>" for each in buttons)
    (folder / name).write_text(f"<!doctype html><title>None</title><main>{made}</main>", encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("drafts")
    write_page(folder, "draft.html", "Back", "Keep", "Print")
    write_page(folder, "bin.html", "Back", "Empty", "Print")
    with serve_folder(folder) as served:
        yield served


@pytest.fixture(scope="module")
def earlier(site: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A run whose kernel ended while a click waited: the folder it is kept in, its id, the click's ref."""
    home = tmp_path_factory.mktemp("earlier")
    done = subprocess.run(
        [sys.executable, "-c", FIRST_KERNEL, f"{site.url}/draft.html", GOAL],
        cwd=ROOT,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin:/bin",
            "SKILLBOOK_HOME": str(home),
            "HOME": str(home),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    run_id, ref = done.stdout.split()
    return home, run_id, ref


@pytest.fixture
def kept(earlier: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The run of the earlier kernel, in a copy of its folder: its id, the click's ref."""
    home, run_id, ref = earlier
    for file in home.glob("runs.db*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    return run_id, ref


def test_fault_41_a_click_of_an_earlier_kernel_presses_nothing_on_another_page(
    kept: tuple[str, str], site: Site, open_page: Callable[[str], Page]
) -> None:
    run_id, ref = kept
    page = open_page(f"{site.url}/bin.html")
    assert page.snapshot()[ref].name == "Empty"
    model = ScriptedModel([lambda seen: seen[-1].text])
    run = sb.agent(page, GOAL, model, autonomy="all", run_id=run_id).run()
    assert page.evaluate("document.title") == "None"
    assert run.status == "failed"
    assert [step.error for step in run.records] == ["stale_ref"]
    assert "is void" in run.result
    assert "Empty" in run.result


def test_fault_41_a_changed_element_of_the_same_page_is_asked_of_the_model(
    kept: tuple[str, str], site: Site, open_page: Callable[[str], Page]
) -> None:
    run_id, ref = kept
    page = open_page(f"{site.url}/draft.html")
    page.evaluate("document.querySelectorAll('button')[1].textContent = 'Discard'")
    assert page.snapshot()[ref].name == "Discard"
    again = ToolCall("click", {"target": "button 'Print'"})
    run = sb.agent(page, GOAL, ScriptedModel([again, "done"]), autonomy="all", run_id=run_id).run()
    assert page.evaluate("document.title") == "Print"
    assert [(step.tool, step.error) for step in run.records] == [("click", "stale_ref"), ("click", None)]


def test_fault_41_another_goal_or_an_unknown_id_is_an_error(
    kept: tuple[str, str], site: Site, open_page: Callable[[str], Page]
) -> None:
    run_id, _ = kept
    page = open_page(f"{site.url}/draft.html")
    with pytest.raises(AgentError, match="another goal"):
        sb.agent(page, "Empty the bin.", ScriptedModel([]), run_id=run_id)
    with pytest.raises(AgentError, match="no run"):
        sb.resume("run-unknown")
    with pytest.raises(AgentError, match="no run"):
        sb.agent(page, GOAL, ScriptedModel([]), run_id="run-unknown")


def test_of_several_objects_of_one_run_the_newest_alone_goes_on(
    kept: tuple[str, str], site: Site, open_page: Callable[[str], Page]
) -> None:
    run_id, _ = kept
    page = open_page(f"{site.url}/draft.html")
    older = sb.resume(run_id, page, model=ScriptedModel(["kept"])).run()
    assert older.pending is not None
    made = []
    for _ in range(10):
        made.append(sb.resume(run_id, page, model=ScriptedModel(["kept"])))
        assert sb.resume(run_id) is made[-1]
    with pytest.raises(NothingPending):
        after_reading(older).approve()
    with pytest.raises(AgentError, match="newer object"):
        older.start()
    after_reading(made[-1].run()).reject("not now")
    assert made[-1].status == "succeeded"
    assert page.evaluate("document.title") == "None"


def test_fault_41_the_same_page_opened_anew_asks_anew(
    kept: tuple[str, str], site: Site, open_page: Callable[[str], Page]
) -> None:
    run_id, _ = kept
    page = open_page(f"{site.url}/draft.html")
    run = sb.resume(run_id, page, model=ScriptedModel(["kept"]), autonomy="all").run()
    assert sb.resume(run_id) is run
    assert run.status == "waiting"
    assert run.pending is not None
    assert "opened anew" in run.pending.review.reason
    after_reading(run).approve()
    assert page.evaluate("document.title") == "Keep"
    assert (run.status, run.result) == ("succeeded", "kept")
