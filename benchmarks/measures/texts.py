"""Tokens of the full text, and whether it holds the same interactive elements and the visible text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from benchmarks.figures import Figure, tokens
from benchmarks.peers import Tab

_UNSEEN = re.compile(r"[\s\u200b-\u200d\u2060\ufeff]+")
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"^\s*- (?:'(?P<quoted>.*)':?.*|(?P<plain>.*))$")
_NODE = re.compile(r'^(?P<role>[a-z]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)$')
_REF = re.compile(r"\[ref=(f?\w+)\]")
INTERACTIVE = frozenset(
    (
        *(
            "button",
            "checkbox",
            "combobox",
            "link",
            "menuitem",
            "menuitemcheckbox",
            "menuitemradio",
            "option",
        ),
        *("radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem"),
    )
)
# Text that is rendered, through open shadow roots; nothing that is hidden from accessibility.
_VISIBLE = """() => {
  const found = [], range = document.createRange();
  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.data.trim() || !node.parentElement?.checkVisibility({ visibilityProperty: true })) return;
      range.selectNodeContents(node);
      if ([...range.getClientRects()].some((box) => box.width > 1 && box.height > 1)) found.push(node.data);
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      if (/^(script|style|noscript|textarea|svg)$/i.test(node.localName)) return;
      if (node.getAttribute("aria-hidden") === "true") return;
      if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) visit(child);
      for (const child of node.childNodes) visit(child);
    }
  };
  visit(document.body);
  return found;
}"""


def measure(tab: Tab) -> Iterator[Figure]:
    """Both texts of the same moment."""
    snapshot = tab.ours.snapshot()
    ours = snapshot.text(budget=None)
    theirs = tab.aria()
    yield Figure("tokens of the full text", tab.label, tokens(ours), tokens(theirs), "tokens", "share", 0.45)
    words = Counter(word for text in tab.theirs.evaluate(_VISIBLE) for word in _WORD.findall(text))
    lost = words - Counter(_WORD.findall(ours))
    note = ", ".join(word for word, _ in lost.most_common(5))
    yield Figure(
        "visible words in the full text", tab.label, share(words, lost),
        share(words, words - Counter(_WORD.findall(theirs))), "%", "at least", 99.5, note and f"not held: {note}",
    )  # fmt: skip
    refs = set(_REF.findall(ours))
    held = Counter((node.role, fold(node.name)) for node in snapshot.nodes if node.ref and node.ref in refs)
    wanted = Counter(peer_elements(theirs))
    gone = wanted - held
    # Playwright leaves a name out where its content has it.
    free = Counter(role for role, _ in (held - wanted).elements())
    for role, name in [key for key in gone if not key[1]]:
        gone[role, name] -= min(free[role], gone[role, name])
    gone = +gone
    note = ", ".join(f"{role} {name!r}" for (role, name), _ in gone.most_common(4))
    yield Figure(
        "Playwright's interactive elements, by role and name", tab.label, share(wanted, gone), 100.0, "%",
        "at least", 99.0, note and f"not as Playwright has them: {note}",
    )  # fmt: skip


def peer_elements(text: str) -> Iterator[tuple[str, str]]:
    """Role and name of the interactive elements in Playwright's text."""
    for line in text.splitlines():
        found = _LINE.match(line)
        if not found:
            continue
        quoted = found["quoted"]
        node = _NODE.match(quoted.replace("''", "'") if quoted is not None else found["plain"])
        if node and node["role"] in INTERACTIVE and "[ref=" in node["rest"]:
            yield node["role"], fold((node["name"] or "").replace('\\"', '"').replace("\\\\", "\\"))


def fold(text: str) -> str:
    """A name without what can't be seen: Chrome puts spaces at line breaks that may be, others don't."""
    return _UNSEEN.sub("", text)


def share(
    wanted: Counter[str] | Counter[tuple[str, str]], lost: Counter[str] | Counter[tuple[str, str]]
) -> float:
    """How much of what is wanted is there, in %."""
    total = wanted.total()
    return 100 * (1 - lost.total() / total) if total else 100.0
