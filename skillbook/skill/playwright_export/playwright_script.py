"""The whole script: one function that does what a skill does, what it needs, and a way to start it."""

from __future__ import annotations

import keyword
import re

from skillbook.errors import InvalidSkill
from skillbook.skill.model import SkillSpec
from skillbook.skill.playwright_export.code_function import function_of
from skillbook.skill.playwright_export.code_helpers import helpers_of
from skillbook.skill.playwright_export.step_code import statements
from skillbook.skill.playwright_export.texts import plain, text_of, variable

_HEAD = '''"""{title}

Exported from the skill {name}. Needs `pip install playwright`.
"""

import os
import re
from urllib.parse import quote_plus, unquote_plus

from playwright.sync_api import Page, expect, sync_playwright


def address(pattern: str) -> re.Pattern[str]:
    """An address in which `*` stands for anything."""
    return re.compile("^" + ".*".join(map(re.escape, pattern.split("*"))) + "(#.*)?$")


'''
_CODE_IMPORTS = """import json
import os
import re
from types import SimpleNamespace
from urllib.parse import quote_plus, unquote_plus

from playwright.sync_api import Error, Page, expect, sync_playwright
"""
_READ_TABLE = '''

def read_table(table) -> list[dict]:
    """The rows of a table or grid, by the names of its columns."""
    names = table.get_by_role("columnheader").all_inner_texts()
    rows = [row.locator("td, [role=cell], [role=gridcell]").all_inner_texts() for row in table.get_by_role("row").all()]
    return [dict(zip(names, cells)) for cells in rows if cells]
'''
_NAMES_OF = '''

def names_of(items, key) -> list[str]:
    """What each item is called; items without a name are headers, and two of one name can't be distinguished."""
    names = [item.locator(key).first.inner_text().strip() for item in items.all() if item.locator(key).count()]
    assert len(set(names)) == len(names), f"two items have the same name: {names}"
    return names
'''
_MAIN = """

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        given = {function}(browser.new_page())
        for row in given if isinstance(given, list) else [given]:
            print(row)
        browser.close()
"""


def to_playwright(spec: SkillSpec) -> str:
    """A Python module with one function that does what the skill does and returns its rows and facts.

    Raises
    ------
    InvalidSkill : the skill is a prompt, or a step or call has nothing that Playwright has too; the error says which.
    """
    if not spec.replays:
        raise InvalidSkill(
            f"{spec.name} is a prompt for an agent", hint="only recorded steps can be exported"
        )
    function = re.sub(r"\W", "_", spec.name)
    function += "_" if keyword.iskeyword(function) else ""
    if spec.code:
        return _code_script(spec, function)
    given = "".join(f", {variable(one.name)}={one.default!r}" for one in spec.inputs)
    lines = [f"def {function}(page: Page{', *' if given else ''}{given}) -> list[dict]:"]
    lines += [f'    """{plain(spec.description)}"""', "    rows, facts = [], {}"]
    if spec.start:
        lines.append(f"    page.goto({text_of(spec.start, in_url=True)})")
    lines += [f"    {line}".rstrip() for line in statements(spec, spec.steps, 1)]
    lines += ["", "    return rows or [facts]"]
    body = "\n".join(lines) + "\n"
    head = _HEAD.format(title=plain(spec.description), name=spec.name)
    table = _READ_TABLE if "read_table(" in body else ""
    table += _NAMES_OF if "names_of(" in body else ""
    return f"{head}{body}{table}{_MAIN.format(function=function)}"


def _code_script(spec: SkillSpec, function: str) -> str:
    """A module of a skill that is code: its function, and what the function calls."""
    written = function_of(spec, function)
    helpers = helpers_of(written)
    body = f"{written}{_MAIN.format(function=function)}"
    head = _HEAD.format(title=plain(spec.description), name=spec.name)
    doc, _, rest = head.partition("import os\n")
    address = rest[rest.index("\n\ndef ") :] if "address(" in written else "\n\n"
    return f"{doc}{_imports(written + helpers)}{address.rstrip()}{helpers}\n\n{body}"


def _imports(code: str) -> str:
    """The imports that a script uses."""
    kept = []
    for line in _CODE_IMPORTS.splitlines():
        names = line.rpartition("import ")[2].split(", ")
        used = [each for each in names if each == "sync_playwright" or re.search(rf"\b{each}\b", code)]
        if used or not line:
            kept.append(line.replace(", ".join(names), ", ".join(used)))
    return "\n".join(kept)
