from __future__ import annotations

from tests.session.conftest import rig

__all__ = ["rig"]
