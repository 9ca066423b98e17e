"""What the browser has measured of a page, as a Series."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import InvalidParams
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_folder

GROW = """<title>Grow</title><h1>Metrics</h1><button onclick="document.body.append(...Array.from({length: 300}, () =>
  document.createElement('p')))">Grow</button><button onclick="location.hash = 'x'">Rest</button>"""


def test_what_an_action_did_to_the_metrics_and_a_run_over_its_steps(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    (tmp_path / "index.html").write_text(f"<!doctype html>{GROW}", encoding="utf-8")
    with serve_folder(tmp_path) as site:
        plain = browser.open(site.url)
        assert plain.click("button 'Grow'").metrics is None
        plain.close()
        page = browser.open(site.url, observe="metrics")
        result = page.click("button 'Grow'")
        assert list(result.metrics) == ["before", "after", "change"]
        assert result.metrics.loc["nodes", "change"] >= 300
        assert result.metrics.loc["layouts", "change"] >= 1
        went = page.reload()
        assert went.metrics["change"].isna().all(), "another document has figures of its own"
        calls = [ToolCall("click", {"target": f"button '{name}'"}) for name in ("Grow", "Rest", "Grow")]
        run = sb.agent(page, "Grow it.", model=ScriptedModel([*calls, "done"]), autonomy="all")
        run.run()
        assert run.status == "succeeded", run.error
        frame = run.metrics.frame
        assert frame["call"].str.contains("Grow|Rest").all()
        assert frame["nodes"].iloc[-1] - frame["nodes"].iloc[0] >= 300
        plot = run.metrics.plot("nodes", "heap")
        assert plot.svg.count("<polyline") == 2
        assert "nodes" in repr(plot)
        with pytest.raises(InvalidParams, match="no metric 'speed'"):
            run.metrics.plot("speed")
        page.close()


def test_a_page_is_measured(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<h1>Metrics</h1><button onclick=\"document.body.append(...Array.from({length: 300}, () => "
                      "document.createElement('p')))\">Grow</button>")  # fmt: skip
    before = page.metrics()
    assert list(before.index[:5]) == ["LCP", "CLS", "INP", "FCP", "TTFB"]
    assert before["FCP"] > 0
    assert before["heap"] > 10_000
    assert before["requests"] >= 1
    page.click("button 'Grow'")
    after = page.metrics()
    assert after["nodes"] - before["nodes"] >= 300
    assert after["layouts"] > before["layouts"]
