"""`sb` as cells know it, for a kernel: the same text runs in a notebook, with the same lists of dicts."""

from __future__ import annotations

from typing import Any

from skillbook.cells.crossing import SkillResult, from_plain, value_for_code
from skillbook.extraction import extracting
from skillbook.hooks import hooks
from skillbook.policy.secrets import Secret


class CellNames:
    """What a cell calls by `sb`."""

    def extract(self, page: Any, **wanted: Any) -> list[dict[str, Any]]:
        """Rows as a list of dicts, as `extract` gives them in a cell."""
        rows: list[dict[str, Any]] = from_plain(value_for_code(extracting.extract(page, **wanted)))
        return rows

    def tables(self, page: Any) -> list[dict[str, Any]]:
        """The page's tables and lists: kind, name, ref, rows, fields."""
        return described_tables(page.snapshot())

    def open(self, page: Any, url: str) -> Any:
        """Open a URL in a new tab of the page's browser."""
        return page.browser.open(url)

    def run_skill(self, page: Any, name: str, /, **inputs: Any) -> SkillResult:
        """Run a saved or built-in skill; what it gave, as a cell gets it."""
        assert hooks.load_skill is not None
        result = hooks.load_skill(name).run(page, inputs=inputs, raise_on_error=True)
        found: SkillResult = from_plain(value_for_code(SkillResult(result.value, result.frame)))
        return found

    def secret(self, name: str) -> Secret:
        """What stands for a secret."""
        return Secret(name)


def described_tables(snapshot: Any) -> list[dict[str, Any]]:
    """The tables, lists and cards of a page, as a cell gets them."""
    from skillbook.perception.collections import find_collections

    return [
        {
            "kind": one.kind,
            "name": one.name,
            "ref": one.node.ref,
            "rows": one.total,
            "fields": list(one.fields),
        }
        for one in find_collections(snapshot)
    ]


sb = CellNames()
