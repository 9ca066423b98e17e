from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from skillbook.serving import asking
from skillbook.session.browser_driver import BrowserDriver


def test_a_run_is_noted_while_another_thread_imports_what_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client's first call comes while the side panel asks for its first answer."""
    name = "skillbook.serving.answers"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    noted: list[Any] = []
    monkeypatch.setattr(asking, "_note", lambda driver, what, thing: noted.append((what, thing)))
    run = SimpleNamespace(page=SimpleNamespace(browser=BrowserDriver.__new__(BrowserDriver)))
    asking.note_run(run)
    assert noted == [("note_run", run)]
