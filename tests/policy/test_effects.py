from __future__ import annotations

import pytest

from skillbook.policy.effects import classify, danger, key_of
from skillbook.policy.labels import danger_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.commands.read import DescribeResult, FormFacts


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Delete draft", "delete"), ("Löschen", "delete"), ("Supprimer le compte", "delete"),
        ("削除する", "delete"),
        ("Place order", "pay"), ("Jetzt kaufen", "pay"), ("Оплатить", "pay"), ("Pay $12.00", "pay"),
        ("Send message", "send"), ("Envoyer", "send"), ("Publish now", "publish"),
        ("Veröffentlichen", "publish"),
    ],
)  # fmt: skip
def test_labels_of_irreversible_steps(label: str, kind: str) -> None:
    assert danger_of(label) == kind


@pytest.mark.parametrize(
    "label", ["Add to cart", "Search", "Next", "Posts", "Payments overview", "Undeleted", "Cancel"]
)
def test_harmless_labels(label: str) -> None:
    assert danger_of(label) is None


def test_a_label_raises_a_click_but_not_a_hover_or_a_link() -> None:
    assert classify("click", role="button", label="Delete") is Effect.IRREVERSIBLE
    assert classify("hover", role="button", label="Delete") is Effect.WRITE
    assert classify("click", role="link", label="Delete") is Effect.WRITE


def test_submitting_credentials_is_irreversible() -> None:
    assert classify("click", role="button", label="Go", submits=True, secret=True) is Effect.IRREVERSIBLE
    assert classify("click", role="button", label="Go", submits=True) is Effect.WRITE


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ["Pay now", "Delete", "Send", "Publish"]),
        ("de", ["Zahlungspflichtig bestellen", "Endgültig löschen", "Senden", "Veröffentlichen"]),
        ("fr", ["Valider la commande", "Supprimer", "Envoyer", "Mettre en ligne"]),
        ("es", ["Realizar pedido", "Eliminar", "Enviar", "Publicar"]),
        ("it", ["Acquista ora", "Elimina", "Invia", "Pubblica"]),
        ("pt", ["Finalizar compra", "Excluir", "Enviar mensagem", "Postar"]),
        ("nl", ["Bestelling plaatsen", "Verwijderen", "Versturen", "Publiceren"]),
        ("pl", ["Zapłać teraz", "Usuń", "Wyślij", "Opublikuj"]),
        ("ru", ["Оформить заказ", "Удалить", "Отправить", "Опубликовать"]),
        ("tr", ["SATIN AL", "SİL", "Gönder", "Yayınla"]),
        ("ja", ["注文を確定する", "アカウントを削除", "送信する", "公開する"]),
        ("zh", ["立即支付", "删除账号", "發送訊息", "立即发布"]),
        ("ko", ["결제하기", "삭제", "보내기", "게시하기"]),
    ],
)
def test_every_kind_in_every_language(language: str, labels: list[str]) -> None:
    assert [danger_of(label) for label in labels] == ["pay", "delete", "send", "publish"], language


@pytest.mark.parametrize(
    "label", ["送信済み", "支払い方法", "购买记录", "结算历史", "Placa", "Odessa", "Silber", "결제수단"]
)
def test_words_about_the_past_or_inside_others_are_harmless(label: str) -> None:
    assert danger_of(label) is None


def facts(*, submits: bool = True, form: FormFacts | None = None, **attributes: str) -> DescribeResult:
    given = {name.replace("_", "-"): value for name, value in attributes.items()}
    return DescribeResult(
        tag="button", css="x", attributes=given, frame_origin="", submits=submits, form=form
    )


def form(
    action: str = "https://shop.test/search", method: str = "get", label: str = "", *fields: str
) -> FormFacts:
    return FormFacts(action=action, method=method, fields=list(fields), submit_label=label)


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (facts(form=form("/login", "post", "Go", "text:user", "password:pw")), "credentials"),
        (facts(form=form("/x", "post", "Go", "text:cc-number")), "pay"),
        (facts(form=form("https://shop.test/account/delete", "post")), "delete"),
        (facts(form=form("https://shop.test/account/delete", "get")), "delete"),
        (facts(form=form("https://shop.test/deleted-items", "post")), None),
        (facts(form=form()), None),
        (facts(submits=False, data_method="delete"), "delete"),
        (facts(submits=False, hx_delete="/items/3"), "delete"),
    ],
)
def test_a_forms_purpose_and_method_count(asked: DescribeResult, kind: str | None) -> None:
    assert danger("click", role="button", label="Go", facts=asked) == kind


def test_enter_in_a_field_sends_its_form() -> None:
    field = facts(submits=False, form=form("/x", "post", "Send money", "text:to"))
    assert danger("press", role="textbox", label="To", facts=field, key="Enter") == "send"
    assert danger("press", role="textbox", label="To", facts=field, key="ArrowDown") is None
    assert danger("submit", role="textbox", label="To", facts=field) == "send"
    assert danger("fill", role="textbox", label="Send to", facts=field) is None


@pytest.mark.parametrize(("text", "kind"), [("x\n", "pay"), ("x\r\ny", "pay"), ("x", None), ("", None)])
def test_the_end_of_a_typed_line_is_enter(text: str, kind: str | None) -> None:
    field = facts(submits=False, form=form("/x", "post", "Go", "text:cc-number"))
    key = key_of("type", {"text": text})
    assert danger("type", role="textbox", label="Card number", facts=field, key=key) == kind


def test_a_link_that_leads_nowhere_is_a_button() -> None:
    assert danger("click", role="link", label="Delete", facts=facts(submits=False, href="#")) == "delete"
    assert danger("click", role="link", label="Delete", facts=facts(submits=False, href="/delete")) is None


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_target_lowers_a_commands_effect(name: str) -> None:
    order = [Effect.READ, Effect.WRITE, Effect.IRREVERSIBLE]
    raised = classify(name, role="button", label="Delete", submits=True, secret=True)
    assert order.index(raised) >= order.index(COMMANDS[name].effect)


LONG = "by pressing here you agree to our terms, to our privacy policy and to everything else that is written there"


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("De\u00adlete acc\u200bount", "delete"),
        ("De\u2800lete acc\u3164ount", "delete"),
        ("\u202eDel\u2060ete\u202c", "delete"),
        ("D\ufe0felete", "delete"),
        (f"Delete my account: {LONG}", "delete"),
        (f"{LONG}. Pay now", "pay"),
        (f"{LONG} and can delete or send what you like", None),
    ],
)
def test_fault_33_long_labels_and_unseen_characters(label: str, kind: str | None) -> None:
    assert danger_of(label) == kind
    assert danger("click", role="button", label=label), "on a button, words count wherever they stand"


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://a.test/users/3/delete", "delete"),
        ("https://a.test/deleteUser?id=3", "delete"),
        ("https://a.test/admin/delete.php", "delete"),
        ("https://a.test/posts.php?action=delete&id=3", "delete"),
        ("https://a.test/?_method=DELETE", "delete"),
        ("https://a.test/item?do=delete_all", "delete"),
        ("https://a.test/%64elete/3", "delete"),
        ("https://a.test/log-out", "cancel"),
        ("https://a.test/sign_out?next=/", "cancel"),
        ("https://a.test/logout", "cancel"),
        ("https://a.test/pay?order=3", "pay"),
        ("https://a.test/newsletter/unsubscribe", "cancel"),
        ("https://a.test/?q=delete", None),
        ("https://a.test/payments", None),
        ("https://a.test/releases/latest", None),
        ("https://a.test/search?query=how+to+pay", None),
        ("https://a.test/transfers/3", None),
    ],
)
def test_fault_33_addresses_that_say_what_they_do(url: str, kind: str | None) -> None:
    for command in ("goto", "tabs_open"):
        assert danger(command, destination=url) == kind
        assert (classify(command, destination=url) is Effect.IRREVERSIBLE) == (kind is not None)
    link = DescribeResult(tag="a", css="x", attributes={}, frame_origin="", submits=False, link=url)
    assert danger("click", role="link", label="Go", facts=link) == kind
    assert danger("hover", role="link", label="Go", facts=link) is None


def test_fault_33_a_dialog_says_what_its_buttons_do() -> None:
    asks = DescribeResult(
        tag="button", css="x", attributes={}, frame_origin="", submits=False, dialog="Delete this record?"
    )
    for label in ("Yes", "OK", "Weiter", ""):
        assert danger("click", role="button", label=label, facts=asks) == "delete"
    for label in ("Cancel", "No", "Schließen", "いいえ"):
        assert danger("click", role="button", label=label, facts=asks) is None
    assert danger("click", role="textbox", label="Reason", facts=asks) is None
    assert danger("handle_dialog", label="Really delete all 3 records? " + LONG) == "delete"
    assert danger("handle_dialog", label="Sure?") is None


def test_fault_33_options_bins_and_hidden_fields_that_delete() -> None:
    assert danger("select", role="combobox", label="Action", chosen=("delete_selected",)) == "delete"
    assert danger("select", role="combobox", label="Action", chosen=("Delete selected users",)) == "delete"
    assert danger("select", role="combobox", label="Sort by", chosen=("Release date", "Posts")) is None
    assert danger("drag", role="listitem", label="Letter", chosen=("Papierkorb",)) == "delete"
    assert danger("drag", role="listitem", label="Letter", chosen=("Delete",)) == "delete"
    assert danger("drag", role="listitem", label="Letter", chosen=("Inbox",)) is None
    for hidden in ("delete", "delete_selected", "DELETE"):
        sends = FormFacts(action="https://a.test/x", method="post", fields=[], verbs=[hidden])
        assert danger("click", role="button", label="Go", facts=facts(form=sends)) == "delete"
    by_query = form("https://a.test/posts?action=delete", "post")
    assert danger("click", role="button", label="Go", facts=facts(form=by_query)) == "delete"
