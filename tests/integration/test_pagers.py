"""The way to the next page, in the shapes that pages give it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

PAGE = """<meta charset=utf-8><style>.off {{ opacity: .4; pointer-events: none }} svg {{ width: 12px; height: 12px }}
.pager > * {{ display: inline-block; min-width: 20px; min-height: 20px }}</style>
<h1>People</h1><p>{claim}</p><ul id=list></ul><div id=pager class="pager"></div><script>
const total = {total}, size = 4, count = Math.ceil(total / size), style = '{style}';
let at = 1;
const icon = '<svg viewBox="0 0 8 8"><path d="M1 1l4 3-4 3"/></svg>';
const items = (from, to) => Array.from({{length: Math.max(0, to - from)}}, (_, i) => from + i)
  .map((n) => `<li><b>Person ${{n}}</b><p class=city>City ${{n % 2}}</p></li>`).join('');
const go = (to) => setTimeout(() => {{ at = style === 'loop' ? (to - 1) % count + 1 : to; show(); }}, 80);
const numbers = (item) => Array.from({{length: count}}, (_, i) => item(i + 1)).join('');
const PAGERS = {{
  numbers: () => numbers((n) =>
    n === at ? `<span class=current>${{n}}</span>` : `<a href=#${{n}} data-to=${{n}}>${{n}}</a>`),
  items: () => '<ul class=pages>' + numbers((n) =>
    `<li tabindex=0 class="item ${{n === at ? 'is-active' : ''}}" data-to=${{n}}>${{n}}</li>`) + '</ul>',
  titled: () => `<li tabindex=0 title="Next Page" aria-disabled=${{at === count}} data-to=${{at + 1}}>${{icon}}</li>`,
  icons: () => `<button class="${{at < 2 ? 'off' : ''}}" data-to=${{at - 1}}>${{icon}}</button>
    <button ${{at === count ? 'disabled' : ''}} data-to=${{at + 1}}>${{icon}}</button>`,
  classes: () => `<a href=# class="page-link page-last" data-to=${{count}}>${{icon}}</a>
    <a href=# class="page-link page-next ${{at === count ? 'disabled off' : ''}}" data-to=${{at + 1}}>${{icon}}</a>`,
  loop: () => `<a href=# data-to=${{at + 1}}>Next ›</a>`,
  more: () => at < count ? `<button data-to=${{at + 1}}>Show 4 more people</button>` : '',
  stuck: () => `<button data-to=${{at < 2 ? at + 1 : at}}>Next page</button>`,
  odd: () => numbers((n) => `<button data-to=1>${{n === 1 ? 1 : n * 10}}</button>`) + '<button data-to=2>2</button>',
}};
function show() {{
  list.innerHTML = items(style === 'more' ? 0 : (at - 1) * size, Math.min(at * size, total));
  pager.innerHTML = PAGERS[style]();
}}
pager.onclick = (event) => {{
  const to = event.target.closest('[data-to]');
  event.preventDefault();
  if (to) go(Number(to.dataset.to));
}};
show();
</script>"""


def people(frame: object) -> list[str]:
    return [f"Person {n}" for n in range(len(frame))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("style", "says"),
    [
        ("numbers", "page 3 is open now"),
        ("items", "page 3 is open now"),
        ("titled", "page 3 is open now"),
        ("icons", "page 3 is open now"),
        ("classes", "page 3 is open now"),
        ("loop", "read 3 pages, 11 rows"),
        ("more", "read 3 pages, 11 rows"),
    ],
)
def test_fault_43_pagers_of_many_shapes_are_followed_to_their_end(
    serve_html: Serve, style: str, says: str
) -> None:
    page = serve_html(PAGE.format(total=11, style=style, claim="11 results"))
    frame = sb.extract(page, next=True)
    assert frame.iloc[:, 0].tolist() == people(frame)
    assert len(frame) == 11
    assert frame.skillbook.complete, frame.skillbook.reason
    assert says in frame.skillbook.reason
    assert frame.skillbook.expected == {"rows": 11}


def test_fault_43_a_pager_that_goes_nowhere_is_not_the_last_page(serve_html: Serve) -> None:
    page = serve_html(PAGE.format(total=11, style="stuck", claim=""))
    with pytest.warns(IncompleteFrame, match="showed the same rows"):
        frame = sb.extract(page, next=True)
    assert len(frame) == 8


def test_fault_43_fewer_rows_than_claimed_at_the_end_of_the_pager(serve_html: Serve) -> None:
    page = serve_html(PAGE.format(total=11, style="numbers", claim="137 results"))
    with pytest.warns(IncompleteFrame, match="the page says 137"):
        frame = sb.extract(page, next=True)
    assert len(frame) == 11
    assert "page 3 is the last one" in frame.skillbook.reason


def test_fault_43_a_page_with_a_pager_that_was_not_followed_says_so(read_html: Serve) -> None:
    page = read_html(PAGE.format(total=11, style="items", claim=""))
    with pytest.warns(IncompleteFrame, match="next=True"):
        sb.extract(page)


@pytest.mark.parametrize(
    ("pager", "says"),
    [
        ("Page <select><option>1<option>2<option>3</select> of 3", "the page says 3 pages"),
        ("Page <input value=1 size=2> of 3", "the page says 3 pages"),
        ("<select aria-label=Page><option>1<option>2<option>3</select>", "a list of 3 pages"),
        ("<select><option>Page 1<option>Page 2</select>", "a list of 2 pages"),
        ("Page <input value=1 size=2> of 1", ""),
        ("Show <select><option>1<option>2<option>3</select> lines", ""),
    ],
)
def test_a_page_that_is_chosen_in_a_field_is_not_the_last_one(
    read_html: Serve, pager: str, says: str
) -> None:
    rows = "".join(f"<li><a href=/{n}>Item {n}</a> <span>${n}</span>" for n in range(4))
    page = read_html(f"<main><h1>Items</h1><ul>{rows}</ul><div>{pager}</div></main>")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        frame = sb.extract(page, next=True)
    assert (len(frame), frame.skillbook.complete) == (4, not says)
    assert says in " ".join(str(each.message) for each in seen)
