"""Built-in skills on small pages of every kind: what is surely meant is done, and anything else is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.skill.builtin import running
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.testing.site import Site, serve_folder

HEAD = "<!doctype html><html><meta charset=utf-8><title>Page</title><body>"
Run = Callable[..., SkillResult]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What doesn't come isn't waited for for ten seconds."""
    monkeypatch.setattr(running, "CAUSE_SECONDS", 2.0)
    monkeypatch.setattr(running, "ANSWER_SECONDS", 0.6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name in ("one.csv", "two.csv", "one.pdf"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path, browser: Browser) -> Iterator[Page]:
    """One tab for all."""
    with serve_folder(folder) as site:
        (folder / "start.html").write_text(HEAD)
        page = browser.open(f"{site.url.rstrip('/')}/start.html")
        yield page
        page.close()


@pytest.fixture
def run(folder: Path, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a built-in skill on a page of some HTML."""
    monkeypatch.chdir(tmp_path)

    def run_on(html: str, name: str, **inputs: Any) -> SkillResult:
        (folder / "now.html").write_text(HEAD + html, encoding="utf-8")
        page.goto(page.url.rpartition("/")[0] + "/now.html")
        return sb.load_skill(name).run(page, **inputs)

    return run_on


SEARCH = """<form onsubmit="out.textContent = SAID + q.value; return false">
<input id=q name=q aria-label=Search {field}><button id=go {button}>Search</button></form><p id=out></p>
<script>SAID = 'found '</script>"""
WAYS = {
    "goes as the field has the focus": ('onfocus="go.hidden = true"', ""),
    "goes with the first letter": ('oninput="go.remove()"', ""),
    "is another one then": ("oninput=\"go.textContent = 'Clear'; go.type = 'reset'\"", ""),
    "comes with the focus": ('onfocus="go.hidden = false"', "hidden"),
    "sends by a script": ("", 'type=button onclick="this.form.onsubmit()"'),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_search_is_sent_whatever_its_button_does(run: Run, page: Page, way: str) -> None:
    field, button = WAYS[way]
    result = run(SEARCH.format(field=field, button=button), "search", query="lamp")
    assert result.ok, result.error
    assert page.evaluate("out.textContent") == "found lamp"
    assert result.value is None


def test_that_nothing_was_found_is_the_answer(run: Run) -> None:
    html = SEARCH.format(field="", button="").replace("found ", "No results for ")
    result = run(html, "search", query="zzz")
    assert result.ok, result.error
    assert result.value == "No results for zzz"
    html = """<form onsubmit="out.textContent = '0 results'; return false"><label>Kind <select><option>All
      <option>Lamps</select></label><button>Apply</button></form><ul id=out><li>a<li>b<li>c</ul>"""
    result = run(html, "filter", field="Kind", value="Lamps")
    assert result.ok, result.error
    assert result.value == "0 results"


ONE, TWO = "<a href=one.csv download>{}</a>", "<a href=two.csv download>{}</a>"
PDF = "<a href=one.pdf download>{}</a>"
FILES: dict[str, tuple[str, str, str | list[str]]] = {
    "the one called so": (
        ONE.format("Download CSV") + TWO.format("Download CSV template"),
        "download CSV",
        "one.csv",
    ),
    "the kind": (ONE.format("CSV") + PDF.format("PDF"), "CSV", "one.csv"),
    "the kind, and not the button beside it": (
        "<button>Export</button>" + ONE.format("CSV") + PDF.format("PDF"),
        "Export CSV",
        "one.csv",
    ),
    "a way that names no kind": (ONE.format("Export"), "the latest CSV file", "one.csv"),
    "another kind": (PDF.format("Download PDF"), "CSV", ["link 'Download PDF'"]),
    "a button and a link called so": (
        "<button>Download CSV</button>" + ONE.format("download CSV"),
        "download CSV",
        ["button 'Download CSV'", "link 'download CSV'"],
    ),
    "two links called so": (
        ONE.format("Download CSV") + "<h2>Other</h2>" + TWO.format("Download CSV"),
        "CSV",
        ["link 'Download CSV'", "link 'Download CSV'"],
    ),
    "one called so, one nearly": (
        ONE.format("CSV") + TWO.format("Download CSV"),
        "CSV",
        ["link 'CSV'", "link 'Download CSV'"],
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_the_one_file_that_is_meant_or_none(run: Run, case: str) -> None:
    links, what, wanted = FILES[case]
    result = run(f"<h1>Data</h1><div>{links}</div>", "download", what=what)
    if isinstance(wanted, str):
        assert [path.read_text() for path in result.files] == [wanted], result.error
    else:
        assert result.error is not None
        assert [one["label"] for one in result.error.data["candidates"]] == wanted


FORMS: dict[str, tuple[str, dict[str, Any], str]] = {
    "beside an echo that is disabled": ("<label>Name <input disabled value=old></label>", {}, "Ann"),
    "beside an echo that is read-only": ("<label>Name <input readonly value=old></label>", {}, "Ann"),
    "beside an echo that is hidden": ("<input type=hidden name=name value=old>", {}, "Ann"),
    "beside a field that people don't see": (
        "<input name=Name value=old style='position:absolute;left:-99px' tabindex=-1>",
        {},
        "Ann",
    ),
    "beside its previous value": ("<label>Previous name <input value=old></label>", {}, "Ann"),
    "beside one called by its markup": ("<label>Nick <input name=name></label>", {}, "Ann"),
}


@pytest.mark.parametrize("case", FORMS)
def test_the_field_that_is_called_so_is_filled_in(run: Run, page: Page, case: str) -> None:
    before, more, wanted = FORMS[case]
    html = f"<form>{before}<label>Name <input id=f></label><button>Save</button></form>"
    result = run(html, "fill_form", values={"Name": "Ann", **more})
    assert result.ok, result.error
    assert page.evaluate("f.value") == wanted


@pytest.mark.parametrize("other", ["Previous name", "Last name", "Name of the shop"])
def test_a_field_with_another_name_is_not_filled_in(run: Run, page: Page, other: str) -> None:
    html = f"<form><label>Name <input disabled value=Ann></label><label>{other} <input id=f></label></form>"
    result = run(html, "fill_form", values={"Name": "Bob"})
    assert result.error is not None
    assert [one["label"] for one in result.error.data["candidates"]] == [f"textbox '{other}'"]
    assert page.evaluate("f.value") == ""


MARKED = {
    "Name (required)": "",
    "Nombre (obligatorio)": "",
    "Name – erforderlich": "required",
    "Nom obligatoire": "aria-required=true",
    "氏名（必須）": "",
    "氏名 必須": "required",
    "Phone (optional)": "",
    "* Имя (обязательно)": "",
}


@pytest.mark.parametrize("label", MARKED)
def test_a_required_mark_in_words_is_no_part_of_a_name(run: Run, page: Page, label: str) -> None:
    name = label.lstrip("* ").split(" ")[0].partition("（")[0]
    result = run(
        f"<form><label>{label} <input id=f {MARKED[label]}></label></form>",
        "fill_form",
        values={name: "x"},
    )
    assert result.ok, result.error
    page.fill(f"textbox '{name}'", "y")
    assert page.evaluate("f.value") == "y"


def test_a_word_that_may_be_the_name_stays_in_it(run: Run, page: Page) -> None:
    result = run(
        "<form><label>Signature required <input id=f></label></form>", "fill_form", values={"Signature": "x"}
    )
    assert result.error is not None
    assert page.evaluate("f.value") == ""


COMBO = """<style>ul {{ position: absolute; background: white; margin: 0 }}</style>
<form onsubmit="document.title = out.textContent = 'sent'; return false"><p id=out></p><label for=f>Size</label>
<span class=box style="display:inline-block;position:relative">{field}<span id=shown></span></span>
<ul role=listbox id=list hidden></ul><label>Name <input id=n></label><button>Save</button></form><script>
const sizes = ['Small', 'Large'], strict = {strict};
f.onclick = f.oninput = () => {{
  list.replaceChildren(...sizes.filter(one => !f.value || one.startsWith(f.value)).map(one => Object.assign(
    document.createElement('li'), {{ role: 'option', textContent: one, onmousedown: () => {{
      strict ? (shown.textContent = one) : (f.value = one); if (strict) f.value = ''; shut(); }} }})));
  list.hidden = !list.childElementCount; f.ariaExpanded = `${{!list.hidden}}`; }};
function shut() {{ list.hidden = true; f.ariaExpanded = 'false' }}
f.onblur = () => {{ shut(); if (strict) f.value = '' }};
f.onkeydown = (e) => {{ if (e.key === 'Escape') shut() }};
</script>"""
FIELD = "<input id=f role=combobox aria-haspopup=listbox aria-expanded=false {}>"
DRAWN = "<button type=button id=f aria-haspopup=listbox aria-expanded=false style='width:80px;height:20px'></button>"
CHOICES = {
    "typed into, strict": (FIELD.format(""), "true", "Large", "|Large"),
    "not typed into": (FIELD.format("readonly"), "true", "Large", "|Large"),
    "with suggestions": (FIELD.format(""), "false", "Large", "Large|"),
    "with suggestions, another text": (FIELD.format(""), "false", "Huge", "Huge|"),
    "a button": (DRAWN, "true", "Large", "|Large"),
}


@pytest.mark.parametrize("case", CHOICES)
def test_lists_that_scripts_render_are_chosen_from(run: Run, page: Page, case: str) -> None:
    field, strict, value, wanted = CHOICES[case]
    result = run(
        COMBO.format(field=field, strict=strict),
        "fill_form",
        values={"Size": value, "Name": "Ann"},
        submit=True,
    )
    assert result.ok, result.error
    assert page.evaluate("`${f.value}|${shown.textContent}`") == wanted
    assert page.title == "sent"


def test_a_text_that_a_list_drops_is_no_success(run: Run, page: Page) -> None:
    html = COMBO.format(field=FIELD.format(""), strict="true")
    result = run(html, "fill_form", values={"Size": "Huge", "Name": "Ann"}, submit=True)
    assert not result.ok
    assert "Size" in str(result.error)
    assert page.title == "Page"


def test_a_native_list_of_several_choices(run: Run, page: Page) -> None:
    html = "<form><label>Sites <select id=f multiple><option>a<option>b<option>c</select></label></form>"
    result = run(html, "fill_form", values={"Sites": ["b", "c"]})
    assert result.ok, result.error
    assert page.evaluate("[...f.selectedOptions].map(one => one.text).join()") == "b,c"


def test_shoelaces_lists(shoelace: Site, page: Page) -> None:
    back = page.url
    page.goto(shoelace.url)
    page.wait_for(selector="slider 'Quantity'")
    values = {"Customer": "Ann", "Country": "Norway", "Shipping": "Express", "Gift wrap": True, "Quantity": 7}
    result = sb.load_skill("fill_form").run(page, values=values)
    assert result.ok, result.error
    form = "Object.fromEntries(new FormData(document.querySelector('#order')))"
    held = page.evaluate(form)
    assert (held["customer"], held["country"], held["ship"], held["qty"]) == ("Ann", "no", "exp", "7")
    page.goto(back)
