import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'

const read = async (body: string) =>
  extract(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`, 'latin1'), 'rtf')

test.each([
  [
    'bytes of the code page of a font',
    "{\\fonttbl{\\f1\\fcharset204 Arial;}}{\\f1 \\'cf\\'f0\\'e8}\\'fc",
    'Приü',
  ],
  ['Unicode with its replacement passed over', "\\uc1 Gr\\u252?\\u223'dfe", 'Grüßdfe'],
  ['signs that stand for themselves', 'a\\{b\\}c\\\\d\\~e', 'a{b}c\\d\u00a0e'],
  ['typographic signs', '\\ldblquote x\\rdblquote \\emdash', '“x”—'],
  [
    'no tables of fonts, colours and styles',
    '{\\fonttbl{\\f0 Arial;}}{\\colortbl;}{\\stylesheet{x;}}{\\*\\other y}Text',
    'Text',
  ],
  [
    'struck words, marked',
    '{\\strike \\u8364?120} \\strike was \\strike0 \\u8364?100',
    '~~€120~~ ~~was~~ €100',
  ],
  [
    'a raised number that is no digit of another',
    '10{\\super 6} and 10\\super 6\\nosupersub 1',
    '10^6 and 10^61',
  ],
  ['no hidden words', 'a{\\v secret}b\\v secret\\v0 c', 'abc'],
  ['a link', '{\\field{\\*\\fldinst HYPERLINK "https://a.example/"}{\\fldrslt A}}', 'A (https://a.example/)'],
])('%s', async (_, body, text) => {
  expect(await read(body)).toMatchObject({ state: 'whole', text, leftOut: [] })
})

test('pictures, embedded files and deleted words are named as left out', async () => {
  const body = 'Text{\\pict 89504e47}{\\object{\\*\\objdata 01}{\\result shown}}{\\deleted gone}'

  expect(await read(body)).toMatchObject({
    text: 'Textshown',
    leftOut: ['pictures', 'embeddedFiles', 'trackedChanges'],
  })
})

test('a star within a group, after other words, hides nothing', async () => {
  const file = Buffer.from('{\\rtf1\\ansi {\\b0\\*\\cs7\\i0 The quick brown fox}{\\*\\unknown hidden}}')

  expect((await extract(file, 'rtf')).text).toBe('The quick brown fox')
})
