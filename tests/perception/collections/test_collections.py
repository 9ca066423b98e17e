from __future__ import annotations

from textwrap import indent

import pytest

from skillbook.perception.collections import Collection, empty_tables, find_collections, unique_names
from tests.trees import snapshot


def texts(collection: Collection) -> list[list[str | None]]:
    return [[cell.text if cell else None for cell in row.cells] for row in collection.rows]


def only(text: str) -> Collection:
    found = [c for c in find_collections(snapshot(text)) if not c.minor]
    assert len(found) == 1, found
    return found[0]


def table(*rows: str, name: str = "T", role: str = "table") -> str:
    """Rows as "th:No | Who" or "1 | Ann"; a cell may begin with {colspan=2}, or be "rh:A", the header of its row."""
    lines = [f'{role} "{name}"']
    for row in rows:
        head = row.startswith("th:")
        lines.append("  row")
        for cell in row.removeprefix("th:").split("|"):
            options, _, text = cell.strip().rpartition("}")
            kind = "columnheader" if head else "rowheader" if text.strip().startswith("rh:") else "cell"
            text = text.strip().removeprefix("rh:")
            lines.append(f"    {kind} {options.removeprefix('{')}")
            lines += [f'      "{text.strip()}"'] if text.strip() else []
    return "\n".join(lines)


def test_a_table_with_headers() -> None:
    found = only(table("th:No | Who", "1 | Ann", "2 | Bob", name="Open"))
    assert (found.kind, found.name, found.fields, found.count) == ("table", "Open", ["No", "Who"], 2)
    assert texts(found) == [["1", "Ann"], ["2", "Bob"]]
    assert found.rows[1].cells[1].ref is not None  # type: ignore[union-attr]
    assert found.template == 'No: "1" | Who: "Ann"'


def test_a_table_without_headers() -> None:
    assert only(table("a | b", "c | d")).fields == ["column 1", "column 2"]
    guessed = only(table("Name | Price", "Nut | 1.75", "Bolt | 2.50"))
    assert (guessed.fields, guessed.count) == (["Name", "Price"], 2)


def test_a_first_row_that_only_looks_like_headers_is_noted() -> None:
    found = only(table("Part | Price", "Desk | 12", "Lamp | 3"))
    assert found.fields == ["Part", "Price"]
    assert found.notes == ["the first row is read as headers: it has words over numbers"]
    assert only(table("th: Part | Price", "Desk | 12", "Lamp | 3")).notes == []
    assert only(table("Play | Cents | Play", "a | 12 | b", "c | 3 | d")).fields == ["Play", "Cents", "Play 2"]


def test_a_first_row_of_words_over_links_is_headers_if_several_columns_have_links() -> None:
    def rows(*linked: bool) -> str:
        link = {True: '      link "{}"', False: '      "{}"'}
        cells = [[f"x{row}", f"y{row}"] for row in range(3)]
        lines = table("Court | City").split("\n")
        for texts in cells:
            lines.append("  row")
            for is_link, text in zip(linked, texts, strict=True):
                lines += ["    cell", link[is_link].format(text)]
        return "\n".join(lines)

    assert only(rows(True, True)).fields == ["Court", "City"]
    assert only(rows(True, False)).fields == ["column 1", "column 2"]


def test_a_row_of_header_cells_that_all_say_the_same_is_a_heading() -> None:
    found = only(table("th:A | B", "1 | 2", "th:Old | Old", "3 | 4", "th:New | New", "5 | 6"))
    assert found.fields == ["group", "A", "B"]
    assert texts(found) == [[None, "1", "2"], ["Old", "3", "4"], ["New", "5", "6"]]


def test_spans() -> None:
    found = only(
        table(
            "th:{rowspan=2} Part | {colspan=2} Size",
            "th:cm | inch",
            "{rowspan=2} Nut | 1 | 2",
            "3 | 4",
            "Bolt | {colspan=2} 5",
        )
    )
    assert found.fields == ["Part", "Size / cm", "Size / inch"]
    assert texts(found) == [["Nut", "1", "2"], ["Nut", "3", "4"], ["Bolt", "5", "5"]]


def test_a_line_across_all_columns_is_no_row() -> None:
    """Headings of groups, and details below a row, would otherwise say the same in every column."""
    found = only(
        table(
            "th:No | Who | Sum",
            "{colspan=3} Ulm",
            "1 | Ann | 3",
            "{colspan=100} Phone 123",
            "{colspan=2} 2 | 4",
        )
    )
    assert found.fields == ["No", "Who", "Sum"]
    assert texts(found) == [["1", "Ann", "3"], ["2", "2", "4"]]
    assert list(found.notes) == ['left out: 2 rows of one cell across all columns ("Ulm", "Phone 123")']
    assert texts(only(table("{colspan=2} Ann", "{colspan=2} Bob"))) == [["Ann"], ["Bob"]]


def test_headings_of_groups_are_a_column() -> None:
    grouped = only(
        table("th:No | Who", "{colspan=2} Ulm", "1 | Ann", "2 | Bob", "{colspan=2} Bremen", "3 | Cy")
    )
    assert grouped.fields == ["group", "No", "Who"]
    assert texts(grouped) == [["Ulm", "1", "Ann"], ["Ulm", "2", "Bob"], ["Bremen", "3", "Cy"]]
    assert grouped.notes == []
    marked = only(table("th:No | Who", "1 | Ann", "th:{colspan=100} Bremen", "2 | Cy"))
    assert texts(marked) == [[None, "1", "Ann"], ["Bremen", "2", "Cy"]]
    foot = only(table("th:No | Who", "1 | Ann", "2 | Cy", "th:{colspan=2} 1..2 out of 40"))
    assert foot.fields == ["No", "Who"]


def test_details_below_nearly_all_rows_are_a_column_and_no_groups() -> None:
    found = only(table("th:No | Who", "1 | Ann", "{colspan=2} Phone 1", "2 | Bob", "{colspan=2} Phone 2"))
    assert found.fields == ["No", "Who", "column 3"]
    assert texts(found) == [["1", "Ann", "Phone 1"], ["2", "Bob", "Phone 2"]]
    assert found.notes == []
    few = only(table("th:No | Who", "1 | Ann", "{colspan=2} Ad", "2 | Bob", "3 | Cy", "{colspan=2} End"))
    assert few.notes == ['left out: 2 rows of one cell across all columns ("Ad", "End")']


def test_headers_alone_in_their_rows_and_column_are_headings() -> None:
    """An index has a letter there, and headers beside blank cells, which are headers of rows by their role."""
    letters = only(table("| rh:Entry | rh:Section", "rh:A | |", "| any | 1", "rh:B | |", "| bag | 2"))
    assert letters.fields == ["group", "column 2", "Entry", "Section"]
    assert texts(letters) == [["A", "", "any", "1"], ["B", "", "bag", "2"]]
    facts = only(table("rh:Name | Ann", "rh:Age |", "rh:City | Ulm"))
    assert "group" not in facts.fields


def test_headers_that_span_more_columns_than_there_are_make_none() -> None:
    found = only(table("th:No | {colspan=100} Created", "1 | May", "{colspan=100} Old", "2 | June"))
    assert found.fields == ["No", "Created"]
    assert texts(found) == [["1", "May"], ["2", "June"]]


def test_headers_of_a_grid_that_no_row_has_cells_for_are_a_fault() -> None:
    """Grids that render only the columns in view would otherwise be whole, with blank or shifted columns."""
    rows = ("th:A | B | C", "1 | 2", "3 | 4")
    assert only(table(*rows, role="grid")).faults == [
        "1 column has a header and no cells: others may show when the grid is scrolled to the side"
    ]
    assert not only(table("th:A | B | C", "1 | 2 | 3", "4 | 5", role="grid")).faults
    assert not only(table(*rows)).faults


def test_short_rows_and_absurd_spans() -> None:
    found = only(table("th:A | B", "1", "{colspan=99999} 2 | 3"))
    assert texts(found)[0][:2] == ["1", None]
    assert len(found.fields) <= 1000


def test_repeated_and_blank_names_are_told_apart() -> None:
    assert unique_names(["A", "", "A", "A 2"]) == ["A", "column 2", "A 3", "A 2"]
    assert len(set(unique_names(["", "column 1", "column 1"]))) == 3


def test_figures_are_items_and_their_caption_is_a_field() -> None:
    page = "main\n" + "\n".join(f'  figure "Caption {n}"\n    img "Photo {n}"' for n in range(4)) + "\n"
    found = only(page)
    assert texts(found)[:2] == [["Photo 0", "Caption 0"], ["Photo 1", "Caption 1"]]


def test_nested_tables_are_apart_and_layout_is_no_data() -> None:
    page = snapshot(
        "table\n  row\n    cell\n"
        + "\n".join("      " + line for line in table("th:A | B", "1 | 2", name="In").split("\n"))
        + '\n    cell\n      "side"'
    )
    found = find_collections(page)
    assert [c.name for c in found] == ["In"]


def test_cells_with_fields_and_images() -> None:
    page = """
table
  row
    columnheader
      "On"
    columnheader
      "Name"
    columnheader
      "Icon"
  row
    cell
      checkbox "Select" + checked
    cell
      textbox "Name" + value=Ann
    cell
      img "Star"
"""
    assert texts(only(page)) == [["true", "Ann", "Star"]]


def test_a_grid_and_its_name_from_the_heading_before() -> None:
    found = find_collections(
        snapshot(
            'main\n  heading "Sales"\n    "Sales"\n  '
            + table("th:A", "1", "2", role="grid", name="").replace("\n", "\n  ")
        )
    )
    assert (found[0].kind, found[0].name, found[0].count) == ("grid", "Sales", 2)


LIST = "list\n" + "".join(
    f'  listitem\n    link "Item {n}" + href=/i/{n}\n    generic\n      "by Ann"\n'
    f'    generic tag=span.price\n      "€{n}.50"\n'
    for n in range(1, 5)
)


def test_a_list_of_items() -> None:
    found = only("main\n  " + LIST.replace("\n", "\n  "))
    assert (found.kind, found.count) == ("list", 4)
    assert found.fields == ["title", "text", "price"]
    assert texts(found)[1] == ["Item 2", "by Ann", "€2.50"]
    assert found.rows[0].cells[0].href == "/i/1"  # type: ignore[union-attr]


def test_navigation_is_minor() -> None:
    found = find_collections(snapshot('navigation "Main"\n  ' + LIST.replace("\n", "\n  ")))
    assert [c.minor for c in found] == [True]


def test_blocks_of_navigation_are_minor() -> None:
    blocks = "".join(
        f'    navigation "{name}"\n      heading "{name}" level=3\n'
        f'      link "Main page" href=/{name}\n      link "Help" href=/h\n'
        for name in ("Site", "Tools", "Print")
    )
    found = find_collections(snapshot(f"main\n  generic tag=div\n{blocks}"))
    assert found
    assert all(c.minor for c in found)


def card(name: str, price: str | None, tag: str = "div.card") -> str:
    lines = [
        f"  generic tag={tag}",
        f'    heading "{name}" level=3',
        f'      link "{name}" + inline href=/{name}',
    ]
    lines += ["    generic tag=div.price", f'      "{price}"'] if price else []
    return "\n".join([*lines, '    button "Buy" +', ""])


def test_cards_with_gaps_and_variants() -> None:
    found = only(
        "main\n" + card("A", "€1") + card("B", None) + card("C", "€3", "div.card.sold") + card("D", "€4")
    )
    assert (found.kind, found.fields) == ("cards", ["title", "price"])
    assert texts(found) == [["A", "€1"], ["B", None], ["C", "€3"], ["D", "€4"]]


def operation(method: str, path: str, about: str) -> str:
    return f'''
      generic + tag=div.op
        button "{method} {path} {about}" + collapsed
          "{method}"
          generic tag=div.about
            link "{path}" +
            "{about}"
        button "Copy" +
'''


def test_items_in_several_sections_are_one_collection() -> None:
    def section(*operations: str) -> str:
        inner = "".join(operations)
        return (
            f'  generic tag=div.section\n    heading "Part"\n    generic tag=div.inner\n{inner}'
            if len(operations) > 1
            else inner
        )

    found = only(
        "main\n"
        + section(operation("GET", "/a", "Get a"), operation("PUT", "/a", "Put a"))
        + section(
            operation("GET", "/b", "Get b"),
            operation("DELETE", "/b", "Delete b"),
            operation("POST", "/b", "Add b"),
        )
        + section(operation("GET", "/c", "Get c"))
    )
    assert found.count == 6
    assert [row[:3] for row in texts(found)][4] == ["POST", "/b", "Add b"]


def test_items_with_items_in_them_are_two_collections() -> None:
    shelf = '  generic tag=section.shelf\n    heading "Shelf {n}"\n    paragraph\n      "About {n}"\n'
    book = '    generic tag=div.book\n      generic\n        "Book {n}.{m}"\n      generic\n        "€{m}"\n'
    page = "main\n" + "".join(
        shelf.format(n=n) + "".join(book.format(n=n, m=m) for m in range(4)) for n in range(3)
    )
    found = find_collections(snapshot(page))
    assert sorted(c.count for c in found) == [3, 12]
    books = next(c for c in found if c.count == 12)
    assert texts(books)[5] == ["Book 1.1", "€1"]
    assert texts(next(c for c in found if c.count == 3))[0] == ["Shelf 0", "About 0"]


def test_definitions() -> None:
    page = "generic tag=dl\n" + "".join(
        f'  term tag=dt\n    "T{n}"\n  definition tag=dd\n    "D{n}"\n' for n in range(3)
    )
    found = only(page)
    assert (found.kind, texts(found)) == ("definitions", [["T0", "D0"], ["T1", "D1"], ["T2", "D2"]])
    more = '  definition tag=dd\n    "By Ann"\n'
    assert texts(only(page.replace("  term", f"{more}  term", 3).replace(more, "", 1))) == [
        ["T0", "D0", "By Ann"], ["T1", "D1", "By Ann"], ["T2", "D2", None]
    ]  # fmt: skip
    assert texts(only('generic tag=dl\n  term tag=dt\n    "T"\n' + 2 * more)) == [["T", "By Ann"]] * 2


def test_terms_that_stand_together_have_the_same_definition() -> None:
    term, definition = '  term tag=dt\n    "{}"\n', '  definition tag=dd\n    "{}"\n'
    said = [term.format("A"), definition.format("1"), *map(term.format, "BC"), definition.format("2")]
    assert texts(only("generic tag=dl\n" + "".join(said))) == [["A", "1"], ["B", "2"], ["C", "2"]]


@pytest.mark.parametrize(
    "text", ['main\n  button "A" +', "generic", 'list\n  listitem\n    "one"', table("th:A | B")]
)
def test_what_does_not_repeat_is_no_collection(text: str) -> None:
    assert find_collections(snapshot(text)) == []


def test_different_blocks_are_no_collection() -> None:
    page = """
main
  generic tag=div.flex
    heading "Title"
    button "Menu" +
  generic tag=div.flex
    textbox "Search" +
    link "Help" +
  generic tag=div.flex
    img "Logo"
    paragraph
      "Words"
"""
    assert find_collections(snapshot(page)) == []


def test_fields_are_named_by_the_text_around_them() -> None:
    item = (
        '  generic tag=div.op\n    "{0}" tag=span.op-line-method\n    generic tag=div.op-line-path-description\n'
        '      link "/{1}" +\n      generic\n'
        '    "About {1}" tag=div.op-line-description\n    "{1} left" tag=span.op-line-stock\n'
    )
    found = only("main\n" + "".join(map(item.format, ["GET", "PUT", "POST", "GET"], "abcd")))
    assert found.fields == ["method", "path", "description", "stock"]
    assert texts(found)[1] == ["PUT", "/b", "About b", "b left"]


def test_virtualised_lists_and_grids_count_what_the_page_tells() -> None:
    item = '  listitem setsize=500 posinset={0}\n    link "Item {0}" +\n    generic\n      "by Ann"\n'
    found = only("list\n" + "".join(map(item.format, range(1, 6))))
    assert (found.count, found.total) == (5, 500)
    assert "5 of 500 ×" in repr(found)
    rows = table("th:No | Who", "1 | Ann", "2 | Bob", role="grid").replace('"T"', '"T" setsize=1001')
    assert (only(rows).count, only(rows).total) == (2, 1000)
    unknown = table("th:No | Who", "1 | Ann", role="grid").replace('"T"', '"T" setsize=-1')
    assert only(unknown).total == 1


def test_texts_side_by_side_are_fields() -> None:
    rows = "".join(
        f'  listitem\n    "Item {name}" + inline\n    "€{price}" + inline\n'
        for name, price in [("A", 3), ("B", 4), ("C", 5)]
    )
    found = only(f"list\n{rows}")
    assert found.fields == ["text", "price"]
    assert texts(found)[0] == ["Item A", "€3"]


def test_a_row_of_filters_is_no_data() -> None:
    head = 'grid\n  row\n    columnheader\n      "Name"\n    columnheader\n      "Total"\n'
    filters = (
        '  row\n    gridcell\n      textbox "Name filter" + ref=e70\n'
        '    gridcell\n      spinbutton "Total filter" + ref=e71\n'
    )
    data = "".join(f'  row\n    gridcell\n      "N{at}"\n    gridcell\n      "{at}"\n' for at in range(3))
    assert texts(only(head + filters + data)) == [["N0", "0"], ["N1", "1"], ["N2", "2"]]
    fields = "".join(
        f'  row\n    gridcell\n      textbox "Name" + value=N{at} ref=e{at + 80}\n    gridcell\n'
        f'      spinbutton "Total" + value={at} ref=e{at + 90}\n'
        for at in range(3)
    )
    assert texts(only(head + fields)) == [["N0", "0"], ["N1", "1"], ["N2", "2"]]


def grid(*rows: str) -> str:
    """Rows as "1 > th 1 Name | th 3 Total"; a cell is its column's number and its text."""
    lines = ['grid "Orders" setsize=1001 colcount=14']
    for row in rows:
        number, _, cells = row.partition(" > ")
        lines.append(f"  row posinset={number}")
        for cell in cells.split(" | "):
            kind = "columnheader" if cell.startswith("th ") else "gridcell"
            place, _, text = cell.removeprefix("th ").partition(" ")
            lines += [f"    {kind} posinset={place}", f'      "{text}"']
    return "\n".join(lines)


def test_fault_44_cells_pair_with_headers_by_their_column_number() -> None:
    found = only(
        grid("1 > th 1 Name | th 5 Total | th 6 Tax", "2 > 1 Ann | 6 2.00", "3 > 1 Bob | 5 9.00 | 6 3.00")
    )
    assert (found.fields, found.places) == (["Name", "Total", "Tax"], [1, 5, 6])
    assert texts(found) == [["Ann", None, "2.00"], ["Bob", "9.00", "3.00"]]


def test_fault_44_the_order_of_cells_in_the_dom_says_nothing() -> None:
    found = only(grid("1 > th 5 Total | th 1 Name", "2 > 1 Ann | 5 2.00", "3 > 5 9.00 | 1 Bob"))
    assert (found.fields, texts(found)) == (["Name", "Total"], [["Ann", "2.00"], ["Bob", "9.00"]])


def test_fault_44_a_cell_without_a_visible_header_is_named_by_its_number() -> None:
    found = only(grid("1 > th 1 Name | th 5 Total", "2 > 1 Ann | 4 x | 6 2.00"))
    assert found.fields == ["Name", "column 4", "column 6"]
    assert texts(found) == [["Ann", "x", "2.00"]]


def test_fault_44_headers_without_numbers_name_no_numbered_cells() -> None:
    text = grid("1 > th 1 Name | th 2 Total", "2 > 6 Ann | 7 4")
    found = only(
        text.replace("columnheader posinset=1", "columnheader").replace(
            "columnheader posinset=2", "columnheader"
        )
    )
    assert found.fields == ["column 6", "column 7"]


def test_fault_44_pinned_columns_are_parts_of_their_rows() -> None:
    found = only(grid("1 > th 1 Name", "3 > 1 Bob", "2 > 1 Ann", "1 > th 7 Total", "2 > 7 4", "3 > 7 5"))
    assert found.fields == ["Name", "Total"]
    assert texts(found) == [["Ann", "4"], ["Bob", "5"]]


def test_a_header_with_icons_is_called_by_its_text() -> None:
    head = (
        'table "T"\n  row\n    columnheader\n      "Team"\n      button "Filter" +\n        "▾"\n'
        '    columnheader\n      button "Points" +\n        "Points"\n      button "Sort" +\n  row\n'
    )
    found = only(head + '    cell\n      "Reds"\n    cell\n      "3"\n')
    assert found.fields == ["Team", "Points"]


def test_the_rows_of_a_foot_are_no_data() -> None:
    page = """
table "Orders"
  rowgroup tag=thead.table-light
    row
      cell
        "Who"
      cell
        "Sum"
  rowgroup tag=tbody
    row
      cell
        "Ann"
      cell
        "3"
  rowgroup tag=tfoot.table-dark
    row
      cell
        "Total"
      cell
        "3"
"""
    found = only(page)
    assert list(found.fields) == ["Who", "Sum"]
    assert texts(found) == [["Ann", "3"]]


def test_rows_of_headers_alone_are_no_data() -> None:
    """Tables that scroll have a copy of their headers in a table above."""
    head = """
    row
      columnheader
        "Who"
      columnheader
        "Sum"
"""
    assert find_collections(snapshot("table\n  rowgroup tag=thead" + 2 * head.rstrip())) == []


MESSAGE = """
table "Orders"
  rowgroup tag=thead
    row
      columnheader
        "Who"
      columnheader
        "Sum"
  rowgroup tag=tbody
    row
      cell colspan=2
        "No data available in table"
"""


def test_a_message_across_all_columns_is_no_row() -> None:
    assert find_collections(snapshot(MESSAGE)) == []
    assert list(map(str, empty_tables(snapshot(MESSAGE)))) == [
        'the table "Orders" (Who, Sum) has no rows; it says "No data available in table"'
    ]
    said = (
        MESSAGE
        + """    row
      cell
        "Ann"
      cell
        "3"
"""
    )
    assert empty_tables(snapshot(said)) == []
    assert texts(only(said)) == [["Ann", "3"]]
    assert "No data available" in only(said).notes[0]


def test_the_options_of_several_fields_are_no_rows() -> None:
    """Fields beside each other, such as those of a filter, offer values; they have none of their own to say."""
    options = "".join(f'  option "{text}"\n' for text in ("is", "is not", "contains", "begins with"))
    assert find_collections(snapshot(f'combobox +\n{options}listbox "Which" +\n{options}' * 3)) == []


def meta(tag: str, *values: str) -> str:
    return "\n".join(f'    "{value}" tag={tag}' for value in values)


@pytest.mark.parametrize(("tag", "is_fault"), [("span", True), ("span.item", True), ("span.tag", False)])
def test_values_alike_may_be_another_s_column_unless_their_class_names_them(tag: str, is_fault: bool) -> None:
    """The second tag is a tag, whichever one an item lacks; the second of several texts may be anything."""
    lines = [
        f'article\n  heading "{title}"\n  generic tag=div\n{meta(tag, *values)}'
        for title, values in [
            ("A", ("Ulm", "Full time")),
            ("B", ("Half time",)),
            ("C", ("Bonn", "Full time")),
        ]
    ]
    found = find_collections(snapshot("main\n" + indent("\n".join(lines), "  ")))[0]
    said = found.faults if is_fault else found.notes
    assert "where an item lacks one, others move up" in said[0]
    assert bool(found.faults) is is_fault


def test_as_many_texts_of_the_same_kinds_in_each_card_are_its_facts() -> None:
    lines = [
        f'article\n  heading "{title}"\n  "{price}" tag=p\n  "{state}" tag=p\n  "{day}" tag=p'
        for title, price, state, day in [
            ("A", "$1", "new", "2024-01-02"),
            ("B", "$2", "used", "2024-02-02"),
            ("C", "$3", "new", "2024-03-02"),
        ]
    ]
    found = find_collections(snapshot("main\n" + indent("\n".join(lines), "  ")))[0]
    assert texts(found)[0] == ["A", "$1", "new", "2024-01-02"]
    assert found.count == 3


def test_the_headers_of_tables_in_cards_are_no_items() -> None:
    lines = [
        f'article\n  heading "{title}"\n'
        + indent(table("th:Price | State | Kind | Size", "1 | new | x | L"), "  ")
        for title in "ABC"
    ]
    found = find_collections(snapshot("main\n" + indent("\n".join(lines), "  ")))
    assert [texts(each) for each in found if each.kind == "table"] == [[["1", "new", "x", "L"]]] * 3
    assert all(each.fields[0] != "group" for each in found)


def test_a_title_across_all_columns_alone_names_none() -> None:
    found = only(table("th:{colspan=2} Lamp", "Price | 12", "Size | L"))
    assert found.fields == ["column 1", "column 2"]


def test_a_column_of_currencies_is_no_price() -> None:
    rates = "".join(
        f'  generic tag=div.row\n    "{name}"\n    "{rate}"\n'
        for name, rate in [("USD", "1.08"), ("GBP", "0.85")] * 2
    )
    (found,) = find_collections(snapshot(f"main\n{rates}"))
    assert "price" not in found.fields
