"""Encodings of texts as people write them, long and short."""

import io

import pytest

from dogent_tui.documents.text.charset import encoding_of, guessed

CHINESE = "敏捷的棕色狐狸跳过了懒狗。这是一份关于图书馆的报告，包含了读者人数。"
JAPANESE = "これは図書館についての報告書です。利用者の数が含まれています。"
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy."


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "naïve – “x”"),
        ("utf-8-sig", "hé"),
        ("utf-16", "hi"),
        ("utf-32", "hi"),
        ("utf-16-le", "Hello, world\n"),
        ("utf-16-be", "Grüße\r\n"),
        ("utf-16-le", "敏捷的棕色狐狸\n一二三"),
        ("utf-16-be", CHINESE + "\n"),
        ("utf-32-le", "hi there"),
        ("gb18030", CHINESE),
        ("gbk", "# 报告\n\n- one: 读者\n- two: 图书\n"),
        ("gb18030", "读者人数"),
        ("big5", "敏捷的棕色狐狸跳過了懶狗。這是一份關於圖書館的報告。"),
        ("big5", "讀者人數"),
        ("shift_jis", JAPANESE),
        ("euc_jp", JAPANESE),
        ("iso2022_jp", JAPANESE),
        ("euc_kr", "이것은 도서관에 관한 보고서입니다."),
        ("cp1252", "Der Bücherei-Bericht: “Größe” – naïve Façade, 5 €."),
        ("cp1252", "Café"),
        ("cp1252", "1,5 °C and 3 °C"),
        ("cp1252", "El niño comió año"),
        ("latin-1", "Blåbærsyltetøy på brød"),
        ("cp1251", "Это отчёт о городской библиотеке, в нём есть число читателей."),
        ("koi8-r", "Это отчет о городской библиотеке, в нем есть число читателей."),
        ("cp1250", CZECH),
        ("cp932", "氏名,部署,備考\r\n山本太郎,営業部,来月から出張\r\n"),
        ("cp932", "住所,電話\r\n横浜市港北区,045-555-0101\r\n"),
        ("cp1250", "Název;Počet\r\nšroubky;12\r\nhřebíky;30\r\n"),
        ("cp1250", "Nazwa;Cena\r\ngwoździe;12 zł\r\nmłotek;35 zł\r\n"),
        ("cp1254", "Ürün;Fiyat\r\nçekiç;120\r\nışık;35\r\n"),
        ("cp1255", "שם,עיר\r\nדוד,חיפה\r\n"),
        ("cp1256", "الاسم,المدينة\r\nمحمد,القاهرة\r\n"),
        ("cp874", "ชื่อ,เมือง\r\nสมชาย,เชียงใหม่\r\n"),
        ("cp874", "สวัสดีชาวโลก\n"),
        ("cp1252", "21 °C;± 2;10 €\r\n"),
        ("gb18030", "订单号,客户\r\nA1,赵\r\n"),
        ("cp850", "Straße;Größe\r\nKönigsallee;groß\r\n"),  # as a DOS program has saved it
        ("mac-roman", "Prénom;Ville\rHélène;Besançon\rFrançois;Orléans\r"),
        ("cp1253", "Αυτή είναι μια αναφορά για τη βιβλιοθήκη."),
        ("euc_jp", "名前,住所\r\n中村真由美,京都府京都市\r\n小林大輔,神奈川県川崎市\r\n"),
        ("euc_jp", "ひらがなとカタカナだけのぶんしょうです。"),
        ("cp932", "コード;ナマエ\r\nアイ;サトウ\r\nカキ;スズキ\r\n"),
        ("cp932", "001,ﾔﾏﾀﾞ ﾀﾛｳ\r\n002,ｽｽﾞｷ ﾊﾅｺ\r\n"),  # as banks have it
        ("cp1251", "ГОРОД;СУММА\r\nМОСКВА;ДВЕСТИ\r\nКАЗАНЬ;СТО\r\n"),
        ("cp866", "Товар;Остаток\r\nРубашка белая;мало\r\n"),
        ("cp1252", "Prénom;Ville\r\nHélène;Besançon\r\nBenoît;Angoulême\r\n"),
        ("cp850", "Artículo;Categoría\r\nté verde;bebidas\r\ncamisa pequeña;niño\r\n"),
        ("cp1252", "5 £; § 5; 5 µm; “it’s”"),
        ("cp1252", '"garçon"\t"garçon"\r\n"garçon"\t"été, ""groß mäßig""; x"\r'),
    ],
)
def test_a_text_is_read_as_it_was_written(encoding, text):
    data = text.encode(encoding)
    assert data.decode(encoding_of(io.BytesIO(data))).removeprefix("\ufeff") == text


def test_what_is_beyond_ascii_may_come_late():
    data = b"a,b\n" * 100_000 + CHINESE.encode("gb18030")
    assert data.decode(encoding_of(io.BytesIO(data))).endswith(CHINESE)
    assert encoding_of(io.BytesIO(("é" * 400_000).encode())) == "utf-8"


def test_a_few_broken_bytes_do_not_make_another_encoding():
    german = "Der Bericht über die Bücherei in München, schöne Größe. ".encode() * 4
    assert encoding_of(io.BytesIO(german[:30] + b"\xe9" + german[30:])) == "utf-8"


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 20, b"\0" * 500, b"text\0\x01\x02\xff\xfe" * 50, b"\x01\x02\x03" * 9],
)
def test_what_is_no_text(data):
    assert encoding_of(io.BytesIO(data)) == ""


def test_logs_with_colors_are_texts():
    assert encoding_of(io.BytesIO(b"\x1b[31mred\x1b[0m\n")) == "utf-8"


def test_an_encoding_that_may_be_another_is_told_with_it():
    doubtful = guessed(io.BytesIO("Ime,Grad\r\nŽeljko,Šibenik\r\n".encode("cp1250")))
    assert doubtful == ("cp1250", "mac-roman")
    german = "Der Bericht über die Bücherei in München, schöne Größe.\n" * 8
    for encoding in ("cp1252", "cp850", "mac-roman"):
        assert guessed(io.BytesIO(german.encode(encoding))) == (encoding,)
    certain = guessed(io.BytesIO("Это отчёт о городской библиотеке.".encode("cp1251")))
    assert certain == ("cp1251",)
