"""Arbitrary valid skills."""

from __future__ import annotations

from hypothesis import strategies as st

from skillbook.perception.selectors import Name, Selector
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import _RESERVED, SkillInput
from skillbook.skill.model.spec_steps import Check, Extract, SkillStep, StepTarget
from skillbook.skill.model.templates import escape, write_selector

names = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+){0,3}", fullmatch=True).filter(
    lambda name: len(name) <= 64 and name not in _RESERVED
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
lines = texts.filter(lambda text: text.strip() != "")
identifiers = st.from_regex(r"in_[a-z0-9_]{1,12}", fullmatch=True)
secret_names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,12}", fullmatch=True)
roles = st.sampled_from(["button", "link", "textbox", "row", "any"])


@st.composite
def inputs(draw: st.DrawFn, name: str) -> SkillInput:
    kind = draw(st.sampled_from(["str", "int", "float", "bool"]))
    values = {
        "str": texts,
        "int": st.integers(-(10**12), 10**12),
        "float": st.floats(allow_nan=False, allow_infinity=False),
        "bool": st.booleans(),
    }[kind]
    choices = draw(st.none() | st.lists(values, min_size=1, max_size=4))
    default = draw(st.none() | (st.sampled_from(choices) if choices else values))
    return SkillInput(
        name=name,
        type=kind,
        description=draw(texts),
        default=default,
        choices=choices,
        required=default is None,
    )


@st.composite
def targets(draw: st.DrawFn) -> StepTarget:
    found = draw(
        st.lists(
            st.builds(lambda role, text: Selector(role=role, name=Name(text)), roles, texts),
            min_size=1,
            max_size=3,
        )
    )
    fingerprint = draw(st.dictionaries(st.sampled_from(["role", "name", "html_id"]), texts.map(escape)))
    return StepTarget(selectors=[write_selector(one) for one in found], fingerprint=fingerprint)


@st.composite
def skills(draw: st.DrawFn) -> SkillSpec:
    known = [draw(inputs(name)) for name in draw(st.lists(identifiers, unique=True, max_size=3))]
    secrets = draw(st.lists(secret_names, unique=True, max_size=2))
    values = [texts.map(escape), *(st.just(f"${{input:{one.name}}}") for one in known)]
    values += [st.just(f"${{secret:{name}}}") for name in secrets]
    templates = st.lists(st.one_of(values), max_size=3).map("".join)
    checks = st.builds(Check, url=templates, text=st.none() | templates, rows=st.none() | st.integers(0, 9))
    steps = st.one_of(
        st.builds(
            SkillStep,
            command=st.just("fill"),
            target=targets(),
            params=st.fixed_dictionaries({"value": templates}),
            expect=st.lists(checks, max_size=2),
            optional=st.booleans(),
            note=texts.map(escape),
        ),
        st.builds(
            SkillStep,
            command=st.just("extract"),
            extract=st.builds(
                Extract,
                fields=st.none() | st.dictionaries(texts, texts.map(escape), max_size=3),
                within=st.none() | texts.map(escape),
                max_pages=st.none() | st.integers(1, 99),
            ),
        ),
    )
    return SkillSpec(
        name=draw(names),
        description=draw(lines),
        body=draw(st.lists(texts.map(escape), max_size=4).map("\n".join)),
        inputs=known,
        outputs=draw(st.lists(texts, max_size=3)),
        start=draw(st.none() | st.just("https://shop.example/")),
        origins=draw(st.lists(st.just("https://shop.example"), max_size=1)),
        secrets=secrets,
        steps=draw(st.lists(steps, max_size=3)) if (known or secrets) else draw(st.lists(steps, max_size=1)),
        license=draw(st.none() | lines),
        compatibility=draw(st.none() | lines),
        metadata=draw(st.dictionaries(texts, texts, max_size=3)),
        allowed_tools=draw(st.lists(st.from_regex(r"[a-z_/]+", fullmatch=True), max_size=3)),
    )
