from __future__ import annotations

import pickle
import re

from skillbook import errors
from skillbook.errors import SkillbookError, StaleRef, error_classes, error_from_wire
from skillbook.protocol.generate import error_table


def test_every_class_stands_in_the_docstrings_tree_with_a_code() -> None:
    classes = {cls.__name__: cls for cls in error_classes().values()}
    tree = set(re.findall(r"[A-Z]\w+", re.sub(r" {2,}[a-zI].*", "", errors.__doc__ or "")))
    assert set(classes) <= tree
    defined = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, SkillbookError)
    ]
    assert len(classes) == len(defined), "two classes share a code"


def test_the_wire_keeps_code_message_hint_and_data() -> None:
    error = StaleRef("e3 is gone", ref="e3")
    again = error_from_wire(**error.to_wire())
    assert type(again) is StaleRef
    assert (again.message, again.hint, again.data) == (error.message, error.hint, {"ref": "e3"})


def test_whether_an_error_is_retryable_survives_the_wire_and_pickling() -> None:
    sent = {"code": "page_unreachable", "message": "no address"}
    never = error_from_wire(**sent, retryable=False)
    assert (error_from_wire(**sent).retryable, never.retryable) == (True, False)
    assert error_from_wire(**never.to_wire()).retryable is False
    assert pickle.loads(pickle.dumps(never)).retryable is False


def test_an_unknown_code_is_still_an_error() -> None:
    assert error_from_wire("invented", "odd").message == "odd"


def test_hostile_data_cannot_break_the_constructor() -> None:
    assert error_from_wire("timeout", "late", data={"message": "x", "hint": "y", "n": 1}).data == {"n": 1}


def test_errors_survive_pickling_and_say_what_to_try() -> None:
    error = pickle.loads(pickle.dumps(StaleRef("gone", ref="e1")))
    assert isinstance(error, StaleRef)
    assert error.data == {"ref": "e1"}
    assert "[stale_ref]" in str(error)
    assert "Try: " in str(error)


def test_every_error_that_can_be_raised_is_documented_with_its_meaning_and_remedy() -> None:
    page = error_table()
    leaves = [cls for cls in error_classes().values() if not cls.__subclasses__()]
    for cls in leaves:
        assert f"| `{cls.code}` | `{cls.__name__}` |" in page, cls.__name__


def test_the_page_of_errors_has_every_code_with_cause_and_remedy() -> None:
    page = error_table()
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", page, flags=re.MULTILINE))
    for code, cls in error_classes().items():
        if cls is SkillbookError:
            continue
        name, cause, remedy = rows[code].split(" | ")
        assert name == f"`{cls.__name__}`"
        assert len(cause) > 8, f"{code} has no cause"
        assert len(remedy) > 8, f"{code} has no remedy"
        assert remedy != "the message says", f"{code} has no remedy"
    assert len(rows) == len(error_classes()) - 1
