"""Nested event loops, for users' code; nothing of skillbook needs them."""

from __future__ import annotations

import importlib
import importlib.util

from skillbook.errors import ConfigError

_PACKAGES = ("nest_asyncio2", "nest_asyncio")


def enable_nested_asyncio() -> str:
    """Let `asyncio.run` and `loop.run_until_complete` work inside a notebook's running loop.

    While a nested loop runs on ipykernel 7.4, clicks in widgets wait (nest-asyncio2) or are lost (nest-asyncio 1.6).

    Returns
    -------
    str
        The name of the package that does it.

    Raises
    ------
    ConfigError
        None is installed.

    Examples
    --------
    >>> sb.enable_nested_asyncio()  # doctest: +SKIP
    """
    for name in _PACKAGES:
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name).apply()
            return name
    raise ConfigError("no package for nested event loops is installed", hint="pip install nest-asyncio2")
