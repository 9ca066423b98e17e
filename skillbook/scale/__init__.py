"""Skills over many inputs at once, on Dask."""

from __future__ import annotations

from importlib.util import find_spec

from skillbook.errors import ConfigError

if find_spec("distributed") is None:
    raise ConfigError("working on many rows at once needs Dask", hint='pip install "skillbook[scale]"')

from skillbook.scale.mapping import map_skill

__all__ = ["map_skill"]
