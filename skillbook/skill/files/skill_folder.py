"""Skill folders: `SKILL.md` (Agent Skills frontmatter and prompt) and `replay.yaml` (what runs without a model).

Reading runs nothing. Writing happens in a folder beside the skill's, which then takes its place.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from skillbook.errors import InvalidSkill, InvalidSkillName
from skillbook.skill.files.spec_reading import (
    Document,
    Loc,
    dump_mapping,
    explain,
    load_mapping,
    place_of,
    read_text,
    refuse_field,
    split_document,
)
from skillbook.skill.files.subskills import with_subskills
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import check_name, inputs_of_text, skill_folder
from skillbook.storage import storing

NAMES_OF_VERSION_1 = {"rungs": "selectors", "looks": "fingerprint"}


def upgraded(step: Any, version: int) -> Any:
    """A step as the present version has it, with the steps inside of it; what is no step is left to the model."""
    if not isinstance(step, dict):
        return step
    found = dict(step)
    if version == 1:
        for part in ("target", "to"):
            if isinstance(found.get(part), dict):
                found[part] = {
                    NAMES_OF_VERSION_1.get(name, name): value for name, value in found[part].items()
                }
    params = found.get("params")
    if found.get("command") == "wait_for" and isinstance(params, dict) and "quiet" in params:
        # A page was waited for until it was silent; it is at rest now once what was caused is over.
        kept = {name: value for name, value in params.items() if name != "quiet"}
        found["params"] = {**kept, "idle": params["quiet"]}
    if isinstance(found.get("steps"), list):
        found["steps"] = [upgraded(inner, version) for inner in found["steps"]]
    return found


SKILL_FILE = "SKILL.md"
REPLAY_FILE = "replay.yaml"
CODE_FILE = "skill.py"
REPLAY_VERSION = 2
FRONTMATTER = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
REPLAY_FIELDS = ("start", "inputs", "outputs", "origins", "secrets", "sends", "fails", "code", "steps")


def read_skill(folder: Path) -> SkillSpec:
    """Read a skill's folder, with the steps of the skills that it runs, which lie beside it.

    Raises SkillNotFound: the folder or its SKILL.md isn't there.
    Raises InvalidSkill, InvalidSkillName: a file that is broken; file, line and field are in the message.
    """
    return _read(folder, ())


def _read(folder: Path, outer: tuple[str, ...]) -> SkillSpec:
    """Read a skill's folder.

    outer: the names of the skills that run it, the outermost first.
    """
    if folder.is_symlink():
        raise InvalidSkill(
            f"{folder} is a symbolic link", hint="replace it by a real folder", file=str(folder)
        )
    path = folder / SKILL_FILE
    document = split_document(read_text(path), path, required=True)
    fields = _frontmatter(document, path)
    replay_path = folder / REPLAY_FILE
    replay_text = ""
    replay: dict[str, Any] = {}
    version: Any = REPLAY_VERSION
    if replay_path.exists() or replay_path.is_symlink():
        replay_text = read_text(replay_path)
        found = load_mapping(replay_text, str(replay_path))
        version, replay = found.get("version"), _replay(found, replay_path, replay_text)
        if "code" in replay:
            replay["code"] = read_text(folder / CODE_FILE)
    try:
        spec = SkillSpec.model_validate({**fields, **replay, "body": document.body})
        spec = spec.model_copy(update={"inputs": inputs_of_text(spec.body, spec.inputs, spec.item_names)})
    except ValidationError as error:
        loc = error.errors()[0]["loc"]
        if not loc:
            raise _fault(error, replay_path, replay_text, replay) from None
        if loc[0] in REPLAY_FIELDS:
            raise explain(
                error, replay_path, replay_text, 1, lambda loc: _replay_place(loc, replay, version)
            ) from None
        raise explain(error, path, document.yaml, 2, _frontmatter_place) from None
    except InvalidSkillName as error:
        raise InvalidSkillName(f"{path}, name: {error.message}", hint=error.hint, file=str(path)) from None
    except InvalidSkill as error:
        raise _fault(error, replay_path, replay_text, replay) from None
    if spec.name != folder.resolve().name:
        raise InvalidSkill(
            f"{path}: the name {spec.name!r} is not its folder's, {folder.resolve().name!r}",
            hint="make the two equal",
            file=str(path),
            field="name",
        )
    try:
        return with_subskills(spec, partial(read_beside, folder, (*outer, spec.name)))
    except (InvalidSkill, ValidationError) as error:
        if isinstance(error, InvalidSkill) and error.data.get("file"):
            raise  # the other skill's file
        raise _fault(error, replay_path, replay_text, replay) from None


def read_beside(folder: Path, outer: tuple[str, ...], name: str) -> SkillSpec:
    """Read a skill that another one runs.

    Raises InvalidSkill: it runs that one in turn.
    """
    if name in outer:
        way = " → ".join([*outer[outer.index(name) :], name])
        raise InvalidSkill(f"skills run each other without end: {way}", hint="let one of them do without")
    beside = folder.resolve().parent / name
    if not (beside / SKILL_FILE).exists():
        raise InvalidSkill(f"there is no {beside}", hint="save that skill in the same folder")
    return _read(beside, outer)


def _fault(
    error: ValidationError | InvalidSkill, path: Path, text: str, replay: dict[str, Any]
) -> InvalidSkill:
    """What is wrong with the skill as a whole, with the line and column of the step or field that it speaks of."""
    if isinstance(error, ValidationError):
        message, hint = str(error.errors()[0]["msg"]).removeprefix("Value error, "), "correct that line"
    else:
        message, hint = error.message, error.hint
    loc: Loc = ()
    if found := re.match(r"step (\d+)", message):
        loc = next(islice(_places(replay.get("steps", [])), int(found[1]) - 1, None), ())
    elif found := re.match(r"run_skill (\S+):", message):
        loc = next((place for place in _places(replay["steps"]) if _runs(replay, place) == found[1]), ())
    elif found := re.match(r"(sends|inputs|start|code)\b", message):
        loc = (found[1],)
    line, column = place_of(text, loc)
    return InvalidSkill(
        f"{path}, line {line}, column {column}: {message}",
        hint=hint,
        file=str(path),
        line=line,
        column=column,
    )


def _places(steps: list[Any], at: Loc = ("steps",)) -> Iterator[Loc]:
    """Where each step stands in the file, in the order of their numbers."""
    for index, step in enumerate(steps):
        yield (*at, index)
        yield from _places(step.get("steps", []), (*at, index, "steps"))


def _runs(replay: Any, place: Loc) -> str:
    """The name of the skill that a step runs, or ""."""
    for part in place:
        replay = replay[part]
    return str(replay.get("skill", {}).get("name", ""))


def _frontmatter(document: Document, path: Path) -> dict[str, Any]:
    found = document.fields
    refuse = partial(refuse_field, path, yaml=document.yaml, first_line=2)
    for key in found:
        if key not in FRONTMATTER:
            hint = f"allowed are {', '.join(FRONTMATTER)}; put others under metadata"
            raise refuse(key, "no such field in the frontmatter", hint)
    fields = dict(found)
    tools = fields.pop("allowed-tools", None)
    if tools is not None:
        if not isinstance(tools, str):
            hint = "write the tools in one line, with spaces between them"
            raise refuse("allowed-tools", "a string is wanted", hint)
        fields["allowed_tools"] = tools.split()
    return fields


def _frontmatter_place(loc: Loc) -> Loc:
    return ("allowed-tools", *loc[1:]) if loc[:1] == ("allowed_tools",) else loc


def _replay(found: dict[str, Any], path: Path, text: str) -> dict[str, Any]:
    refuse = partial(refuse_field, path, yaml=text)
    fields = dict(found)
    version = fields.pop("version", None)
    if type(version) is not int or not 1 <= version <= REPLAY_VERSION:
        raise refuse(
            "version",
            f"{version!r} is not one that this skillbook reads: 1 or {REPLAY_VERSION}",
            "update skillbook, or correct the file's version",
        )
    if fields.get("code", CODE_FILE) != CODE_FILE:
        raise refuse("code", f"{CODE_FILE} is wanted", "keep the skill's code in that file")
    if isinstance(fields.get("steps"), list):
        fields["steps"] = [upgraded(step, version) for step in fields["steps"]]
    for key in fields:
        if key not in REPLAY_FIELDS:
            raise refuse(key, "no such field", f"allowed are version, {', '.join(REPLAY_FIELDS)}")
    inputs = fields.get("inputs", {})
    if not isinstance(inputs, dict) or not all(isinstance(one, dict) for one in inputs.values()):
        raise refuse(
            "inputs", "a mapping of names to mappings is wanted", "write, for example, 'query: {type: str}'"
        )
    return {**fields, "inputs": [{**one, "name": name} for name, one in inputs.items()]}


def _replay_place(loc: Loc, replay: dict[str, Any], version: int) -> Loc:
    """A place in the model as the place in the file."""
    if loc[0] == "steps" and version == 1:
        old_names = {new: old for old, new in NAMES_OF_VERSION_1.items()}
        return tuple(old_names.get(str(part), part) for part in loc)
    if loc[0] == "inputs" and len(loc) > 1 and isinstance(loc[1], int):
        return ("inputs", str(replay["inputs"][loc[1]]["name"]), *loc[2:])
    return loc


def write_skill(spec: SkillSpec, folder: Path, *, overwrite: bool = True) -> Path:
    """Write a skill as `folder/NAME/` in one go, and return that path; other files in it are kept.

    folder: the library's folder, made where it is missing.
    Raises InvalidSkillName: the name, or what stands in its place, won't do.
    Raises InvalidSkill: there is one already and `overwrite` is false; or a skill that it runs is not in the folder.
    """
    check_name(spec.name)
    for step in spec.all_steps:
        if step.skill is not None and not (folder / step.skill.name / SKILL_FILE).exists():
            raise InvalidSkill(
                f"{spec.name} runs {step.skill.name}, which isn't in {folder}",
                hint="save that skill there first",
            )
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    place = skill_folder(folder, spec.name)
    if place.exists() and not (overwrite and place.is_dir()):
        raise InvalidSkill(
            f"{place} exists already", hint="choose another name, or overwrite it", file=str(place)
        )
    with storing(place):
        fresh = Path(tempfile.mkdtemp(prefix=f".{spec.name}-", suffix=".new", dir=folder))
        try:
            if place.is_dir():
                shutil.copytree(place, fresh, symlinks=True, dirs_exist_ok=True)
                for name in (SKILL_FILE, REPLAY_FILE):
                    (fresh / name).unlink(missing_ok=True)
            else:
                fresh.chmod(0o755)
            write_durably(fresh / SKILL_FILE, skill_text(spec))
            if _says_more(spec):
                write_durably(fresh / REPLAY_FILE, replay_text(spec))
            if spec.code:
                write_durably(fresh / CODE_FILE, spec.code)
            _swap(fresh, place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return place


def _says_more(spec: SkillSpec) -> bool:
    """Whether there is anything that SKILL.md doesn't say."""
    rest = spec.model_dump(include=set(REPLAY_FIELDS) - {"inputs"}, exclude_defaults=True)
    return bool(rest) or spec.inputs != inputs_of_text(spec.body, [])


def _swap(fresh: Path, place: Path) -> None:
    if not place.exists():
        fresh.rename(place)
        return
    old = place.with_name(f"{fresh.name.removesuffix('.new')}.old")
    place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old)


def write_durably(path: Path, text: str) -> None:
    """Write a file and wait until it is on the disk."""
    with path.open("wb") as stream:
        stream.write(text.encode("utf-8"))
        stream.flush()
        os.fsync(stream.fileno())


def skill_text(spec: SkillSpec) -> str:
    """What SKILL.md holds."""
    fields: dict[str, Any] = {"name": spec.name, "description": spec.description}
    if spec.license is not None:
        fields["license"] = spec.license
    if spec.compatibility is not None:
        fields["compatibility"] = spec.compatibility
    if spec.metadata:
        fields["metadata"] = dict(spec.metadata)
    if spec.allowed_tools:
        fields["allowed-tools"] = " ".join(spec.allowed_tools)
    return f"---\n{dump_mapping(fields)}---\n\n{spec.body}\n"


def replay_text(spec: SkillSpec) -> str:
    """What replay.yaml holds."""
    data = spec.model_dump(mode="json", include=set(REPLAY_FIELDS), exclude_defaults=True)
    inputs = data.pop("inputs", None)
    if "steps" in data:
        data["steps"] = [_as_in_file(step) for step in data["steps"]]
    if "code" in data:
        data["code"] = CODE_FILE
    if "outputs" in data:
        data["outputs"] = [one["name"] if len(one) == 1 else one for one in data["outputs"]]
    fields: dict[str, Any] = {"version": REPLAY_VERSION}
    for one in inputs or ():
        if "default" in one:
            one.pop("required", None)  # the default says so already
    if inputs:
        fields["inputs"] = {one.pop("name"): one for one in inputs}
    return dump_mapping(fields | {key: data[key] for key in REPLAY_FIELDS if key in data})


def _as_in_file(step: dict[str, Any]) -> dict[str, Any]:
    """A step without what another skill's file says."""
    if "skill" in step:
        kept = {key: value for key, value in step["skill"].items() if key in ("name", "inputs", "start")}
        return {**{key: value for key, value in step.items() if key != "steps"}, "skill": kept}
    return {**step, "steps": [_as_in_file(one) for one in step["steps"]]} if "steps" in step else step
