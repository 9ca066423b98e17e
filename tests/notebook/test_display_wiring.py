from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from IPython.core.formatters import DisplayFormatter

from skillbook import aio
from skillbook.agents import Run
from skillbook.hooks import Hooks, hooks
from skillbook.notebook import display_wiring as wiring
from skillbook.perception.snapshot import Snapshot
from skillbook.session import sync


def test_every_hook_is_set_at_import() -> None:
    unset = Hooks()
    assert [name for name in vars(unset) if getattr(hooks, name) is getattr(unset, name)] == []


def test_ipython_finds_the_classes_that_are_shown_live(monkeypatch: pytest.MonkeyPatch) -> None:
    formatter = DisplayFormatter()
    monkeypatch.setattr(wiring, "shell", lambda: SimpleNamespace(display_formatter=formatter))
    wiring.register_formatters()
    for shown in (sync.Page, aio.Page, Snapshot):
        assert formatter.ipython_display_formatter.lookup_by_type(shown) is wiring._show_value
    assert formatter.mimebundle_formatter.lookup_by_type(Snapshot) is wiring._snapshot_bundle
    assert formatter.mimebundle_formatter.lookup_by_type(Run) is wiring._run_bundle


def test_nothing_of_a_notebook_shows_outside_of_one() -> None:
    assert wiring.page_bundle(object()) is None
    wiring.note_snapshot(object(), object())


def test_nothing_is_shown_while_another_thread_imports_what_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "skillbook.notebook.widgets.display"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert wiring.page_is_shown(object()) is False
