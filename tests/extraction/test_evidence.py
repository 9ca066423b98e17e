from __future__ import annotations

import json

from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.evidence import Check, Evidence
from skillbook.extraction.frames.make import make_frame

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
