"""Every state of a run as the side panel gets it, with words that a page or a model may have chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillbook.cells.parsed_code import spans_by_line
from tests.integration.canned_kernel import NOW, Given, step, summary, view, waiting

ALL = ["approve", "edit", "reject", "respond", "skip"]
SCHEMA = {
    "type": "object",
    "properties": {
        "target": {"type": "string"},
        "value": {"type": "string", "description": "What to put in."},
    },
    "required": ["target", "value"],
}

CODE_SCHEMA = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}


def call(text: str, risk: str = "write", **more: Any) -> Given:
    """A call that waits."""
    return {
        "id": f"q-{risk}",
        "kind": "approve",
        "words": f"Fill in the search field 'Search products' {text}",
        "place": text,
        "why": text or "writes on shop.example are allowed one by one",
        "said": text or "First I search the catalogue for lamps.",
        "risk": risk,
        "call": {
            "tool": "fill",
            "args": {"target": "e4", "value": text or "lamp"},
            "json_schema": SCHEMA,
            "targets": ["target"],
        },
        "editable": ["target", "value"],
        "decisions": ALL,
        "always": ["session", "always"],
        "learn": f"fill on https://shop.example {text}",
        "second_press": risk == "irreversible",
        **more,
    }


CELL = """\
page.fill("searchbox 'Search products'", "lamp")  # {text}
page.click("button 'Search'")
rows = sb.extract(page, fields={"title": "heading", "link": "link@href"}, within="listitem in list 'Products'")
for row in rows[:3]:
    page.goto(row["link"])
    print(row["title"], page.text("heading nth 1"))
len(rows)
"""


def cell(text: str, line: int = 0) -> Given:
    """A cell that waits, whole or at one of its lines."""
    code = CELL.replace("{text}", text or "the shop's own search")
    start = code.index("page.goto") if line else 0
    lines = [
        [{"kind": span.kind, "text": span.text, "here": span.here} for span in spans]
        for spans in spans_by_line(code, start, start + len('page.goto(row["link"])') if line else 0)
    ]
    offers = [
        ("call", "Step"),
        ("line", "To the next line"),
        ("write", "To the next write"),
        ("end", "To the end"),
    ]
    whole = [("call", "Step into"), ("write", "To the first write")]
    forecast = "reads; 2 writes: fill searchbox 'Search products' (line 1), goto row['link'] (line 5, loop)"
    more = {"number": 2, "line": line and 5, "forecast": "" if line else f"{forecast} {text}", "lines": lines}
    shown = {
        **more,
        "steps": [{"until": until, "words": words} for until, words in (offers if line else whole)],
    }
    given: Given = {"id": f"q-cell-{line}", "cell": shown, "decisions": [*ALL, "step"], "learn": ""}
    if line:
        return call(text, words=f"Open https://shop.example/lamps/3 {text}", **given)
    tool = {"tool": "run_cell", "args": {"code": code}, "json_schema": CODE_SCHEMA}
    return call(text, words="Run a cell (7 lines)", place="", call=tool, editable=["code"], **given)


def variables(text: str) -> list[Given]:
    """What cells have left."""
    rows = [[f"Aurora Desk Lamp {text}", text or "https://shop.example/lamps/1"]] * 3
    return [
        {"name": "rows", "type": "list", "size": 8, "columns": ["title", text or "link"], "rows": rows},
        {"name": "total", "type": "int", "text": text or "8"},
    ]


def tasks(text: str) -> list[Given]:
    """A task list with each status."""
    statuses = ["completed", "executing", "pending", "requires_assistance", "failed", "dropped"]
    names = [
        "Search for lamps",
        "Open the cheapest",
        "Put it into the cart",
        "Sign in",
        "Pay",
        "Write a review",
    ]
    return [
        {
            "id": n,
            "title": f"{name} {text}",
            "type": "click",
            "parameters": {"query": text or "lamp"},
            "status": status,
            "after": [n - 1] if n > 1 else [],
        }
        for n, (name, status) in enumerate(zip(names, statuses, strict=True), 1)
    ]


def steps(text: str, count: int = 5) -> list[Given]:
    """Steps that went well, failed, and were declined."""
    made = []
    for n in range(1, count + 1):
        failed, declined = n % 5 == 3, n % 5 == 4
        made.append(
            step(
                n,
                f"click link 'Dusk Bedside Lamp' {text}",
                record=text or "list item 'Oakline'",
                ok=not failed and not declined,
                declined=declined,
                error="the element is covered by a cookie notice" if failed else "",
                hint="close the notice first" if failed else "",
                outcome=text or "the page changed: 12 elements are new",
                decision=["auto", "approve", "auto", "reject", "edit"][n % 5],
                said=text,
                url="https://shop.example/lamps?" + text,
                elapsed_ms=40.0 * n * n,
                thumbnail=True,
            )
        )
    return made


def crumbs(text: str) -> list[Given]:
    return [
        {"url": "https://shop.example/", "title": f"Oak & Elm {text}", "time": NOW},
        {
            "url": "https://shop.example/lamps",
            "title": f"Lamps {text}",
            "label": text or "link 'Lamps'",
            "time": NOW,
        },
    ]


def outputs(text: str, count: int = 12) -> list[Given]:
    return [
        {
            "id": "o1",
            "kind": "rows",
            "title": f"lamps {text}",
            "complete": False,
            "note": text or "the last page failed",
            "columns": ["Name", "Price", "In stock"],
            "count": count,
        },
        {
            "id": "o2",
            "kind": "facts",
            "title": f"totals {text}",
            "facts": {f"cheapest {text}": text or "$5.00"},
            "count": 1,
        },
        {
            "id": "o3",
            "kind": "text",
            "title": f"summary {text}",
            "text": f"Twelve lamps. {text}\n" * 20,
            "count": 300,
        },
        {
            "id": "o4",
            "kind": "file",
            "title": f"invoice.pdf {text}",
            "count": 48_210,
            "media_type": "application/pdf",
        },
    ]


def states(text: str) -> Iterator[tuple[str, Given]]:
    """Each state by its name; `text` stands wherever a page or a model has a say."""
    facts = {"title": f"Find a lamp for my bed {text}", "steps": steps(text), "breadcrumbs": crumbs(text)}
    facts |= {"tokens": 12_345, "cost": 0.0123, "model": "openai:gpt-5-mini", "max_steps": 50}
    yield "created", view(state="created", words="not started", status="idle", can=["resume"])
    yield "planning", view(state="planning", words="plans", **facts)
    yield (
        "exploring",
        view(state="exploring", words="looks around", under_way=f"explore {text}", since=NOW, **facts),
    )
    yield (
        "executing",
        view(
            state="executing",
            words="works",
            tasks=tasks(text),
            progress=0.4,
            progress_words="2 of 5 tasks",
            **facts,
        ),
    )
    yield from _asking(text, facts)
    yield from _over(text, {**facts, "ended": NOW + 60})


def _asking(text: str, facts: Given) -> Iterator[tuple[str, Given]]:
    yield "write", waiting(call(text), tasks=tasks(text), progress=0.2, **facts)
    yield "refused", waiting(call(text, refusal=text or "the element is gone", id="q-refused"), **facts)
    yield "irreversible", waiting(call(text, "irreversible"), **facts)
    yield "cell", waiting(cell(text), variables=variables(text), **facts)
    yield "line of a cell", waiting(cell(text, line=4), **facts)
    yield (
        "held",
        waiting(
            call(
                text,
                kind="held_request",
                id="q-held",
                words=f"Send POST https://shop.example/order {text}",
                call=None,
                editable=[],
                decisions=["approve", "reject", "skip"],
                learn="",
            ),
            **facts,
        ),
    )
    yield (
        "choose",
        waiting(
            {
                "id": "q-choose",
                "kind": "choose",
                "words": text or "Which lamp is meant?",
                "choices": [f"Dusk Bedside Lamp {text}", "Dawn Floor Lamp", text or "another"],
                "decisions": ["choose", "reject"],
            },
            **facts,
        ),
    )
    yield (
        "help",
        {
            **waiting(
                {
                    "id": "q-help",
                    "kind": "assist",
                    "obstacle": "login",
                    "noticed": True,
                    "words": text or "Sign in on shop.example; then I go on with your orders.",
                    "decisions": ["done", "respond", "reject"],
                },
                **facts,
            ),
            "state": "blocked",
            "words": "needs your help",
        },
    )


def _over(text: str, over: Given) -> Iterator[tuple[str, Given]]:
    yield (
        "succeeded",
        view(
            state="succeeded",
            words="done",
            status="succeeded",
            result=text or "The lamp is in the cart, for $89.71.",
            outputs=outputs(text),
            can=["save_skill", "write_notebook"],
            **over,
        ),
    )
    yield (
        "failed",
        view(
            state="failed",
            words="failed",
            status="failed",
            error=text or "the model could not be reached",
            hint=text or "check OPENAI_API_KEY",
            warning=text,
            can=["resume"],
            **over,
        ),
    )
    yield "cancelled", view(state="cancelled", words="stopped", status="stopped", can=["resume"], **over)


def skills(text: str, count: int = 100) -> list[Given]:
    """Skills of which the first three fit the page."""
    inputs = [
        {
            "name": "query",
            "type": "text",
            "label": "Query",
            "help": text or "What to search for.",
            "required": True,
        },
        {"name": "max_price", "type": "number", "label": "Highest price", "default": 50},
        {"name": "pages", "type": "integer", "label": "Pages", "default": 3},
        {"name": "in_stock", "type": "boolean", "label": "Only what is in stock", "default": True},
        {"name": "since", "type": "date", "label": "Since"},
        {
            "name": "order",
            "type": "choice",
            "label": "Order",
            "choices": ["price", "name"],
            "default": "name",
        },
        {"name": "password", "type": "secret", "label": "Password", "help": "For your account."},
        {"name": "ids", "type": "list", "label": "Numbers"},
        {"name": "people", "type": "table", "label": "People"},
    ]
    return [
        {
            "name": f"skill-{n}",
            "title": f"Search the catalogue {n} {text}",
            "description": text or "Searches, and reads name, price and stock of each product.",
            "inputs": inputs if n == 0 else inputs[: n % 3],
            "sends": [text or "POST https://shop.example/search"] if n % 2 else [],
            "where": text or "https://shop.example",
            "score": 0.9 - n / 10 if n < 3 else None,
            "why": text or "was recorded on this site" if n < 3 else None,
            "last": summary(state="succeeded", words="done", rows=12, ended=NOW + 5) if n == 0 else None,
        }
        for n in range(count)
    ]
