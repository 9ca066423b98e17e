"""What only a person gets past: captchas, sign-in pages, one-time codes, cookie walls, permission prompts.

Each rule is a few lines over a snapshot: roles, names in several languages, hosts of known frames. A rule that fires on
an ordinary page stops a run for nothing, so a page has to be about the obstacle: a sign-in form in a header is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from skillbook.agents.state.step_records import Obstacle, ObstacleKind, StepRecord
from skillbook.perception.nodes import AnySnapshot, Node
from skillbook.protocol.snapshot import State

SMALL_PAGE = 25
"""Elements to act on; a page that is about one obstacle has no more."""
_FAILURES = 6
_CAPTCHA_FRAME = re.compile(
    r"^https?://([^/]+\.)?(recaptcha\.net|google\.com/recaptcha|gstatic\.com/recaptcha|hcaptcha\.com|"
    r"challenges\.cloudflare\.com|arkoselabs\.com|funcaptcha\.com|captcha-delivery\.com|friendlycaptcha\.com|"
    r"mtcaptcha\.com|geetest\.com)(/|$|\?)",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"size=invisible|/enterprise/anchor\?.*invisible", re.IGNORECASE)


def _words(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_HUMAN = _words(
    r"\b(not|no) a robot\b", r"\b(verify|confirm|prove)( that)? you('re| are) (a )?human\b", r"\bi am human\b",
    r"\bcaptcha\b", r"\bkein roboter\b", r"\bsie ein mensch\b", r"\bpas un robot\b", r"\bêtes humain",
    r"\bno soy un robot\b",
    r"\beres humano\b", r"\bnon sono un robot\b", r"\bnão sou um robô\b", r"\bgeen robot\b", r"\bnie jestem robotem\b",
    r"\binte en robot\b", r"не робот", r"ロボットではありません", r"不是机器人|進行人機|人机身份验证|真人",
)  # fmt: skip
SIGN_IN = _words(
    r"\b(sign|log)[ -]?(in|on)\b", r"\blogin\b", r"\banmelde", r"\beinloggen\b", r"\bse connecter\b", r"\bconnexion\b",
    r"\biniciar sesi[oó]n\b", r"\bacceder\b", r"\baccedi\b", r"\bentrar\b", r"\biniciar sess[aã]o\b", r"\binloggen\b",
    r"\bzaloguj", r"\blogga in\b", r"\bвойти\b", r"\bвход\b", r"ログイン", r"登录|登錄|登入", r"로그인",
)  # fmt: skip
_SAYS_SIGN_IN = re.compile(
    SIGN_IN.pattern + r"|password|passwor[dt]|\bpasse\b|secret:|contraseña|credential", re.IGNORECASE
)
_ONE_TIME = _words(
    r"\b(verification|authentication|authenticator|one[- ]time|two[- ]factor|2fa|login|sms|6[- ]digit) (pass)?code\b",
    r"\bone[- ]time password\b", r"\bcode de vérification\b",
    r"\b(bestätigungs|verifizierungs|einmal)(code|passwort)",
    r"\bcódigo de verificaci[oó]n\b", r"\bcodice di verifica\b", r"\bcódigo de verificação\b", r"\bverificatiecode\b",
    r"\bkod weryfikacyjny\b", r"\bverifieringskod\b", r"код подтверждения",
    r"確認コード|認証コード", r"验证码|驗證碼", r"인증 ?번호",
)  # fmt: skip
_COOKIES = _words(
    r"\bcookies?\b",
    r"\bgdpr\b",
    r"\bdsgvo\b",
    r"\bconsent\b",
    r"\beinwilligung",
    r"\bконфиденциал",
    r"クッキー",
)
_ACCEPT = _words(
    r"\b(accept|agree|allow|consent|got it)\b", r"\b(akzeptieren|zustimmen|einverstanden)\b",
    r"\b(accepter|j'accepte)\b",
    r"\b(aceptar|acepto)\b", r"\b(accetta|accetto)\b", r"\b(aceitar|concordo)\b", r"\b(accepteren|akkoord)\b",
    r"\b(akceptuj|zgadzam)", r"\bgodkänn", r"\bпринять\b", r"同意|接受", r"동의",
)  # fmt: skip
_PERMISSION = _words(
    r"\b(allow|use|access|share|know|turn on|enable)\b.{0,40}\b(location|notifications?|camera|microphone)\b",
    r"\b(standort|benachrichtigungen|kamera|mikrofon)\b.{0,40}\b(erlauben|zulassen|zugriff|aktivieren)\b",
    r"\b(autoriser|activer)\b.{0,40}\b(localisation|position|notifications|caméra|micro)\b",
    r"\b(permitir|activar|ativar)\b.{0,40}\b(ubicaci[oó]n|localização|notificaci|notificações|c[aá]mara|micr[oó]fono)\b",
    r"\bconsenti.{0,40}\b(posizione|notifiche|fotocamera|microfono)\b",
    r"(位置情報|通知|カメラ|マイク).{0,10}許可", r"允许.{0,10}(位置|通知|摄像头|麦克风)",
)  # fmt: skip
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_DIALOGS = frozenset({"dialog", "alertdialog"})


def find_obstacle(snapshot: AnySnapshot, goal: str = "") -> Obstacle | None:
    """What on a page only a person gets past; None where there is nothing of the kind.

    Parameters
    ----------
    snapshot: the page.
    goal: what is to be done: where it speaks of signing in, a sign-in page is no obstacle.
    """
    for rule in _RULES:
        node = rule(snapshot)
        if node is not None and not (rule is _login and _SAYS_SIGN_IN.search(goal)):
            kind, message = _MEANING[rule]
            return Obstacle(kind, message, node.ref or "")
    return None


def find_failures(steps: Sequence[StepRecord]) -> Obstacle | None:
    """Whether a run's latest calls all failed, so that a person should look."""
    last = steps[-_FAILURES:]
    if len(last) < _FAILURES or not all(step.error is not None for step in last):
        return None
    tools = ", ".join(dict.fromkeys(step.tool for step in last))
    words = f"The last {_FAILURES} calls failed ({tools}). Look at the page, do what is in the way, or say what to do."
    return Obstacle("failure", words)


def _captcha(snapshot: AnySnapshot) -> Node | None:
    small = len(snapshot.elements) <= SMALL_PAGE
    for node in snapshot.nodes:
        if node.src and _CAPTCHA_FRAME.search(node.src) and not _UNSEEN.search(node.src) and _is_seen(node):
            if small or node.box.height > 200:
                return node
        elif _HUMAN.search(node.name):
            unticked = node.role == "checkbox" and _is_seen(node) and not node.flags & State.CHECKED
            if unticked or (small and node.role in {"heading", "iframe", "img"}):
                return node
    return None


def _login(snapshot: AnySnapshot) -> Node | None:
    if len(snapshot.elements) > SMALL_PAGE:
        return None
    fields = [node for node in snapshot.elements if node.role in _FIELDS and _is_seen(node)]
    passwords = [node for node in fields if node.type == "password"]
    says = any(
        SIGN_IN.search(node.name) for node in snapshot.nodes if node.role in {"heading", "button"}
    ) or bool(SIGN_IN.search(snapshot.title))
    if len(passwords) == 1 and len(fields) <= 3 and says:
        return passwords[0]
    first = fields[0] if len(fields) == 1 else None
    names_account = first is not None and (
        first.type == "email" or re.search(r"e-?mail|user ?name|benutzer", first.label, re.IGNORECASE)
    )
    heads = any(SIGN_IN.search(node.name) for node in snapshot.nodes if node.role == "heading")
    return first if names_account and heads else None


def _two_factor(snapshot: AnySnapshot) -> Node | None:
    if len(snapshot.elements) > SMALL_PAGE:
        return None
    for node in snapshot.elements:
        words = f"{node.label} {node.placeholder or ''} {node.description or ''}"
        if node.role in _FIELDS and _is_seen(node) and _ONE_TIME.search(words):
            return node
    return None


def _cookies(snapshot: AnySnapshot) -> Node | None:
    for node in snapshot.nodes:
        if node.role in _DIALOGS and _COOKIES.search(f"{node.name} {node.text[:600]}"):
            buttons = [each for each in snapshot.elements if each.role == "button" and _is_in(each, node)]
            if any(_ACCEPT.search(each.name) for each in buttons) and _shuts_off(snapshot, node):
                return node
    return None


def _permission(snapshot: AnySnapshot) -> Node | None:
    for node in snapshot.nodes:
        if node.role in _DIALOGS and _PERMISSION.search(f"{node.name} {node.text[:300]}") and _is_seen(node):
            return node
    return None


def _is_seen(node: Node) -> bool:
    return node.box.width > 0 and node.box.height > 0


def _is_in(node: Node, outer: Node) -> bool:
    return any(each == outer for each in node.ancestors)


def _shuts_off(snapshot: AnySnapshot, dialog: Node) -> bool:
    """Whether a dialog keeps the person from the page behind it."""
    if dialog.flags & State.MODAL:
        return True
    behind = [
        node for node in snapshot.elements if not _is_in(node, dialog) and not node.flags & State.OFFSCREEN
    ]
    covered = sum(bool(node.flags & State.OBSCURED) for node in behind)
    return bool(behind) and covered * 2 > len(behind)


Rule = Callable[[Any], Node | None]
_RULES: tuple[Rule, ...] = (_captcha, _two_factor, _cookies, _permission, _login)
_MEANING: dict[Rule, tuple[ObstacleKind, str]] = {
    _captcha: ("captcha", "The page wants to know whether a person is there. Please solve its captcha."),
    _two_factor: ("two_factor", "The page wants a one-time code. Please enter the one that you were sent."),
    _cookies: ("cookies", "A cookie notice covers the page. Please choose what you agree to."),
    _permission: ("permission", "The page wants a permission. Please allow or refuse it."),
    _login: ("login", "The page wants you to sign in. Please do so; what you type isn't shown to the model."),
}
