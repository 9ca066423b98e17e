"""What is recorded, how one sees from outside that it was done, and what a replay meets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

Verb = Literal["fill", "click", "check", "select", "press", "rows"]
Wanted = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Act:
    """One thing to do, the same for a person's hands, for a call and for code.

    Parameters
    ----------
    target : a role selector; for `press` the key.
    value : what is typed or chosen; `{}` is the input's value.
    """

    verb: Verb
    target: str
    value: str = ""


@dataclass(frozen=True)
class Case:
    """A skill to be.

    Parameters
    ----------
    example, other, bad : the input's value when it is recorded, another one, and one that can't be done; empty for
        none.
    truth : what says what is so: a path of the application's server, SQL for its database, or JavaScript of the page;
        empty where the rows that were read are, by their `column`.
    wanted : what must be so after a run with a value, of that and of what was so before.
    change : a path or SQL that changes the application's data.
    anew : a path or SQL that brings the first data back.
    dirty : what somebody did in the tab and left there, before the run.
    """

    name: str
    app: str
    path: str
    goal: str
    acts: tuple[Act, ...]
    example: str
    other: str
    bad: str = ""
    truth: str = ""
    wanted: Wanted = lambda value, _: value
    column: str = ""
    change: str = ""
    anew: str = ""
    dirty: tuple[Act, ...] = ()


def fill(target: str, value: str = "{}") -> Act:
    """Type a text."""
    return Act("fill", target, value)


def click(target: str) -> Act:
    """Press it."""
    return Act("click", target)


def select(target: str, value: str = "{}") -> Act:
    """Choose from a list."""
    return Act("select", target, value)


def rows(within: str) -> Act:
    """Read rows."""
    return Act("rows", within)


def _text(value: str, _: Any) -> str:
    return value


def _one_more(value: str, before: list[str]) -> list[str]:
    return sorted([*before, value])


def _json(**fixed: Any) -> Wanted:
    """The page's own JSON, with the input's value where `...` stands."""
    return lambda value, _: {name: value if said is ... else said for name, said in fixed.items()}


def _renamed(value: str, before: list[str]) -> list[str]:
    return sorted([*(name for name in before if name not in {"chair", "armchair", "bench"}), value])


def _many(count: int) -> Wanted:
    """So many records of the one kind, and no other."""
    return lambda value, _: [value] * count


def _day(value: str, _: Any) -> str:
    return f"{date.today():%m}/{int(value):02}/{date.today():%Y}"


_SEARCH = (fill("textbox 'Search'"), click("button 'Search'"))
_MORE_PEOPLE = "insert into person (name, email, city, age) values ('Zoe', 'z@x.test', 'Oslo', 40)"
_NEW_PEOPLE = "select name from person where id > 120 order by name"
_FORGET = "delete from person where id > 120"
_PERSON = (
    fill("textbox 'Name'"),
    fill("textbox 'Email'", "new@x.test"),
    fill("textbox 'City'", "Ulm"),
    fill("spinbutton 'Age'", "33"),
    click("button 'Save'"),
)
_ORDER = "JSON.parse(document.querySelector('#out').textContent || '{}')"
_JQ = "/usr/share/doc/libjs-jquery-ui-docs/examples"
_DJANGO = {"app": "django", "anew": "/names?anew", "change": "/names?add=desk"}
_CHAIRS = (fill("textbox 'Search'", "chair"), click("button 'Search'"))
CASES = (
    Case(
        "add an item", **_DJANGO, path="/admin/shop/item/add/", goal="Add the item 'sofa'",
        acts=(fill("textbox 'Name:'"), click("button 'Save'")),
        example="sofa", other="stool", truth="/names", wanted=_one_more, dirty=(fill("textbox 'Name:'", "left here"),),
    ),
    Case(
        "rename an item", **_DJANGO, path="/admin/shop/item/2/change/", goal="Rename the chair to 'armchair'",
        acts=(fill("textbox 'Name:'"), click("button 'Save'")),
        example="armchair", other="bench", bad="x" * 60, truth="/names", wanted=_renamed,
        dirty=(fill("textbox 'Name:'", "left here"),),
    ),
    Case(
        "search items", **_DJANGO, path="/admin/shop/item/", goal="Find every item with 'lamp' in it",
        acts=(*_SEARCH, rows("table")),
        example="lamp", other="table", bad="zzzz", column="Name", wanted=_many(1), dirty=_CHAIRS,
    ),
    Case(
        "delete an item", **_DJANGO, path="/admin/shop/item/", goal="Delete the item 'lamp'",
        acts=(click("link in row ~'{}'"), click("link 'Delete'"), click("button ~'m sure'")),
        example="lamp", other="table", bad="zzzz", truth="/names",
        wanted=lambda value, before: [name for name in before if name != value], dirty=_CHAIRS,
    ),
    Case(
        "search people", "flask-admin", "/admin/person/", "Find the people of 'Ulm'",
        (fill("textbox 'name, city'"), click("button 'Search'"), rows("table")),
        "Ulm", "Porto", "Nowhere", column="City", wanted=_many(20), anew=_FORGET, change=_MORE_PEOPLE,
        dirty=(click("link 'Age'"),),
    ),
    Case(
        "add a person", "flask-admin", "/admin/person/new/", "Add the person 'Zoe Low'", _PERSON,
        "Zoe Low", "Max Orr", truth=_NEW_PEOPLE, wanted=_one_more, anew=_FORGET, change=_MORE_PEOPLE,
        dirty=(fill("textbox 'City'", "left here"),),
    ),
    Case(
        "move a person", "flask-admin", "/admin/person/edit/?id=5", "Move person 5 to 'Oslo'",
        (fill("textbox 'City'"), click("button 'Save'")),
        "Oslo", "Bern", truth="select city from person where id = 5", wanted=lambda value, _: [value],
        anew="update person set city = 'Lyon' where id = 5", change="update person set age = 77 where id = 5",
        dirty=(fill("textbox 'Name'", "left here"),),
    ),
    Case(
        "add a person", "sqladmin", "/admin/person/create", "Add the person 'Zoe Low'", _PERSON,
        "Zoe Low", "Max Orr", truth=_NEW_PEOPLE, wanted=_one_more, anew=_FORGET, change=_MORE_PEOPLE,
        dirty=(fill("textbox 'City'", "left here"),),
    ),
    Case(
        "search people", "sqladmin", "/admin/person/list", "Find the people of 'Ulm'",
        (fill("textbox 'Search: name, city'"), click("button 'Search'"), rows("table")),
        "Ulm", "Porto", "Nowhere", column="city", wanted=_many(10), anew=_FORGET, change=_MORE_PEOPLE,
        dirty=(click("link '3'"),),
    ),
    Case(
        "filter people", "datasette", "/people/person", "Find the people whose city is 'Ulm'",
        (select("combobox nth 1", "city"), fill("textbox"), click("button 'Apply'"), rows("table")),
        "Ulm", "Porto", "Nowhere", column="city", wanted=_many(20),
        dirty=(select("combobox nth 1", "age"), fill("textbox", "25"), click("button 'Apply'")),
    ),
    Case(
        "search issues", "roundup", "/", "Find the issues with 'Lamp 7' in them",
        (fill("textbox in search"), click("button 'Search' in search")),
        "Lamp 7", "Lamp 12", truth="new URLSearchParams(location.search).get('@search_text')",
        dirty=(click("link 'Show Unassigned'"),),
    ),
    Case(
        "begin a page", "otterwiki", "/-/create", "Create the page 'Cords'",
        (fill("textbox ~'Page name'"), click("button 'Create and open in editor'")),
        "Cords", "Plugs", truth="location.pathname.split('/')[1]", wanted=_text,
        dirty=(fill("textbox ~'Page name'", "left here"),),
    ),
    Case(
        "order with lists", "antd", "/", "Order for 'Ann' with high priority",
        (fill("textbox 'Name'"), select("combobox 'Priority'", "High"), select("combobox 'City'", "Medium"),
         click("button 'Save'")),
        "Ann", "Bob", truth=_ORDER, wanted=_json(name=..., priority="high", city="medium", tags=["low"]),
        dirty=(fill("textbox 'Name'", "Zoe"), select("combobox 'Level'", "Low")),
    ),
    Case(
        "choose a priority", "antd", "/", "Order for Ann with the priority 'High'",
        (fill("textbox 'Name'", "Ann"), select("combobox 'Priority'"), click("button 'Save'")),
        "High", "Medium", "Huge", truth=_ORDER,
        wanted=lambda value, _: {"name": "Ann", "priority": value.lower(), "city": "low", "tags": ["low"]},
        dirty=(select("combobox 'Tags'", "High"),),
    ),
    Case(
        "order a ticket", "shoelace", "/", "Order a ticket for 'Ann'",
        (fill("textbox ~'Customer'"), click("checkbox 'Gift wrap'"), click("button 'Place order'")),
        "Ann", "Bob", truth=f"[{_ORDER}.customer, {_ORDER}.gift]", wanted=lambda value, _: [value, "on"],
        dirty=(fill("textbox ~'Customer'", "Zoe"), click("checkbox 'Gift wrap'")),
    ),
    Case(
        "create a user", "jqueryui", f"{_JQ}/dialog/modal-form.html", "Create the user 'Ann Lee'",
        (click("button 'Create new user'"), fill("textbox 'Name' in dialog"),
         fill("textbox 'Email' in dialog", "ann@x.test"), click("button 'Create an account'")),
        "Ann Lee", "Bo Low", "x",
        truth="[...document.querySelectorAll('#users tbody tr')].map(row => row.cells[0].textContent)",
        wanted=lambda value, _: ["John Doe", value],
        dirty=(click("button 'Create new user'"), fill("textbox 'Name' in dialog", "left here")),
    ),
    Case(
        "choose a speed", "jqueryui", f"{_JQ}/selectmenu/default.html", "Choose the speed 'Fast'",
        (select("combobox nth 1"),), "Fast", "Slower", "Warp",
        truth="document.querySelector('#speed').value", wanted=_text, dirty=(select("combobox nth 3", "3"),),
    ),
    Case(
        "choose a place", "jqueryui", f"{_JQ}/checkboxradio/default.html", "Choose the location 'Paris'",
        (click("radio '{}'"),), "Paris", "London", "Rome",
        truth="document.querySelector('input:checked')?.labels[0].textContent.trim()", wanted=_text,
        dirty=(click("radio 'New York'"), click("checkbox '3 Star'")),
    ),
    Case(
        "choose a day", "jqueryui", f"{_JQ}/datepicker/default.html", "Choose the day '15'",
        (click("textbox"), click("link '{}'")), "15", "20", "35",
        truth="document.querySelector('#datepicker').value", wanted=_day,
        dirty=(click("textbox"), click("link 'Next'")),
    ),
    Case(
        "filter by country", "aggrid", "/", "Show the orders of 'Norway'",
        (fill("textbox 'Country Filter Input'"),), "Norway", "Kenya",
        truth="[...new Set([...document.querySelectorAll('.ag-cell[col-id=country]')].map(each => each.textContent))]",
        wanted=lambda value, _: [value], dirty=(fill("textbox 'Customer Filter Input'", "Customer 37"),),
    ),
    Case(
        "open a day", "fullcalendar", "/", "Open the day '15'",
        (click("link '{}'"),), "15", "20", "45",
        truth="document.querySelector('.fc-toolbar-title').textContent",
        wanted=lambda value, _: f"March {value}, 2026", dirty=(click("button 'Next month'"),),
    ),
    Case(
        "search the manual", "pydocs", "/library/functions.html", "Search for 'enumerate'",
        (fill("textbox 'Quick search' nth 1"), click("button 'Go' nth 1")), "enumerate", "bisect",
        truth="new URLSearchParams(location.search).get('q')", wanted=_text,
        dirty=(fill("textbox 'Quick search' nth 1", "left here"),),
    ),
    Case(
        "open a chapter", "mkdocs", "/index.html", "Open the chapter 'Lamps'",
        (click("link '{}'"),), "Lamps", "Install", "Chairs",
        truth="document.querySelector('h1').textContent.trim()", wanted=_text, dirty=(click("link 'Install'"),),
    ),
    Case(
        "subscribe", "shop", "/", "Subscribe 'ann@oak.test' to the newsletter",
        (click("button 'Newsletter'"), fill("textbox 'E-mail'"), click("button 'Subscribe'")),
        "ann@oak.test", "bo@elm.test", "nobody",
        truth="document.body.innerText.match(/\\S+@(oak|elm)\\.test/)?.[0] ?? ''", wanted=_text,
        dirty=(click("button 'Newsletter'"), fill("textbox 'E-mail'", "left@here.test")),
    ),
)  # fmt: skip
