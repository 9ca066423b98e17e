"""A snapshot with everything that can be done with it: its text, selectors, differences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape as html_escape
from typing import Any, Literal

from skillbook.perception.diff.comparison import compare
from skillbook.perception.diff.snapshot_diff import SnapshotDiff
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.selectors.grammar import Selector
from skillbook.perception.selectors.hinted_names import (
    find_all_named,
    find_named,
    hinted_names,
    ignored_parts,
)
from skillbook.perception.text.rendering import Mode, render, tools_text
from skillbook.perception.text.tokens import count_tokens
from skillbook.protocol.refs import is_ref


class Snapshot(BaseSnapshot):
    """A page at one moment, immutable: its documents, nodes and refs, and what can be done with them.

    `page.snapshot()` returns one.

    Examples
    --------
    >>> snap = page.snapshot()  # doctest: +SKIP
    >>> print(snap.text(budget=1000))  # doctest: +SKIP
    >>> snap.find("button 'Save'").ref  # doctest: +SKIP
    """

    @cached_property
    def hinted_names(self) -> Mapping[int, str]:
        """The names that hints give to controls without one, by index."""
        return hinted_names(self)

    @cached_property
    def ignored_parts(self) -> tuple[range, ...]:
        """The nodes of each part of the page that hints leave out."""
        return ignored_parts(self)

    def find(self, selector: str | Selector) -> Node:
        """The one node that a ref or role selector names.

        Parameters
        ----------
        selector : str or Selector
            A ref such as "e12", or a role selector such as "button 'Save' in dialog".

        Returns
        -------
        Node
            The one node that matches.

        Raises
        ------
        SelectorSyntaxError, NoMatch, AmbiguousMatch, UnknownRef
            There is none, or it can't be used.
        """
        if isinstance(selector, str) and is_ref(selector):
            return self[selector]
        return find_named(self, selector)

    def find_all(self, selector: str | Selector) -> list[Node]:
        """Every node that a role selector names, in document order.

        Parameters
        ----------
        selector : str or Selector
            A role selector.

        Returns
        -------
        list of Node
            The nodes that match; empty if none does.
        """
        return find_all_named(self, selector)

    def text(
        self, budget: int | None = 4000, mode: Mode = "full", *, refs: Literal["all", "needed"] = "all"
    ) -> str:
        """The page as a model reads it: one line a node, refs on what one can act on.

        Parameters
        ----------
        budget : int, optional
            Tokens at most; `None` for the whole page.
        mode : Mode
            "full", "interactive" (only what one can act on), or "viewport" (only what is on the screen).
        refs : str
            "all", or "needed": left out where a selector of the role and name that the line says does as well.

        Returns
        -------
        str
            One line an element, with its ref.
        """
        if not self.page_tools and not self.silent_frames:
            return render(self, budget, mode, refs)
        tools = tools_text(self.page_tools, self.silent_frames)
        left = None if budget is None else max(budget - count_tokens(tools), 0)
        return f"{tools}\n{render(self, left, mode, refs)}"

    def diff(self, older: BaseSnapshot) -> SnapshotDiff:
        """What changed since an older snapshot.

        Parameters
        ----------
        older : BaseSnapshot
            The snapshot before.

        Returns
        -------
        SnapshotDiff
            What was added, removed and changed.
        """
        return compare(older, self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def to_html(self, budget: int | None = 4000) -> str:
        """The text as static, escaped HTML.

        Parameters
        ----------
        budget : int, optional
            Tokens at most; None for the whole page.

        Returns
        -------
        str
            HTML without scripts.
        """
        head = f"<b>{html_escape(clean(self.title))}</b> <code>{html_escape(clean(self.url))}</code>"
        return f'<div class="skillbook-snapshot">{head}<pre>{html_escape(self.text(budget))}</pre></div>'
