"""Gives every DataFrame `df.skillbook` as soon as pandas is imported, by whoever imports it.

`import skillbook` doesn't import pandas, which takes most of a second. If it isn't loaded yet, a finder waits for it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing `typing` is a good part of what a command of a terminal costs
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


def add_accessor() -> None:
    """Register the accessor now, or when pandas has been imported."""
    if "pandas" in sys.modules:
        _register()
    elif not any(isinstance(finder, _PandasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _PandasFinder())


def frame_accessor(frame: Any) -> Any:
    """What skillbook knows of a frame that it extracted; see `help(df.skillbook)`."""
    from skillbook.extraction.frames.accessor import FrameAccessor

    return FrameAccessor(frame)


def _register() -> None:
    pandas = sys.modules["pandas"]
    if "skillbook" not in getattr(pandas.DataFrame, "_accessors", ()):
        pandas.api.extensions.register_dataframe_accessor("skillbook")(frame_accessor)


_NOTEBOOK_COLUMNS = 20
"""How many columns of a frame pandas shows in a notebook, by its documentation of `display.max_columns`."""


def _show_columns_of_notebooks() -> None:
    """Have pandas know that it is in a notebook, whenever it was imported.

    It asks for IPython's `get_ipython`, which is a builtin while a cell runs only. Imported between two cells, as for
    a panel, it takes the kernel for a terminal of 80 characters and leaves columns out of every frame from then on.
    """
    pandas = sys.modules["pandas"]
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel") and pandas.get_option("display.max_columns") == 0:
        pandas.set_option("display.max_columns", _NOTEBOOK_COLUMNS)


class _PandasFinder:
    """Finds pandas as the finders after it do, and registers the accessor once it has been executed.

    It has no base class: `importlib.abc` would import much for every command of a terminal.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the next finder has for pandas; None for every other module."""
        if name != "pandas":
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next((found for one in others if (found := one.find_spec(name, path, target))), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                _register()
                _show_columns_of_notebooks()

            spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
