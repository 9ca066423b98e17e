"""The golden messages, which the extension's own tests read too, mean the same on this side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from skillbook.bridge.codec import check_proof, encode, make_proof
from skillbook.protocol import envelopes
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.events import EVENTS
from skillbook.protocol.model import WireModel

GOLDEN = Path(__file__).parent / "golden"
ENVELOPES = {
    model.model_fields["type"].default: model
    for model in vars(envelopes).values()
    if isinstance(model, type) and issubclass(model, WireModel) and "type" in model.model_fields
}


def load(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


def examples() -> list[Any]:
    """(id, model, data) of every golden message, params, result and event."""
    found = [
        (f"{name}-{n}", model, data) for name, model in ENVELOPES.items() for n, data in enumerate(load(name))
    ]
    for name, parts in load("commands").items():
        command = COMMANDS[name]
        found += [(f"{name}-params-{n}", command.params, data) for n, data in enumerate(parts["params"])]
        found += [(f"{name}-result-{n}", command.result, data) for n, data in enumerate(parts["result"])]
    for name, datas in load("events").items():
        found += [(f"{name}-{n}", EVENTS[name], data) for n, data in enumerate(datas)]
    return [pytest.param(model, data, id=id) for id, model, data in found]


@pytest.mark.parametrize(("model", "data"), examples())
def test_parses_and_comes_back_the_same(model: type[WireModel], data: dict[str, Any]) -> None:
    message = model.model_validate_json(json.dumps(data))
    assert message.model_dump(mode="json", exclude_unset=True) == data
    assert model.model_validate_json(encode(message)) == message


@pytest.mark.parametrize(("model", "data"), examples())
def test_unknown_fields_are_refused(model: type[WireModel], data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        model.model_validate(data | {"surprise": 1})


@pytest.mark.parametrize("name", ENVELOPES)
def test_another_type_or_envelope_version_is_refused(name: str) -> None:
    for change in ({"type": "other"}, {"v": 2}):
        with pytest.raises(ValidationError):
            ENVELOPES[name].model_validate(load(name)[0] | change)


def test_every_envelope_command_and_event_has_examples() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {*ENVELOPES, "commands", "events", "proofs"}
    assert set(load("commands")) == set(COMMANDS)
    assert set(load("events")) == set(EVENTS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_field_of_a_command_is_shown(name: str) -> None:
    for part, model in (("params", COMMANDS[name].params), ("result", COMMANDS[name].result)):
        shown = {key for data in load("commands")[name][part] for key in data}
        assert shown == set(model.model_fields)


def test_unions_name_every_envelope_but_pairing() -> None:
    both = TypeAdapter(envelopes.FromExtension | envelopes.FromKernel)
    for name in set(ENVELOPES) - {"pair", "paired"}:
        for data in load(name):
            assert both.validate_python(data) == ENVELOPES[name].model_validate(data)


@pytest.mark.parametrize("vector", load("proofs"))
def test_proofs_are_as_the_extension_makes_them(vector: dict[str, str]) -> None:
    nonces = vector["hello_nonce"], vector["challenge_nonce"]
    assert make_proof(vector["token"], "kernel", *nonces) == vector["kernel"]
    assert check_proof(vector["extension"], vector["token"], "extension", *nonces)
    assert not check_proof(vector["extension"], vector["token"], "kernel", *nonces)
