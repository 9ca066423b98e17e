"""Halyard, an administration: people in a table with pages, forms, deletions that ask, and two of one name."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode

from skillbook.testing.sites.web import Html, Request, Response, Templates, redirect

PER_PAGE = 10
ROLES = ("viewer", "editor", "owner")
TEAMS = ("Design", "Finance", "Support", "Research")
_HERE = Path(__file__).parent
_NAMES = (
    *("Ada Lind", "Ben Okoro", "Carla Ruiz", "Dov Katz", "Eva Holm", "Finn Moe", "Gita Rao", "Hana Sato"),
    *(
        "Ivo Petrov",
        "Anna Berg",
        "Jon Frost",
        "Kai Weber",
        "Lena Brandt",
        "Milo Costa",
        "Nora Dahl",
        "Omar Aziz",
    ),
    *("Anna Berg", "Petra Novak", "Quin Doyle", "Rosa Vidal", "Sven Lund", "Tara Singh", "Uma Patel"),
    *("Vera Melnyk", "Wim Bakker", "Xenia Popa", "Yara Haddad", "Zoe Martin"),
)


@dataclass(frozen=True)
class Person:
    """One person; `role` is one of `ROLES`."""

    number: int
    name: str
    team: str
    role: str
    active: bool = True

    @property
    def email(self) -> str:
        """Their address, which no two share."""
        return f"{self.name.lower().replace(' ', '.')}.{self.number}@halyard.example"


class Admin:
    """The site.

    Attributes
    ----------
    people : those who are kept, by number.
    """

    def __init__(self) -> None:
        self._templates = Templates(_HERE / "templates")
        self.people: dict[int, Person] = {}
        for number, name in enumerate(_NAMES, 1):
            team, role = TEAMS[number * 3 % len(TEAMS)], ROLES[number * number % len(ROLES)]
            self.people[number] = Person(number, name, team, role, active=number % 5 != 0)

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        if request.path in {"/", "/people"}:
            return self._list(request)
        if request.path == "/people.csv":
            return self._export()
        match = re.fullmatch(r"/people/(\d+)(/delete)?", request.path)
        person = self.people.get(int(match[1])) if match else None
        if match is None or person is None:
            return self._page("Not found", Html("<h1>There is no such page</h1>"), status=404)
        if request.method != "POST":
            return self._confirm(person) if match[2] else self._form(person)
        if match[2]:
            del self.people[person.number]
        else:
            role = request.form.get("role", "")
            active = request.form.get("active") == "yes"
            self.people[person.number] = replace(
                person, role=role if role in ROLES else person.role, active=active
            )
        return redirect("/people")

    def _list(self, request: Request) -> Response:
        words = request.query.get("q", "").strip().casefold()
        found = [each for each in self.people.values() if words in each.name.casefold()]
        number = request.query.get("page", "1")
        last = max(1, -(-len(found) // PER_PAGE))
        page = min(int(number) if number.isdecimal() and int(number) else 1, last)
        rows = [
            {**vars(each), "email": each.email, "state": "active" if each.active else "inactive"}
            for each in found[(page - 1) * PER_PAGE : page * PER_PAGE]
        ]
        body = self._templates.fill(
            "people",
            q=request.query.get("q", ""),
            count=len(found),
            rows=self._templates.fill_each("person", rows),
            pager=_pager(request.query.get("q", ""), page, last),
        )
        return self._page("People", body)

    def _form(self, person: Person) -> Response:
        roles = Html("").join(
            Html(f"<option{' selected' if role == person.role else ''}>{role}</option>") for role in ROLES
        )
        checked = "checked" if person.active else ""
        facts = {**vars(person), "email": person.email}
        body = self._templates.fill("edit", **facts, roles=Html(roles), checked=checked)
        return self._page(person.name, body)

    def _confirm(self, person: Person) -> Response:
        body = self._templates.fill("delete", **vars(person), email=person.email)
        return self._page(f"Delete {person.name}?", body)

    def _export(self) -> Response:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["name", "email", "team", "role", "active"])
        for each in self.people.values():
            writer.writerow([each.name, each.email, each.team, each.role, each.active])
        headers = {"Content-Disposition": 'attachment; filename="people.csv"'}
        return Response(text.getvalue(), kind="text/csv", headers=headers)

    def _page(self, title: str, body: Html, status: int = 200) -> Response:
        return Response(self._templates.fill("layout", title=title, body=body), status=status)


def _pager(words: str, page: int, last: int) -> Html:
    def link(label: str, number: int, rel: str) -> str:
        query = urlencode({"q": words, "page": number} if words else {"page": number}).replace("&", "&amp;")
        return f'<a rel="{rel}" href="/people?{query}">{label}</a> '

    before = link("Previous", page - 1, "prev") if page > 1 else ""
    after = link("Next", page + 1, "next") if page < last else ""
    return Html(f"{before}<span>Page {page} of {last}</span> {after}")
