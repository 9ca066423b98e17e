"""`df.skillbook` is there after `import skillbook`, whatever is imported first, and importing stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASK = "print(hasattr(pandas.DataFrame, 'skillbook'), pandas.DataFrame({'a': ['=1']}).skillbook.to_csv(index=False))"


@pytest.mark.parametrize(
    "imports",
    [
        "import skillbook, pandas",
        "import pandas, skillbook",
        pytest.param(
            "import importlib.util, skillbook; importlib.util.find_spec('pandas'); import pandas",
            marks=pytest.mark.more,
        ),
        pytest.param("import skillbook, pandas.api.types, pandas", marks=pytest.mark.more),
        pytest.param(
            "import skillbook; skillbook.wiring.wire(); import pandas; skillbook.wiring.wire()",
            marks=pytest.mark.more,
        ),
    ],
)
def test_frames_have_it_in_any_order(imports: str) -> None:
    code = f"import warnings; warnings.simplefilter('error')\n{imports}\n{ASK}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "a", "'=1"], done.stderr


def test_nothing_waits_for_pandas_once_it_is_there() -> None:
    code = "import sys, skillbook, pandas; print([f for f in sys.meta_path if 'skillbook' in repr(f)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
