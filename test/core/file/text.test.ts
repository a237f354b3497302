import { expect, test } from 'vitest'
import { decodeText } from '../../../core/file/text.ts'

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from('Grüße €'), 'Grüße €'],
  ['UTF-8 with a mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['UTF-16 with a mark', Buffer.from('\ufeffGrüße €', 'utf16le'), 'Grüße €'],
  ['UTF-16 of the other order', utf16be('\ufeffGrüße €'), 'Grüße €'],
  ['UTF-16 without a mark', Buffer.from('Ein langer Satz.', 'utf16le'), 'Ein langer Satz.'],
  ['UTF-16 of the other order without a mark', utf16be('Ein langer Satz.'), 'Ein langer Satz.'],
  ['Windows-1252', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65, 0x20, 0x80]), 'Grüße €'],
  ['line ends of three systems', Buffer.from('a\r\nb\rc\n'), 'a\nb\nc\n'],
  ['nothing', Buffer.alloc(0), ''],
])('%s is text', (_, bytes, text) => {
  expect(decodeText(bytes)).toBe(text)
})

test.each([
  ['a page', '<!doctype html><meta charset="windows-1251"><p>\xcf\xf0\xe8', 'При'],
  ['an XML file', "<?xml version='1.0' encoding='ISO-8859-2'?><a>\xa3\xf3d\xbc", 'Łódź'],
  ['a page that names Latin-1', '<meta content="text/html; charset=iso-8859-1">5 \x80', '5 €'],
  ['a page with a wrong name', '<meta charset="utf-8">Gr\xfc\xdfe', 'Grüße'],
  ['a page with an unknown name', '<meta charset="none">Gr\xfc\xdfe', 'Grüße'],
])('%s is read in the encoding that it names', (_, bytes, end) => {
  expect(decodeText(Buffer.from(bytes, 'latin1'))?.endsWith(end)).toBe(true)
})

test.each([
  ['zero bytes', Buffer.from('a\0b\0\0c')],
  ['control characters', Buffer.from([1, 2, 3, 4, 65, 66, 67])],
  ['half a character after a mark', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
])('%s are no text', (_, bytes) => {
  expect(decodeText(bytes)).toBeUndefined()
})

/** The bytes are those of Python's codecs, so that they come from another table than the one that reads them. */
const encoded: [name: string, base64: string, text: string][] = [
  [
    'cp866',
    'k6KgpqClrOulIKquq6ulo6ghII2gr+CgoqvvpawgoqCsIK/goKnhLauo4eIgraAgq6Csr+sgqCCspaGlq+wuIJEg46KgpqWtqKWsLCCu4qSlqyCv4K6koKYu',
    'Уважаемые коллеги! Направляем вам прайс-лист на лампы и мебель. С уважением, отдел продаж.',
  ],
  [
    'windows-1251',
    '0+Lg5uDl7PvlIOru6+vl4+ghIM3g7/Dg4uv/5ewg4uDsIO/w4OnxLevo8fIg7eAg6+Ds7/sg6CDs5eHl6/wu',
    'Уважаемые коллеги! Направляем вам прайс-лист на лампы и мебель.',
  ],
  [
    'KOI8-R',
    '9dfB1sHFzdnFIMvPzMzFx8khIO7B0NLB18zRxc0g18HNINDSwcrTLczJ09QgzsEgzMHN0NkgySDNxcLFzNgu',
    'Уважаемые коллеги! Направляем вам прайс-лист на лампы и мебель.',
  ],
  [
    'Shift_JIS',
    'lb2RZoLNimmVyoLMgrKNgpR6gvCOkoLogUGM+oKtjOSX55BcgrWP44KwgtyCt4FCib+KaZVcgvCCqJGXguiCooK9grWC3IK3gUI=',
    '平素は格別のご高配を賜り、厚く御礼申し上げます。価格表をお送りいたします。',
  ],
  [
    'EUC-JP',
    'yr/Bx6TPs8rKzKTOpLS54sfbpPK78qTqoaK4/KSvuObO6b+9pLe+5aSypN6kuaGjssGzysm9pPKkqsH3pOqkpKS/pLek3qS5oaM=',
    '平素は格別のご高配を賜り、厚く御礼申し上げます。価格表をお送りいたします。',
  ],
  [
    'GBK',
    '1/C+tLXEv827p6OsxPq6w6Ohz9a9q7G+uavLvtfu0MK1xLXGvt+827jxse23osvNuPjE+qOsx+uy6crVoaM=',
    '尊敬的客户，您好！现将本公司最新的灯具价格表发送给您，请查收。',
  ],
  [
    'Big5',
    'tEy3caq6q8ik4aFBsXqmbqFJsnuxTqW7pL2lcbPMt3Oqur9PqOO7+a7mqu21b7BltbmxeqFBvdCsZKasoUM=',
    '尊敬的客戶，您好！現將本公司最新的燈具價格表發送給您，請查收。',
  ],
  [
    'ISO-8859-2',
    'U3phbm93bmkgUGHxc3R3bywgcHJ6ZXN5s2FteSBjZW5uaWsgbGFtcCBpIG1lYmxpLiBQcm9zaW15IG8gcG90d2llcmR6ZW5pZSB6YW3zd2llbmlhLiCjsWN66iB3eXJhenkgc3phY3Vua3UsIGR6aWGzIHNwcnplZGG/eS4=',
    'Szanowni Państwo, przesyłamy cennik lamp i mebli. Prosimy o potwierdzenie zamówienia. Łączę wyrazy szacunku, dział sprzedaży.',
  ],
  [
    'Windows-1252 in German',
    'U2VociBnZWVocnRlIERhbWVuIHVuZCBIZXJyZW4sIGFuYmVpIGRpZSBQcmVpc2xpc3RlIGb8ciBMYW1wZW4gdW5kIE32YmVsIJYgZGFzIEL8cm8u',
    'Sehr geehrte Damen und Herren, anbei die Preisliste für Lampen und Möbel – das Büro.',
  ],
  [
    'Windows-1252 in French',
    'TWFkYW1lLCBNb25zaWV1ciwgdm9pY2kgbGEgbGlzdGUgZGVzIHByaXggZGVzIGxhbXBlcyBk6WRp6WVzIOAgbJLpdOkuIMAgYmllbnT0dC4=',
    'Madame, Monsieur, voici la liste des prix des lampes dédiées à l’été. À bientôt.',
  ],
  [
    'Windows-1252 in Swedish',
    'QuRzdGEga3VuZCwgaORyIORyIHByaXNsaXN0YW4gZvZyIHblcmEgbGFtcG9yLiBI5GxzbmluZ2FyIGZy5W4gxXNhIHDlIGb2cnPkbGpuaW5nZW4u',
    'Bästa kund, här är prislistan för våra lampor. Hälsningar från Åsa på försäljningen.',
  ],
  [
    'Windows-1252 in Spanish',
    'RWwgbmnxbyBjb21p8yBtYfFhbmEgZW4gZWwgamFyZO1uOyBh8W8gMjAyNiwgv3F16SBt4XM/',
    'El niño comió mañana en el jardín; año 2026, ¿qué más?',
  ],
  [
    'Windows-1252 in a list',
    'TfxsbGVyO1N0cmHfZSA1O0v2bG4KSuRnZXI7R+RydGVuIDM7RPxzc2VsZG9yZgoxMiCwQzsgNSCAOyCnIDM=',
    'Müller;Straße 5;Köln\nJäger;Gärten 3;Düsseldorf\n12 °C; 5 €; § 3',
  ],
]

test.each(encoded)('%s is recognised', (_, base64, text) => {
  expect(decodeText(Buffer.from(base64, 'base64'))).toBe(text)
})
