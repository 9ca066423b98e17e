from __future__ import annotations

import re
from itertools import islice
from random import Random

import pytest

from skillbook.perception.snapshot import Snapshot
from skillbook.perception.text import count_tokens
from skillbook.perception.text.rendering import short_url
from tests.trees import snapshot

bpe = pytest.importorskip("bpe_openai")


def lines(text: str) -> list[str]:
    return snapshot(text).text(None).split("\n")[1:]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ('button "Buy" + ref=e12', ['- button "Buy" [ref=e12]']),
        ('heading "Orders" level=2\n  "Orders"', ['- heading "Orders" [level=2]']),
        (
            'heading "Docs" level=2\n  link "Docs" + inline ref=e5',
            ['- heading [level=2]: link "Docs" [ref=e5]'],
        ),
        ('checkbox "Gift" + checked disabled ref=e1', ['- checkbox "Gift" [checked] [disabled] [ref=e1]']),
        ('checkbox "All" + mixed ref=e1', ['- checkbox "All" [checked=mixed] [ref=e1]']),
        ('textbox "Name" + value=Ann ref=e1', ['- textbox "Name" [ref=e1] = "Ann"']),
        ('textbox "Pin" + secret ref=e1', ['- textbox "Pin" [secret] [ref=e1]']),
        ('slider "Size" + valuenow=3.5 ref=e1', ['- slider "Size" [ref=e1] = 3.5']),
        ('link "" + href=/a ref=e1', ['- link [ref=e1] to "/a"']),
        ('generic\n  generic\n    "deep"', ['- "deep"']),
        (
            'paragraph\n  "See"\n  link "docs" + inline ref=e5\n  "now"',
            ['- "See" link "docs" [ref=e5] "now"'],
        ),
        ('button "Close" + ref=e1\n  "×"', ['- button "Close" [ref=e1]: "×"']),
        ('button "Save" + ref=e1\n  "Save"', ['- button "Save" [ref=e1]']),
        (
            'table ref=e1\n  row\n    columnheader "Name"\n    columnheader "Age"\n'
            '  row\n    cell "Ann"\n    cell "31"',
            ["- table [ref=e1]:", "  - header: Name | Age", "  - row: Ann | 31"],
        ),
        ('generic + ref=e4\n  "click me"', ['- generic "click me" [ref=e4]']),
        ('img "A cat"', ['- img "A cat"']),
        ('img ""', []),
        ('list\n  listitem\n    link "A" + ref=e3', ['- list: link "A" [ref=e3]']),
        (
            'list\n  listitem\n    link "A" + ref=e3\n    generic\n      "one"\n  listitem\n    "B"',
            ["- list:", '  - link "A" [ref=e3] | one', '  - "B"'],
        ),
        (
            'table "T" ref=e1\n  row\n    columnheader\n      "No"\n    columnheader\n      "Who"\n'
            '  row\n    cell\n      "1"\n    cell\n      "a|b"\n  row\n    cell\n    cell\n      button "X" + ref=e9',
            [
                '- table "T" [ref=e1]:',
                "  - header: No | Who",
                '  - row: 1 | "a|b"',
                '  - row:  | button "X" [ref=e9]',
            ],
        ),
        (
            'combobox "Size" + value=M tag=select ref=e1\n  option "S"\n  option "M" selected',
            ['- combobox "Size" [ref=e1] = "M": S | M [selected]'],
        ),
        (
            'dialog "Sure?" modal ref=e1\n  button "Yes" + ref=e2',
            ['- dialog "Sure?" [modal] [ref=e1]: button "Yes" [ref=e2]'],
        ),
        (
            'table "T" ref=e1\n  row\n    cell "A" + ref=e2\n    cell "B"',
            ['- table "T" [ref=e1]:', '  - row: cell "A" [ref=e2] | B'],
        ),
        ('navigation\n  link "A" + current=page ref=e2', ['- navigation: link "A" [current=page] [ref=e2]']),
    ],
)
def test_lines(tree: str, expected: list[str]) -> None:
    assert lines(tree) == expected


def test_cards_are_one_line_each() -> None:
    card = (
        '  generic tag=div.card\n    generic\n      "Widget"\n    generic\n      button "Buy" +\n    "€3"\n'
    )
    assert lines("generic\n" + card * 3)[0] == '- card: Widget | button "Buy" [ref=e5] | €3'


def test_long_names_of_controls_are_said_once() -> None:
    row = '  row\n    cell\n      checkbox "Press Space to select the row" +\n    cell\n      "{0}"\n'
    shown = lines('table "T"\n' + "".join(map(row.format, ["Ann", "Bob", "Cy [x]"])))
    assert shown[1:] == [
        '  - row: checkbox "Press Space to select the row" [ref=e4] | Ann',
        "  - row: checkbox [ref=e8] | Bob",
        '  - row: checkbox [ref=e12] | "Cy [x]"',
    ]


def test_other_names_and_links_are_said_in_full() -> None:
    shown = lines(
        'button "Show the first chapter" +\nbutton "Show the second chapter" +\nbutton "Show the first chapter" +\n'
        'link "Read the whole chapter" +\nlink "Read the whole chapter" +'
    )
    assert shown == [
        '- button "Show the first chapter" [ref=e1]',
        '- button "Show the second chapter" [ref=e2]',
        '- button "Show the first chapter" [ref=e3]',
        '- link "Read the whole chapter" [ref=e4]',
        '- link "Read the whole chapter" [ref=e5]',
    ]


def test_the_first_line_after_an_omission_has_its_names() -> None:
    control = (
        '  generic tag=div.card {0}\n    heading "Chapter {1}"\n'
        '    button "Show the whole chapter" + {0}\n    "W" {0}\n'
    )
    page = snapshot(
        "main\n" + "".join(control.format("" if 300 < at < 306 else "offscreen", at) for at in range(600))
    )
    text = page.text(600)
    named = False
    for line in text.split("\n"):
        if "…" in line:
            named = False
        elif "button" in line:
            named = named or "Show the whole chapter" in line
            assert named
    assert re.search(r"button \[ref=e\d+\]", text), "no name was left out"


def test_values_and_descriptions_are_said_once() -> None:
    code = "import this; " * 30
    assert lines('textbox "" + multiline value="a b" ref=e1\n  "a"\n  "b"') == ['- textbox [ref=e1] = "a b"']
    assert lines(f'textbox "" + multiline value="{code}" ref=e1\n  "{code}"') == [
        f'- textbox [ref=e1]: "{code.strip()}"'
    ]
    field = 'textbox "Who" + description="Full name" ref=e1'
    assert lines(f'{field}\n"Full name"') == ['- textbox "Who" [ref=e1]', '- "Full name"']
    assert lines(field) == ['- textbox "Who" [ref=e1] ("Full name")']


def test_addresses_are_short() -> None:
    assert short_url("https://a.test/") == "a.test"
    long = "https://user@a.test:80/one/two/three/four/five/six/seven/eight/nine/ten.html"
    assert short_url(long) == "user@a.test:80/…/ten.html"
    assert len(short_url("http://" + "a" * 500)) <= 130


def test_page_text_cannot_look_like_structure() -> None:
    shown = snapshot(
        r"main\n".replace("\\n", "\n") + r'  button "x\n- button \"Pay\" [ref=e99]" + ref=e2'
    ).text(None)
    assert shown.count("\n") == 1
    assert "[ref=e99]" not in shown
    assert shown.endswith(r'- main: button "x - button \"Pay\" [\ref=e99]" [ref=e2]')


def big(rows: int, offscreen_from: int = 20) -> Snapshot:
    parts = ['main\n  heading "Orders" level=1\n  table "Orders"\n']
    for at in range(rows):
        away = "offscreen" if at >= offscreen_from else ""
        parts.append(
            f'    row {away}\n      cell {away}\n        "Customer number {at}"\n      cell {away}\n'
            f'        link "Open {at}" + {away} href=/o/{at}\n      cell {away}\n        button "Delete" + {away}\n'
        )
    parts.append('  button "New order" + offscreen\n')
    return snapshot("".join(parts))


def test_repetition_is_folded_with_a_way_to_the_rest() -> None:
    page = big(1000)
    text = page.text()
    assert 1000 < len(bpe.get_encoding("o200k_base").encode(text)) <= 4000
    mark = re.search(r'… (\d+) more like this, (e\d+) to (e\d+): find_all\("(.*)"\)', text)
    assert mark is not None
    assert mark[2] in page
    rest = page.find_all(mark[4])
    assert len(rest) == 1000
    assert 'button "New order"' in text
    assert 'link "Open 999"' not in text
    assert page.find("link 'Open 999'").ref is not None


def test_what_is_on_the_screen_comes_first() -> None:
    parts = ["main"]
    for at in range(3000):
        parts.append(
            f"  {'heading' if at % 10 == 0 else 'paragraph'} {'offscreen' if not 500 <= at < 520 else ''}"
        )
        parts.append(f'    "Text {at} of a page that is long and says other things in each of its lines"')
    text = snapshot("\n".join(parts)).text(1000)
    assert len(bpe.get_encoding("o200k_base").encode(text)) <= 1000
    assert all(f"Text {at} of" in text for at in range(500, 520))
    assert text.split("\n")[-1] == "# not the whole page: find(selector) reaches the rest"


@pytest.mark.parametrize(
    "text",
    [
        "Plain English text with some words in it, and punctuation. " * 40,
        "Ein ganz gewöhnlicher Satz über Bücher, Straßen und Größenordnungen. " * 40,
        "これは日本語の文章です。トークンの数を数えます。" * 40,
        "Это обычное предложение на русском языке. " * 40,
        "αυτή είναι μια πρόταση στα ελληνικά " * 40,
        "12345678901234567890 3.14159 2024-01-02 " * 60,
        "SKU-8831-XZ aGVsbG8gd29ybGQ= 9f86d081884c7d65 qwrtp " * 40,
        "🙂🚀👩‍👩‍👧‍👦🎉" * 80,
        "नमस्ते यह एक वाक्य है " * 40,
        "!@#$%^&*()_+{}|:<>?~`-=[];',./ " * 40,
        "https://example.com/a/b?c=d&e=f#g " * 40,
        "ལྷ་སར་འགྲོ་བའི་ལམ " * 40,
        "សួស្តីពិភពលោក " * 40,
        "안녕하세요 세계 여러분 " * 40,
        "مرحبا بالعالم " * 40,
        "ABCDEF GHIJKL_MNOPQR camelCaseWordsHere " * 40,
    ],
)
def test_any_language_keeps_the_budget(text: str) -> None:
    line = '  paragraph\n    "{0} {1}"\n  button "B {0} {2}" +\n'
    page = snapshot("main\n" + "".join(line.format(at, text, text[:60]) for at in range(60)))
    real = len(bpe.get_encoding("o200k_base").encode(page.text(4000)))
    assert real <= 4000


@pytest.mark.parametrize(
    "letters",
    [
        "abcdefghijklmnopqrstuvwxyz",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "bcdfghjklmnpqrstvwxz",
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=",
        "!#$%&()*+,-./:;<=>?@^_{|}~",
        "".join(map(chr, range(0xC0, 0x250))),
        "".join(map(chr, range(0x400, 0x500))),
        "".join(map(chr, range(0x4E00, 0x9FFF))),
        "".join(map(chr, range(0xAC00, 0xD7A3))),
        "".join(map(chr, range(0x2190, 0x2300))),
    ],
)
def test_noise_keeps_the_budget(letters: str) -> None:
    random = Random(7)
    words = iter(lambda: "".join(random.choices(letters, k=random.randint(1, 14))), "")
    parts = [f'  paragraph\n    "{" ".join(islice(words, 12))}"' for _ in range(400)]
    text = snapshot("\n".join(["main", *parts])).text(4000)
    assert 2000 < len(bpe.get_encoding("o200k_base").encode(text)) <= 4000


def test_the_estimate_is_close_on_real_text() -> None:
    text = big(200).text(None)
    real = len(bpe.get_encoding("o200k_base").encode(text))
    assert real * 0.97 <= count_tokens(text) <= real * 1.25


def test_modes() -> None:
    page = snapshot(
        'main\n  heading "Top"\n  paragraph\n    "words"\n  button "Here" +\n  button "Below" + offscreen\n'
        '  paragraph offscreen\n    "more" offscreen'
    )
    interactive = page.text(mode="interactive")
    assert 'button "Here"' in interactive
    assert 'button "Below"' in interactive
    assert "words" not in interactive
    viewport = page.text(mode="viewport")
    assert "words" in viewport
    assert "Below" not in viewport
    assert "more" not in viewport


def test_frames_and_their_missing_ones() -> None:
    page = snapshot('iframe "Pay" document=pay ref=e1', {"pay": 'button "Pay now" + ref=e2'})
    assert page.text(None).split("\n")[1] == '- iframe "Pay" [ref=e1]: button "Pay now" [ref=f1e2]'


def test_lines_that_alternate_leave_room_for_what_is_seen() -> None:
    part = '  heading "Part {1}" {0}\n  button "Open part {1}" + {0}\n'
    parts = (part.format("" if 300 < at < 306 else "offscreen", at) for at in range(600))
    page = snapshot("main\n" + "".join(parts))
    text = page.text(600)
    assert all(f'button "Open part {at}" [ref=' in text for at in range(301, 306))
    assert len(bpe.get_encoding("o200k_base").encode(text)) > 400


def test_a_name_covers_only_what_it_says() -> None:
    text = snapshot('generic "11"\n  generic "1"\n    generic "0"').text(None)
    assert '"0"' in text


def test_a_name_covers_whole_words_only() -> None:
    """A weekday's short form isn't said by its long one."""
    assert lines('link "Sunday" + ref=e1\n  "Sun"') == ['- link "Sunday" [ref=e1]: "Sun"']
    assert lines('link "Go to March 1" + ref=e1\n  "1"') == ['- link "Go to March 1" [ref=e1]']
    assert lines('link "Go to March 12" + ref=e1\n  "1"') == ['- link "Go to March 12" [ref=e1]: "1"']


def test_what_only_surrounds_controls_has_no_ref() -> None:
    """One acts on the controls; role selectors find the rest."""
    page = snapshot(
        'generic + ref=e1 why=cursor\n  "GET"\n  button "Copy" + inline ref=e2\n'
        'generic + ref=e3 why=onclick\n  "Own"\n  button "Inner" + inline ref=e4\n'
        'generic "Alone" + ref=e5 why=cursor\ngeneric "Sunday"\n  "Sun"'
    )
    assert page.text(None).split("\n")[1:] == [
        '- "GET" button "Copy" [ref=e2]',
        '- generic [ref=e3]: "Own" button "Inner" [ref=e4]',
        '- generic "Alone" [ref=e5]',
        '- generic "Sunday": "Sun"',
    ]
    assert [node.ref for node in page.elements] == ["e1", "e2", "e3", "e4", "e5"]


def test_bars_stand_on_one_line() -> None:
    wrapper = '  generic "Copy" + why=cursor,tabindex ref=e3\n    button "Copy" + ref=e4'
    bar = f'toolbar "Edit"\n  button "Cut" + ref=e2\n{wrapper}'
    assert lines(bar) == ['- toolbar "Edit": button "Cut" [ref=e2] button "Copy" [ref=e4]']
    long = "menubar\n" + "".join(f'  menuitem "{n} {"x" * 60}" +\n' for n in range(40))
    assert len(lines(long)) == 41


def test_a_name_is_left_out_only_where_text_on_the_same_line_says_it() -> None:
    copy = '    button "Copy path to clipboard" + ref=e{0}5\n'
    go = '    button "get /api/{0}/something" + ref=e{0}6\n    link "get /api/{0}/something" + ref=e{0}4\n'
    cards = "".join(f"  generic tag=div.card\n{go}{copy}{go}{copy}".replace("{0}", str(n)) for n in (1, 2, 3))
    said = lines(f"main\n{cards}")
    assert said[1] == (
        '  - card: button "get /api/1/something" [ref=e16] link "get /api/1/something" [ref=e14] '
        'button "Copy path to clipboard" [ref=e15] button [ref=e16] link "get /api/1/something" [ref=e14] '
        'button "Copy path to clipboard" [ref=e15]'
    )


def test_cells_that_all_listen_are_bare() -> None:
    row = '  row\n    gridcell "Ann" + why=listener\n    gridcell "Oslo" + why=cursor,listener\n'
    few, many = lines("grid\n" + row * 3), lines("grid\n" + row * 80)
    assert few[1].startswith('  - row: gridcell "Ann" [ref=')
    assert many[1].startswith('  - row: Ann | gridcell "Oslo" [ref=')


def test_what_a_modal_dialog_hides_is_told_once() -> None:
    inside = '  button "Yes" + ref=e3\n  button "No" + obscured ref=e4'
    page = snapshot(f'button "Buy" + obscured ref=e1\ndialog "Sure?" modal ref=e2\n{inside}')
    assert page.text(None).split("\n") == [
        "# site.test: outside of what is modal only popups that it opened can be used",
        '- button "Buy" [ref=e1]',
        '- dialog "Sure?" [modal] [ref=e2]:',
        '  - button "Yes" [ref=e3]',
        '  - button "No" [obscured] [ref=e4]',
    ]


def test_a_value_is_told_inside_of_what_has_the_same_name() -> None:
    assert lines('generic "Pay now"\n  progressbar value=0\n    text "0"') == [
        '- generic "Pay now": progressbar = 0'
    ]
    assert lines('button "Volume up" + ref=e1\n  meter "Volume" value=7')[0].endswith('meter "Volume" = 7')


def test_a_long_description_is_told_once() -> None:
    told = "To pick up a draggable item, press the space bar"
    page = "\n".join(f'button "{name}" + ref=e{at} description="{told}"' for at, name in enumerate("ab", 1))
    assert lines(page) == [f'- button "a" [ref=e1] ("{told}")', '- button "b" [ref=e2]']


def test_slivers_for_dragging_are_left_out() -> None:
    handle = "generic + why=listener ref=e1 box=0,0,{},40"
    assert lines(handle.format(6)) == []
    assert lines(handle.format(60)) == ["- generic [ref=e1]"]


def test_a_label_that_listens_for_its_field_is_not_told() -> None:
    assert lines('generic + tag=label why=listener\ntextbox "Name" + ref=e2') == ['- textbox "Name" [ref=e2]']
    assert lines("generic + tag=div why=listener ref=e1") == ["- generic [ref=e1]"]


def test_a_link_around_a_control_of_its_name_has_the_name() -> None:
    assert lines('link "Welcome" + href=/welcome ref=e1\n  button "Welcome" + ref=e2') == [
        '- link "Welcome" [ref=e1]: button [ref=e2]'
    ]
    assert lines('tab "Seats" + selected ref=e1\n  link "Seats" + ref=e2') == [
        '- tab "Seats" [selected] [ref=e1]: link [ref=e2]'
    ]
    several = 'link "Go now" + href=/go ref=e1\n  button "Go" + inline ref=e2\n  button "now" + inline ref=e3'
    assert '"/go"' not in lines(several)[0]


def test_every_line_begins_with_a_role_or_is_text() -> None:
    tree = 'generic "March" \n  button "A" + ref=e1\n  button "B" + ref=e2\ngeneric + ref=e3\n  img "x"'
    for line in lines(tree):
        assert re.match(r'\s*- (?:[a-z]+\b|")', line), line
        assert not re.match(r'\s*- "[^"]*" ?[:\[]', line), line


def documentation(sections: int, paragraphs: int) -> Snapshot:
    text = "Some operations are supported by several object types; in particular all can be compared. "
    tree = 'main\n  heading "Types" level=1\n'
    for number in range(sections):
        tree += f'  generic + box=0,{1000 * (number + 1)},600,900\n    heading "Section {number}" level=2 offscreen\n'
        tree += "".join(
            f'    paragraph offscreen\n      "{text} {number} {each}"\n' for each in range(paragraphs)
        )
    tree += 'navigation "Contents"\n  list\n'
    tree += "".join(f'    listitem\n      link "Entry {each}" + ref=e{each + 1}\n' for each in range(400))
    return snapshot(tree)


def test_headings_come_before_lists_and_the_sidebar_comes_last() -> None:
    text = documentation(20, 12).text(1500)
    assert all(f'"Section {number}"' in text for number in range(20)), text
    assert 'navigation "Contents"' in text
    assert text.count("Some operations") > text.count('link "Entry')
    assert 0.85 * 1500 < count_tokens(text) <= 1500


def test_a_mark_never_stands_for_one_short_line() -> None:
    text = documentation(20, 12).text(1500)
    assert "1 lines" not in text


def test_the_lines_of_a_field_are_told_apart() -> None:
    note = snapshot('textbox "Note" + multiline value="one two" ref=e1')
    note.columns.extra[0]["value"] = "one\n two  three\\n"
    assert note.text(None).split("\n")[1:] == ['- textbox "Note" [ref=e1] = "one\\ntwo three\\\\n"']
