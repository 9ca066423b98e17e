"""Skills over many inputs at once, on Dask."""

from __future__ import annotations

from skillbook.scale.mapping import map_skill

__all__ = ["map_skill"]
