"""What built-in skills are asked to do, with how one sees on the page that it was done."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.apps import NotInstalled
from benchmarks.skills.sites import Sites
from skillbook.errors import CannotBind, CommandTimeout, SkillbookError
from skillbook.session.sync import Browser, Page
from skillbook.skill import load_skill

Ending = Literal["done", "refused", "failed", "WRONG", "not installed"]


@dataclass(frozen=True)
class Trial:
    """One thing to do.

    Parameters
    ----------
    path : where it begins; None goes on where the trial before it ended.
    url, text, value, file : what must be true afterwards: a part of the address, a text of the page, a field's value by
        its selector, the end of a downloaded file's name.
    refuses : whether the page can't do it, so that a refusal is right.
    """

    skill: str
    app: str
    path: str | None
    params: Mapping[str, Any] = field(default_factory=dict)
    url: str = ""
    text: str = ""
    value: tuple[str, str] | None = None
    file: str = ""
    refuses: bool = False


def _trials(app: str, *rows: tuple[Any, ...]) -> list[Trial]:
    return [Trial(skill, app, path, params, **seen) for skill, path, params, seen in rows]


NO: dict[str, Any] = {"refuses": True}
_JQUERY = "/usr/share/doc/libjs-jquery-ui-docs/examples"
_ANN = {"username": "ann", "password": "opensesame"}
_ADMIN = {"username": "admin", "password": "opensesame"}
_ZOE = {"Name": "Zoe", "Email": "z@x.test", "City": "Ulm", "Age": 33}
TRIALS = [
    *_trials(
        "django-login",
        ("logout", "/admin/", {}, NO),
        ("login", "/admin/", _ADMIN, {"text": "Site administration"}),
        ("login", None, _ADMIN, NO),
        ("logout", None, {}, {"text": "Logged out"}),
    ),
    *_trials(
        "django",
        ("search", "/admin/shop/item/", {"query": "lamp"}, {"url": "q=lamp"}),
        ("filter", "/admin/auth/user/", {"field": "staff status", "value": "Yes"}, {"url": "is_staff__exact=1"}),
        ("navigate_by_menu", "/admin/", {"path": "Groups"}, {"url": "/admin/auth/group/"}),
        ("navigate_by_menu", "/admin/auth/user/", {"path": "Items"}, {"url": "/admin/shop/item/"}),
        ("fill_form", "/admin/auth/user/1/change/", {"values": {"First name": "Ann", "Active": True}},
         {"value": ("textbox 'First name:'", "Ann")}),
        ("fill_form", "/admin/shop/item/add/", {"values": {"Name": "sofa"}, "submit": True}, NO),
        ("fill_form", "/admin/shop/item/add/", {"values": {"Name": "sofa"}, "submit": True, "button": "Save"},
         {"text": "sofa"}),
        ("paginate", "/admin/shop/item/", {}, NO),
        ("accept_cookies", "/admin/", {}, NO),
    ),
    *_trials(
        "swagger",
        ("search", "/", {"query": "kernel"}, NO),
        ("login", "/", _ANN, NO),
        ("paginate", "/", {}, NO),
        ("checkout", "/", {}, NO),
    ),
    *_trials(
        "shoelace",
        ("fill_form", "/", {"values": {"Customer": "Ann", "Gift wrap": True}},
         {"value": ("textbox ~'Customer'", "Ann")}),
        ("navigate_by_menu", "/", {"path": "Seats"}, {}),
        ("search", "/", {"query": "x"}, NO),
        ("checkout", "/", {}, NO),
    ),
    *_trials(
        "jqueryui",
        ("navigate_by_menu", f"{_JQUERY}/tabs/default.html", {"path": "Proin dolor"}, {"text": "Morbi tincidunt"}),
        ("fill_form", f"{_JQUERY}/autocomplete/default.html", {"values": {"Tags": "Java"}},
         {"value": ("textbox ~'Tags'", "Java")}),
        ("fill_form", f"{_JQUERY}/checkboxradio/default.html", {"values": {"Select a Location": "Paris"}}, {}),
        ("fill_form", f"{_JQUERY}/datepicker/default.html", {"values": {"Shoe size": "44"}}, NO),
        ("fill_form", f"{_JQUERY}/selectmenu/default.html", {"values": {"Select a speed": "Fast"}}, {"text": "Fast"}),
    ),
    *_trials(
        "pydocs",
        ("search", "/library/functions.html", {"query": "enumerate"}, {"url": "q=enumerate"}),
        ("paginate", "/library/functions.html", {}, {"url": "constants.html"}),
        ("navigate_by_menu", "/library/functions.html", {"path": "modules"}, {"url": "py-modindex.html"}),
        ("login", "/library/functions.html", _ANN, NO),
    ),
    *_trials(
        "aggrid",
        ("paginate", "/", {}, {"text": "21"}),
        ("paginate", None, {"to": "previous"}, {"text": "1"}),
        ("filter", "/", {"field": "Country Filter Input", "value": "France"}, {"text": "France"}),
        ("search", "/", {"query": "x"}, NO),
    ),
    *_trials(
        "fullcalendar",
        ("navigate_by_menu", "/", {"path": "week"}, {"text": "Mar 8 – 14, 2026"}),
        ("navigate_by_menu", "/", {"path": "list"}, {"text": "March 1, 2026"}),
        ("login", "/", _ANN, NO),
    ),
    *_trials(
        "datasette",
        ("paginate", "/people/person", {}, {"url": "_next=20"}),
        ("navigate_by_menu", "/people/person", {"path": "people"}, {"url": "/people"}),
        ("download", "/people/person", {"what": "Export CSV"}, {"file": ".csv"}),
        ("search", "/people/person", {"query": "Ulm"}, NO),
        ("login", "/people/person", _ANN, NO),
    ),
    *_trials(
        "flask-admin",
        ("search", "/admin/person/", {"query": "Ulm"}, {"url": "search=Ulm"}),
        ("paginate", "/admin/person/", {}, {"url": "page=1"}),
        ("paginate", "/admin/person/", {"to": 3}, {"url": "page=2"}),
        ("navigate_by_menu", "/admin/person/", {"path": "Create"}, {"url": "/admin/person/new/"}),
        ("fill_form", "/admin/person/new/", {"values": _ZOE, "submit": True, "button": "Save"}, {"text": "List (121)"}),
    ),
    *_trials(
        "sqlite-web",
        ("paginate", "/person/content/", {}, {"url": "page=2"}),
        ("navigate_by_menu", "/person/content/", {"path": "Structure"}, {"text": "CREATE TABLE"}),
        ("search", "/person/content/", {"query": "Ulm"}, NO),
        ("login", "/", _ANN, NO),
    ),
    *_trials(
        "radicale",
        ("login", "/.web/", {"username": "ann", "password": "wrong"}, NO),
        ("login", "/.web/", _ANN, {"text": "ann"}),
        ("logout", None, {}, {"text": "Login"}),
    ),
    *_trials(
        "mkdocs",
        ("navigate_by_menu", "/index.html", {"path": "Lamps"}, {"url": "lamps.html"}),
        ("search", "/index.html", {"query": "lamps"}, {"text": "All about lamps"}),
        ("checkout", "/index.html", {}, NO),
    ),
    *_trials(
        "klaus",
        ("search", "/", {"query": "lamps"}, {"url": "lamps"}),
        ("paginate", "/lamps/", {}, {"text": "Version 20"}),
        ("download", "/lamps/", {"what": "tar.gz"}, {"file": ".tar.gz"}),
        ("reject_cookies", "/", {}, NO),
    ),
    *_trials(
        "sqladmin",
        ("search", "/admin/person/list", {"query": "Ulm"}, {"url": "search=Ulm"}),
        ("paginate", "/admin/person/list", {}, {"url": "page=2"}),
        ("paginate", "/admin/person/list", {"to": 5}, {"url": "page=5"}),
        ("navigate_by_menu", "/admin/", {"path": "People"}, {"url": "/admin/person/list"}),
        ("download", "/admin/person/list", {"what": "CSV"}, {"file": ".csv"}),
        ("fill_form", "/admin/person/create", {"values": _ZOE, "submit": True, "button": "Save"},
         {"url": "/admin/person/list"}),
        ("login", "/admin/", _ANN, NO),
    ),
    *_trials(
        "roundup",
        ("search", "/", {"query": "Lamp 7"}, {"url": "search_text=Lamp+7"}),
        ("logout", "/", {}, NO),
        ("login", "/", {"username": "demo", "password": "wrong"}, NO),
        ("login", "/", {"username": "demo", "password": "demo"}, {"text": "Hello, demo"}),
        ("fill_form", "/issue?@template=item", {"values": {"Title": "Lamp 31 hums", "Priority": "bug"}, "submit": True,
          "button": "Submit New Entry"}, {"text": "Lamp 31 hums"}),
        ("download", "/", {"what": "CSV"}, {"file": ".csv"}),
        ("navigate_by_menu", "/", {"path": "Show Unassigned"}, {"text": "Show Unassigned"}),
        ("logout", "/", {}, {"text": "Lost your login?"}),
    ),
    *_trials(
        "otterwiki",
        ("search", "/", {"query": "paper"}, {"text": "Shades of paper"}),
        ("navigate_by_menu", "/", {"path": "Bulbs"}, {"text": "All about bulbs"}),
        ("fill_form", "/-/create", {"values": {"Page name": "Cords"}, "submit": True}, {"url": "Cords"}),
        ("checkout", "/", {}, NO),
    ),
    *_trials(
        "moin",
        ("search", "/help-en/Home", {"query": "macros"}, {"url": "q=macros"}),
        ("navigate_by_menu", "/help-en/Home", {"path": "History"}, {"url": "+history"}),
        ("login", "/help-en/Home", _ANN, NO),
        ("paginate", "/help-en/Home", {}, NO),
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Tried:
    """One trial's outcome, and what was said."""

    trial: Trial
    ending: Ending
    said: str = ""

    @property
    def right(self) -> bool:
        """Whether it ended as it should."""
        return self.ending in ({"refused", "failed"} if self.trial.refuses else {"done"})


def run_trials(browser: Browser, sites: Sites, only: str = "") -> list[Tried]:
    """Run every trial, or an application's."""
    tried, page = [], None
    for trial in TRIALS:
        if only and trial.app != only:
            continue
        try:
            url = sites.url(trial.app, trial.path or "")
        except NotInstalled as error:
            tried.append(Tried(trial, "not installed", str(error)))
            continue
        try:
            if page is None:
                page = browser.open(url)
            elif trial.path is not None:
                page.goto(url)
            tried.append(_try(page, trial))
        except SkillbookError as error:
            tried.append(Tried(trial, "failed", str(error)))
    if page is not None:
        page.close()
    return tried


def _try(page: Page, trial: Trial) -> Tried:
    try:
        page.wait_for(idle=True, timeout=8)
    except CommandTimeout:
        pass
    result = load_skill(trial.skill, folders=None).run(page, inputs=dict(trial.params))
    if isinstance(result.error, CannotBind) and not result.outcomes:
        return Tried(trial, "refused", result.error.message)
    if not result.ok:
        return Tried(trial, "failed", str(result.error))
    missing = _missing(page, trial, [path.name for path in result.files])
    return Tried(trial, "WRONG" if missing or trial.refuses else "done", missing)


def _missing(page: Page, trial: Trial, files: list[str]) -> str:
    """What isn't true on the page although the skill reported success."""
    snapshot = page.snapshot()
    if trial.url and trial.url not in page.url:
        return f"the address is {page.url}"
    if trial.text and trial.text not in snapshot.text(budget=None):
        return f"the page doesn't show {trial.text!r}"
    if trial.file and not any(name.endswith(trial.file) for name in files):
        return f"the files are {files}"
    if trial.value:
        selector, value = trial.value
        held = page.get("value", selector)
        if held != value:
            return f"{selector} holds {held!r}"
    return ""


def temporary_folder() -> Path:
    """Where applications keep their data."""
    return Path(tempfile.mkdtemp(prefix="skillbook-apps-"))
