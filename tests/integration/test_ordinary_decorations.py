"""A list that is decorated as sites do it is complete: laws that are broken by this would soon be read by nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import skillbook as sb
from tests.integration.decorated_pages import LAST, pages

READ = Callable[[str], Any]


def test_decorated_lists_are_complete(read_html: READ) -> None:
    alarms = []
    for name, html in pages():
        frames = [frame for frame in sb.tables(read_html(html)) if len(frame) == LAST]
        reasons = [frame.skillbook.reason for frame in frames if not frame.skillbook.complete]
        alarms += [f"{name}: {reason}" for reason in reasons] if frames else [f"{name}: no frame"]
    assert not alarms
