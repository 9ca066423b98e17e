"""Texts and names of a skill as Python: an input is a variable, a secret comes from the environment."""

from __future__ import annotations

import keyword
import re

from skillbook.skill.model.templates import placeholders

_INPUT = re.compile(r"\$\{(?:(\$)|input:(\w+)(?::[^}]*)?|secret:([\w.-]+))\}")
_TAKEN = {
    "page", "rows", "facts", "items", "item", "following", "before", "address", "read_table", "expect", "os", "re",
    "str", "int", "float", "len", "set", "range", "quote_plus", "unquote_plus", "names_of", "fresh", "name",
}  # fmt: skip


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
