"""Built-in skills on applications that nobody recorded, in real Chromium."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import CannotBind, ReplayFailed
from skillbook.session.sync import Page
from skillbook.skill.builtin import running
from skillbook.testing.site import Site, serve_site
from tests.integration.conftest import APPS, INSTALLED

Open = Callable[[str], Page]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What doesn't come isn't waited for for ten seconds."""
    monkeypatch.setattr(running, "CAUSE_SECONDS", 2.0)
    monkeypatch.setattr(running, "ANSWER_SECONDS", 0.6)


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Django's admin, where one has to sign in."""
    if not (INSTALLED / "django").exists():
        pytest.skip("Django isn't there: `python tests/apps/install.py` installs it")
    command = [sys.executable, str(APPS / "django_admin.py"), str(tmp_path_factory.mktemp("django")), "login"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, env={"PYTHONPATH": str(INSTALLED / "django")}
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.stdin.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


def test_signing_in_searching_and_signing_out(
    admin: str, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_ADMIN", "opensesame")
    page = open_page(f"{admin}/admin/")
    wrong = sb.load_skill("login").run(page, username="admin", password="nonsense")
    assert isinstance(wrong.error, ReplayFailed)
    assert "correct username and password" in wrong.error.message
    assert "nonsense" not in repr(wrong.inputs)
    asked: list[str] = []
    refused = sb.load_skill("login").run(
        page, username="admin", password=sb.secret("ADMIN"), implied=False, approve=asked.append
    )
    assert not refused.ok
    assert asked
    assert sb.load_skill("login").run(page, username="admin", password=sb.secret("ADMIN")).ok
    page.goto(f"{admin}/admin/shop/item/")
    found = sb.load_skill("search").run(page, query="lamp")
    assert found.ok, found.error
    assert page.url.endswith("?q=lamp")
    assert sb.load_skill("logout").run(page).ok
    again = sb.load_skill("logout").run(page)
    assert isinstance(again.error, CannotBind)


def test_the_page_ranks_skills_for_a_goal(shop: Site, open_page: Open) -> None:
    page = open_page(shop.url)
    best = sb.skills.match(page, "search for a desk lamp")[0]
    assert (best.name, best.params, best.missing) == ("search", {"query": "a desk lamp"}, ())
    result = best.run(page, query="lamp")
    assert result.ok, result.error
    assert "q=lamp" in page.url
    assert sb.load_skill("search").run(page, query="zzzz").ok, "that there is nothing is an answer too"


def test_two_searches_are_refused_and_nothing_is_typed(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<label>Search posts<input type=search></label><label>Search people<input type=search></label><p id=out></p>"
        "<script>onkeydown = e => { if (e.key == 'Enter') out.textContent = 'found ' + e.target.value }</script>"
    )
    result = sb.load_skill("search").run(page, query="ann")
    assert isinstance(result.error, CannotBind)
    candidates = result.error.data["candidates"]
    assert [one["label"] for one in candidates] == ["searchbox 'Search posts'", "searchbox 'Search people'"]
    assert page.get("value", candidates[0]["ref"]) == ""
    chosen = sb.load_skill("search").run(page, query="ann", choose={"field": candidates[1]["ref"]})
    assert chosen.ok, chosen.error
    assert "found ann" in page.snapshot().text()


def test_a_search_that_does_nothing_is_no_success(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<label>Search<input type=search></label>")
    result = sb.load_skill("search").run(page, query="ann")
    assert isinstance(result.error, ReplayFailed)
    assert "did not change" in result.error.message


def test_a_password_never_goes_to_another_site_unasked(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<form method=post action='http://127.0.0.1:9/steal'><label>User<input name=u></label>"
        "<label>Password<input type=password name=p></label><button>Log in</button></form>"
    )
    result = sb.load_skill("login").run(page, username="ann", password="tell-nobody")
    assert result.error is not None
    assert result.error.code == "approval_required"
    assert Path(page.url).suffix == ".html"


def test_a_shop_from_its_list_to_the_checkout(shop: Site, open_page: Open) -> None:
    page = open_page(f"{shop.url}/search?q=lamp")
    assert sb.load_skill("paginate").run(page).ok
    assert "page=2" in page.url
    assert sb.load_skill("paginate").run(page, to="previous").ok
    filtered = sb.load_skill("filter").run(page, field="Category", value="Lamps")
    assert filtered.ok, filtered.error
    assert "category=Lamps" in page.url
    assert sb.load_skill("navigate_by_menu").run(page, path="Stores").ok
    assert page.url.endswith("/stores")
    orders = len(shop.app.orders)
    empty = sb.load_skill("checkout").run(page)
    assert isinstance(empty.error, CannotBind)
    page.goto(f"{shop.url}/product/aurora-desk-lamp")
    page.click("button 'Add to cart'")
    details = {
        "name": "Ann",
        "e-mail": "ann@x.test",
        "street": "Oak Road 1",
        "city": "Ulm",
        "delivery": "Express",
    }
    stopped = sb.load_skill("checkout").run(page, details=details)
    assert stopped.ok, stopped.error
    assert stopped.value == "Place order"
    assert page.get("value", "textbox 'Street'") == "Oak Road 1"
    assert len(shop.app.orders) == orders, "nothing is ordered"


def test_a_form_is_filled_in_and_sent_and_a_list_is_filtered(admin: str, open_page: Open) -> None:
    page = open_page(f"{admin}/admin/")
    if sb.load_skill("login").bind(page.summary(), {"username": "", "password": ""}).nodes:
        assert sb.load_skill("login").run(page, username="admin", password="opensesame").ok
    page.goto(f"{admin}/admin/shop/item/add/")
    unsure = sb.load_skill("fill_form").run(page, values={"Name": "sofa"}, submit=True)
    assert isinstance(unsure.error, CannotBind)
    assert page.get("value", "textbox 'Name:'") == ""
    sent = sb.load_skill("fill_form").run(page, values={"Name": "sofa"}, submit=True, button="Save")
    assert sent.ok, sent.error
    assert "sofa" in page.snapshot().text()
    page.goto(f"{admin}/admin/auth/user/")
    facet = sb.load_skill("filter").run(page, field="staff status", value="Yes")
    assert facet.ok, facet.error
    assert page.url.endswith("is_staff__exact=1")


def test_a_banner_is_answered_and_a_file_downloaded(
    serve_html: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "september.csv").write_text("a,b\n1,2\n")
    (tmp_path / "october.csv").write_text("a,b\n3,4\n")
    page = serve_html(
        "<main><h1>Reports</h1><table><tr><th>Month<th>File</tr><tr><td>October 2026<td><a download href=october.csv>"
        "Download</a></tr><tr><td>September 2026<td><a download href=september.csv>Download</a></tr></table></main>"
        "<div id=banner><p>We use cookies.</p><button>Accept all</button><button onclick='banner.remove()'>Reject all"
        "</button></div>"
    )
    assert not sb.load_skill("accept_cookies").run(page).ok, "a button that does nothing is no success"
    assert sb.load_skill("reject_cookies").run(page).ok
    result = sb.load_skill("download").run(page, what="last month's report", today="2026-11-24")
    assert result.ok, result.error
    assert [path.read_text() for path in result.files] == ["a,b\n3,4\n"]


PICKER = """<form onsubmit="document.title = 'sent'; return false"><label>Tags <input name=tags {more}
onblur="this.value = ''"></label><label>Name <input name=name></label><button>Save</button></form>"""


@pytest.mark.parametrize("more", ["", "autocomplete=new-password", "type=password"])
def test_a_form_is_not_sent_without_a_value_that_its_field_dropped(
    serve_html: Callable[[str], Page], more: str
) -> None:
    """Pickers keep only what is chosen; many keep the browser from filling them in, as fields of new passwords do."""
    page = serve_html(PICKER.format(more=more))
    result = sb.load_skill("fill_form").run(page, values={"Tags": "y2", "Name": "Ann"}, submit=True)
    assert not result.ok
    assert "textbox 'Tags' held" in str(result.error)
    assert page.title != "sent"


def test_forms_that_are_no_nodes_are_told_apart(serve_html: Callable[[str], Page]) -> None:
    """A form around one block is left out of the tree: its fields must not be sent by another form's button."""
    page = serve_html(
        "<title>Tracker</title><nav><form action='/issue'><p><input name=number><button>Show issue</button></p></form>"
        "<form onsubmit=\"event.preventDefault(); document.body.innerHTML = '<h1>Hello ' + user.value + "
        "'</h1><a href=/logout>Log out</a>'\"><p><b>Login</b><br><input name=user id=user required>"
        "<input type=password name=pass required><input type=submit value=Login></p></form></nav>"
        "<main><h1>Issues</h1><table><form id=parsed action='/sort'><tr><td>Sort by<td><select name=sort>"
        "<option>id<option>date</select><td><input type=submit value=Redisplay></tr></form></table></main>"
    )
    forms = {form.submit_label: [field.label for field in form.fields] for form in page.summary().forms}
    assert forms == {"Show issue": ["number"], "Login": ["user", "pass"], "Redisplay": ["Sort by"]}
    numbers = [
        [node.extra.get("form") for node in snapshot.elements if node.role in {"textbox", "button"}]
        for snapshot in (page.snapshot(), page.snapshot("cdp"))
    ]
    assert numbers[0][:5] == numbers[1][:5] == [1, 1, 2, 2, 2]
    done = sb.load_skill("login").run(page, username="ann", password="pw")
    assert done.ok, done.error
    assert page.snapshot().find("heading").name == "Hello ann"


def test_a_dialogs_button_beside_its_form_sends_it(serve_html: Callable[[str], Page]) -> None:
    """It is disabled until the values are in, as in most applications that scripts render."""
    page = serve_html(
        "<button>Search</button><div role=dialog aria-label=New><button type=button>Close</button><form><label>Name "
        "<input oninput='save.disabled = !this.value'></label></form><button id=save disabled "
        "onclick='document.title = `sent`; this.textContent = `Created`'>Create</button></div>"
    )
    result = sb.load_skill("fill_form").run(page, values={"Name": "Ann"}, submit=True, button="Create")
    assert page.title == "sent", result.error
