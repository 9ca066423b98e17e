"""Role selectors, texts and names of a skill as Python: inputs are variables, secrets come from the environment."""

from __future__ import annotations

import keyword
import re

from skillbook.perception.roles import ITEMS, RECORDS
from skillbook.perception.selectors import Name, Selector
from skillbook.skill.model.templates import placeholders

_INPUT = re.compile(r"\$\{(?:(\$)|input:(\w+)(?::[^}]*)?|secret:([\w.-]+))\}")
_TAKEN = {
    "page", "rows", "facts", "items", "item", "following", "before", "address", "read_table", "expect", "os", "re",
    "str", "int", "float", "len", "set", "range", "quote_plus", "unquote_plus", "names_of", "fresh", "name",
}  # fmt: skip

ROWS = ", ".join(["li", "article", "tr", *(f"[role={role}]" for role in sorted(RECORDS))])
"""Records as a style sheet selects them."""


def variable(name: str) -> str:
    """An input's name as a variable's that hides nothing."""
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def plain(text: str) -> str:
    """A text for a comment or docstring: on one line, with inputs by name, and nothing that ends it."""
    line = " ".join(_INPUT.sub(lambda found: found[1] or f"<{found[2] or found[3]}>", text).split())
    return line.replace("\\", "\\\\").replace('"', "'")


def text_of(template: str, *, in_url: bool = False) -> str:
    """A text with placeholders as a Python expression: a literal, a name, or an f-string."""
    if next(placeholders(template), None) is None:
        return repr(_INPUT.sub(lambda found: found[1] or "", template))
    only = _INPUT.fullmatch(template)
    if only and only[2]:
        return f"str({variable(only[2])})"
    if only and only[3]:
        return _secret(only[3])
    parts, at = [], 0
    for found in _INPUT.finditer(template):
        parts.append(_literal(template[at : found.start()]))
        if found[1]:
            parts.append("$")
        else:
            value = variable(found[2]) if found[2] else _secret(found[3])
            encoded = f"quote_plus(str({value}))" if in_url and found.start() else value
            parts.append(f"{{{encoded}}}")
        at = found.end()
    parts.append(_literal(template[at:]))
    return 'f"' + "".join(parts) + '"'


def _literal(text: str) -> str:
    """A text as a part of an f-string in double quotes."""
    return (
        repr('"' + text)[2:-1].replace("\\'", "'").replace('"', '\\"').replace("{", "{{").replace("}", "}}")
    )


def _secret(name: str) -> str:
    variable = f"SKILLBOOK_SECRET_{re.sub(r'[^A-Z0-9]', '_', name.upper())}"
    return f"os.environ['{variable}']"


_STATES = {"checked", "disabled", "expanded", "pressed", "selected"}
_NO_ROLES = {"any", "card", "text"}
"""Selectors have these, and ARIA doesn't."""


def locator(selector: Selector, base: str = "page", *, folded: bool = False) -> str | None:
    """A role selector as a Playwright locator; None where Playwright has nothing like it.

    folded: exact names count in any case.
    """
    if selector.frames or selector.beside:
        return None
    if selector.within is not None:
        outer = _item_with(selector.within, base) or locator(selector.within, base, folded=folded)
        if outer is None:
            return None
        base = outer
    name = selector.name
    if selector.kind == "css":
        found = f"{base}.locator({name.text!r})" if name else None
    elif selector.kind == "role":
        found = _by_role(selector, base, folded)
    else:
        way = {"text": "get_by_text", "label": "get_by_label", "testid": "get_by_test_id"}[selector.kind]
        exact = ", exact=True" if name and name.mode == "exact" and selector.kind != "testid" else ""
        found = f"{base}.{way}({_name(name)}{exact})" if name else None
    if found is not None and selector.nth:
        found += f".nth({selector.nth - 1})"
    return found


def _item_with(selector: Selector, base: str) -> str | None:
    """A row or list item that has a text in it; None for any other target."""
    name, plain = selector.name, not (selector.frames or selector.within or selector.tests or selector.nth)
    if selector.kind != "role" or selector.role not in RECORDS or name is None or not plain:
        return None
    exact = ", exact=True" if name.mode == "exact" else ""
    return f"{base}.get_by_role({selector.role!r}).filter(has=page.get_by_text({_name(name)}{exact}))"


def _by_role(selector: Selector, base: str, folded: bool) -> str | None:
    if selector.role in _NO_ROLES:
        return None
    options, by_text = [], ""
    if selector.role in ITEMS and selector.name is not None and selector.name.mode != "regex":
        pattern = f"re.escape({text_of(selector.name.text)})"
        if selector.name.mode == "exact":
            pattern = rf"r'^\s*' + {pattern} + r'\s*$'"
        by_text = f".filter(has_text=re.compile({pattern}))"
    elif selector.name is not None and folded and selector.name.mode == "exact":
        regex = rf"r'^\s*' + re.escape({text_of(selector.name.text)}) + r'\s*$'"
        options.append(f"name=re.compile({regex}, re.IGNORECASE)")
    elif selector.name is not None:
        options.append(f"name={_name(selector.name)}")
        options += ["exact=True"] if selector.name.mode == "exact" else []
    for test in selector.tests:
        if test.key in _STATES and isinstance(test.wanted, bool):
            options.append(f"{test.key}={test.wanted}")
        elif test.key == "level" and isinstance(test.wanted, Name) and test.wanted.text.isdigit():
            options.append(f"level={test.wanted.text}")
        else:
            return None
    return f"{base}.get_by_role({', '.join([repr(selector.role), *options])}){by_text}"


def _name(name: Name) -> str:
    if name.mode == "regex":
        return f"re.compile({name.text!r}{', re.IGNORECASE' if name.ignore_case else ''})"
    return text_of(name.text)
