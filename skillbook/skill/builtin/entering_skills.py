"""Getting into a site: answering a consent banner, signing in by a login form, and signing out."""

from __future__ import annotations

import re
from typing import ClassVar

from skillbook import lexicon
from skillbook.perception.action_intent import action_intent
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.summary import Form, PageSummary
from skillbook.skill.builtin.builtin_skill import (
    PRESSABLE,
    BuiltinSkill,
    Details,
    Params,
    Slots,
    changed,
    inside,
    of_kind,
    refuse,
    says_broken,
    step,
    texts,
    usable,
)
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep

_MOST_NODES = 400
_MOST_UP = 8


class _Cookies(BuiltinSkill):
    kind: ClassVar[str]
    sends = True
    most_stages = 1

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "accept cookies"."""
        text = clean(goal)
        return (
            {}
            if lexicon.matches("cookie_notice", text) and self._means(text) and len(text.split()) <= 8
            else None
        )

    def slots(self, details: Details, params: Params) -> Slots:
        """The banner's one button for it."""
        buttons = _banner_buttons(details.summary.snapshot)
        if not buttons:
            raise refuse("there is no consent banner on this page")
        wanted = [node for node in buttons if self._means(node.label)]
        scored = [
            (0.95 if lexicon.matches("every", node.label) or len(wanted) == 1 else 0.8, node)
            for node in wanted
        ]
        if not scored:
            others = [(0.3, node) for node in buttons]
            raise refuse(f"the consent banner has no way to {self.kind}", self.kind, others)
        return Slots({self.kind: details.pick(self.kind, scored, f"way to {self.kind} cookies")})

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Press it."""
        return [step("click", slots[self.kind], f"{self.kind} cookies")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the banner is gone."""
        left = [node for node in _banner_buttons(after.snapshot) if self._means(node.label)]
        return "the consent banner is still there" if left else ""

    def _means(self, label: str) -> bool:
        return action_intent(label) == self.kind


class AcceptCookies(_Cookies):
    """Accepts what a consent banner asks."""

    name = "accept_cookies"
    kind = "accept"
    description = "Accept the cookies that a consent banner asks about."


class RejectCookies(_Cookies):
    """Rejects what a consent banner asks, or allows the necessary only."""

    name = "reject_cookies"
    kind = "reject"
    description = "Reject the cookies that a consent banner asks about, or allow the necessary ones only."


def _banner_buttons(snapshot: BaseSnapshot) -> list[Node]:
    """The buttons of the smallest part of a page that speaks of cookies and has a button to answer."""
    for node in snapshot.nodes:
        if node.role != "text" or not lexicon.matches("cookie_notice", node.name):
            continue
        for place, up in enumerate(node.ancestors):
            if place >= _MOST_UP or up.role in {"main", "contentinfo"} or _holds_page(up):
                break
            buttons = [
                one for one in inside(up) if one.role in PRESSABLE and usable(one) and clean(one.label)
            ]
            if any(action_intent(one.label) in {"accept", "reject"} for one in buttons):
                return [one for one in buttons if len(clean(one.label)) <= 60]
    return []


def _holds_page(up: Node) -> bool:
    """Whether it is much more than a banner."""
    size = up.snapshot.ends[up.index] - up.index
    return size > _MOST_NODES or any(one.role == "main" or one.level == 1 for one in inside(up))


_USER = re.compile(r"(?i)user|e-?mail|login|account")
"""In names that programs give."""
_USERS = frozenset({"username", "email", "login"})
_LONGEST_ERROR = 200
_NEXT = frozenset({"next_page", "login", "send"})


class Login(BuiltinSkill):
    """Fills in the one login form of a page, after opening it where there is only a way to it."""

    name = "login"
    description = "Sign in with a user name and a password."
    inputs = (
        SkillInput(name="username", description="the user name or e-mail address"),
        SkillInput(name="password", description="the password; better a secret, as sb.secret('name')"),
    )
    approves = frozenset({"credentials"})
    hidden = frozenset({"password"})
    sends = True
    most_stages = 3

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "log in"."""
        text = clean(goal)
        return {} if action_intent(text) == "login" and len(text.split()) <= 6 else None

    def match(self, summary: PageSummary, params: Params) -> float:
        """Surely on a page with a login form, well on one with a way to it."""
        bound = self.bind(Details(summary), params)
        if isinstance(bound, Slots):
            return 0.95 if bound.stage == "submit" else 0.8
        return 0.3 if bound.candidates else 0.0

    def slots(self, details: Details, params: Params) -> Slots:
        """The form's two fields and its button; else the way to the form."""
        summary = details.summary
        forms = [form for form in summary.forms if form.purpose == "login"]
        if not forms:
            return self._without_form(details)
        if len(forms) > 1:
            several = [(0.8, summary.snapshot[form.fields[0].ref]) for form in forms]
            raise refuse(f"there are {len(forms)} login forms on this page", "form", several)
        form, snapshot = forms[0], summary.snapshot
        fields = [snapshot[field.ref] for field in form.fields]
        password = next((node for node in fields if "secret" in node.states), None)
        if password is None:
            raise refuse("the login form has no password field")
        above = [
            node
            for node in fields
            if node.index < password.index and node.role in {"textbox", "combobox"} and usable(node)
        ]
        named = [(0.9 if _is_user(node) else 0.6, node) for node in above]
        nodes = {"password": password}
        if named or "username" not in details.done:
            nodes["username"] = details.pick("username", named, "field for the user name")
        if form.submit:
            nodes["button"] = snapshot[form.submit]
        return Slots(nodes, "submit", facts={"texts": frozenset(texts(snapshot))})

    def _without_form(self, details: Details) -> Slots:
        summary = details.summary
        if summary.login == "in":
            raise refuse("somebody is signed in here already: log out first")
        form = _user_form(summary)
        if form is not None and "username" not in details.done:
            nodes = {"username": summary.snapshot[form.fields[0].ref]}
            if form.submit:
                nodes["button"] = summary.snapshot[form.submit]
            return Slots(nodes, "username", last=False)
        if "open" in details.done:
            raise refuse("no login form appeared")
        ways = [(0.9, node) for node in of_kind(summary.snapshot, "login") if len(clean(node.label)) <= 40]
        return Slots(
            {"open": details.pick("open", ways, "login form, nor a way to one,")}, "open", last=False
        )

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Open the form; or fill it in and send it."""
        if slots.stage == "open":
            return [step("click", slots["open"], "open the login form")]
        steps = []
        if "username" in slots.nodes:
            steps.append(step("fill", slots["username"], "user name", value=str(params["username"])))
        if slots.stage == "submit":
            steps.append(step("fill", slots["password"], "password", value=str(params["password"])))
        last = slots["password"] if slots.stage == "submit" else slots["username"]
        if "button" in slots.nodes:
            return [*steps, step("click", slots["button"], "sign in")]
        return [*steps, step("press", last, "sign in", key="Enter")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the form is gone and nothing says that it failed."""
        if slots.stage == "open":
            shown = _login_form(after) or _user_form(after)
            return "" if shown else "no login form appeared"
        if slots.stage == "username":
            return "" if _login_form(after) else "no field for the password appeared"
        if failure := self.failed(after, slots, params):
            return failure
        if _login_form(after):
            return "the page still shows the login form"
        if after.login == "in" or (after.login == "unknown" and changed(before, after)):
            return ""
        return "the page still shows a way to sign in, and none to sign out"

    def failed(self, after: PageSummary, slots: Slots, params: Params) -> str:
        """What the page says of the attempt."""
        if slots.stage != "submit":
            return ""
        shown = texts(after.snapshot)
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        known = set(slots.facts.get("texts", ()))
        wrong = next((text for text in shown if _says_wrong(text) and text not in known), "")
        if wrong:
            return f"the page says {wrong[:120]!r}"
        code = _code_field(after) or next(
            (text for text in shown if lexicon.matches("one_time_code", text)), ""
        )
        if code and not _login_form(after) and after.login != "in":
            return f"the page wants a code: {code[:120]!r}"
        return ""


class Logout(BuiltinSkill):
    """Signs out by the page's one way to do so, opening the account's menu where it is in one."""

    name = "logout"
    description = "Sign out."
    approves = frozenset({"cancel"})
    sends = True
    most_stages = 3

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "log out"."""
        return {} if action_intent(goal) == "logout" and len(goal.split()) <= 6 else None

    def slots(self, details: Details, params: Params) -> Slots:
        """What signs out; else the menu that may have it."""
        snapshot = details.summary.snapshot
        ways = [node for node in of_kind(snapshot, "logout") if len(clean(node.label)) <= 40]
        if ways:
            node = details.pick("logout", [(0.9, node) for node in ways], "way to sign out")
            return Slots({"logout": node}, "logout")
        if "open" in details.done:
            raise refuse("the account's menu has no way to sign out")
        menus = [
            (0.8, node)
            for node in snapshot.elements
            if usable(node)
            and "expanded" not in node.states
            and (node.extra.get("haspopup") or "collapsed" in node.states)
            and _is_account(node)
        ]
        return Slots({"open": details.pick("open", menus, "way to sign out")}, "open", last=False)

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Press it."""
        node = slots.nodes.get("logout") or slots["open"]
        return [step("click", node, "sign out" if "logout" in slots.nodes else "open the account's menu")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether no way to sign out is left."""
        if slots.stage == "open":
            return "" if of_kind(after.snapshot, "logout") else "no way to sign out appeared"
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        if of_kind(after.snapshot, "logout"):
            return "the page still shows a way to sign out"
        return "" if changed(before, after) else "the page did not change"


def _is_account(node: Node) -> bool:
    says = lexicon.matches("account", f"{node.label} | {node.description or ''}")
    return says or re.search(r"(?i)account|profile|user|avatar", node.html_id or "") is not None


def _is_user(node: Node) -> bool:
    if node.type == "email" or {"username", "email"} & set((node.autocomplete or "").split()):
        return True
    says = lexicon.meanings(f"{node.label} | {node.placeholder or ''}")
    return bool(says & _USERS or _USER.search(f"{node.html_name or ''} {node.html_id or ''}"))


def _says_wrong(text: str) -> bool:
    """Whether a text says that a name or password isn't right."""
    says = lexicon.meanings(text) if len(text) <= _LONGEST_ERROR else frozenset()
    return "wrong" in says and not says.isdisjoint({*_USERS, "password", "credentials", "account"})


def _code_field(summary: PageSummary) -> str:
    """What a field for a one-time code is called, if the page has one."""
    fields = [node for node in summary.snapshot.nodes if "one-time-code" in (node.autocomplete or "")]
    return next((clean(node.label) or "one-time code" for node in fields), "")


def _login_form(summary: PageSummary) -> Form | None:
    return next((form for form in summary.forms if form.purpose == "login"), None)


def _user_form(summary: PageSummary) -> Form | None:
    """The form of a login in two steps: one field for the user, and a way on to the password."""
    for form in summary.forms:
        if len(form.fields) != 1 or form.purpose in {"search", "newsletter", "register"}:
            continue
        node = summary.snapshot[form.fields[0].ref]
        label = form.submit_label or ""
        goes_on = action_intent(label) in _NEXT or lexicon.matches("continue", label)
        headings = [one.name for one in summary.snapshot.nodes if one.role == "heading"]
        about = any(action_intent(clean(text)) == "login" for text in (summary.title, *headings))
        if node.role == "textbox" and _is_user(node) and goes_on and about:
            return form
    return None
