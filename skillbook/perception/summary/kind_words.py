"""Words by which controls and forms say what they are for, in the 20 languages most used on the web.

In each kind a line is a language, in this order: en, de, fr, es, it, pt, nl, pl, sv, ru, tr, uk, cs, ja, zh, ko, ar,
fa, vi, id. A `*` stands for any ending. Kinds are tried in the order in which they stand here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

KINDS = {
    "logout": """
        log out|log-out|logout|log off|sign out|sign-out|signout
        abmelden|ausloggen|logout
        déconnexion|se déconnecter|me déconnecter
        cerrar sesión|cerrar la sesión|desconectarse
        esci|disconnetti*|logout
        sair|terminar sessão|encerrar sessão
        uitloggen|afmelden
        wyloguj*
        logga ut
        выйти|выход
        çıkış|çıkış yap|oturumu kapat
        вийти|вихід
        odhlásit*
        ログアウト|サインアウト
        退出登录|退出|登出|注销
        로그아웃
        تسجيل الخروج|خروج
        خروج|خروج از حساب
        đăng xuất
        keluar
    """,
    "login": """
        log in|log-in|login|log on|sign in|sign-in|signin
        anmelden|einloggen|anmeldung
        connexion|se connecter|connectez-vous|me connecter|s'identifier|identifiez-vous
        iniciar sesión|inicia sesión|acceder|ingresar|entrar
        accedi|accesso|entra
        entrar|iniciar sessão|fazer login|acessar
        inloggen|aanmelden
        zaloguj*|logowanie
        logga in|inloggning
        войти|вход|авторизация
        giriş|giriş yap|oturum aç
        увійти|вхід
        přihlásit*|přihlášení
        ログイン|サインイン
        登录|登入
        로그인
        تسجيل الدخول|دخول
        ورود
        đăng nhập
        masuk
    """,
    "register": """
        sign up|sign-up|signup|register|registration|create account|create an account|create your account|join|join now
        registrieren|registrierung|konto erstellen|konto anlegen
        s'inscrire|inscription|inscrivez-vous|créer un compte|créer mon compte
        registrarse|regístrate|registrate|crear cuenta|crear una cuenta
        registrati|iscriviti|crea account|crea un account
        registrar|registe-se|registre-se|cadastre-se|cadastrar|criar conta|criar uma conta
        registreren|account aanmaken|registreer
        zarejestruj*|rejestracja|załóż konto|utwórz konto
        registrera*|skapa konto|bli medlem
        зарегистрироваться|регистрация|создать аккаунт
        kayıt ol|kaydol|üye ol|hesap oluştur
        зареєструватися|реєстрація|створити обліковий запис
        registrovat*|registrace|vytvořit účet
        新規登録|会員登録|アカウント作成|アカウントを作成
        注册|註冊|创建账户
        회원가입|가입하기
        إنشاء حساب|التسجيل|اشترك الآن
        ثبت نام|ثبت‌نام|ایجاد حساب
        đăng ký|tạo tài khoản
        daftar|buat akun
    """,
    "download": """
        download*|export
        herunterladen|herunter|download*|exportieren
        télécharger|téléchargement*|exporter
        descarg*|exportar
        scarica*|esporta
        baixar|transferir|descarregar|exportar
        download*|downloaden|exporteren
        pobierz|pobieranie|eksportuj
        ladda ner|ladda ned|exportera
        скачать|загрузить файл|экспорт*
        indir|dışa aktar
        завантажити|експорт*
        stáhnout|stažení|exportovat
        ダウンロード|エクスポート
        下载|下載|导出|匯出
        다운로드|내려받기|내보내기
        تنزيل|تحميل|تصدير
        دانلود|بارگیری|خروجی گرفتن
        tải xuống|tải về|xuất
        unduh|ekspor
    """,
    "search": """
        search*|find
        such*|finden
        rechercher|recherche|chercher
        busca*|búsqueda
        cerca|ricerca
        busca*|pesquis*|procurar
        zoek*
        szukaj|wyszuk*
        sök|sökning
        поиск|найти|искать
        ara|arama
        пошук|знайти|шукати
        hledat|vyhledat|vyhledávání|hledání
        検索|探す
        搜索|搜尋|搜寻|查询|查詢
        검색|찾기
        بحث|ابحث
        جستجو|جست‌وجو
        tìm|tìm kiếm
        cari|pencarian
    """,
    "checkout": """
        checkout|check out|check-out|proceed to checkout|place order|buy now|pay|pay now|proceed to payment
        kasse|zur kasse|bezahlen|jetzt kaufen|zahlungspflichtig bestellen
        payer|passer la commande|passer commande|valider mon panier|commander
        pagar|finalizar compra|tramitar pedido|realizar pedido|comprar ahora
        paga|vai alla cassa|procedi all'acquisto|cassa|acquista ora
        pagar|finalizar compra|finalizar pedido|fechar pedido|comprar agora
        afrekenen|naar de kassa|betalen|bestellen
        zapłać|przejdź do kasy|do kasy|złóż zamówienie|kup teraz
        kassa|till kassan|gå till kassan|betala|köp nu
        оплатить|оформить заказ|перейти к оформлению|купить сейчас
        öde|ödeme|ödemeye geç|satın al|alışverişi tamamla
        оплатити|оформити замовлення|купити зараз
        zaplatit|k pokladně|pokladna|objednat
        レジに進む|購入手続きへ|購入する|注文を確定*|お支払い
        结账|结算|去结算|付款|支付|立即购买|結帳
        결제|결제하기|주문하기|구매하기
        الدفع|إتمام الشراء|ادفع|شراء الآن|إتمام الطلب
        پرداخت|تسویه حساب|تکمیل خرید|خرید
        thanh toán|mua ngay|đặt hàng
        bayar|checkout|beli sekarang|buat pesanan
    """,
    "add_to_cart": """
        add to cart|add to basket|add to bag|add to trolley
        in den warenkorb|in den einkaufswagen|in den korb
        ajouter au panier
        añadir al carrito|agregar al carrito|añadir a la cesta
        aggiungi al carrello
        adicionar ao carrinho|colocar no carrinho
        in winkelwagen|in winkelmandje|toevoegen aan winkelwagen
        dodaj do koszyka|do koszyka
        lägg i varukorg*|lägg i kundvagn*|lägg till i varukorg*
        в корзину|добавить в корзину
        sepete ekle
        у кошик|в кошик|додати до кошика|додати в кошик
        do košíku|přidat do košíku|vložit do košíku
        カートに入れる|カートに追加|カゴに入れる
        加入购物车|添加到购物车|加入購物車
        장바구니에 담기|장바구니 담기|카트에 담기
        أضف إلى السلة|أضف إلى العربة|إضافة إلى السلة
        افزودن به سبد*
        thêm vào giỏ*
        tambah ke keranjang|masukkan keranjang|tambahkan ke keranjang
    """,
    "cart": """
        cart|basket|shopping bag|view cart|shopping cart
        warenkorb|einkaufswagen
        panier|mon panier
        carrito|cesta
        carrello
        carrinho
        winkelwagen|winkelmandje
        koszyk
        varukorg*|kundvagn*
        корзина
        sepet|sepetim
        кошик
        košík|nákupní košík
        カート|買い物かご
        购物车|購物車
        장바구니
        سلة التسوق|عربة التسوق|السلة
        سبد خرید
        giỏ hàng
        keranjang
    """,
    "upload": """
        upload*|attach|choose file|choose files|browse files|import
        hochladen|datei auswählen|anhängen|importieren
        téléverser|charger un fichier|joindre|choisir un fichier|importer
        subir|subir archivo|cargar archivo|adjuntar|elegir archivo|importar
        carica|carica file|allega|scegli file|importa
        enviar arquivo|carregar|anexar|escolher arquivo|importar
        uploaden|bijlage toevoegen|bestand kiezen|importeren
        prześlij plik|wgraj|załącz|wybierz plik|importuj
        ladda upp|bifoga|välj fil|importera
        загрузить|прикрепить|выбрать файл|импорт
        yükle|dosya seç|ekle dosya|içe aktar
        вивантажити|прикріпити|вибрати файл|імпорт
        nahrát|připojit soubor|vybrat soubor|importovat
        アップロード|ファイルを選択|添付|インポート
        上传|上傳|选择文件|附件|导入
        업로드|파일 선택|첨부|가져오기
        رفع|رفع ملف|إرفاق|اختر ملف|استيراد
        بارگذاری|آپلود|انتخاب فایل|پیوست
        tải lên|đính kèm|chọn tệp|nhập
        unggah|lampirkan|pilih file|impor
    """,
    "delete": """
        delete|remove|discard|trash
        löschen|entfernen|verwerfen
        supprimer|effacer|retirer
        eliminar|borrar|quitar|suprimir
        elimina|cancella|rimuovi
        excluir|eliminar|apagar|remover
        verwijderen|wissen
        usuń|skasuj
        ta bort|radera
        удалить|стереть
        sil|kaldır
        видалити|стерти
        smazat|odstranit|vymazat
        削除|消去
        删除|刪除|移除
        삭제|제거
        حذف|إزالة
        حذف|پاک کردن
        xóa|xoá|gỡ bỏ
        hapus
    """,
    "edit": """
        edit|rename|modify|change
        bearbeiten|ändern|umbenennen
        modifier|éditer|renommer
        editar|modificar|cambiar nombre
        modifica|rinomina
        editar|alterar|renomear
        bewerken|wijzigen|hernoemen
        edytuj|zmień|zmień nazwę
        redigera|ändra|byt namn
        редактировать|изменить|переименовать
        düzenle|değiştir|yeniden adlandır
        редагувати|змінити|перейменувати
        upravit|změnit|přejmenovat
        編集|変更
        编辑|編輯|修改|重命名
        편집|수정|이름 바꾸기
        تعديل|تحرير
        ویرایش|تغییر نام
        chỉnh sửa|sửa|đổi tên
        ubah|sunting|edit
    """,
    "save": """
        save|apply|apply changes|update
        speichern|übernehmen|aktualisieren
        enregistrer|sauvegarder|appliquer|mettre à jour
        guardar|aplicar|actualizar
        salva|applica|aggiorna
        salvar|gravar|guardar|aplicar|atualizar
        opslaan|toepassen|bijwerken
        zapisz|zastosuj|zaktualizuj
        spara|tillämpa|uppdatera
        сохранить|применить|обновить
        kaydet|uygula|güncelle
        зберегти|застосувати|оновити
        uložit|použít|aktualizovat
        保存|適用|更新
        保存|儲存|应用|套用|更新
        저장|적용|업데이트
        حفظ|تطبيق|تحديث
        ذخیره|اعمال|به‌روزرسانی
        lưu|áp dụng|cập nhật
        simpan|terapkan|perbarui
    """,
    "send": """
        send|submit|post|publish
        senden|absenden|abschicken|veröffentlichen
        envoyer|soumettre|publier
        enviar|publicar
        invia|pubblica
        enviar|publicar|submeter
        versturen|verzenden|verstuur|publiceren|indienen
        wyślij|opublikuj|prześlij
        skicka|publicera
        отправить|опубликовать
        gönder|yayınla
        надіслати|відправити|опублікувати
        odeslat|publikovat|zveřejnit
        送信|投稿|公開
        发送|提交|发布|送出|發布
        보내기|전송|제출|게시
        إرسال|أرسل|نشر
        ارسال|انتشار
        gửi|đăng
        kirim|terbitkan
    """,
    "next_page": """
        next|next page|load more|show more|more results|older|older posts|view more
        weiter|nächste|nächste seite|mehr laden|mehr anzeigen
        suivant|suivante|page suivante|charger plus|voir plus|afficher plus
        siguiente|página siguiente|cargar más|ver más|mostrar más
        successivo|successiva|avanti|pagina successiva|carica altro|mostra altro
        próximo|próxima|seguinte|próxima página|carregar mais|ver mais|mostrar mais
        volgende|volgende pagina|meer laden|meer tonen
        następna|następny|dalej|następna strona|załaduj więcej|pokaż więcej
        nästa|nästa sida|ladda fler|visa fler
        следующая|следующий|далее|вперед|показать ещё|показать еще|загрузить ещё
        sonraki|sonraki sayfa|ileri|daha fazla|daha fazla göster
        наступна|наступний|далі|показати ще
        další|další strana|další stránka|načíst další|zobrazit více
        次へ|次のページ|次|もっと見る|さらに表示
        下一页|下一頁|下页|加载更多|查看更多|更多
        다음|다음 페이지|더 보기|더보기
        التالي|الصفحة التالية|عرض المزيد|تحميل المزيد
        بعدی|صفحه بعد|صفحه بعدی|بیشتر
        tiếp|trang sau|tiếp theo|xem thêm|tải thêm
        berikutnya|selanjutnya|halaman berikutnya|muat lebih banyak|lihat lainnya
    """,
    "previous_page": """
        previous|previous page|prev|newer|newer posts
        zurück|vorherige|vorherige seite
        précédent|précédente|page précédente
        anterior|página anterior
        precedente|indietro|pagina precedente
        anterior|página anterior
        vorige|vorige pagina
        poprzednia|poprzedni|wstecz
        föregående|föregående sida
        предыдущая|предыдущий|назад
        önceki|önceki sayfa|geri
        попередня|попередній|назад
        předchozí|předchozí strana
        前へ|前のページ
        上一页|上一頁|上页
        이전|이전 페이지
        السابق|الصفحة السابقة
        قبلی|صفحه قبل|صفحه قبلی
        trang trước|trước
        sebelumnya|halaman sebelumnya
    """,
    "filter": """
        filter|filters|sort|sort by|refine|filter by
        filtern|filter|sortieren|sortieren nach
        filtrer|filtres|trier|trier par
        filtrar|filtros|ordenar|ordenar por
        filtra|filtri|ordina|ordina per
        filtrar|filtros|ordenar|ordenar por|classificar
        filteren|filters|sorteren|sorteer op
        filtruj|filtry|sortuj|sortuj według
        filtrera|sortera|sortera efter
        фильтр*|сортировать|сортировка|отфильтровать
        filtre|filtrele|sırala|sıralama
        фільтр*|сортувати|сортування
        filtr*|seřadit|řadit podle
        絞り込み|並べ替え|フィルタ*
        筛选|排序|过滤|篩選
        필터|정렬
        تصفية|فرز|ترتيب حسب
        فیلتر|مرتب‌سازی
        lọc|sắp xếp|bộ lọc
        saring|urutkan|filter
    """,
    "reject": """
        reject|decline|deny|refuse|only necessary|necessary only|essential only|no thanks
        ablehnen|alle ablehnen|nur notwendige*|nur erforderliche*|nur essenzielle*
        refuser|tout refuser|continuer sans accepter|je refuse
        rechazar|rechazar todo|rechazar todas|denegar|solo necesarias
        rifiuta|rifiuta tutto|rifiuta tutti|solo necessari
        rejeitar|recusar|rejeitar todos|apenas necessários
        weigeren|afwijzen|alles weigeren|alleen noodzakelijke*
        odrzuć|odrzuć wszystkie|tylko niezbędne
        avvisa|neka|avvisa alla|endast nödvändiga
        отклонить|отклонить все|отказаться|только необходимые
        reddet|tümünü reddet|yalnızca gerekli
        відхилити|відхилити все|відмовитися
        odmítnout|odmítnout vše|pouze nezbytné
        拒否|すべて拒否|同意しない|必要なもののみ
        拒绝|全部拒绝|拒絕|仅必要
        거부|모두 거부|거절|필수만
        رفض|رفض الكل
        رد کردن|نپذیرفتن|رد همه
        từ chối|từ chối tất cả
        tolak|tolak semua
    """,
    "close": """
        close|dismiss|cancel
        schließen|abbrechen
        fermer|annuler
        cerrar|cancelar
        chiudi|annulla
        fechar|cancelar
        sluiten|annuleren
        zamknij|anuluj
        stäng|avbryt
        закрыть|отмена|отменить
        kapat|iptal
        закрити|скасувати
        zavřít|zrušit
        閉じる|キャンセル
        关闭|取消|關閉
        닫기|취소
        إغلاق|إلغاء
        بستن|لغو
        đóng|hủy|huỷ
        tutup|batal
    """,
    "accept": """
        accept|agree|i agree|allow|allow all|ok|okay|got it|understood
        akzeptieren|alle akzeptieren|zustimmen|einverstanden|verstanden|alle annehmen
        accepter|tout accepter|j'accepte|d'accord|autoriser
        aceptar|aceptar todo|aceptar todas|acepto|permitir|de acuerdo
        accetta|accetta tutto|accetta tutti|acconsento|ho capito
        aceitar|aceitar todos|aceito|concordo|permitir
        accepteren|alles accepteren|akkoord|toestaan
        akceptuj|zaakceptuj|akceptuję|zgadzam się|zezwól
        acceptera|godkänn|acceptera alla|tillåt
        принять|принять все|согласен|разрешить|понятно
        kabul et|tümünü kabul et|onayla|izin ver|tamam
        прийняти|прийняти все|погоджуюся|дозволити
        přijmout|přijmout vše|souhlasím|povolit|rozumím
        同意する|すべて許可|同意|許可|了解
        接受|全部接受|同意|允许|确定
        동의|모두 동의|수락|허용|확인
        قبول|قبول الكل|أوافق|موافق|السماح
        پذیرفتن|قبول|موافقم|پذیرش همه
        chấp nhận|đồng ý|chấp nhận tất cả
        terima|setuju|terima semua|izinkan
    """,
    "book": """
        book|book now|reserve|reservation|schedule|make an appointment
        buchen|jetzt buchen|reservieren|termin vereinbaren
        réserver|réservation|prendre rendez-vous
        reservar|reserva|reservar cita|agendar
        prenota|prenotazione
        reservar|reserva|agendar|marcar
        boeken|reserveren|afspraak maken
        zarezerwuj|rezerwuj|rezerwacja|umów wizytę
        boka|boka nu|bokning
        забронировать|бронирование|записаться
        rezervasyon*|randevu al
        забронювати|бронювання|записатися
        rezervovat|objednat se|rezervace
        予約|予約する
        预订|预约|預訂|預約
        예약|예약하기
        احجز|حجز
        رزرو|نوبت‌گیری
        đặt chỗ|đặt phòng|đặt lịch
        pesan|reservasi|jadwalkan
    """,
    "billing": """
        billing|invoice|invoices|payment|payments|statements|receipts
        rechnung*|abrechnung*|zahlungen|belege
        facture*|facturation|paiement*|relevés
        factura*|facturación|pagos|recibos
        fattura|fatture|fatturazione|pagamenti
        fatura*|faturação|faturamento|pagamentos|recibos
        factuur|facturen|facturering|betalingen
        faktur*|rozliczenia|płatności|rachunki
        faktur*|betalningar|kvitton
        счет|счета|счёт|платежи|квитанции|выставление счетов
        fatura*|faturalandırma|ödemeler
        рахунки|рахунок|рахунки-фактури|платежі
        faktury|faktura|vyúčtování|platby
        請求書|請求|支払い|明細
        发票|账单|帳單|付款记录
        청구서|결제 내역|인보이스|청구
        الفواتير|فاتورة|فواتير|المدفوعات
        صورتحساب*|فاکتور*|پرداخت‌ها
        hóa đơn|hoá đơn|thanh toán
        faktur|tagihan|invoice|pembayaran
    """,
    "settings": """
        settings|preferences|options|configuration
        einstellungen|optionen
        paramètres|réglages|préférences
        configuración|ajustes|preferencias|opciones
        impostazioni|preferenze|opzioni
        configurações|definições|preferências|opções
        instellingen|voorkeuren
        ustawienia|preferencje|opcje
        inställningar|alternativ
        настройки|параметры
        ayarlar|tercihler|seçenekler
        налаштування|параметри
        nastavení|předvolby|možnosti
        設定|環境設定
        设置|設定|偏好设置|选项
        설정|환경설정
        الإعدادات|إعدادات|التفضيلات
        تنظیمات
        cài đặt|thiết lập|tùy chọn
        pengaturan|setelan|preferensi
    """,
    "help": """
        help|support|contact|contact us|faq
        hilfe|support|kontakt
        aide|assistance|contact|contactez-nous
        ayuda|soporte|contacto
        aiuto|assistenza|contatti|contattaci
        ajuda|suporte|contato|contacto
        help|ondersteuning|contact
        pomoc|wsparcie|kontakt
        hjälp|support|kontakt
        помощь|поддержка|контакты|справка
        yardım|destek|iletişim
        допомога|підтримка|контакти
        nápověda|podpora|kontakt
        ヘルプ|サポート|お問い合わせ
        帮助|支持|联系我们|幫助
        도움말|고객센터|문의
        مساعدة|الدعم|اتصل بنا
        راهنما|پشتیبانی|تماس با ما
        trợ giúp|hỗ trợ|liên hệ
        bantuan|dukungan|hubungi kami
    """,
}
CONCEALED_FIELD = """
    password|passphrase|passcode
    passwort|kennwort
    mot de passe
    contraseña|clave
    password
    senha|palavra-passe
    wachtwoord
    hasło
    lösenord
    пароль
    parola|şifre
    пароль
    heslo
    パスワード
    密码|密碼
    비밀번호|암호
    كلمة المرور|كلمة السر
    گذرواژه|رمز عبور
    mật khẩu
    kata sandi|sandi
"""

# Written without spaces between words, so that a word has no edges.
_NO_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def word_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of the words in a casefolded text, whole; a `*` stands for any ending."""
    edged: list[str] = []
    free: list[str] = []
    for word in sorted({word.strip().casefold() for word in words if word.strip()}, key=len, reverse=True):
        text = re.escape(word).replace(r"\*", r"\w*")
        (free if _NO_SPACES.search(word) else edged).append(text)
    parts = [rf"(?<!\w)(?:{'|'.join(edged)})(?!\w|[.-]\w)"] if edged else []
    return re.compile("|".join([*parts, *free]) or r"(?!)")


def words_of(table: str) -> list[str]:
    """The words of a kind, of all languages."""
    return [word for line in table.strip().splitlines() for word in line.split("|")]
