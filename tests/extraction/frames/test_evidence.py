from __future__ import annotations

import json

from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.evidence import Check, Evidence
from skillbook.extraction.frames.make import make_frame
from skillbook.extraction.page_tables import tables_from
from tests.trees import snapshot

HOLDS = Check("count", True, "3 rows, as the page says", {"rows": 3})
BROKEN = Check("text", False, "1 text is in no column (“Sold out”)", {"left": 1, "first": ["Sold out"]})


def test_a_broken_law_makes_a_frame_incomplete_and_is_said() -> None:
    frame = make_frame(["a"], [], completeness=Completeness(reason="read 1 page").checked(HOLDS, BROKEN))
    assert not frame.skillbook.complete
    assert frame.skillbook.reason == "read 1 page; 1 text is in no column (“Sold out”)"
    assert list(frame.skillbook.notes) == [BROKEN.says]
    assert frame.skillbook.evidence.broken == (BROKEN,)


def test_laws_that_hold_leave_a_frame_complete_and_are_evidence() -> None:
    whole = Completeness(reason="read 1 page").checked(HOLDS)
    assert (whole.complete, whole.reason, list(whole.notes)) == (True, "read 1 page", [])
    assert str(whole.evidence) == "count: 3 rows, as the page says"


def test_evidence_is_data_that_json_keeps() -> None:
    evidence = Evidence().with_checks(HOLDS, BROKEN)
    assert Evidence.from_list(json.loads(json.dumps(evidence.to_list()))) == evidence
    assert evidence.of("text") == (BROKEN,)


def test_what_was_taken_for_granted_of_a_column_is_evidence() -> None:
    lines = "".join(
        f'  row\n    cell "{name}"\n    cell "{size}"\n' for name, size in (("A", "1.2M"), ("B", "3M"))
    )
    page = snapshot(f'table "T"\n  row\n    columnheader "Name"\n    columnheader "Size"\n{lines}')
    (frame,) = tables_from(page)
    (check,) = frame.rename(columns={"Size": "size"}).skillbook.evidence.of("rules")
    rule = "K is thousands, M millions, B billions"
    assert (check.holds, str(check), check.facts) == (True, f'rules: "size" {rule}', {"size": rule})
