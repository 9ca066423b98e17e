"""What a command is: the one entry from which types, tools, policy, journal and docs are derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from skillbook.protocol.model import WireModel
from skillbook.protocol.refs import types_character


class Effect(StrEnum):
    """What a command may do to the world."""

    READ = "read"
    WRITE = "write"
    IRREVERSIBLE = "irreversible"


@dataclass(frozen=True, kw_only=True)
class ModelWords:
    """What a model reads of a tool. Schemas go with every request, so their length is paid for at every step.

    short: in place of the tool's description, where that is longer than a model needs.
    arguments: of each argument whose name doesn't say enough; `target` is in the system prompt.
    seldom: arguments that aren't shown; a model that names one is understood.
    hidden: whether the tool isn't shown at all, as others do the same.
    """

    short: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    seldom: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class Command:
    """One action that can cross the wire, with every fact on which the kernel or the extension decides.

    Parameters
    ----------
    name : the command's name on both sides.
    params, result : their models.
    effect : what it may do; the policy can raise it for a given target, never lower it.
    description : one sentence for the model, the docs and the journal; the first one of its method's docstring.
    words : what a model reads of it in place of that.
    doc : what people read beyond that, and in other words than models; see `skillbook.protocol.methods`.
    also: what Playwright's users call it, as a verb of the terminal too.
    phrase : what it does, as the beginning of a sentence that its target ends; empty for what no panel shows in words.
    scope : whether it needs a page ("page") or not ("browser").
    internal : not offered as a Page method or agent tool.
    local_params : parameters of the call that the kernel itself uses; the wire has none of them.
    human_only : those that a person may give and an agent may not.

    What it does on the page:

    activates : may set off what its target is for, so that the target's label and form can raise the effect.
    follows_links : opens the address of a link that is its target.
    submits : sends the form that its target belongs to.
    presses_keys : presses keys one by one: Enter among them can send a form; without a target they go to the focus.
    text_param : the parameter with text for a field; the only one that a secret's value may take the place of.
    edits_text : changes the text of a field, and can be done again where the page replaced the field before.
    sets_value : sets its target's whole value, so that of several in a row only the last counts.
    takes_focus : moves the mouse or the focus to its target, which makes a `focus` or `hover` before it needless.
    reads_element : returns what an element contains, which an element can ask to keep from AI.
    captures_image : returns an image, in which secrets are masked.
    runs_script : runs the caller's JavaScript, which a browser has to be started for.
    page_tools : works with tools of the page's own, which a browser has to be started for.
    resizing : the parameters with which a read resizes the page, so that its scripts may send something.
    script_param : the parameter that makes it run the caller's JavaScript as well.
    file_param : the parameter with paths of files on this computer.
    navigates : takes the tab to another document and returns a `NavigationResult`.
    loads_anew : that document is loaded, so that it has nothing that anybody did in it before.
    destination : the parameter with the address that it goes to.
    answers_dialog : answers the JavaScript dialog that holds the page, whose text can raise the effect.

    Where the policy allows it:

    on_any_page : works also where the tab shows no web page, such as the browser's own error page.
    on_any_origin : a write that leaves the page itself alone, so that its origin needn't be allowed.
    on_any_document : its result says which document it is of, so that the verdict isn't bound to one origin.

    How the extension runs it:

    waits_turn : a read that moves or shows something, so that it waits for the tab's turn as every write does.
    resendable : a read that may be sent once more after a lost connection; a write never is.
    under_dialog : works while a JavaScript dialog blocks the page.
    after_crash : works where the page has crashed.
    in_page : a part of it, or all, is done by the content script.

    What is kept of it:

    quiet : measured in the journal, but no step of its own.
    custom_tool : the agent's tool for it is written by hand, because a model needs other arguments or another answer.
    replayed : a read that a recorded skill does again.
    only_prepares : does nothing that outlasts the next action on the same target.
    undone_by_back : where it led to another page, going back leaves nothing of it.
    gives_fact : reads one value, which can be an output of a skill.
    shows_outcome : what it makes appear or disappear is what a replay checks afterwards.
    """

    name: str
    params: type[WireModel]
    result: type[WireModel]
    effect: Effect
    description: str
    words: ModelWords = ModelWords()
    doc: str = ""
    phrase: str = ""
    also: str = ""
    scope: Literal["page", "browser"] = "page"
    internal: bool = False
    local_params: type[WireModel] | None = None
    human_only: frozenset[str] = frozenset()
    activates: bool = False
    follows_links: bool = False
    submits: bool = False
    presses_keys: bool = False
    text_param: str | None = None
    edits_text: bool = False
    sets_value: bool = False
    takes_focus: bool = False
    reads_element: bool = False
    captures_image: bool = False
    runs_script: bool = False
    page_tools: bool = False
    resizing: frozenset[str] = frozenset()
    script_param: str | None = None
    file_param: str | None = None
    navigates: bool = False
    loads_anew: bool = False
    destination: str | None = None
    answers_dialog: bool = False
    on_any_page: bool = False
    on_any_origin: bool = False
    on_any_document: bool = False
    waits_turn: bool = False
    resendable: bool = True
    under_dialog: bool = False
    after_crash: bool = False
    in_page: bool = False
    quiet: bool = False
    custom_tool: bool = False
    replayed: bool = False
    only_prepares: bool = False
    undone_by_back: bool = False
    gives_fact: bool = False
    shows_outcome: bool = False

    @property
    def method(self) -> str:
        """What Python calls it, such as `page.click`."""
        return _METHODS.get(self.name, f"page.{self.name}")

    @property
    def reads(self) -> bool:
        """Whether the table holds it to be a read."""
        return self.effect is Effect.READ

    def typed_in(self, params: Mapping[str, Any]) -> str | None:
        """The parameter with what is typed into a field, a text or a single character; None if nothing is."""
        name = self.text_param or ("key" if self.presses_keys else None)
        if (
            name is None
            or params.get(name) is None
            or (name == "key" and not types_character(str(params[name])))
        ):
            return None
        return name

    @property
    def takes_turn(self) -> bool:
        """Whether it waits until the tab's earlier commands are done."""
        return (not self.reads or self.waits_turn) and not self.under_dialog

    @cached_property
    def ref_fields(self) -> tuple[str, ...]:
        """The parameters that name an element."""
        return tuple(name for name in self.params.model_fields if name in {"ref", "to_ref"})

    @property
    def ref_names(self) -> tuple[str, ...]:
        """The same, as a call names them."""
        return tuple(CALL_NAMES[name] for name in self.ref_fields)

    @cached_property
    def local_fields(self) -> frozenset[str]:
        """The parameters that the wire doesn't have."""
        return frozenset(self.local_params.model_fields if self.local_params else ())

    @cached_property
    def call_model(self) -> type[BaseModel]:
        """The parameters as a person or a model gives them: a target is a ref or a role selector.

        `ref` becomes `target`, `to_ref` becomes `to`; the session resolves both before the wire.
        """
        fields: dict[str, Any] = {}
        for name, info in self.params.model_fields.items():
            if name in self.ref_fields:
                default = ... if info.is_required() else None
                kind = str if info.is_required() else str | None
                hint = "A ref such as e12, or a role selector such as button 'Save'."
                fields[CALL_NAMES[name]] = (kind, Field(default, description=hint))
            else:
                fields[name] = (info.annotation, info)
        for name, info in (self.local_params.model_fields if self.local_params else {}).items():
            fields[name] = (info.annotation, info)
        return self._model("Call", fields)

    @cached_property
    def tool_model(self) -> type[BaseModel]:
        """The parameters as an agent gives them."""
        if not self.human_only:
            return self.call_model
        given = self.call_model.model_fields.items()
        return self._model(
            "Tool", {name: (info.annotation, info) for name, info in given if name not in self.human_only}
        )

    def _model(self, suffix: str, fields: dict[str, Any]) -> type[BaseModel]:
        title = "".join(part.title() for part in self.name.split("_"))
        return create_model(
            f"{title}{suffix}", __config__={"extra": "forbid"}, __doc__=self.description, **fields
        )


CALL_NAMES = {"ref": "target", "to_ref": "to"}
_METHODS = {
    "is": "page.is_",
    "tabs_close": "page.close",
    "tabs_list": "browser.refresh",
    "tabs_open": "browser.open",
    "tabs_switch": "page.switch",
}
