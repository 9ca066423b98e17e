from __future__ import annotations

import threading
from contextvars import copy_context

import pytest

from skillbook.agents.run import build_agent
from skillbook.io_thread import io


async def _default(context: object, work: object) -> str:
    return "another thread"


def _where() -> str:
    return threading.current_thread().name


def test_calls_that_nobody_traces_stay_on_the_thread_of_the_runs() -> None:
    assert io.sync(build_agent._stay(_default, copy_context(), _where)) == io.sync(_name())


def test_where_a_trace_is_kept_langsmith_chooses_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_agent, "tracing_is_enabled", lambda: True)
    assert io.sync(build_agent._stay(_default, copy_context(), _where)) == "another thread"


async def _name() -> str:
    return _where()
