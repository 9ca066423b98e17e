"""Functions that an exported skill of code brings along; a script gets those that it calls."""

from __future__ import annotations

import re

from skillbook.skill.playwright_export.page_calls import ROWS

_HELPERS = {
    "names_of": '''

def names_of(items, key) -> list[str]:
    """What each item is called; items without a name are headers, and two of one name can't be distinguished."""
    names = [item.locator(key).first.inner_text().strip() for item in items.all() if item.locator(key).count()]
    assert len(set(names)) == len(names), f"two items have the same name: {names}"
    return names
''',
    "kept": '''

READ: list[dict] = []


def kept(rows: list[dict]) -> list[dict]:
    """Rows; those that were read last are what the skill gives."""
    READ[:] = rows
    return rows
''',
    "downloaded": '''

def downloaded(page: Page, locator):
    """Click what downloads a file; returns where the file is."""
    with page.expect_download() as started:
        locator.click()
    return SimpleNamespace(path=str(started.value.path()))
''',
    "how_many": '''

def how_many(exact, folded) -> int:
    """How many elements have a name: exact, else without regard to case."""
    return exact.count() or folded.count()
''',
    "at": '''

def at(target):
    """The locator of an element that was found."""
    if not isinstance(target, Element):
        raise TypeError("a computed selector has no counterpart in Playwright")
    return target.locator
''',
    "found": '''

def found(exact, folded) -> list[Element]:
    """The elements of a name: exact if there are any, else without regard to case."""
    return [Element(each) for each in (exact if exact.count() else folded).all()]
''',
    "Element": '''

class Element:
    """One element that `found` gave."""

    def __init__(self, locator):
        self.locator = locator
        self.text = " ".join(locator.inner_text().split())
        line = locator.aria_snapshot().split("\\n", 1)[0].removeprefix("- ").strip("'")
        match = re.match(r'([\\w-]+)(?: ("(?:[^"\\\\]|\\\\.)*"))?', line)
        self.role = match[1] if match else ""
        self.name = json.loads(match[2]) if match and match[2] else ""

    @property
    def value(self):
        """The field's value; None for what is no field."""
        return self.locator.evaluate("element => 'value' in element ? String(element.value) : null")
''',
    "over_pages": '''

def over_pages(page: Page, read, following, most: int) -> list[dict]:
    """The rows of a page and of those that a link leads to."""
    rows = []
    for number in range(most):
        rows += read()
        link = following()
        if number + 1 == most or not link.count() or not link.first.is_enabled():
            break
        before = page.content()
        link.first.click()
        for _ in range(50):
            if page.content() != before:
                break
            page.wait_for_timeout(100)
        steady(page)
    return rows
''',
    "read_items": f'''

ROWS = "{ROWS}"
'''
    '''

def read_items(page: Page, base, has, columns, texts=()) -> list[dict]:
    """Rows of several fields: several elements of `base`, else the rows in it that hold the first field.

    Parameters
    ----------
    columns : for each column a function from a row to a locator, and what is read of that.
    texts : columns of codes, which stay text; None for all.
    """
    expect(base.first).to_be_visible()
    items = base
    if base.count() == 1:
        items = base.locator(ROWS).filter(has=has, has_not=page.locator(ROWS).filter(has=has))
        if not items.count():
            items = base.and_(page.locator(ROWS)).filter(has=has)
    expect(items.first).to_be_visible()
    rows = []
    for item in items.all():
        row = {}
        for column, (place, read) in columns.items():
            locator = place(item)
            row[column] = read(locator.first) if locator.count() else None
        rows.append(row)
    return typed(rows, texts)
''',
    "read_columns": '''

def read_columns(table, wanted=None, texts=()) -> list[dict]:
    """The rows of a table or grid, by the names of its columns."""
    expect(table.get_by_role("row").first).to_be_visible()
    names = [" ".join(each.split()) for each in table.get_by_role("columnheader").all_inner_texts()]
    cells = "td, [role=cell], [role=gridcell], [role=rowheader], tbody th"
    if table.locator("[colspan]:not([colspan='1']), [rowspan]:not([rowspan='1'])").count():
        raise ValueError("the table has cells over several rows or columns")
    rows = [row.locator(cells).all_inner_texts() for row in table.get_by_role("row").all()]
    rows = [[" ".join(cell.split()) for cell in row] for row in rows if row]
    if len(set(names)) < len(names) or "" in names or any(len(row) != len(names) for row in rows):
        raise ValueError(f"the columns {names} don't fit the rows")
    found = typed([dict(zip(names, row)) for row in rows], texts, strict=wanted is None)
    return found if wanted is None else [{key: row[name] for key, name in wanted.items()} for row in found]
''',
    "typed": '''

BLANK = {"-", "\\u2013", "\\u2014", "--", "---", "n/a", "na", "nan", "null", "none", "", "?", "."}
CODE = re.compile(r"\\b(id|no|nr|code|number|num|phone|tel|zip|post\\w*|sku|isbn|ean)\\b", re.IGNORECASE)
PLAIN = re.compile(r"([$\\u20ac\\u00a3]?) ?(-?(?:0|[1-9]\\d{0,5})(\\.\\d+)?)")
NUMERIC = re.compile(
    r"([^\\W\\d_]{1,3} ?)?[\\W\\d_]*\\d[\\W\\d_]*([^\\W\\d_]{1,3}\\.?)?|.*\\b(19|20)\\d\\d\\b.*"
)


def typed(rows: list[dict], texts=(), strict=False) -> list[dict]:
    """Numbers as numbers, as the skill reads them; a column that may be numbers or dates and isn't plain raises."""
    for column in {key: None for row in rows if texts is not None for key in row}:
        filled = [row[column] for row in rows if row[column] and row[column].casefold() not in BLANK]
        if column in texts or not filled or not all(NUMERIC.fullmatch(each) for each in filled):
            continue
        plain = [PLAIN.fullmatch(each) for each in filled]
        units = {match[1] for match in plain if match}
        parts = {len(match[3] or "") for match in plain if match}
        sure = all(plain) and len(units) == 1 and 4 not in parts and not (strict and CODE.search(column))
        if not sure or (2 in parts and len(parts - {0}) > 1):
            raise ValueError(f"the column {column!r} may be numbers, dates or codes, such as {filled[0]!r}")
        whole = parts == {0} and units == {""}
        for row in rows:
            match = PLAIN.fullmatch(row[column] or "")
            row[column] = None if match is None else int(match[2]) if whole else float(match[2])
    return rows
''',
    "steady": '''

def steady(page: Page, answer=None):
    """Wait until the page has not changed for 300 ms, for 5 s at most; returns what was given."""
    quiet = """() => new Promise(done => {
        let rest = setTimeout(end, 300);
        const last = setTimeout(end, 5000);
        const seen = new MutationObserver(() => { clearTimeout(rest); rest = setTimeout(end, 300); });
        function end() { seen.disconnect(); clearTimeout(rest); clearTimeout(last); done(); }
        seen.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    })"""
    for _ in range(5):
        page.wait_for_load_state()
        try:
            page.evaluate(quiet)
            break
        except Error as error:  # another document has come
            if "context" not in str(error) and "navigat" not in str(error):
                raise
    return answer
''',
    "address": '''

def address(pattern: str) -> re.Pattern[str]:
    """An address in which `*` stands for anything."""
    return re.compile("^" + ".*".join(map(re.escape, pattern.split("*"))) + "(#.*)?$")
''',
}
"""Each after those that call it."""
HELPER_NAMES = frozenset(_HELPERS) | {"READ", "ROWS", "BLANK", "CODE", "PLAIN", "NUMERIC"}


def helpers_of(code: str) -> str:
    """The functions that a script calls, and those that they call."""
    kept = ""
    for name, text in _HELPERS.items():
        if re.search(rf"\b{name}\(", code + kept) or (name == "Element" and "Element" in kept):
            kept = text + kept
    return kept
