"""Quayside, a customer portal: a sign-in page in front of everything, and invoices some clicks behind it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from skillbook.testing.sites.web import Html, Request, Response, Templates, redirect

USERNAME = "harbour"
PASSWORD = "quay-and-tide"
MONTHS = 26
PER_PAGE = 5
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Invoice:
    """One month's invoice."""

    month: date

    @property
    def number(self) -> str:
        """Its number, which is in its file's name too."""
        return f"Q-{self.month:%Y%m}"

    @property
    def amount(self) -> str:
        """What is to be paid."""
        return f"€ {380 + self.month.month * 7}.{self.month.year % 100:02}"

    @property
    def file(self) -> bytes:
        """The file as it is downloaded."""
        return (
            f"%PDF-1.4\n% Quayside invoice {self.number}, {self.month:%B %Y}: {self.amount}\n%%EOF\n".encode()
        )


class Portal:
    """The site.

    Parameters
    ----------
    today : what the invoices end before; the present day by default.

    Attributes
    ----------
    requests : method and address of every request, in order.
    """

    def __init__(self, today: date | None = None) -> None:
        self.requests: list[tuple[str, str]] = []
        self._templates = Templates(_HERE / "templates")
        month = (today or date.today()).replace(day=1)
        self.invoices: list[Invoice] = []
        for _ in range(MONTHS):
            month = (month - timedelta(1)).replace(day=1)
            self.invoices.append(Invoice(month))

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        self.requests.append((request.method, request.path))
        if request.path == "/login":
            return self._login(request)
        if request.path == "/logout":
            return redirect("/login", user="")
        if request.cookies.get("user") != USERNAME:
            return redirect("/login")
        if request.path == "/invoices":
            return self._invoices(request)
        if request.path.startswith("/invoices/"):
            return self._file(request.path.rpartition("/")[2].removesuffix(".pdf"))
        if request.path == "/files/billing-guide.pdf":
            return _download(b"%PDF-1.4\n% How billing works\n%%EOF\n", "billing-guide.pdf")
        pages = {"/": "home", "/projects": "projects", "/help/billing": "billing", "/account": "account"}
        if request.path not in pages:
            return self._page("Not found", Html("<h1>There is no such page</h1>"), status=404)
        name = pages[request.path]
        return self._page(name.capitalize(), self._templates.fill(name))

    def _login(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(self._templates.fill("login", error=""))
        if (request.form.get("username"), request.form.get("password")) == (USERNAME, PASSWORD):
            return redirect("/", user=USERNAME)
        wrong = "User name and password don't belong together."
        return Response(self._templates.fill("login", error=wrong), status=401)

    def _invoices(self, request: Request) -> Response:
        years = sorted({one.month.year for one in self.invoices}, reverse=True)
        year, page = int(request.query.get("year", years[0])), int(request.query.get("page", 1))
        found = [one for one in self.invoices if one.month.year == year]
        shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
        rows = Html("").join(
            self._templates.fill("invoice", number=one.number, month=f"{one.month:%B %Y}", amount=one.amount)
            for one in shown
        )
        tabs = " ".join(f'<a href="/invoices?year={one}">{one}</a>' for one in years)
        last = -(-len(found) // PER_PAGE)
        pager = "".join(
            f'<a href="/invoices?year={year}&amp;page={number}">{words}</a> '
            for number, words in ((page - 1, "Newer"), (page + 1, "Older"))
            if 1 <= number <= last
        )
        body = self._templates.fill(
            "invoices", year=year, years=Html(tabs), rows=Html(rows), pager=Html(pager)
        )
        return self._page("Invoices", body)

    def _file(self, number: str) -> Response:
        found = next((one for one in self.invoices if one.number == number), None)
        if found is None:
            return self._page("Not found", Html("<h1>There is no such invoice</h1>"), status=404)
        return _download(found.file, f"invoice-{found.number}.pdf")

    def _page(self, title: str, body: Html, status: int = 200) -> Response:
        return Response(self._templates.fill("layout", title=title, body=body), status=status)


def _download(body: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, kind="application/pdf", headers=headers)
