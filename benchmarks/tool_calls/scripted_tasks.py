"""The tasks: what a model that makes no mistake would do, in steps that every contestant has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Step:
    """One act on an element, which is looked for in the newest text that the tool gave.

    Parameters
    ----------
    verb : what is done.
    role, name : of the element, as accessibility has them.
    value : what is filled in or chosen.
    after : text behind which the element stands, such as its row's.
    """

    verb: Literal["click", "fill", "select"]
    role: str
    name: str
    value: str = ""
    after: str = ""


@dataclass(frozen=True)
class ScriptedTask:
    """One task.

    Parameters
    ----------
    name, site, path : where it starts.
    steps : what is done.
    shows : what the last text must say; empty where the site decides.
    right : whether the site is as it should be.
    """

    name: str
    site: str
    path: str
    steps: tuple[Step, ...]
    shows: str = ""
    right: Callable[[Any], bool] = lambda app: True


TASKS = (
    ScriptedTask(
        "search a person", "admin", "/people",
        (Step("fill", "searchbox", "Name", "Tara"), Step("click", "button", "Search")),
        shows="tara.singh.22",
    ),
    ScriptedTask(
        "change a role", "admin", "/people/22",
        (Step("select", "combobox", "Role", "owner"), Step("click", "button", "Save")),
        right=lambda app: app.people[22].role == "owner",
    ),
    ScriptedTask(
        "delete one of two", "admin", "/people?q=Anna",
        (Step("click", "link", "Delete", after="anna.berg.10"), Step("click", "button", "Delete for good")),
        right=lambda app: 10 not in app.people and 17 in app.people,
    ),
    ScriptedTask(
        "fill a cart", "shop", "/product/halo-ring-lamp",
        (Step("click", "button", "Add to cart"),),
        shows="Halo Ring Lamp",
    ),
    ScriptedTask(
        "subscribe", "shop", "/",
        (
            Step("click", "button", "Newsletter"),
            Step("fill", "textbox", "E-mail", "ada@example.com"),
            Step("click", "button", "Subscribe"),
        ),
        right=lambda app: app.subscribers == ["ada@example.com"],
    ),
)  # fmt: skip
