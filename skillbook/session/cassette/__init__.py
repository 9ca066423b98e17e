"""Recording and replaying what pages, models and a person did."""

from __future__ import annotations

from skillbook.session.cassette.cassette import Cassette, cassette, current, replaying

__all__ = ["Cassette", "cassette", "current", "replaying"]
