"""What a page answers to a selector is what the whole snapshot says, or nothing."""

from __future__ import annotations

import pytest

from tests.integration.engine_page import EnginePages
from tests.integration.selector_agreement import (
    SHOW,
    Agreement,
    compare_documents,
    whole_snapshot,
)


def _require_agreement(engine: EnginePages, seeds: range) -> None:
    found = compare_documents(engine, seeds)
    assert not found.wrong, f"{len(found.wrong)} wrong:\n" + "\n".join(found.wrong[:20])
    # Were everything left to the kernel, nothing wrong would ever be found.
    assert found.answered > found.left, (found.answered, found.left)


def test_random_documents(engine: EnginePages) -> None:
    _require_agreement(engine, range(1, 61))


@pytest.mark.parametrize(
    ("html", "selector"),
    [
        ("<button>Save<i hidden>now</i></button><button>Save</button>", "button 'Save'"),
        ("<button><i aria-hidden=true>add</i>Add</button><button>Add</button>", "button 'Add'"),
        (
            "<table><tr><td>Ann <i hidden>edit</i> Smith<td><button>Edit</button></tr>"
            "<tr><td>Ann Smith Jr<td><button>Edit</button></tr></table>",
            "button 'Edit' in row 'Ann Smith'",
        ),
        (
            "<ul><li>Bob <i style='font-size:0'>x</i>Ann <a href=/1>Go</a></li><li>Bob Ann <a href=/2>Go</a></li></ul>",
            "link 'Go' in listitem 'Bob Ann'",
        ),
        ("<ul><li><input type=file></li><li>Choose File</li></ul>", "listitem ~'Choose File'"),
    ],
)
def test_what_is_hidden_inside_is_no_part_of_a_name(engine: EnginePages, html: str, selector: str) -> None:
    _require_same(engine, html, selector)


@pytest.mark.parametrize(
    ("html", "selector"),
    [
        # A label's name for a control goes on with the value of a field in it.
        (
            "<label>Say <ul><li><button>Next</button></li><li><input type=button value='Save as'></li></ul></label>",
            "listitem ~'Save as'",
        ),
        # Labels name buttons as well as fields.
        (
            "<p id=t>Send it</p><input type=image aria-labelledby=t><button aria-labelledby=t>Go</button>",
            "label ~'Send'",
        ),
        (
            "<label>Send it <input type=image></label><label for=b>Send it</label><button id=b>Go</button>",
            "label ~'Send'",
        ),
        # Anchors without an address are called as links are.
        ("<a data-toggle=x>Go on</a><a data-toggle=x title='Other'>Go on</a>", "link ~'Go on'"),
    ],
)
def test_names_from_elsewhere_are_found(engine: EnginePages, html: str, selector: str) -> None:
    _require_same(engine, html, selector)


def _require_same(engine: EnginePages, html: str, selector: str) -> None:
    engine.show("")
    engine.page.evaluate(SHOW, html)
    found = Agreement()
    found.compare(engine, [selector], "", whole_snapshot(engine))
    assert not found.wrong


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_random_documents(engine: EnginePages) -> None:
    _require_agreement(engine, range(1_000, 6_000))
