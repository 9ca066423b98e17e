"""Differences that are meant: each with a pattern and a reason. A test fails for one that no page shows any more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.conformance.compare import (
    BEHIND,
    CHROME_NAMES,
    ELEMENTS,
    LISTENERS,
    LISTENERS_DOM,
    NAMES,
    ROLES,
    Difference,
)


@dataclass(frozen=True)
class Allowed:
    """A difference that is meant.

    Attributes
    ----------
    title : what differs.
    categories : where it may.
    reason : why it is right, or can't be otherwise.
    shows : whether a difference is of this kind.
    """

    title: str
    categories: frozenset[str]
    reason: str
    shows: Callable[[Difference], bool]

    def covers(self, difference: Difference) -> bool:
        """Whether it explains the difference."""
        return difference.category in self.categories and self.shows(difference)


def _is_break_only(one: Difference) -> bool:
    return "<wbr" in one.about and one.first.replace(" ", "") == one.second.replace(" ", "")


def _unescaped(text: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)


def _roles(one: Difference) -> tuple[str, str]:
    return one.first.partition(" ")[0], one.second.partition(" ")[0]


_REFERRING = {
    "own/names.html": "'Out'",
    "generated/270": "group ''",
    "generated/310": "textbox 'Mail Gamma Order'",
    "generated/320": "group ''",
    "generated/500": "group ''",
}
"""The pages on which this was checked, and what Chrome says there."""

ALLOWED = (
    Allowed(
        "behind an open modal dialog",
        frozenset({ELEMENTS, ROLES, NAMES}),
        "Chrome's accessibility tree has nothing of what a modal dialog makes inert. The cdp engine goes by the markup "
        "of controls there, and calls everything else generic.",
        lambda one: one.about.endswith(BEHIND),
    ),
    Allowed(
        "controls that are hidden from readers",
        frozenset({ROLES, NAMES}),
        "Chrome has nothing of what is below `aria-hidden`; the cdp engine has what the control's own tag, attributes "
        "and text say.",
        lambda one: "aria-hidden" in one.about,
    ),
    Allowed(
        "parts of drawings, and images that CSS puts in",
        frozenset({ROLES}),
        "Chrome takes shapes for symbols and an element whose content CSS replaces for an image, as Graphics-AAM has "
        "it; the dom engine knows only that scripts listen on them.",
        lambda one: (
            _roles(one)
            in {("generic", "graphics-symbol"), ("generic", "img"), ("graphics-document", "generic")}
        ),
    ),
    Allowed(
        "what can be dragged",
        frozenset({ROLES, NAMES}),
        "Chrome takes an element that says whether it can be dragged for a group, which has no name of its content.",
        lambda one: "draggable" in one.about and _roles(one)[1] in {"group", "listitem"},
    ),
    Allowed(
        "options, rows and tree items outside of what they belong to",
        frozenset({ELEMENTS, ROLES, NAMES}),
        "ARIA leaves open what they are; Chrome takes them for nothing, the dom engine believes the author.",
        lambda one: (
            _roles(one)[0] in {"option", "row", "treeitem"} and _roles(one)[1] in {"", "generic", "listitem"}
        ),
    ),
    Allowed(
        "captions of figures",
        frozenset({NAMES}),
        "HTML-AAM names a figure by its caption; Chrome leaves the caption to the content.",
        lambda one: _roles(one) == ("figure", "figure"),
    ),
    Allowed(
        "paragraphs without text of their own",
        frozenset({ROLES}),
        "Chrome leaves out a paragraph that only lays out other boxes.",
        lambda one: _roles(one) == ("paragraph", "generic"),
    ),
    Allowed(
        "tooltips of what has no role",
        frozenset({NAMES}),
        "ARIA lets nothing name an element without a role. Chrome takes a tooltip, but not where a reference leads "
        "nowhere; the dom engine takes the text of what one can act on, and any tooltip.",
        lambda one: _roles(one) == ("generic", "generic"),
    ),
    Allowed(
        "listeners that scripts added, in the cdp engine only",
        frozenset({ELEMENTS}),
        "A content script lives in a world of its own and sees no listeners of the page; the debugger does, and such "
        "a node says `why: listener`.",
        lambda one: one.kind == "only second" and "listener" in one.about.partition(" why ")[2],
    ),
    Allowed(
        "elements that only listen, by the dom engine",
        frozenset({LISTENERS_DOM}),
        "The same from the other side: where a script listens on an element that neither role, cursor, tab stop nor "
        "attribute tells from plain text, only the cdp engine finds it.",
        lambda one: one.second != "delegated",
    ),
    Allowed(
        "panels that listen for keys",
        frozenset({LISTENERS}),
        "Keys reach a panel from focused elements inside it; a panel that holds none gets no keys.",
        lambda one: one.second == "keydown" and "tabindex" not in one.about,
    ),
    Allowed(
        "places where a word may break",
        frozenset({CHROME_NAMES}),
        "Chrome puts a space at each `wbr`, where no person reads one; the dom engine leaves it out.",
        _is_break_only,
    ),
    Allowed(
        "glyphs of icon fonts",
        frozenset({CHROME_NAMES}),
        "A name that is nothing but glyphs from the private use area says nothing; where there is a tooltip, both "
        "engines take that.",
        lambda one: bool(re.search(r" '[\ue000-\uf8ff\s]+'$", _unescaped(one.second))),
    ),
    Allowed(
        "text that CSS writes in capitals",
        frozenset({NAMES, CHROME_NAMES}),
        "Chrome names as `text-transform` writes; the dom engine has the page's own text, as accname does.",
        lambda one: one.first != one.second and one.first.casefold() == one.second.casefold(),
    ),
    Allowed(
        "tooltips that say what a rich text field has in it",
        frozenset({NAMES, CHROME_NAMES}),
        "Chrome drops a tooltip that equals the content, though content doesn't name a text field.",
        lambda one: (
            one.second.endswith("textbox ''")
            and (
                ("contenteditable" in one.about and "title=" in one.about) or one.about in {"<div>", "<span>"}
            )
        ),
    ),
    Allowed(
        "references into contents that are skipped",
        frozenset({NAMES, CHROME_NAMES}),
        "accname reads hidden elements that are referred to; Chrome doesn't where a closed `details` or "
        "`content-visibility` skips them, and goes on to the next source.",
        lambda one: one.page in _REFERRING and one.second.endswith(_REFERRING[one.page]),
    ),
    Allowed(
        "white space on both sides of what is hidden",
        frozenset({NAMES, CHROME_NAMES}),
        "Chrome loses the space between two words with a hidden element between them; people see it.",
        lambda one: (
            one.first != one.second
            and one.first.replace(" ", "") == one.second.replace(" ", "")
            and "<wbr" not in one.about
        ),
    ),
)


def explain(difference: Difference) -> Allowed | None:
    """What allows a difference, or None."""
    return next((one for one in ALLOWED if one.covers(difference)), None)
