"""Words on controls and in dialogs that speak of steps which can't be undone, in the languages most used on the web.

The 20 languages with the most pages by W3Techs' count, and seven more. Each was written down form by form, as sites
write it on buttons, in options and in questions; past forms ("deleted", "gelöscht") are left out, for they say what is.

Marks: `word*` stands for every word that begins so; `=word` for a label that is nothing else; `^word` for a label that
begins so; `~word` for the word unless a noun of a page follows ("payment methods").
"""

from __future__ import annotations

WORDS = {
    "pay": {
        "en": """
            pay|pay now|~payment|buy|buy now|~purchase|place order|place your order|place an order|order now|
            checkout now|complete order|complete purchase|confirm order|submit order|confirm purchase|subscribe|
            start subscription|start membership|start my plan|donate|book now|confirm booking|place bid|rent now|
            add funds|top up
        """,
        "de": """
            bezahlen|bezahle|jetzt bezahlen|zahlen|jetzt zahlen|zahlungspflichtig bestellen|kostenpflichtig*|kaufen|
            kaufe|jetzt kaufen|bestellen|bestelle|bestellung aufgeben|bestellung abschicken|bestellung abschließen|
            abonnieren|spenden|spende jetzt|verbindlich buchen|jetzt buchen|kauf abschließen|zahlung bestätigen|
            zahlung ausführen
        """,
        "fr": """
            payer|payez|paie|payer maintenant|acheter|achetez|achète|passer commande|passer la commande|
            passer ma commande|commander|commandez|valider la commande|valider ma commande|confirmer la commande|
            valider le paiement|confirmer le paiement|s'abonner|abonnez-vous|faire un don|réserver maintenant
        """,
        "es": """
            pagar|paga|pague|pagar ahora|comprar|compra ahora|compre|comprar ahora|realizar pedido|
            realizar el pedido|hacer pedido|hacer un pedido|confirmar pedido|confirmar el pedido|confirmar compra|
            finalizar compra|tramitar pedido|realizar pago|realizar el pago|suscribirse|suscribirme|suscríbete|
            donar|reservar ahora
        """,
        "it": """
            paga|paga ora|pagare|pagamento immediato|acquista|acquista ora|acquistare|compra|compra ora|comprare|
            conferma ordine|conferma l'ordine|effettua ordine|effettua l'ordine|invia ordine|invia l'ordine|
            procedi all'acquisto|completa l'acquisto|conferma acquisto|abbonati|dona ora|fai una donazione|
            prenota ora
        """,
        "pt": """
            pagar|pague|pagar agora|comprar|compre|comprar agora|finalizar compra|finalizar pedido|
            finalizar a compra|fazer pedido|fazer o pedido|confirmar compra|confirmar pedido|confirmar o pedido|
            concluir compra|efetuar pagamento|efetuar o pagamento|encomendar|assinar|assine|doar|doe agora|
            reservar agora
        """,
        "nl": """
            betalen|betaal|nu betalen|afrekenen|kopen|koop|koop nu|nu kopen|bestelling plaatsen|plaats bestelling|
            bestel|bestellen|bestellen en betalen|doneren|doneer|abonneren|nu boeken
        """,
        "pl": """
            zapłać|zapłać teraz|zapłacić|płacę|opłać|kup|kupuję|kup teraz|kupić|zamów|zamawiam|złóż zamówienie|
            zamawiam i płacę|zamawiam z obowiązkiem zapłaty|potwierdź zamówienie|kupuję i płacę|subskrybuj|wesprzyj|
            przekaż darowiznę|zarezerwuj
        """,
        "sv": """
            betala|betala nu|köp|köp nu|köpa|slutför köp|slutför köpet|beställ|beställ nu|lägg beställning|
            genomför köp|bekräfta köp|skänk|prenumerera
        """,
        "ru": """
            оплатить|оплатите|оплачиваю|заплатить|оплатить сейчас|купить|купите|покупаю|купить сейчас|заказать|
            оформить заказ|подтвердить заказ|сделать заказ|разместить заказ|подписаться|пожертвовать|забронировать|
            приобрести|пополнить счет|завершить покупку
        """,
        "tr": """
            öde|ödeme yap|ödemeyi tamamla|ödemeyi onayla|satın al|satın alın|hemen al|hemen satın al|sipariş ver|
            siparişi ver|siparişi tamamla|siparişi onayla|alışverişi tamamla|abone ol|bağış yap|rezervasyon yap
        """,
        "uk": """
            сплатити|оплатити|сплачую|оплачую|заплатити|купити|купую|придбати|замовити|замовляю|оформити замовлення|
            підтвердити замовлення|зробити замовлення|передплатити|пожертвувати|забронювати|завершити покупку
        """,
        "cs": """
            zaplatit|zaplať|zaplaťte|koupit|koupit hned|kup|kupte|objednat|objednávám|objednat a zaplatit|
            objednat s povinností platby|odeslat objednávku|potvrdit objednávku|dokončit objednávku|dokončit nákup|
            předplatit|přispět
        """,
        "hu": """
            =fizetés|fizetek|fizetni|fizess|kifizetem|kifizetés|megveszem|megvásárolom|megvásárlás|megrendelem|
            megrendelés elküldése|rendelés leadása|rendelés véglegesítése|rendelés elküldése|vásárlás befejezése|
            fizetés és megrendelés|előfizetek|előfizetés indítása|adományozok|lefoglalom
        """,
        "ro": """
            plătește|plătiți|plătesc|plată acum|cumpără|cumpărați|comandă acum|finalizează comanda|
            finalizare comandă|trimite comanda|trimite comandă|plasează comanda|plasează comandă|abonează-te|
            donează|rezervă acum
        """,
        "el": """
            πληρωμή τώρα|πληρώστε|πλήρωσε|=πληρωμή|αγορά τώρα|αγοράστε|αγόρασε|=αγορά|υποβολή παραγγελίας|
            ολοκλήρωση παραγγελίας|ολοκλήρωση αγοράς|παραγγείλτε|αποστολή παραγγελίας|επιβεβαίωση παραγγελίας|
            εγγραφή συνδρομής|κάντε δωρεά
        """,
        "da": """
            betal|betal nu|betale|køb|køb nu|købe|gennemfør køb|gennemfør købet|bestil|bestil nu|afgiv ordre|
            afgiv bestilling|bekræft ordre|bekræft køb|abonner|doner
        """,
        "nb": """
            betal|betal nå|betale|kjøp|kjøp nå|kjøpe|fullfør kjøp|fullfør kjøpet|bestill|bestill nå|
            legg inn bestilling|bekreft bestilling|bekreft kjøp|abonner|doner
        """,
        "fi": """
            maksa|maksa nyt|maksaa|osta|osta nyt|ostaa|tilaa|tilaa nyt|vahvista tilaus|lähetä tilaus|vahvista maksu|
            lahjoita|viimeistele tilaus
        """,
        "id": """
            bayar|bayar sekarang|bayarkan|membayar|beli|beli sekarang|membeli|pesan sekarang|buat pesanan|
            konfirmasi pesanan|konfirmasi pembayaran|lakukan pembayaran|selesaikan pembayaran|berlangganan|
            donasi sekarang
        """,
        "ar": """
            ادفع*|دفع|الدفع الآن|إتمام الدفع|تأكيد الدفع|شراء|اشتر|اشتري|اشتر الآن|إتمام الشراء|تأكيد الشراء|
            اطلب الآن|تأكيد الطلب|إتمام الطلب|إرسال الطلب|اشترك الآن|تبرع|تبرع الآن|احجز الآن
        """,
        "fa": """
            =پرداخت|پرداخت کن*|پرداخت نهایی|تأیید و پرداخت|تایید پرداخت|=خرید|خرید کن*|خرید نهایی|بخر|بخرید|
            ثبت سفارش|ثبت نهایی|تکمیل خرید|نهایی کردن خرید|سفارش دهید|سفارش بده|خرید اشتراک|کمک مالی کن*
        """,
        "he": """
            שלם|שלמו|שלם עכשיו|לתשלום עכשיו|קנה|קנה עכשיו|קנו עכשיו|לרכישה|בצע הזמנה|ביצוע הזמנה|אישור הזמנה|
            שליחת הזמנה|בצע תשלום|ביצוע תשלום|הירשם כמנוי|תרום|תרמו
        """,
    },
    "delete": {
        "en": """
            delete|deletes|deleting|delete account|delete forever|remove permanently|permanently remove|erase|
            erasing|destroy|wipe|purge|drop database|terminate|deactivate|close account|close my account|
            discard permanently|empty trash|empty the trash|empty bin|empty recycle bin|factory reset
        """,
        "de": """
            löschen|lösche|löscht|löschung|endgültig löschen|entfernen|entferne|vernichten|konto schließen|
            konto auflösen|papierkorb leeren|unwiderruflich*
        """,
        "fr": """
            supprimer|supprimez|supprime|suppression|effacer|effacez|efface|supprimer définitivement|
            fermer le compte|clôturer le compte|vider la corbeille|détruire
        """,
        "es": """
            eliminar*|elimina|elimine|borrar*|borra|borre|suprimir*|suprima|cerrar cuenta|cerrar la cuenta|
            cerrar mi cuenta|vaciar papelera|vaciar la papelera|dar de baja mi cuenta
        """,
        "it": """
            elimina|eliminar*|cancella|cancellar*|rimuovi|rimuover*|elimina account|chiudi account|chiudi l'account|
            svuota cestino|svuota il cestino|distruggi
        """,
        "pt": """
            excluir*|exclua|apagar*|apague|remover*|remova|deletar*|eliminar*|elimine|encerrar conta|
            encerrar a conta|encerrar minha conta|esvaziar lixeira|esvaziar a lixeira
        """,
        "nl": "verwijder|verwijderen|wis|wissen|account sluiten|account opheffen|prullenbak legen|vernietigen",
        "pl": """
            usuń|usunąć|usuwam|usuwanie|usuń konto|skasuj|skasować|kasuj|kasowanie|zamknij konto|opróżnij kosz|
            zniszcz
        """,
        "sv": "radera|raderar|radering|ta bort|tar bort|töm papperskorgen|avsluta konto|avsluta kontot|förstör",
        "ru": """
            удалить|удалите|удали|удаляю|удаление|стереть|сотрите|удалить аккаунт|уничтожить|закрыть аккаунт|
            очистить корзину|удалять
        """,
        "tr": """
            sil|silin|siliniz|silmek|silme|silinsin|hesabı sil|kalıcı olarak sil|kaldır|kaldırmak|hesabı kapat|
            hesabımı kapat|çöpü boşalt|çöp kutusunu boşalt|yok et
        """,
        "uk": """
            видалити|видаліть|видали|видаляю|видалення|стерти|зітріть|знищити|закрити обліковий запис|очистити кошик
        """,
        "cs": """
            smazat|smaž|smažte|smazání|odstranit|odstraň|odstraňte|odstranění|vymazat|vymaž|vymazání|zrušit účet|
            vysypat koš|zničit
        """,
        "hu": """
            törlés|törlése|töröl|törölni|törlöm|törli|törölje|törölöm|végleges törlés|eltávolítás|eltávolítása|
            eltávolít|eltávolítom|fiók megszüntetése|fiók bezárása|kuka ürítése|lomtár ürítése|megsemmisít*
        """,
        "ro": "șterge*|ștergeți|ștergere|ștergerea|elimină|închide contul|golește coșul|golește coșul de gunoi",
        "el": """
            διαγραφή|διαγράψτε|διάγραψε|διαγράψετε|διαγράψω|κατάργηση λογαριασμού|κλείσιμο λογαριασμού|
            άδειασμα κάδου
        """,
        "da": "slet|slette|sletning|fjern permanent|luk konto|luk kontoen|tøm papirkurv|tøm papirkurven|destruer",
        "nb": "slett|slette|sletting|fjern permanent|avslutt konto|lukk kontoen|tøm papirkurv|tøm papirkurven",
        "fi": "poista|poistaa|poistaminen|poista pysyvästi|sulje tili|tyhjennä roskakori|hävitä",
        "id": "hapus|hapuskan|menghapus|penghapusan|tutup akun|kosongkan sampah|kosongkan tempat sampah|musnahkan",
        "ar": """
            حذف|احذف*|الحذف النهائي|إزالة نهائية|إزالة نهائيا|مسح الكل|مسح البيانات|مسح نهائي|إغلاق الحساب|
            إفراغ المهملات|إفراغ سلة المهملات|تدمير
        """,
        "fa": "حذف|پاک کن*|پاک کردن|پاک شود|بستن حساب|تخلیه سطل زباله|خالی کردن سطل زباله|نابود کن*",
        "he": "מחק|מחקו|מחיקה|מחיקת|למחוק|הסר לצמיתות|סגור חשבון|סגירת חשבון|רוקן אשפה|רוקן את האשפה",
    },
    "send": {
        "en": """
            send|send now|send message|send email|send money|submit application|post comment|reply all|~transfer|
            transfer money|~wire|forward email
        """,
        "de": """
            senden|sende|absenden|abschicken|schicken|verschicken|versenden|einreichen|überweisen|überweise|
            überweisung ausführen|allen antworten|weiterleiten
        """,
        "fr": """
            envoyer|envoyez|envoie|envoi du message|envoyer le message|virer|transférer|transférez|
            effectuer le virement|soumettre la candidature|répondre à tous
        """,
        "es": """
            enviar|envía|envíe|enviar mensaje|transferir|transfiera|hacer transferencia|realizar transferencia|
            reenviar|mandar|presentar solicitud
        """,
        "it": """
            invia|inviare|invii|trasferisci|trasferire|spedisci|spedire|inoltra|effettua bonifico|esegui bonifico|
            manda il messaggio|rispondi a tutti
        """,
        "pt": "enviar|envie|enviar mensagem|mandar|mande|transferir|transfira|fazer transferência|encaminhar",
        "nl": """
            verzenden|verzend|versturen|verstuur|sturen|stuur|overmaken|maak over|overboeken|opsturen|doorsturen|
            indienen|allen beantwoorden
        """,
        "pl": """
            wyślij|wysłać|wysyłam|prześlij|przesłać|przelej|przelać|wykonaj przelew|zleć przelew|nadaj|
            odpowiedz wszystkim
        """,
        "sv": "skicka|skickar|skicka in|överför|överföra|genomför överföring|svara alla|vidarebefordra",
        "ru": """
            отправить|отправьте|отправляю|отправка сообщения|послать|перевести деньги|перевести средства|=перевести|
            отослать|переслать|ответить всем|выполнить перевод
        """,
        "tr": """
            gönder|gönderin|göndermek|yolla|mesaj gönder|havale yap|para gönder|para aktar|transfer et|ilet|
            başvuruyu tamamla
        """,
        "uk": """
            надіслати|надішліть|надсилаю|відправити|відправте|переслати|переказати|переказати кошти|
            здійснити переказ|відповісти всім
        """,
        "cs": """
            odeslat|odešli|odešlete|odesílám|poslat|pošli|pošlete|přeposlat|převést peníze|provést převod|
            odpovědět všem|podat žádost
        """,
        "hu": """
            küldés|küldése|elküldés|elküldése|küldöm|elküldöm|küld|elküld|elküldi|küldj|beküldés|beküldöm|
            továbbítás|utalás indítása|átutalás indítása|átutal|átutalom|válasz mindenkinek|benyújtás
        """,
        "ro": """
            trimite*|trimiteți|trimit|expediază|transferă|transferați|efectuează plata|redirecționează|
            răspunde tuturor
        """,
        "el": "αποστολή|στείλτε|στείλε|αποστείλετε|μεταφορά χρημάτων|υποβολή αίτησης|προώθηση",
        "da": "send|sende|afsend|indsend|overfør|overføre|videresend|svar alle",
        "nb": "send|sende|send inn|overfør|overføre|videresend|svar alle",
        "fi": "lähetä|lähettää|siirrä rahaa|tee tilisiirto|vastaa kaikille|välitä viesti",
        "id": "kirim|kirimkan|mengirim|kirim pesan|transfer sekarang|transfer uang|teruskan pesan|balas semua|ajukan",
        "ar": "إرسال|أرسل|ارسل|أرسلها|تحويل الأموال|تحويل المبلغ|تنفيذ التحويل|إعادة توجيه|الرد على الكل|تقديم الطلب",
        "fa": """
            =ارسال|ارسال کن*|ارسال پیام|ارسال نظر|ارسال دیدگاه|ارسال فرم|ارسال درخواست|ارسال ایمیل|ارسال نهایی|
            بفرست|بفرستید|انتقال وجه|انتقال پول
        """,
        "he": "שלח|שלחו|שליחה|שליחת הודעה|שליחת טופס|לשלוח|העבר כסף|העברת כספים|העבר הודעה|השב לכולם",
    },
    "publish": {
        "en": """
            publish|publish now|^post|submit post|create post|send post|and post|=tweet|^tweet|go live|deploy|
            ~release|~merge|merge pull request|make public|share publicly
        """,
        "de": "veröffentlichen|veröffentliche|posten|online stellen|öffentlich machen|freischalten",
        "fr": """
            publier|publiez|publie|=poster|poster le commentaire|poster maintenant|mettre en ligne|rendre public|
            diffuser
        """,
        "es": "publicar|publica|publique|publicar ahora|hacer público|poner en línea",
        "it": "pubblica|pubblicare|pubblica ora|pubblichi|posta ora|rendi pubblico|metti online",
        "pt": "publicar|publique|publicar agora|postar|tornar público|colocar no ar",
        "nl": """
            publiceren|publiceer|=plaatsen|bericht plaatsen|reactie plaatsen|advertentie plaatsen|plaats bericht|
            plaats reactie|openbaar maken|online zetten
        """,
        "pl": "opublikuj|opublikować|publikuj|publikuję|zamieść|upublicznij|udostępnij publicznie",
        "sv": "publicera|publicerar|publicering|offentliggör|gör offentlig|lägg upp",
        "ru": "опубликовать|опубликуйте|публикую|публиковать|запостить|разместить объявление|выложить|обнародовать",
        "tr": "yayınla|yayınlayın|yayınlamak|paylaş|paylaşın|yayımla|yayına al|herkese açık yap",
        "uk": "опублікувати|опублікуйте|публікую|публікувати|оприлюднити|викласти|розмістити оголошення",
        "cs": "publikovat|publikuj|publikujte|zveřejnit|zveřejni|zveřejněte|zveřejnění příspěvku|vystavit inzerát",
        "hu": """
            közzététel|közzéteszem|közzétesz|közzétenni|publikálás|publikálom|publikál|nyilvánossá tesz*|
            bejegyzés elküldése
        """,
        "ro": "publică|publicați|publicare|publicarea|postează|postați|fă public",
        "el": "δημοσίευση|δημοσιεύστε|δημοσίευσε|δημοσιεύσετε|ανάρτηση τώρα|αναρτήστε",
        "da": "udgiv|udgive|offentliggør|offentliggøre|publicer|publicere|slå op|gør offentlig",
        "nb": "publiser|publisere|publisering|legg ut|offentliggjør|gjør offentlig",
        "fi": "julkaise|julkaista|julkaiseminen|julkaise nyt|tee julkiseksi",
        "id": "terbitkan|menerbitkan|publikasikan|memublikasikan|posting sekarang|unggah postingan|tayangkan|siarkan",
        "ar": "نشر|انشر*|أنشر|النشر الآن|نشر الآن|إعلان للعامة",
        "fa": "منتشر کن*|منتشر کردن|منتشر شود|=انتشار|انتشار مطلب|انتشار نوشته|انتشار پست|انتشار مقاله",
        "he": "פרסם|פרסמו|לפרסם|פרסום הפוסט|פרסום עכשיו|העלה לאוויר",
    },
    "cancel": {
        "en": """
            cancel order|cancel my order|cancel the order|cancel this order|cancel subscription|
            cancel my subscription|cancel the subscription|cancel membership|cancel my membership|cancel booking|
            cancel my booking|cancel reservation|cancel appointment|cancel plan|cancel my plan|unsubscribe|
            end subscription
        """,
        "de": """
            kündigen|jetzt kündigen|kündigung absenden|stornieren|storniere|bestellung widerrufen|abo beenden|
            abbestellen
        """,
        "fr": """
            résilier|résiliez|annuler la commande|annuler ma commande|annuler l'abonnement|annuler mon abonnement|
            annuler la réservation|se désabonner|se désinscrire
        """,
        "es": """
            cancelar pedido|cancelar el pedido|cancelar mi pedido|cancelar suscripción|cancelar la suscripción|
            cancelar mi suscripción|cancelar reserva|cancelar la reserva|darse de baja|darme de baja|anular pedido
        """,
        "it": """
            annulla ordine|annulla l'ordine|annulla abbonamento|annulla l'abbonamento|annulla prenotazione|disdici|
            disiscriviti
        """,
        "pt": """
            cancelar pedido|cancelar o pedido|cancelar assinatura|cancelar a assinatura|cancelar minha assinatura|
            cancelar reserva|cancelar a reserva|cancelar inscrição
        """,
        "nl": """
            opzeggen|zeg op|bestelling annuleren|abonnement annuleren|boeking annuleren|reservering annuleren|
            uitschrijven
        """,
        "pl": """
            anuluj zamówienie|anuluj subskrypcję|anuluj rezerwację|wypisz się|zrezygnuj z subskrypcji|odwołaj wizytę
        """,
        "sv": "avbeställ|säg upp|avboka|avsluta prenumeration|avsluta prenumerationen|avregistrera",
        "ru": "отменить заказ|отменить подписку|отменить бронирование|отписаться|расторгнуть",
        "tr": "siparişi iptal et|aboneliği iptal et|rezervasyonu iptal et|abonelikten çık",
        "uk": "скасувати замовлення|скасувати підписку|скасувати бронювання|відписатися",
        "cs": "zrušit objednávku|stornovat|zrušit předplatné|zrušit rezervaci|odhlásit odběr",
        "hu": """
            rendelés lemondása|rendelés törlése|előfizetés lemondása|foglalás lemondása|leiratkozás|leiratkozom|
            lemondom
        """,
        "ro": "anulează comanda|anulează abonamentul|anulează rezervarea|dezabonează-te|dezabonare",
        "el": "ακύρωση παραγγελίας|ακύρωση συνδρομής|ακύρωση κράτησης|κατάργηση εγγραφής",
        "da": "annuller ordre|annuller ordren|opsig|annuller abonnement|annuller booking|afmeld",
        "nb": "kanseller bestilling|avbestill|si opp|avslutt abonnement|meld deg av",
        "fi": "peruuta tilaus|irtisano|peruuta varaus|lopeta tilaus",
        "id": "batalkan pesanan|batalkan langganan|batalkan reservasi|berhenti berlangganan",
        "ar": "إلغاء الطلب|إلغاء الاشتراك|إلغاء الحجز",
        "fa": "لغو سفارش|لغو اشتراک|لغو رزرو|لغو عضویت",
        "he": "ביטול הזמנה|בטל הזמנה|ביטול מנוי|בטל מנוי|הסר מרשימת התפוצה",
    },
}

ACCENTED = {
    "pay": {
        "vi": """
            mua|mua ngay|mua hàng|thanh toán|thanh toán ngay|trả tiền|đặt hàng|đặt mua|đặt vé|đăng ký gói|quyên góp|
            nạp tiền
        """,
    },
    "delete": {
        "vi": "xóa|xoá|xóa bỏ|xoá bỏ|gỡ bỏ|đóng tài khoản|dọn sạch thùng rác|hủy tài khoản|huỷ tài khoản",
    },
    "send": {
        "vi": "gửi|gửi đi|gửi tin nhắn|chuyển tiền|chuyển khoản|chuyển tiếp|nộp đơn|nộp hồ sơ",
    },
    "publish": {
        "vi": "đăng bài|đăng tin|đăng ngay|=đăng|xuất bản|công khai bài viết|công bố",
    },
    "cancel": {
        "vi": "hủy đơn hàng|huỷ đơn hàng|hủy đăng ký|huỷ đăng ký|hủy đặt phòng|hủy đặt chỗ|hủy gói",
    },
}
"""Words that would be others without their accents (`gửi` would be `GUI`)."""

PARTS = {
    "pay": """
        支払う|支払い|お支払|購入|買う|注文する|注文を確定|注文確定|予約を確定|決済する|申し込む|寄付する|
        付款|购买|購買|支付|提交订单|提交訂單|立即下单|立即下單|结算|結帳|结账|捐款|打赏|充值|立即预订|立即預訂|
        결제|구매|주문하기|주문 완료|구독하기|후원하기|예약하기|충전하기
    """,
    "delete": """
        削除|消去|退会|抹消|ゴミ箱を空|删除|刪除|移除账号|注销账号|注销账户|註銷帳號|清空|抹除|
        삭제|탈퇴|지우기|휴지통 비우기
    """,
    "send": """
        送信|送金|振込|振り込|送付する|応募する|転送する|发送|發送|傳送|送出|转账|轉帳|匯款|汇款|提交申请|提交申請|转发给|
        보내기|전송|송금|이체|제출하기|발송|전달하기
    """,
    "publish": "公開|投稿|発信する|发布|發佈|發布|发表|發表|刊登|上架|게시|공개하기|발행",
    "cancel": """
        解約|注文をキャンセル|予約をキャンセル|購読を解除|配信停止|取消订单|取消訂單|取消订阅|取消訂閱|取消预订|退订|退訂|
        주문 취소|구독 취소|구독 해지|예약 취소|해지하기|수신 거부
    """,
}
"""Words of languages without blanks between words, or with endings: anywhere in a label."""

BEFORE_PARTS = "已|最近|未"
AFTER_PARTS = """
    済|い済|い方法|い方式|い履歴|い日|された|した|方法|方式|履歴|日|中|範囲|設定|记录|記錄|历史|歷史|时间|時間|者|내역|수단|됨|된|한|물|판|글|함|일|방법|기록
"""
"""What makes of such a word one for what was done, or for a page about it."""
BEFORE_ACCENTED = "đã|được|bị|cách|giỏ|đơn|phương thức|hình thức|lịch sử|phí"
AFTER_ACCENTED = "sắm"
AFTER_WORDS = "شده|شد|رایگان"

PAGE_NOUNS = """
    method methods history option options detail details info information setting settings overview terms plan plans
    notes date dates version versions list status request requests guide order orders number code codes box office
"""

CANCELS = """
    cancel|abbrechen|annuler|cancelar|annulla|annuleren|anuluj|avbryt|отмена|iptal|vazgeç|キャンセル|取消|취소|скасувати|
    zrušit|mégse|mégsem|anulează|ακύρωση|άκυρο|annuller|peruuta|batal|إلغاء|لغو|انصراف|ביטול|hủy|huỷ|hủy bỏ
"""
REFUSALS = """
    no|no thanks|close|back|go back|keep|dismiss|not now|later|x|×|✕|✖|nein|schließen|zurück|behalten|non|fermer|retour|
    cerrar|volver|chiudi|indietro|não|fechar|voltar|nee|sluiten|terug|nie|zamknij|wstecz|nej|stäng|нет|закрыть|назад|
    hayır|kapat|geri|いいえ|閉じる|戻る|否|关闭|關閉|返回|아니요|닫기|뒤로|ні|закрити|ne|zavřít|zpět|nem|bezárás|vissza|nu|
    închide|înapoi|όχι|κλείσιμο|πίσω|luk|tilbage|nei|lukk|tilbake|ei|sulje|takaisin|tidak|tutup|kembali|لا|إغلاق|رجوع|
    عودة|خیر|نه|بستن|بازگشت|לא|סגור|סגירה|חזרה|không|đóng|quay lại
"""
"""Buttons of a dialog that leave things as they are; those of CANCELS do unless the dialog is about cancelling."""

BINS = """
    trash|bin|recycle bin|papierkorb|corbeille|poubelle|papelera|cestino|lixeira|prullenbak|kosz|papperskorg|
    papperskorgen|корзина|çöp kutusu|смітник|koš|lomtár|kuka|coș de gunoi|κάδος|papirkurv|papirkurven|søppel|
    roskakori|tempat sampah|sampah|سلة المهملات|المهملات|سطل زباله|سطل بازیافت|אשפה|סל המיחזור|thùng rác
"""
BIN_PARTS = "ゴミ箱|ごみ箱|回收站|垃圾桶|휴지통"
