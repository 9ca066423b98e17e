"""Buttons, questions and neutral labels as sites write them, in the languages most used on the web.

Written without a look at the table: forms, endings and word orders are those of real pages.
"""

from __future__ import annotations

import pytest

from skillbook.policy.effects import danger
from skillbook.policy.labels import danger_of
from skillbook.protocol.commands.read import DescribeResult

ACTS = {
    "en": "Yes, delete it|Permanently delete my data|Pay €12.90|Send reply|Publish post|"
    "Cancel my subscription|Buy it now",
    "es": "Sí, eliminarlo|Borrar historial|Pagar 12,90 €|Enviar respuesta|Publicar comentario|"
    "Comprar ya|Cancelar suscripción",
    "de": "Ja, endgültig löschen|Lösche alle Einträge|12,90 € bezahlen|Nachricht absenden|"
    "Beitrag veröffentlichen|"
    "Vertrag kündigen|Kaufen und bezahlen",
    "ja": "このメッセージを削除|完全に消去する|今すぐ購入|お支払いへ進む|返信を送信|記事を公開する|定期購入を解約",
    "fr": "Oui, supprimer|Supprimez ce message|Payer 12,90 €|Envoyer la réponse|"
    "Publier l'article|Acheter cet article|"
    "Résilier mon contrat",
    "ru": "Да, удалить|Удалите мой аккаунт|Оплатить 990 ₽|Отправить ответ|Опубликовать запись|"
    "Купить в один клик|"
    "Отменить подписку",
    "pt": "Sim, excluir|Apagar mensagem|Pagar R$ 12,90|Enviar resposta|Publicar comentário|"
    "Comprar já|Cancelar assinatura",
    "it": "Sì, elimina|Cancella la cronologia|Paga 12,90 €|Invia risposta|Pubblica il commento|"
    "Acquista adesso|"
    "Annulla abbonamento",
    "nl": "Ja, verwijder dit|Bericht verwijderen|Betaal € 12,90|Antwoord versturen|"
    "Reactie publiceren|Koop direct|"
    "Abonnement opzeggen",
    "pl": "Tak, usuń|Usuń wiadomość|Zapłać 12,90 zł|Wyślij odpowiedź|Opublikuj wpis|Kup bilet|"
    "Anuluj subskrypcję",
    "tr": "Evet, sil|Mesajı sil|12,90 TL öde|Yanıtı gönder|Gönderiyi yayınla|Şimdi satın al|"
    "Aboneliği iptal et",
    "fa": "بله، حذف شود|حذف پیام|پرداخت و ثبت سفارش|ارسال پیام|منتشر کنید|همین حالا بخرید|لغو اشتراک من",
    "zh": "确认删除|删除这条消息|立即付款 ¥12.90|发送回复|发布文章|立即购买|取消订阅",
    "vi": "Có, xóa ngay|Xoá tin nhắn|Thanh toán 129.000 đ|Gửi câu trả lời|Đăng bài viết|"
    "Mua ngay bây giờ|Hủy đăng ký gói",
    "id": "Ya, hapus|Hapus pesan ini|Bayar Rp129.000|Kirim balasan|Terbitkan artikel|"
    "Beli langsung|Batalkan langganan saya",
    "cs": "Ano, smazat|Odstranit zprávu|Zaplatit 129 Kč|Odeslat odpověď|Zveřejnit článek|"
    "Koupit vstupenku|Zrušit předplatné",
    "ko": "네, 삭제합니다|메시지 삭제|12,900원 결제하기|답장 보내기|글 게시하기|바로 구매|구독 해지",
    "uk": "Так, видалити|Видалити повідомлення|Сплатити 129 ₴|Надіслати відповідь|"
    "Опублікувати допис|Купити квиток|"
    "Скасувати підписку",
    "hu": "Igen, törlöm|Üzenet törlése|Fizetek 1290 Ft-ot|Válasz elküldése|"
    "Bejegyzés közzététele most: közzététel|"
    "Jegyet megveszem|Előfizetés lemondása",
    "ar": "نعم، احذفه|حذف الرسالة|ادفع 129 ريال|إرسال الرد|نشر المقال|اشتر الآن|إلغاء الاشتراك",
    "sv": "Ja, radera|Ta bort meddelandet|Betala 129 kr|Skicka svar|Publicera inlägg|"
    "Köp biljett|Säg upp abonnemang",
    "ro": "Da, șterge|Șterge mesajul|Plătește 129 lei|Trimite răspunsul|Publică articolul|"
    "Cumpără bilet|Anulează abonamentul",
    "el": "Ναι, διαγραφή|Διαγραφή μηνύματος|Πληρωμή τώρα 12,90 €|Αποστολή απάντησης|"
    "Δημοσίευση άρθρου|Αγοράστε εισιτήριο|"
    "Ακύρωση συνδρομής",
    "da": "Ja, slet|Slet beskeden|Betal 129 kr.|Send svar|Udgiv indlæg|Køb billet|Opsig abonnement",
    "nb": "Ja, slett|Slett meldingen|Betal 129 kr|Send svar|Publiser innlegg|Kjøp billett|Si opp abonnement",
    "fi": "Kyllä, poista|Poista viesti|Maksa 12,90 €|Lähetä vastaus|Julkaise kirjoitus|"
    "Osta lippu|Irtisano sopimus",
    "he": "כן, מחק|מחק הודעה|שלם 129 ₪|שלח תשובה|פרסם מאמר|קנה כרטיס|ביטול מנוי שלי",
}
NEUTRAL = {
    "en": "Deleted items|Sent|Payment methods|Post code lookup|Release notes|Add to cart|"
    "Purchase history|Sign in|Next post",
    "es": "Eliminados|Enviados|Métodos de pago|Historial|Borradores|Añadir a la cesta|"
    "Iniciar sesión|Cancelar",
    "de": "Gelöschte Elemente|Gesendet|Zahlungsarten|Versandkosten|In den Warenkorb|Anmelden|"
    "Weiter|Abbrechen",
    "ja": "削除済みアイテム|送信済み|お支払い方法|購入履歴|公開日|カートに入れる|ログイン|次へ",
    "fr": "Éléments supprimés|Envoyés|Moyens de paiement|Brouillons|Ajouter au panier|"
    "Se connecter|Suivant|Annuler",
    "ru": "Удалённые|Отправленные|Способы оплаты|Черновики|В корзину|Войти|Далее|Отмена",
    "pt": "Itens excluídos|Enviados|Formas de pagamento|Rascunhos|Adicionar ao carrinho|Entrar|"
    "Próximo|Cancelar",
    "it": "Elementi eliminati|Inviati|Metodi di pagamento|Bozze|Aggiungi al carrello|Accedi|Avanti|Annulla",
    "nl": "Verwijderde items|Verzonden|Betaalmethoden|Concepten|In winkelwagen|Inloggen|Volgende|Annuleren",
    "pl": "Usunięte|Wysłane|Metody płatności|Szkice|Do koszyka|Zaloguj się|Dalej|Anuluj",
    "tr": "Silinen öğeler|Gönderilenler|Ödeme yöntemleri|Taslaklar|Sepete ekle|Giriş yap|İleri|İptal",
    "fa": "موارد حذف شده|ارسال رایگان|روش‌های پرداخت|سبد خرید|تاریخ انتشار|ورود|بعدی|انصراف",
    "zh": "已删除|已发送|支付方式|购买记录|发布时间|加入购物车|登录|下一步",
    "vi": "Đã xóa|Thư đã gửi|Phương thức thanh toán|Tiếp tục mua sắm|Đơn đặt hàng|Thêm vào giỏ|"
    "Đăng nhập|Tiếp theo",
    "id": "Item terhapus|Terkirim|Metode pembayaran|Draf|Tambah ke keranjang|Masuk|Berikutnya|Batal",
    "cs": "Smazané položky|Odeslané|Způsoby platby|Koncepty|Do košíku|Přihlásit se|Další|Zrušit",
    "ko": "삭제됨|전송됨|결제 수단|구매 내역|게시판|장바구니 담기|로그인|다음",
    "uk": "Видалені|Надіслані|Способи оплати|Чернетки|До кошика|Увійти|Далі|Скасувати",
    "hu": "Törölt elemek|Elküldött|Fizetési módok|Piszkozatok|Kosárba|Bejelentkezés|Tovább|Mégse",
    "ar": "المحذوفات|المرسلة|طرق الدفع|المسودات|أضف إلى السلة|تسجيل الدخول|التالي|إلغاء",
    "sv": "Raderade objekt|Skickat|Betalningssätt|Utkast|Lägg i varukorgen|Logga in|Nästa|Avbryt",
    "ro": "Elemente șterse|Trimise|Metode de plată|Ciorne|Adaugă în coș|Continuă cumpărăturile|"
    "Autentificare|Anulează",
    "el": "Διαγραμμένα|Απεσταλμένα|Τρόποι πληρωμής|Πρόχειρα|Προσθήκη στο καλάθι|Σύνδεση|Επόμενο|Ακύρωση",
    "da": "Slettede elementer|Sendt|Betalingsmetoder|Kladder|Læg i kurv|Log ind|Næste|Annuller",
    "nb": "Slettede elementer|Sendte|Betalingsmåter|Kladder|Legg i handlekurv|Logg inn|Neste|Avbryt",
    "fi": "Poistetut|Lähetetyt|Maksutavat|Luonnokset|Lisää ostoskoriin|Kirjaudu|Seuraava|Peruuta",
    "he": "פריטים שנמחקו|נשלח|אמצעי תשלום|טיוטות|הוסף לסל|התחברות|הבא|ביטול",
}
QUESTIONS = {
    "en": ("Are you sure you want to delete this record? This cannot be undone.", "OK", "Cancel"),
    "es": ("¿Seguro que quieres eliminar este registro?", "Aceptar", "Cancelar"),
    "de": ("Möchten Sie diesen Eintrag wirklich löschen?", "OK", "Abbrechen"),
    "ja": ("このレコードを本当に削除しますか？", "はい", "キャンセル"),
    "fr": ("Voulez-vous vraiment supprimer cet élément ?", "Oui", "Annuler"),
    "ru": ("Вы действительно хотите удалить эту запись?", "Да", "Отмена"),
    "pt": ("Tem certeza de que deseja excluir este registro?", "Sim", "Cancelar"),
    "it": ("Vuoi davvero eliminare questo elemento?", "Sì", "Annulla"),
    "nl": ("Weet u zeker dat u dit item wilt verwijderen?", "Ja", "Annuleren"),
    "pl": ("Czy na pewno chcesz usunąć ten wpis?", "Tak", "Anuluj"),
    "tr": ("Bu kaydı silmek istediğinizden emin misiniz?", "Evet", "İptal"),
    "fa": ("آیا از حذف این مورد مطمئن هستید؟", "بله", "انصراف"),
    "zh": ("确定要删除这条记录吗？", "确定", "取消"),
    "vi": ("Bạn có chắc chắn muốn xóa mục này không?", "Có", "Hủy"),
    "id": ("Apakah Anda yakin ingin menghapus data ini?", "Ya", "Batal"),
    "cs": ("Opravdu chcete tento záznam smazat?", "Ano", "Zrušit"),
    "ko": ("이 항목을 정말 삭제하시겠습니까?", "확인", "취소"),
    "uk": ("Ви справді хочете видалити цей запис?", "Так", "Скасувати"),
    "hu": ("Biztosan törölni szeretné ezt az elemet?", "Igen", "Mégse"),
    "ar": ("هل أنت متأكد أنك تريد حذف هذا العنصر؟", "نعم", "إلغاء"),
    "sv": ("Vill du verkligen radera posten?", "Ja", "Avbryt"),
    "ro": ("Sigur doriți să ștergeți această înregistrare?", "Da", "Anulează"),
    "el": ("Θέλετε σίγουρα να διαγράψετε αυτή την εγγραφή;", "Ναι", "Ακύρωση"),
    "da": ("Er du sikker på, at du vil slette denne post?", "Ja", "Annuller"),
    "nb": ("Er du sikker på at du vil slette denne oppføringen?", "Ja", "Avbryt"),
    "fi": ("Haluatko varmasti poistaa tämän tietueen?", "Kyllä", "Peruuta"),
    "he": ("האם אתה בטוח שברצונך למחוק את הרשומה?", "כן", "ביטול"),
}


@pytest.mark.parametrize("language", ACTS)
def test_fault_33_steps_are_recognised_as_sites_write_them(language: str) -> None:
    assert [label for label in ACTS[language].split("|") if danger_of(label) is None] == []


@pytest.mark.parametrize("language", NEUTRAL)
def test_neutral_labels_do_not_ask(language: str) -> None:
    found = {label: danger_of(label) for label in NEUTRAL[language].split("|")}
    assert {label: kind for label, kind in found.items() if kind} == {}


@pytest.mark.parametrize("language", QUESTIONS)
def test_fault_33_a_question_counts_for_what_accepts_it(language: str) -> None:
    question, yes, no = QUESTIONS[language]
    assert danger("handle_dialog", label=question) == "delete"
    asks = DescribeResult(tag="b", css="x", attributes={}, frame_origin="", submits=False, dialog=question)
    assert danger("click", role="button", label=yes, facts=asks) == "delete"
    assert danger("click", role="button", label=no, facts=asks) is None


@pytest.mark.parametrize("language", ACTS)
def test_fault_33_unseen_characters_and_long_labels_hide_no_language(language: str) -> None:
    for label in ACTS[language].split("|"):
        hidden = "\u00ad\u200b".join(label[:3]) + label[3:4] + "\u2060" + label[4:]
        assert danger_of(hidden), hidden
        long = f"{'… ' * 20}{label} {'and so on ' * 9}"
        assert danger("click", role="button", label=long), long


def test_a_dialog_about_cancelling_is_answered_by_cancel_too() -> None:
    asks = DescribeResult(
        tag="b",
        css="x",
        attributes={},
        frame_origin="",
        submits=False,
        dialog="Cancel your order? Cancel order",
    )
    assert danger("click", role="button", label="Cancel", facts=asks) == "cancel"
    assert danger("click", role="button", label="No", facts=asks) is None


@pytest.mark.parametrize("label", ["D e l e t e", "D.e.l.e.t.e", "delete_account", "deleteAccount"])
def test_fault_33_spelling_hides_no_step(label: str) -> None:
    """A word that is written letter by letter, or as programs write it."""
    assert danger("click", role="button", label=label) == "delete"
