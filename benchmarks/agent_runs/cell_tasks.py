"""The tasks as cells: what a model that writes code would write for them, one text for each of its answers.

A cell ends where the model has to look before it can name what comes next. What the goal names, or what words find, it
can write in advance.
"""

from __future__ import annotations

from tasks import TASKS, Call  # type: ignore[import-not-found]

CELLS: dict[str, tuple[str | Call, ...]] = {
    "add an item": (
        """page.click("link 'Add' in row 'Items'")""",
        """page.fill("textbox 'Name:'", "sofa")\npage.click("button 'Save'")""",
    ),
    "add four items": (
        (
            "plan",
            {"tasks": [{"title": each, "status": "open"} for each in ("bench", "shelf", "stool", "desk")]},
        ),
        """page.click("link 'Add' in row 'Items'")""",
        """\
for name in ["bench", "shelf", "stool"]:
    page.fill("textbox 'Name:'", name)
    page.click("button 'Save and add another'")
page.fill("textbox 'Name:'", "desk")
page.click("button 'Save'")
sb.extract(page)""",
    ),
    "rename an item": (
        """page.click("link 'Change' in row 'Items'")""",
        """page.click("link '1' in row 'lamp'")""",
        """page.fill("textbox 'Name:'", "floor lamp")\npage.click("button 'Save'")""",
    ),
    "delete an item": (
        """\
page.check("checkbox in row 'chair'")
page.select("combobox 'Action:'", "Delete selected items")
page.click("button 'Go'")""",
        """page.click("button ~'sure'")""",
    ),
    "add a member of staff": (
        (
            "plan",
            {
                "tasks": [
                    {"title": each, "status": "open"} for each in ("add the user", "fill in the details")
                ]
            },
        ),
        """page.click("link 'Add' in row 'Users'")""",
        """\
page.fill("textbox 'Username:'", "mary")
page.check("radio 'Disabled'")
page.click("button 'Save'")""",
        """\
page.fill("textbox 'First name:'", "Mary")
page.fill("textbox 'Last name:'", "Poll")
page.fill("textbox 'Email address:'", "mary@example.com")
page.check("checkbox 'Staff status'")
page.click("button 'Save'")
page.find("row 'mary'")""",
        ("plan", {"tasks": [{"title": each, "status": "open"} for each in ("done", "save")]}),
    ),
    "add a group": (
        """page.click("link 'Add' in row 'Groups'")""",
        """\
page.fill("textbox 'Name:'", "editors")
page.fill("textbox ~'list of available'", "group")
page.find("option ~'group'")""",
        """\
kind = "Authentication and Authorization | group | Can"
page.select("listbox ~'Available permissions'", f"{kind} add group", f"{kind} change group")
page.click("button 'Choose selected permissions'")
page.click("button 'Save'")""",
    ),
    "search and read": (
        """page.fill("textbox 'Search'", "a")\npage.click("button 'Search'")\nsb.tables(page)""",
        """sb.extract(page)""",
    ),
    "look through the admin": (
        """page.click("link 'Change' in row 'Users'")""",
        """page.click("link 'admin'")""",
        """page.click("link 'History'")""",
        """page.back()\npage.back()\npage.click("link 'Items' in navigation")""",
        """page.click("link '1'")""",
        """page.click("link 'History'")""",
    ),
    "look up a function": (
        """page.click("link 'Library Reference'")\npage.find("link 'Built-in Functions'")""",
        """page.click("link 'Built-in Functions'")\npage.find("zip strict")""",
        """page.click("link 'zip()' nth 1")\nprint(page.url)\n[each.text for each in page.find("strict=True")]""",
    ),
    "read one page after another": (
        """\
for _ in range(6):
    page.click("link 'next' in (navigation 'related navigation' nth 1)")
    print(page.title)""",
    ),
    "read a table": (
        """print(page.find("Comparisons"))\nsb.tables(page)""",
        """sb.extract(page, fields={"Operation": "Operation", "Meaning": "Meaning"}, within="table nth 2")""",
    ),
    "gather from several pages": (
        ("plan", {"tasks": [{"title": each, "status": "open"} for each in ("json", "csv", "hashlib")]}),
        """[each.name for module in ("json", "csv", "hashlib") for each in page.find(module)]""",
        """\
for module, name in {"json": "dumps", "csv": "reader", "hashlib": "new"}.items():
    page.click(f"link '{module}' nth 1")
    print([each.text for each in page.find(f"{module}.{name}")][:3])
    page.back()""",
        ("plan", {"tasks": [{"title": "done", "status": "open"}]}),
    ),
    "look up words": (
        """\
page.click("link 'Glossary'")
for word in ["coroutine", "iterator", "slice"]:
    print(word, [each.text for each in page.find(word)][:5])""",
    ),
    "read an operation": (
        """\
print(page.find("Get contents of file or directory"))
page.click("button 'get /api/contents/{path}'")
sb.tables(page)""",
        """rows = sb.extract(page)\npage.click("button 'get /api/contents/{path}'")\nrows""",
    ),
    "open several operations": (
        """page.click("button 'get /api/kernels'")\npage.find("Responses")""",
        """\
page.click("button 'get /api/kernels'")
page.click("button 'post /api/kernels'")
print(page.markdown()[:2000])
page.click("button 'post /api/kernels'")
page.click("button 'get /api/kernels/{kernel_id}'")
print(page.markdown()[:2000])""",
    ),
    "fill a modal form": (
        """page.click("button 'Create new user'")""",
        """\
page.fill("textbox 'Name' in dialog", "Ann Lee")
page.fill("textbox 'Email' in dialog", "ann@example.com")
page.click("button 'Create an account'")""",
    ),
    "pick a date": (
        """page.click("textbox")""",
        """\
page.click("any 'Next'")
page.click("any 'Next'")
page.click("link '15'")
page.value("textbox")""",
    ),
    "complete a word": (
        """\
page.type("textbox 'Tags:'", "ja")
page.wait_for(text="Java")
page.click("any 'Java'")
page.value("textbox")""",
    ),
    "filter a grid": (
        """\
page.fill("textbox 'Customer Filter Input'", "Customer 37")
page.wait_for(idle=True)
sb.tables(page)""",
        """\
orders = sb.extract(page)
page.fill("textbox 'Customer Filter Input'", "")
page.click("button 'Next Page'")
page.click("button 'Next Page'")
page.click("button 'Last Page'")
print(len(sb.extract(page)))
orders""",
    ),
    "leaf through a calendar": (
        """\
for _ in range(3):
    page.click("button 'Next month'")
page.click("button 'list'")""",
        """page.click("button 'month'")\npage.click("button 'today'")""",
    ),
    "fill a form of web components": (
        """\
page.fill("textbox 'Customer *'", "Ann Lee")
page.select("combobox 'Country'", "Norway")
page.check("radio 'Express'")
page.check("checkbox 'Gift wrap'")
page.fill("textbox 'Note'", "ring twice")
page.click("tab 'Seats'")""",
        """page.click("tab 'General'")""",
    ),
}
"""The answers for each task: a cell's code, or a call of another tool."""

assert CELLS.keys() == {task.name for task in TASKS}, "another set of tasks"
