"""What `skill.map` gives, as a table."""

from __future__ import annotations

import pickle

import pandas as pd

from skillbook.scale.mapping import _frame
from skillbook.scale.row_store import RowResult


def test_a_printed_map_has_no_bytes_in_it() -> None:
    table = pd.DataFrame({"name": ["Ann", "Bob"]})
    out = _frame(table, [RowResult("ok"), RowResult("failed", screenshot=b"\xff\xd8" * 500)])
    assert "xff" not in f"{out}{out.to_html()}{out.to_csv()}"
    assert "<JPEG, 1,000 bytes>" in str(out.iloc[1])
    assert out["screenshot"][1] == b"\xff\xd8" * 500
    assert pickle.loads(pickle.dumps(out))["screenshot"][1][:2] == b"\xff\xd8"
