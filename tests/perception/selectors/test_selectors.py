from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbook.errors import AmbiguousMatch, NoMatch, SelectorError, SelectorSyntaxError
from skillbook.perception.roles import CELLS, DIALOGS, FIELDS, INTERACTIVE, KNOWN, LANDMARKS, TABLES
from skillbook.perception.selectors import parse_selector
from tests.trees import snapshot

PAGE = snapshot(
    """
    generic
      navigation "Main"
        link "Home" + href=/ ref=e2
        link "Next" + href=/2 ref=e3
      main
        heading "Orders" level=1 ref=e4
          "Orders"
        table "Open" ref=e5
          row ref=e6
            cell
              "Ann Lee"
            cell
              button "Edit" + ref=e7
          row ref=e8
            cell
              "Bob"
            cell
              button "Edit" + disabled ref=e9
        link "Next" + href=/3 ref=e10
        checkbox "Gift wrap" + checked ref=e11
        textbox "Customer *" + required value=Ann placeholder="Full name" ref=e12
        button "SAVE" + ref=e13
        button "Save draft" + expanded test_id=draft ref=e14
        paragraph ref=e15
          "Total:"
          strong inline ref=e16
            "€30"
        generic tag=div.cards ref=e17
          generic tag=div.card ref=e18
            generic tag=div.name ref=e19
              "Widget"
            button "Buy" + ref=e20
            "x"
          generic tag=div.card ref=e21
            generic tag=div.name ref=e22
              "Gadget"
            button "Buy" + ref=e23
            "x"
          generic tag=div.card.sold ref=e24
            generic tag=div.name ref=e25
              "Gizmo"
            "sold out"
            "x"
        iframe "Payment" document=pay ref=e26
      dialog "Sure?" ref=e27
        button "Yes" + ref=e28
        button "No" + ref=e29
    """,
    {"pay": 'form "Card" ref=e2\n  textbox "Number" + secret ref=e3\n  button "Pay" + ref=e4'},
)
PAGE.css = {
    "div.card > button": ["e20", "e23"],
    "button": ["e23", "e7", "f1e4"],
    ".card": ["e18", "e21", "e24"],
}
"""What the page said that CSS matches."""


@pytest.mark.parametrize(
    ("selector", "refs"),
    [
        ("link 'Home'", ["e2"]),
        ("link '  Home '", ["e2"]),
        ("link 'Next'", ["e3", "e10"]),
        ("link 'Next' in main", ["e10"]),
        ("link 'Next' in nav", ["e3"]),
        ("link 'Next' nth 2", ["e10"]),
        ("link 'Next' nth 3", []),
        ("button 'save'", ["e13"]),
        ("button name~'save'", ["e13", "e14"]),
        ("button ~'save' [expanded]", ["e14"]),
        ("button /^save/i", ["e13", "e14"]),
        ("button /^Save/", ["e14"]),
        ("button 'Edit' in row 'Ann Lee'", ["e7"]),
        ("button 'Edit' in row ~'ann'", ["e7"]),
        ("button in row 'Bob' in table 'Open'", ["e9"]),
        ("button 'Edit' [disabled]", ["e9"]),
        ("button 'Edit' [disabled=false]", ["e7"]),
        ("button in (row nth 2)", ["e9"]),
        ("checkbox [checked]", ["e11"]),
        ("checkbox [checked=false]", []),
        ("heading [level=1]", ["e4"]),
        ("heading [level=2]", []),
        ("textbox [value='Ann']", ["e12"]),
        ("textbox [placeholder~'full']", ["e12"]),
        ("label 'Customer'", ["e12"]),
        ("label 'gift wrap'", ["e11"]),
        ("testid 'draft'", ["e14"]),
        ("text 'Ann Lee'", ["e6"]),
        ("text 'Total: €30'", ["e15"]),
        ("text '€30'", ["e16"]),
        ("text ~'€'", ["e16"]),
        ("any 'Yes'", ["e28"]),
        ("button 'No' in dialog", ["e29"]),
        ("button in dialog 'Sure?'", ["e28", "e29"]),
        ("card 'Gadget'", []),
        ("button 'Buy' in card 'Gadget'", ["e23"]),
        ("button 'Buy' in card 'Gizmo'", []),
        ("button 'Pay' frame 'pay'", ["f1e4"]),
        ("button frame 'nowhere'", []),
        ("textbox [hidden]", None),
        ("css 'div.card > button'", ["e20", "e23"]),
        ("css 'button' in card 'Gadget'", ["e23"]),
        ("css 'button' nth 2", ["e7"]),
        ("text 'Widget' in css '.card'", ["e19"]),
        ('role=button[name="Yes"]', ["e28"]),
        ("text='Bob'", ["e8"]),
    ],
)
def test_selectors(selector: str, refs: list[str] | None) -> None:
    if refs is None:
        with pytest.raises(SelectorSyntaxError):
            parse_selector(selector)
        return
    found = [node.ref for node in PAGE.find_all(selector)]
    if selector.startswith(("text 'Ann", "text='Bob")):
        found = [node.parent.ref for node in PAGE.find_all(selector) if node.parent]
    assert found == refs
    assert [node.ref for node in PAGE.find_all(str(parse_selector(selector)))] == [
        node.ref for node in PAGE.find_all(selector)
    ]


def test_the_deepest_carrier_of_a_text_is_what_one_acts_on() -> None:
    page = snapshot('main\n  button "Go" + ref=e5\n    generic tag=span inline ref=e6\n      "Go"')
    assert [node.ref for node in page.find_all("text 'Go'")] == ["e5"]


@pytest.mark.parametrize(
    ("selector", "position"),
    [
        ("", 0),
        ("'Save'", 0),
        ("button Save", 7),
        ("button 'Save", 7),
        ("button 'Save' in", 16),
        ("button 'Save' nth 0", 18),
        ("button [foo]", 8),
        ("button [level]", 13),
        ("button /(/", 7),
        ("button 'a' frame", 16),
        ("css", 3),
        ("button in (row", 14),
        ("button $", 7),
    ],
)
def test_syntax_errors_point_at_the_place(selector: str, position: int) -> None:
    with pytest.raises(SelectorSyntaxError) as caught:
        parse_selector(selector)
    assert caught.value.data["position"] == position
    assert caught.value.message.split("\n")[-1].index("^") == position + 2


def test_a_miss_names_the_nearest() -> None:
    with pytest.raises(NoMatch) as caught:
        PAGE.find("button 'Sav draft'")
    first = caught.value.data["candidates"][0]
    assert (first["ref"], first["role"], first["name"], first["within"]) == (
        "e14",
        "button",
        "Save draft",
        "main",
    )
    assert "[ref=e14]" in caught.value.hint


def test_several_matches_are_told_apart() -> None:
    with pytest.raises(AmbiguousMatch) as caught:
        PAGE.find("button 'Edit'")
    assert caught.value.data["count"] == 2
    assert [facts["within"] for facts in caught.value.data["candidates"]] == [
        'row "Ann Lee Edit"',
        'row "Bob Edit"',
    ]


def test_a_ref_is_a_selector_too() -> None:
    assert PAGE.find("e7").name == "Edit"


@pytest.mark.parametrize(
    ("selector", "refs"),
    [
        ("button name~'sav' in main nth 2", ["e14"]),
        ("button name~'sav' in main nth 1", ["e13"]),
        ("button /sav/i in navigation", []),
        ("button 'Edit' [disabled=false] in row /^Ann/ in table 'Open'", ["e7"]),
        ("link in navigation nth 2", ["e3"]),
        ("button 'Pay' frame 'pay' nth 1", ["f1e4"]),
    ],
)
def test_parts_of_a_selector_combine(selector: str, refs: list[str]) -> None:
    assert [node.ref for node in PAGE.find_all(selector)] == refs


def test_frames_in_frames() -> None:
    frames = {
        "shop": 'button "Pay" + ref=e7\niframe "Bank" document=bank ref=e1',
        "bank": 'button "Pay" + ref=e9',
    }
    page = snapshot('iframe "Shop" document=shop ref=e1\nbutton "Pay" + ref=e2', frames)
    assert [node.ref for node in page.find_all("button 'Pay' frame 'shop' frame 'bank'")] == ["f2e9"]
    assert [node.ref for node in page.find_all("button 'Pay' frame 'shop'")] == ["f1e7", "f2e9"]
    with pytest.raises(AmbiguousMatch) as caught:
        page.find("button 'Pay'")
    assert [facts["ref"] for facts in caught.value.data["candidates"]] == ["f1e7", "f2e9", "e2"]


def test_css_needs_the_page() -> None:
    with pytest.raises(SelectorError) as caught:
        PAGE.find("css 'div:has(> button)'")
    assert "needs the page itself" in caught.value.message
    assert ":has" in caught.value.message
    assert "role selector" in caught.value.hint


def test_fault_40_hundreds_of_containers_are_refused_at_their_place() -> None:
    chain = "button 'A'" + " in main" * 400
    nested = "button 'A' in (" * 400 + "main" + ")" * 400
    for text in (chain, nested):
        with pytest.raises(SelectorSyntaxError, match="at most 32 containers"):
            parse_selector(text)
    assert str(parse_selector("button 'A'" + " in main" * 32)).count(" in ") == 32


ROWS = "main\n" + "".join(
    f'  listitem\n    link "Open {n % 7}" + href=/Item/{n % 5}\n    generic\n      "by Ann"\n      "€{n}.50"\n'
    for n in range(60)
)


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ("link 'open 3' in listitem '€3.50'", 1),
        ("link 'Open 3'", 9),
        ("text '€12.50'", 1),
        ("listitem 'Open 2 by Ann €9.50'", 1),
        ("text 'by Ann €7.50'", 1),
        ("link [href='/item/3']", 12),
        ("link [href='/Item/3']", 12),
        ("link [href='/item']", 0),
    ],
)
def test_rows_of_a_long_list(selector: str, count: int) -> None:
    assert len(snapshot(ROWS).find_all(selector)) == count


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("visible", "no role 'visible'"),
        ("buton", "the nearest is button"),
        ("buton in main", "the nearest is button"),
        ("link in navgation", "the nearest is navigation"),
        ("linl nth 2", "the nearest is link"),
        ("checked", r"a state stands in brackets: button \[checked\]"),
    ],
)
def test_a_bare_word_that_is_no_role_is_a_syntax_error(text: str, said: str) -> None:
    with pytest.raises(SelectorSyntaxError, match=said):
        parse_selector(text)


def test_every_role_that_the_page_can_report_is_known() -> None:
    tables = Path(__file__).parents[3] / "extension" / "src" / "engine" / "dom" / "semantics"
    aria = re.search(r"ROLES = words\(`(.*?)`", (tables / "aria.ts").read_text("utf-8"), re.DOTALL)
    roles = (tables / "roles.ts").read_text("utf-8")
    fixed = re.search(r"FIXED = pairs\(`(.*?)`", roles, re.DOTALL)
    assert aria
    assert fixed
    reported = {*aria[1].split(), *(pair.split(":")[1] for pair in fixed[1].split())}
    reported |= set(re.findall(r'(?:return|\?|:|\|\|) "([a-z-]+)"', roles))
    assert {role for role in reported if not role.startswith("doc-")} <= KNOWN
    assert KNOWN >= INTERACTIVE | LANDMARKS | FIELDS | CELLS | TABLES | DIALOGS


@pytest.mark.parametrize("css", ["#buy", ".price", "div.card > a", "input#q"])
def test_css_is_recognised(css: str) -> None:
    with pytest.raises(SelectorSyntaxError) as refused:
        parse_selector(css)
    assert refused.value.hint == f"CSS is written css '{css}'"


@pytest.mark.parametrize(
    ("shown", "said", "found"),
    [
        (["age ▼", "name"], "age", ["age ▼"]),
        (["⬆ Age", "name"], "age", ["⬆ Age"]),
        (["age"], "age ▲", ["age"]),
        (["More ▾", "More"], "More", ["More"]),
        (["Move ↓"], "Move ↑", []),
        (["Move ↓", "Move ↑"], "Move", ["Move ↓", "Move ↑"]),
        (["★ Star", "C++", "▼"], "Star", []),
        (["C++"], "C", []),
    ],
)
def test_an_arrow_beside_a_name_is_no_part_of_it(shown: list[str], said: str, found: list[str]) -> None:
    """A column that is sorted gets one, and a menu that is open another."""
    page = snapshot("".join(f'button "{name}" +\n' for name in shown))
    assert [node.name for node in page.find_all(f"button '{said}'")] == found
