"""marimo shows the panel and the live view of a page, and clicks arrive: `make lab-matrix` runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

ROOT = Path(__file__).parents[2]
APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    import skillbook as sb
    from skillbook.testing.scripted_model import ScriptedModel, ToolCall
    from skillbook.testing.site import serve_site

    shop = serve_site("shop")
    page = sb.launch().open(shop.url)
    model = ScriptedModel([
        ToolCall("fill", {"target": "searchbox 'Search products'", "value": "lamp"}, "First I search."),
        ToolCall("click", {"target": "button 'Search'"}),
        "There are lamps.",
    ])
    run = sb.agent(page, "Find the lamps", model=model).start()
    return page, run


@app.cell
def _(run):
    run
    return


@app.cell
def _(page):
    page
    return


if __name__ == "__main__":
    app.run()
"""
pytestmark = pytest.mark.skipif(os.environ.get("LAB_APP") != "marimo", reason="make lab-matrix has marimo")


@pytest.fixture(params=["run", "edit"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where marimo shows the notebook, as an application or to be edited."""
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "pyproject.toml").write_text("[tool.marimo.runtime]\nauto_instantiate = true\n")
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([os.environ["LAB_PACKAGES"], str(ROOT)]),
        "HOME": str(tmp_path),
        "SKILLBOOK_HOME": str(tmp_path / "home"),
    }
    env.pop("PYTEST_VERSION", None)
    command = [
        sys.executable,
        "-u",
        "-m",
        "marimo",
        "-y",
        request.param,
        "app.py",
        "--headless",
        "--no-token",
    ]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1"], env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    found = next(filter(None, (re.search(r"http://\S+", line) for line in process.stdout)), None)
    assert found is not None
    yield found.group()
    process.terminate()
    process.communicate(timeout=30)


def test_a_run_and_a_page_are_shown_live_and_clicks_arrive(address: str, lab_page: Page) -> None:
    lab_page.goto(address)
    panel = lab_page.get_by_role("region", name="skillbook run")
    view = lab_page.locator(".sbp[data-status=live]")
    expect(panel.locator(".sbp-said")).to_have_text("First I search.")
    expect(panel.locator(".sbp-boxes .sbp-aim")).to_have_count(1)
    expect(view.locator(".sbp-box").first).to_be_visible()
    panel.get_by_role("button", name="Approve", exact=True).click()
    expect(panel.locator(".sbp-tool")).to_have_text("click")
    panel.locator(".sbp-line").click()
    expect(panel.locator(".sbp-detail")).to_contain_text('= "lamp": value was ""')
    panel.get_by_role("button", name="Approve", exact=True).click()
    expect(panel.locator(".sbp-status")).to_have_text("Done")
    expect(panel.locator(".sbp-address")).to_contain_text("/search?q=lamp")
    expect(view.locator(".sbp-address")).to_contain_text("/search?q=lamp")
