"""Lists that come once something is typed: below a text field, or in an open list that is searched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

FIELD = """<label>City <input id=city value=Oslo></label><ul id=list style="position: absolute; margin: 0"></ul>
<p style="margin-top: 200px"><a href="#">Paris</a> <button onclick="out.append('Rome')">Add</button><p id=out></p>
<script>const cities = ['Paris', 'Paris Nord', 'Rome', 'Rome', 'Berlin'], chosen = [];
let pause;
city.oninput = () => { clearTimeout(pause); pause = setTimeout(() => {
  const names = city.value ? cities.filter((name) => name.startsWith(city.value)) : [];
  list.innerHTML = names.map((name) => `<ITEM onmousedown="take(this)">${name}</ITEM>`).join('');
}, 300) };
function take(item) { chosen.push(item.textContent); city.value = item.textContent; list.innerHTML = '' }
</script>"""


@pytest.mark.parametrize("item", ["li", "div"])
def test_what_a_text_field_suggests_is_chosen(show_html: Serve, item: str) -> None:
    page = show_html(FIELD.replace("ITEM", item))
    page.select("textbox 'City'", "Paris")
    assert page.evaluate("chosen") == ["Paris"]
    assert page.get("value", "textbox 'City'") == "Paris"


def test_what_it_does_not_suggest_is_refused(show_html: Serve) -> None:
    page = show_html(FIELD.replace("ITEM", "li"))
    with pytest.raises(NoMatch, match="suggests no 'Par'") as refused:
        page.select("label 'City'", "Par")
    assert refused.value.data["options"] == ["Paris", "Paris Nord"]
    with pytest.raises(AmbiguousMatch, match="2 suggestions are called 'Rome'"):
        page.select("label 'City'", "Rome")
    assert page.evaluate("chosen") == []
    assert page.get("value", "textbox 'City'") == "Oslo"


# A native list that nobody sees, and the list that a script makes of it: it gets its options from a server. The other
# one shows its choice as an option in itself.
SEARCHED = """<label for=native>City</label><select id=native tabindex=-1
  style="position: absolute; width: 1px; height: 1px; clip-path: inset(50%)"></select><span
  id=box role=combobox tabindex=0
  aria-haspopup=true aria-expanded=false style="display: inline-block; width: 200px; height: 20px"></span>
<div role=combobox tabindex=0 aria-expanded=false aria-label=Other onclick="taken.push('other')">
  <div role=listbox><div role=option aria-selected=true>Paris</div></div></div><p style="height: 200px"></p><script>
const taken = [];
let pause;
box.onclick = () => {
  box.ariaExpanded = 'true';
  document.body.insertAdjacentHTML('beforeend', `<div id=pop style="position: absolute; left: 8px; top: 34px">
    <input type=search oninput="later(this.value)"><div role=listbox><div role=alert>Please type</div></div></div>`);
  pop.firstElementChild.focus();
};
function later(text) { clearTimeout(pause); pause = setTimeout(() => {
  pop.lastElementChild.innerHTML = ['Paris', 'Paris Nord'].filter((name) => text && name.startsWith(text)).map(
    (name) => `<div role=option onclick="take(this.textContent)">${name}</div>`).join('');
}, 400) }
function take(name) {
  taken.push(name); box.textContent = name; box.ariaExpanded = 'false'; pop.remove();
  native.innerHTML = `<option selected>${name}</option>`;
}
</script>"""


def test_a_list_with_a_field_to_search_by_is_searched(show_html: Serve) -> None:
    page = show_html(SEARCHED)
    page.select("label 'City'", "Paris Nord")
    page.select("label 'City'", "Paris")
    assert page.evaluate("taken") == ["Paris Nord", "Paris"]


def test_an_option_of_another_list_is_not_the_open_ones(show_html: Serve) -> None:
    page = show_html(SEARCHED.replace("<input type=search", "<input type=search hidden"))
    with pytest.raises((NoMatch, InvalidParams)):
        page.select("combobox nth 2", "Paris")
    assert page.evaluate("taken") == []


def test_letters_of_a_name_are_no_choices(serve_html: Serve) -> None:
    page = serve_html("""<div id=box role=combobox tabindex=0 aria-label=Sizes aria-haspopup=listbox aria-expanded=false
      onclick="list.hidden = false; this.ariaExpanded = 'true'">none</div>
      <div id=list role=listbox aria-multiselectable=true hidden tabindex=-1
      onkeydown="if (event.key === 'Escape') { list.hidden = true; box.ariaExpanded = 'false' }">
      <div role=option onclick="take('S', this)">S</div><div role=option onclick="take('L', this)">L</div></div><script>
      const taken = [];
      function take(name, option) { taken.push(name); option.ariaSelected = 'true'; box.textContent = taken.join(', ') }
      </script>""")
    page.select("combobox 'Sizes'", ["S", "L"])
    assert page.evaluate("taken") == ["S", "L"]
