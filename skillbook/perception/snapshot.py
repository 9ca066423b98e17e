"""A snapshot with everything that can be done with it: its text, selectors, differences."""

from __future__ import annotations

from html import escape as html_escape
from typing import Any

from skillbook.perception.diff.comparison import compare
from skillbook.perception.diff.snapshot_diff import SnapshotDiff
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.selectors.grammar import CssResolver, Selector
from skillbook.perception.selectors.one_match import find_one
from skillbook.perception.selectors.selector_matching import find_all
from skillbook.perception.text.page_tool_lines import tools_text
from skillbook.perception.text.rendering import Mode, render
from skillbook.perception.text.tokens import count_tokens
from skillbook.protocol.refs import is_ref


class Snapshot(BaseSnapshot):
    """A page at one moment, immutable: its documents, nodes and refs, and what can be done with them.

    Features take the nodes as `BaseSnapshot`; this class, which no feature imports, offers them as
    methods.
    """

    def find(self, selector: str | Selector, css: CssResolver | None = None) -> Node:
        """The one node that a ref or role selector names.

        Parameters
        ----------
        selector : a ref such as "e12", or a role selector such as "button 'Save' in dialog".
        css : resolves CSS that the snapshot alone can't, to refs.

        Raises
        ------
        SelectorSyntaxError, NoMatch, AmbiguousMatch, UnknownRef
        """
        if isinstance(selector, str) and is_ref(selector):
            return self[selector]
        return find_one(self, selector, css)

    def find_all(self, selector: str | Selector, css: CssResolver | None = None) -> list[Node]:
        """Every node that a role selector names, in document order."""
        return find_all(self, selector, css)

    def text(self, budget: int | None = 4000, mode: Mode = "full") -> str:
        """The page as a model reads it: one line a node, refs on what one can act on.

        Parameters
        ----------
        budget : tokens at most; `None` for the whole page.
        mode : "full", "interactive" (only what one can act on), or "viewport" (only what is on the screen).
        """
        if not self.page_tools:
            return render(self, budget, mode)
        tools = tools_text(self.page_tools)
        left = None if budget is None else max(budget - count_tokens(tools), 0)
        return f"{tools}\n{render(self, left, mode)}"

    def diff(self, older: BaseSnapshot) -> SnapshotDiff:
        """What changed since an older snapshot."""
        return compare(older, self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def to_html(self, budget: int | None = 4000) -> str:
        """The text as static, escaped HTML."""
        head = f"<b>{html_escape(clean(self.title))}</b> <code>{html_escape(clean(self.url))}</code>"
        return f'<div class="skillbook-snapshot">{head}<pre>{html_escape(self.text(budget))}</pre></div>'
