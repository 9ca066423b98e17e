from __future__ import annotations

import pytest

from skillbook.errors import InvalidSkill, InvalidSkillName
from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Check, StepTarget
from skillbook.skill.recording.literals import field_name
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording
from tests.skill.recorded import HOME, RESULTS, SHOP, make, page, search_steps, skill_from_run, step
from tests.trees import snapshot

LOGIN = """
main
  textbox "E-mail" + value=""
  textbox "Password" + secret type=password
  button "Sign in" +
"""


def test_the_goals_literals_become_inputs() -> None:
    spec = make('Search for "desk lamp" and list the results', *search_steps())
    query, site = spec.inputs[1], spec.inputs[0]
    assert (query.name, query.default, query.type) == ("query", "desk lamp", "str")
    assert (site.name, site.default, site.from_page) == ("site", SHOP, "origin")
    assert [one.command for one in spec.steps] == ["fill", "click", "extract"]
    assert spec.steps[0].params == {"value": "${input:query}"}
    assert spec.steps[0].target is not None
    assert spec.steps[0].target.selectors[0] == "searchbox 'Search products'"
    assert spec.start == "${input:site}/"
    assert spec.origins == ["${input:site}"]
    assert 'Search for "${input:query}"' in spec.body
    assert spec.description == 'Search for "desk lamp" and list the results'


def test_a_literal_that_is_not_in_the_goal_stays() -> None:
    spec = make("Search for anything", *search_steps())
    assert [one.name for one in spec.inputs] == ["site"]
    assert spec.steps[0].params == {"value": "desk lamp"}


def test_failed_refused_and_reading_steps_are_left_out() -> None:
    home = page(HOME)
    failed = step("click", home, target="button 'Search'")
    failed.error = "not_actionable"
    rejected = step("fill", home, target="searchbox", value="x")
    rejected.decision = "reject"
    done = step("click", home, target="button 'Search'")
    spec = make(
        "Click Search", failed, rejected, step("find", home, query="x"), step("get", home, what="url"), done
    )
    assert [one.command for one in spec.steps] == ["click"]


def test_a_persons_edit_counts() -> None:
    steps = search_steps("desk lamp")
    steps[1].args, steps[1].edited = {"target": "searchbox", "value": "wrong"}, steps[1].args
    assert make("Find desk lamp", *steps).steps[0].params == {"value": "${input:query}"}


def test_needless_steps_are_dropped() -> None:
    home = page(HOME)
    box = "searchbox 'Search products'"
    spec = make(
        "Search",
        step("focus", home, target=box),
        step("click", home, target=box),
        step("fill", home, target=box, value="a"),
        step("clear", home, target=box),
        step("fill", home, target=box, value="b"),
        step("scroll", home, target="button 'Search'"),
        step("click", home, target="button 'Search'"),
    )
    assert [(one.command, one.params) for one in spec.steps] == [("fill", {"value": "b"}), ("click", {})]


def test_an_emptied_field_is_emptied_again() -> None:
    home = page(HOME)
    box = "searchbox 'Search products'"
    spec = make("Empty it", step("fill", home, target=box, value="a"), step("clear", home, target=box))
    assert [(one.command, one.params) for one in spec.steps] == [("clear", {})]


def test_a_detour_leaves_nothing_behind() -> None:
    home, contact = page(HOME), page("main\n", "/contact")
    spec = make(
        "Click Search",
        step("click", home, contact, target="link 'Contact'"),
        step("back", contact, home),
        step("click", home, target="button 'Search'"),
    )
    assert [one.command for one in spec.steps] == ["click"]


def test_paging_is_folded_into_the_extract_step() -> None:
    first, second, third = (page(RESULTS, f"/search?page={number}") for number in (1, 2, 3))
    read = {"fields": {"name": "link"}}
    spec = make(
        "List everything",
        step("extract", first, **read),
        step("click", first, second, target="link 'Next'"),
        step("snapshot", second),
        step("extract", second, **read),
        step("click", second, third, target="link 'Next'"),
        step("extract", third, **read),
    )
    assert [one.command for one in spec.steps] == ["extract"]
    assert spec.steps[0].extract is not None
    assert spec.steps[0].extract.next == "link 'Next'"


def test_rows_added_page_by_page_are_folded_too() -> None:
    first, second = page(RESULTS, "/search?page=1"), page(RESULTS, "/search?page=2")
    spec = make(
        "List everything",
        step("extract", first, fields={"name": "link"}),
        step("click", first, second, target="link 'Next'"),
        step("extract", second, fields={"name": "link"}, append=True),
        step("click", second, first, target="link 'Next'"),
    )
    assert [one.command for one in spec.steps] == ["extract"]
    assert spec.steps[0].extract is not None
    assert not spec.steps[0].extract.append


def test_rows_of_another_kind_are_appended() -> None:
    first, second = page(RESULTS, "/a"), page(RESULTS, "/b")
    spec = make(
        "List",
        step("extract", first, fields=["name"]),
        step("goto", first, second, url=f"{SHOP}/b"),
        step("extract", second, fields=["name"], append=True),
    )
    assert [one.command for one in spec.steps] == ["extract", "goto", "extract"]
    assert spec.steps[2].extract is not None
    assert spec.steps[2].extract.append
    assert spec.steps[2].extract.fields == {"name": "name"}
    assert spec.steps[1].params == {"url": "${input:site}/b"}


def test_another_extract_is_not_folded() -> None:
    first, second = page(RESULTS, "/a"), page(RESULTS, "/b")
    spec = make(
        "List",
        step("extract", first, fields={"a": "link"}),
        step("click", first, second, target="link 'Next'"),
        step("extract", second, fields={"b": "link"}),
    )
    assert [one.command for one in spec.steps] == ["extract", "click", "extract"]


def test_an_item_named_in_the_goal_becomes_an_input_and_its_looks_are_forgotten() -> None:
    results, product = (
        page(RESULTS, "/search"),
        page('main\n  heading "Blue desk lamp" level=1\n', "/product/17"),
    )
    spec = make('Open "Blue desk lamp"', step("click", results, product, target="link 'Blue desk lamp'"))
    click = spec.steps[0]
    assert spec.inputs[1].name == "item"
    assert click.target is not None
    assert all("${input:item}" in selector for selector in click.target.selectors)
    assert "href" not in click.target.fingerprint
    assert Check(url="${input:site}/product/*") in click.expect
    assert Check(present="heading '${input:item}'") in click.expect


def test_words_of_instructions_are_no_inputs() -> None:
    results = page(RESULTS, "/search")
    product = page('main\n  heading "Blue desk lamp" level=1\n', "/product/17")
    spec = make("Open Blue desk lamp", step("click", results, product, target="link 'Blue desk lamp'"))
    assert [one.name for one in spec.inputs] == ["site"]


def test_no_input_stands_in_an_addresss_path() -> None:
    login = page('main\n  textbox "Username" +\n  button "Go" +\n', "/admin/login")
    inside = page('main\n  heading "Library" level=1\n  button "Add" +\n', "/admin/lib/?by=admin")
    spec = make(
        "Log in as admin",
        step("goto", login, login, url=f"{SHOP}/admin/login"),
        step("fill", login, target="textbox 'Username'", value="admin"),
        step("click", login, inside, target="button 'Go'"),
        step("goto", inside, inside, url=f"{SHOP}/admin/lib/?by=admin"),
        step("click", inside, target="button 'Add'"),
    )
    assert [one.name for one in spec.inputs] == ["site", "username"]
    assert spec.start == "${input:site}/admin/login"
    assert spec.steps[2].params == {"url": "${input:site}/admin/lib/?by=${input:username}"}
    assert Check(url="${input:site}/*/lib/?by=${input:username}") in spec.steps[1].expect


def test_links_of_the_sites_frame_are_no_inputs() -> None:
    home = page(HOME)
    spec = make("Go to Contact", step("click", home, page("main\n", "/contact"), target="link 'Contact'"))
    assert [one.name for one in spec.inputs] == ["site"]


def test_choices_are_remembered() -> None:
    home = page(HOME)
    spec = make("Show Lamps", step("select", home, target="combobox 'Category'", values=["Lamps"]))
    category = spec.inputs[1]
    assert (category.name, category.default, category.choices) == ("category", "Lamps", ["Lamps", "Chairs"])
    assert spec.steps[0].params == {"values": ["${input:category}"]}


def test_an_option_that_an_input_names_is_no_part_of_the_fields_own_looks() -> None:
    before = page(HOME.replace('combobox "Category" +', 'combobox "Category" + html_name=cat'))
    after = page(RESULTS, "/search?cat=c7&view=list&tone=LAMPS-2")
    spec = make(
        "Show Lamps",
        step("select", before, target="combobox 'Category'", values=["Lamps"]),
        step("click", before, after, target="button 'Search'"),
    )
    select, click = spec.steps
    assert select.target is not None
    assert select.target.selectors[0] == "combobox 'Category'"
    assert not any("${" in selector for selector in select.target.selectors)
    assert Check(url="${input:site}/search?cat=*&view=list&tone=*") in click.expect


def test_a_role_selector_serves_where_the_element_is_not_known() -> None:
    blind = step("click", page("main\n"), target="button 'Late'")
    assert make("Click", blind).steps[0].target == StepTarget(selectors=["button 'Late'"])
    with pytest.raises(InvalidSkill, match="e99"):
        make("Click", step("click", page("main\n"), target="e99"))


def test_fault_22_a_typed_password_never_reaches_the_skill() -> None:
    login = page(LOGIN, "/login")
    skill = skill_from_run(
        "Sign in as ann@x.test with password hunter22",
        [
            step("fill", login, target="textbox 'E-mail'", value="ann@x.test"),
            step("fill", login, target="textbox 'Password'", value="hunter22"),
            step("click", login, target="button 'Sign in'"),
        ],
        "login",
    )
    assert skill.spec.secrets == ["password"]
    assert skill.spec.steps[1].params == {"value": "${secret:password}"}
    assert "hunter22" not in skill.spec.model_dump_json()
    assert [one.name for one in skill.inputs] == ["site", "e_mail"]


def test_secrets_by_name_stay_names() -> None:
    login = page(LOGIN, "/login")
    spec = make("Sign in", step("fill", login, target="textbox 'Password'", value="${secret:shop-pw}"))
    assert spec.secrets == ["shop-pw"]
    assert spec.steps[0].params == {"value": "${secret:shop-pw}"}


def test_numbers_are_numbers_in_number_fields_only() -> None:
    form = page('main\n  spinbutton "Pieces" + type=number\n  textbox "Postcode" +\n')
    spec = make(
        "Order 3 pieces to 01067",
        step("fill", form, target="spinbutton", value="3"),
        step("fill", form, target="textbox", value="01067"),
    )
    assert [(one.name, one.type, one.default) for one in spec.inputs[1:]] == [
        ("pieces", "int", 3),
        ("postcode", "str", "01067"),
    ]


def test_a_goto_at_the_beginning_is_the_start() -> None:
    blank = snapshot("main\n", url="about:blank")
    home = snapshot(HOME, url="https://shop.example/search?q=tea")
    spec = make(
        "Look for 'tea'",
        step("goto", blank, home, url="https://shop.example/search?q=tea"),
        step("click", home, target="button 'Search'"),
    )
    assert spec.start == "https://shop.example/search?q=${input:query}"
    assert spec.inputs[0].default == "tea"
    assert spec.origins == ["https://shop.example"]


STAFF = """
main
  table "Staff"
    row
      columnheader "Full name"
      columnheader "City"
      columnheader "Edit"
    row
      cell
        "Ann Lee"
      cell
        "{ann}"
      cell
        link "Edit" + href=/edit?id=1
    row
      cell
        "Bob Ray"
      cell
        "Lyon"
      cell
        link "Edit" + href=/edit?id=2
"""


def edit_ann(goal: str) -> SkillSpec:
    staff, moved = (
        page(STAFF.format(ann="Porto"), "/staff"),
        page(STAFF.format(ann="Bremen"), "/staff?saved=1"),
    )
    form = page('main\n  textbox "City" + value="Porto"\n  button "Save" +\n', "/edit?id=1")
    filled = page('main\n  textbox "City" + value="Bremen"\n  button "Save" +\n', "/edit?id=1")
    return make(
        goal,
        step("click", staff, form, target="link 'Edit' in row 'Ann Lee'"),
        step("fill", form, filled, target="textbox 'City'", value="Bremen"),
        step("click", filled, moved, target="button 'Save'"),
    )


def test_what_the_goal_quotes_of_the_row_that_a_step_acts_in_is_an_input() -> None:
    spec = edit_ann('Move "Ann Lee" to Bremen')
    assert [(one.name, one.default) for one in spec.inputs[1:]] == [
        ("city", "Bremen"),
        ("full_name", "Ann Lee"),
    ]
    assert spec.steps[0].target is not None
    assert spec.steps[0].target.selectors[0] == "link 'Edit' in row '${input:full_name}'"
    assert spec.steps[0].expect == [Check(url="${input:site}/edit?id=*")]


def test_a_link_without_a_name_is_found_by_its_address_on_another_site() -> None:
    icons = f'main\n  link "" + href={SHOP}/cart\n  link "" + href={SHOP}/stores\n'
    spec = make("Open the cart", step("click", page(icons), page("main\n", "/cart"), target="link nth 1"))
    assert spec.steps[0].target is not None
    assert "link [href='${input:site}/cart']" in spec.steps[0].target.selectors


def test_what_the_recording_itself_changed_of_a_row_is_not_compared() -> None:
    """The same skill run twice finds its row as it left it."""
    spec = edit_ann("Move her to Bremen")
    assert spec.steps[0].target is not None
    assert spec.steps[0].target.fingerprint["names"].startswith("Ann Lee")
    assert "Porto" not in str(spec.steps[0].target)


def test_an_input_never_changes_a_selectors_grammar() -> None:
    home = page('main\n  textbox "Term" +\n  link "link" + href=/x\n  button "Go" +\n')
    spec = make(
        "Search for link",
        step("fill", home, target="textbox 'Term'", value="link"),
        step("click", home, target="button 'Go'"),
    )
    assert spec.inputs[1].default == "link"
    assert spec.steps[1].target is not None
    assert spec.steps[1].target.selectors[0] == "button 'Go'"


def test_nothing_done_makes_no_skill() -> None:
    with pytest.raises(InvalidSkill, match="nothing was done"):
        make("Look", step("snapshot", page(HOME)))
    with pytest.raises(InvalidSkillName):
        skill_from_run("x", [], "../x")


PEOPLE = """
main
  heading "People" level=1
  table "People"
    row
      cell
        "Pia Costa"
      cell
        "pia@a.test"
      cell
        button "Remove" +
    row
      cell
        "Bo Low"
      cell
        "bo@a.test"
      cell
        button "Remove" +
    row
      cell
        "Ann Lee"
      cell
        "ann@a.test"
      cell
        button "Remove" +
"""


def test_a_record_that_the_goal_names_is_addressed_by_the_input_though_its_address_is_surer() -> None:
    people = page('searchbox "Find" + value=""\n' + PEOPLE)
    found = page('searchbox "Find" + value="Bo Low"\n' + PEOPLE)
    named = "button 'Remove' in row 'Bo Low'"
    typed = step("fill", people, found, target="searchbox 'Find'", value="Bo Low")
    spec = make('Remove "Bo Low"', typed, step("click", found, target=named))
    assert spec.steps[1].target is not None
    (name,) = [one.name for one in spec.inputs if one.name != "site"]
    assert spec.steps[1].target.selectors[0] == f"button 'Remove' in row '${{input:{name}}}'"
    fixed = make("Remove somebody", step("click", people, target=named))
    assert fixed.steps[0].target is not None
    assert fixed.steps[0].target.selectors[0] == "button 'Remove' in row 'bo@a.test'"


def test_an_input_that_no_step_would_use_is_refused() -> None:
    page = snapshot('main\n  button "Edit" +\n  button "Edit" +\n  button "Save" +')
    edit, save = page.elements[1], page.elements[2]
    with pytest.raises(InvalidSkill, match="can't be the input item: no step"):
        skill_from_recording(Recording("go", (RecordedStep("click", node=edit, input="item"),)), "edit")
    made = skill_from_recording(Recording("go", (RecordedStep("click", node=save, input="item"),)), "save")
    assert made.spec.steps[0].target is not None
    assert made.spec.steps[0].target.selectors[0] == "button '${input:item}'"


def test_of_namesakes_the_one_with_its_tag_is_named_by_what_it_says() -> None:
    page = snapshot('main\n  option "Sea" + tag=option\n  option "Sea" + tag=li\n  option "Pool" + tag=li')
    made = skill_from_recording(
        Recording("go", (RecordedStep("click", node=page.elements[1], input="tag"),)), "choose"
    )
    assert made.spec.steps[0].target is not None
    assert made.spec.steps[0].target.selectors[0] == "option '${input:tag}'"


SENT = RequestFact("POST", SHOP, "/tags/lamp", "lamp")


def test_a_value_never_says_where_something_is_sent() -> None:
    home = page('main\n  textbox "Tag" + value=""\n  button "Save" +\n')
    filled = page('main\n  textbox "Tag" + value="lamp"\n  button "Save" +\n')
    fill = RecordedStep(
        "fill", {"value": "lamp"}, home.find("textbox"), url_before=SHOP, before=home, after=filled
    )
    click = RecordedStep(
        "click",
        {},
        filled.find("button"),
        url_before=SHOP,
        url_after=SHOP,
        before=filled,
        after=filled,
        sent=(SENT,),
    )
    spec = skill_from_recording(Recording("Save the tag lamp", (fill, click), held=True), "save").spec
    assert [str(one) for one in spec.sends or ()] == ["POST ${input:site}/tags/lamp (lamp)"]


CART = """
main
  table "Cart"
    row
      columnheader "Article"
      columnheader "Price"
      columnheader "Pieces"
    row
      cell "Lamp"
      cell "$5.00"
      cell
        textbox + value=""
  "12,50 EUR"
  textbox + value="" html_name=gift
"""


def test_inputs_are_called_by_their_fields_and_not_by_the_price_beside_them() -> None:
    cart = page(CART)
    first, second = (node for node in cart.nodes if node.role == "textbox")
    assert field_name(first) == "pieces"
    assert field_name(second) == "gift"


def test_short_values_are_inputs_where_they_are_no_words() -> None:
    """Another value would else act on the recorded record, and call that right."""
    states = page('main\n  textbox "State" + value=""\n  button "Delete NY" +\n  button "Go to 2" +\n')
    fill = step("fill", states, target="textbox 'State'", value="NY")
    spec = make("Delete NY", fill, step("click", states, target="button 'Delete NY'"))
    assert spec.steps[1].target is not None
    assert spec.steps[1].target.selectors[0] == "button 'Delete ${input:state}'"
    to = step("fill", states, target="textbox 'State'", value="to")
    spec = make("Set the state to to", to, step("click", states, target="button 'Go to 2'"))
    assert spec.steps[1].target is not None
    assert spec.steps[1].target.selectors[0] == "button 'Go to 2'"


ORDERS = """
main
  table "Orders"
    row
      cell "Bob"
      cell
        button "Delete" +
    row
      cell "Lea"
      cell
        button "Delete" +
"""


@pytest.mark.parametrize("goal", ["Delete the order of 'Bob'", "Delete an order"])
def test_fault_56_the_id_of_a_request_is_never_left_open(goal: str) -> None:
    orders = page(ORDERS)
    gone = read_request("DELETE", f"{SHOP}/v2/orders/2", size=0)
    press = RecordedStep(
        "click", {}, orders.find("button 'Delete' in row 'Bob'"), url_before=SHOP, url_after=SHOP, before=orders,
        after=orders, sent=(gone,),
    )  # fmt: skip
    spec = skill_from_recording(Recording(goal, (press,), held=True), "delete").spec
    assert [one.path for one in spec.sends or ()] == ["/v2/orders/2"]
