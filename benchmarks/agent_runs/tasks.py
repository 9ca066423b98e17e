"""The tasks: where each begins, what the model calls, and the text that the page has when it is done.

The calls were recorded from runs that solved the task. They name elements by role selectors, so that they can be played
by every version of the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """One task.

    Parameters
    ----------
    name, goal : for the report, and for the model.
    app, path : the application, and the page below its address.
    calls : what the model calls, in order.
    shows : a text that the page has at the end.
    """

    name: str
    goal: str
    app: str
    path: str
    calls: tuple[Call, ...]
    shows: str


def _click(target: str) -> Call:
    return "click", {"target": target}


def _fill(target: str, value: str) -> Call:
    return "fill", {"target": target, "value": value}


def _find(query: str) -> Call:
    return "find", {"query": query}


def _select(target: str, *values: str) -> Call:
    return "select", {"target": target, "values": list(values)}


def _extract(**args: Any) -> Call:
    return "extract", args


def _plan(*titles: str) -> Call:
    return "plan", {"tasks": [{"title": title, "status": "open"} for title in titles]}


_SNAPSHOT: Call = ("snapshot", {})
_TABLES: Call = ("list_tables", {})
_NEXT = _click("link 'next' in (navigation 'related navigation' nth 1)")
_USER = "textbox 'Username:'"

_DJANGO = (
    Task("add an item", "Add an item called sofa.", "django", "admin/",
         (_click("link 'Add' in row 'Items'"), _fill("textbox 'Name:'", "sofa"), _click("button 'Save'")), "sofa"),
    Task("add four items", "Add the items bench, shelf, stool and desk.", "django", "admin/",
         (_plan("bench", "shelf", "stool", "desk"), _click("link 'Add' in row 'Items'"),
          _fill("textbox 'Name:'", "bench"), _click("button 'Save and add another'"),
          _fill("textbox 'Name:'", "shelf"), _click("button 'Save and add another'"),
          _fill("textbox 'Name:'", "stool"), _click("button 'Save and add another'"),
          _fill("textbox 'Name:'", "desk"), _click("button 'Save'"), _TABLES, _extract()), "desk"),
    Task("rename an item", "Rename the lamp to floor lamp.", "django", "admin/",
         (_click("link 'Change' in row 'Items'"), _click("link '1' in row 'lamp'"),
          _fill("textbox 'Name:'", "floor lamp"), _click("button 'Save'")), "floor lamp"),
    Task("delete an item", "Delete the chair.", "django", "admin/shop/item/",
         (("check", {"target": "checkbox in row 'chair'"}), _select("combobox 'Action:'", "Delete selected items"),
          _click("button 'Go'"), _SNAPSHOT, _click("button ~'sure'")), "Successfully deleted 1 item"),
    Task("add a member of staff", "Add the user mary without a password, Mary Poll, mary@example.com, as staff.",
         "django", "admin/",
         (_plan("add the user", "fill in the details"), _click("link 'Add' in row 'Users'"), _fill(_USER, "mary"),
          ("check", {"target": "radio 'Disabled'"}), _click("button 'Save'"),
          _fill("textbox 'First name:'", "Mary"), _fill("textbox 'Last name:'", "Poll"),
          _fill("textbox 'Email address:'", "mary@example.com"), ("check", {"target": "checkbox 'Staff status'"}),
          _plan("done", "save"), _click("button 'Save'"), _find("row 'mary'")), "mary@example.com"),
    Task("add a group", "Add the group editors, which may add and change groups.", "django", "admin/",
         (_click("link 'Add' in row 'Groups'"), _fill("textbox 'Name:'", "editors"),
          _fill("textbox ~'list of available'", "group"), _find("option ~'group'"),
          _select("listbox ~'Available permissions'", "Authentication and Authorization | group | Can add group",
                  "Authentication and Authorization | group | Can change group"),
          _click("button 'Choose selected permissions'"), _click("button 'Save'")), "editors"),
    Task("search and read", "Which items have an a in their name?", "django", "admin/shop/item/",
         (_fill("textbox 'Search'", "a"), _click("button 'Search'"), _TABLES, _extract(), _SNAPSHOT), "items"),
    Task("look through the admin", "What has the administrator done so far?", "django", "admin/",
         (_click("link 'Change' in row 'Users'"), _click("link 'admin'"), _click("link 'History'"), _SNAPSHOT,
          ("back", {}), ("back", {}), _click("link 'Items' in navigation"), _click("link '1'"),
          _click("link 'History'"), _SNAPSHOT), "Change history"),
)  # fmt: skip
_DOCS = (
    Task("look up a function", "What does zip do with strict?", "pydocs", "index.html",
         (_click("link 'Library Reference'"), _find("link 'Built-in Functions'"), _click("link 'Built-in Functions'"),
          _find("zip strict"), _click("link 'zip()' nth 1"), ("get", {"what": "url"}), _find("strict=True")), "zip"),
    Task("read one page after another", "Which modules follow json in the library?", "pydocs", "library/json.html",
         (_NEXT, _NEXT, _NEXT, _NEXT, _NEXT, _NEXT, ("get", {"what": "title"})), "documentation"),
    Task("read a table", "List the comparison operators with their meaning.", "pydocs", "library/stdtypes.html",
         (_find("Comparisons"), _TABLES,
          _extract(fields={"Operation": "Operation", "Meaning": "Meaning"}, within="table nth 2")),
         "Comparisons"),
    Task("gather from several pages", "What are the defaults of json.dumps, csv.reader and hashlib.new?", "pydocs",
         "py-modindex.html",
         (_plan("json", "csv", "hashlib"), _find("json"), _click("link 'json' nth 1"), _find("json.dumps"),
          ("back", {}),
          _find("csv"), _click("link 'csv' nth 1"), _find("csv.reader"), ("back", {}), _find("hashlib"),
          _click("link 'hashlib' nth 1"), _find("hashlib.new"), _plan("done")), "hashlib"),
    Task("look up words", "What do coroutine, iterator and slice mean?", "pydocs", "index.html",
         (_click("link 'Glossary'"), _find("coroutine"), _find("iterator"), _find("slice"), _SNAPSHOT), "Glossary"),
)  # fmt: skip
_WIDGETS = (
    Task("read an operation", "Which parameters does GET /api/contents/{path} have?", "swagger", "",
         (_find("Get contents of file or directory"), _click("button 'get /api/contents/{path}'"), _TABLES, _extract(),
          _click("button 'get /api/contents/{path}'")), "Jupyter Server API"),
    Task("open several operations", "What do the operations on kernels answer?", "swagger", "",
         (_click("button 'get /api/kernels'"), _find("Responses"), _click("button 'get /api/kernels'"),
          _click("button 'post /api/kernels'"), _SNAPSHOT, _click("button 'post /api/kernels'"),
          _click("button 'get /api/kernels/{kernel_id}'"), _SNAPSHOT), "Jupyter Server API"),
    Task("fill a modal form", "Create the user Ann with ann@example.com.", "jqueryui", "dialog/modal-form.html",
         (_click("button 'Create new user'"), _fill("textbox 'Name' in dialog", "Ann Lee"),
          _fill("textbox 'Email' in dialog", "ann@example.com"), _click("button 'Create an account'"), _SNAPSHOT),
         "ann@example.com"),
    Task("pick a date", "Choose the 15th of the month after next.", "jqueryui", "datepicker/default.html",
         (_click("textbox"), _click("any 'Next'"), _click("any 'Next'"), _click("link '15'"),
          ("get", {"what": "value", "target": "textbox"})), "Date"),
    Task("complete a word", "Choose Java among the suggestions.", "jqueryui", "autocomplete/default.html",
         (("type", {"target": "textbox 'Tags:'", "text": "ja"}), ("wait_for", {"text": "Java"}), _SNAPSHOT,
          _click("any 'Java'"), ("get", {"what": "value", "target": "textbox"})), "Tags"),
    Task("filter a grid", "Read the orders of Customer 37.", "aggrid", "",
         (_fill("textbox 'Customer Filter Input'", "Customer 37"), ("wait_for", {"idle": True}), _TABLES, _extract(),
          _fill("textbox 'Customer Filter Input'", ""), _click("button 'Next Page'"), _click("button 'Next Page'"),
          _click("button 'Last Page'"), _extract()), "1,000"),
    Task("leaf through a calendar", "What meetings are there in June?", "fullcalendar", "",
         (_click("button 'Next month'"), _click("button 'Next month'"), _click("button 'Next month'"),
          _click("button 'list'"), _SNAPSHOT, _click("button 'month'"), _click("button 'today'")), "month"),
    Task("fill a form of web components", "Order for Ann Lee in Norway, express, gift wrapped.", "shoelace", "",
         (_fill("textbox 'Customer *'", "Ann Lee"), _select("combobox 'Country'", "Norway"),
          ("check", {"target": "radio 'Express'"}), ("check", {"target": "checkbox 'Gift wrap'"}),
          _fill("textbox 'Note'", "ring twice"), _click("tab 'Seats'"), _SNAPSHOT, _click("tab 'General'")),
         "Ticket desk"),
)  # fmt: skip
TASKS = (*_DJANGO, *_DOCS, *_WIDGETS)
