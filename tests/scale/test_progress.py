"""What a person sees of a map while it runs."""

from __future__ import annotations

import io

import pytest
import rich.console

from skillbook.scale.mapping import _reporting
from skillbook.scale.row_store import RowResult


def test_the_bar_counts_each_hosts_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    console = rich.console.Console(file=written, force_terminal=True, width=200)
    monkeypatch.setattr(rich.console, "Console", lambda **_: console)
    with _reporting(True, 5, "http://dashboard.test") as report:
        for host, status in (("alpha", "ok"), ("beta", "failed"), ("alpha", "ok"), ("", "cancelled")):
            report(RowResult(status, host=host))  # type: ignore[arg-type]
    shown = written.getvalue()
    for line in ("5 rows, http://dashboard.test", "alpha: 2 ok", "beta: 1 failed", "no host: 1 cancelled"):
        assert line in shown
    assert "Traceback" not in shown
