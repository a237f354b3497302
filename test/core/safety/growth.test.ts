import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { passages } from '../../../core/agent/excerpt.ts'
import { storable } from '../../../core/agent/storable.ts'
import { bounded } from '../../../core/agent/truncate.ts'
import { canonical } from '../../../core/canonical.ts'
import { readText } from '../../../core/document/extract.ts'
import { toMarkdown } from '../../../core/document/markdown.ts'
import { limits } from '../../../core/document/schema.ts'
import { attachmentHeader, cleanName } from '../../../core/file/name.ts'
import { inspect } from '../../../core/file/sniff.ts'
import { build } from '../../../core/prompt/history.ts'
import { plain, strip } from '../../../core/safety/confusables.ts'
import { fence } from '../../../core/safety/fence.ts'
import { redact } from '../../../core/safety/redact.ts'
import { textOf } from '../../../core/tool/html-text.ts'
import { present } from '../../../core/tool/result.ts'
import type { Message } from '../../../core/transcript/schema.ts'

/**
 * The author of a text, a document or an answer chooses its shape. Ten times the input may take twelve times the
 * processor time, whatever the shape is; a function that compares all with all would take a hundred times.
 */

/** Characters of the larger of two inputs. */
const large = 200_000
/** Nothing that grows with the square of 200,000 characters is done in so many milliseconds. */
const negligibleMs = 12
const attempts = 15

const nonce = 'f'.repeat(24)

type Case = [name: string, act: (text: string) => unknown, pieces: string[]]

const secrets = [
  'eyJ-',
  'eyJaaaaaaaa.',
  `${'eyJ-'.repeat(70)} `,
  `${'eyJ-'.repeat(200)} `,
  'password=',
  'password: "',
  'secret_',
  'token\\"',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  'Bearer a',
  'Cookie: ',
  'authorization=',
  'SST_KEY="\\"',
  'a://',
  'a:b@',
  '$2y$',
  'scrypt$pbkdf2',
  'SG.',
  'sk-',
  'xoxb-',
]
const disguises = [
  '\ufdfa',
  '\ufdfb',
  '&',
  '&amp;',
  '&amp',
  '&#38;',
  '&#x0026',
  '&ltlt',
  '\u0301',
  '\u200b',
  '\u{e0041}',
  'ﬃ',
  '㎯',
  '🪔',
]
const markup = [
  '<',
  '<a',
  '<b>',
  '</b>',
  '<p>',
  '</p>',
  '<i></x>',
  '<a href="',
  '<li>',
  '<td>',
  '<td colspan="90" rowspan="90">a</td>',
  '<tr><td>',
  '<!--',
  '<![CDATA[',
  '<script>',
  '&lt',
  '\n',
  ' \n ',
]
const files = ['PK\x03\x04', 'PK\x05\x06', '%PDF-', '/Encrypt ', '/Encrypt 1 ', '1 ', '\0', '\r', '\x01', 'ä']
const names = ['.', ' ', '. ', '/', '\\', 'a\u0301\u0316', '\u202e', 'a.', '%']

const cases: Case[] = [
  ['redact', redact, secrets],
  ['what a reader sees', plain, disguises],
  ['fence', (text) => fence(nonce, text.slice(0, 1_000), text), [...disguises, nonce, '<data-']],
  ['instructions of a user', (text) => strip(text, /<?\/?user_instructions>?/g), ['<user_', ...disguises]],
  ['a result for the model', (text) => present(nonce, 'get_record', text), [...secrets, ...disguises]],
  ['a detail of a run record', (result) => storable({ result, list: result.match(/.{1,100}/gs) }), secrets],
  ['an answer that is stored', (text) => bounded({ text, calls: [] }), ['ä', '🪔']],
  ['HTML as text', textOf, markup],
  ['Word as Markdown', (html) => ignore(() => toMarkdown(html)), [...markup, '<ul><li>a</li></ul>']],
  ['a change for a decision', (text) => passages(changed(text)), ['a', 'ab ', '. ', '\n', 'ä-', '<b>']],
  ['a file name', (text) => attachmentHeader(cleanName(text)), names],
  ['the content of a PDF', (text) => inspect(bytes(`%PDF-1.7${text}`), 'pdf'), files],
  ['the content of a Word document', (text) => inspect(bytes(`PK${text}`), 'docx'), files],
  ['the content of a picture', (text) => inspect(bytes(`\x89PNG\r\n\x1a\n${text}`), 'png'), files],
  ['a plain text', (text) => readText(bytes(text), limits), files],
  [
    'arguments of a call',
    (text) => canonical({ ...nested(text), ...keyed(text) }),
    ['a', '"', '\\', '__proto__'],
  ],
  ['a transcript', (text) => build(rows(text), room), ['a', `</data-${nonce}>`, ' ', '\n']],
]

/** Shapes made up at random: two pieces or three, a beginning, an end; the same ones in each run. */
function shapes(pieces: string[]): ((length: number) => string)[] {
  const piece = fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(' ', 'a', '"', '=', '-', '.', '0', '\n'))
  const mixed = fc.sample(fc.tuple(piece, piece, fc.constantFrom('', ...pieces)), { numRuns: 12, seed: 42 })
  return [
    ...pieces.map((one) => (length: number) => repeated(one, length)),
    ...mixed.map(
      ([one, other, end]) =>
        (length: number) =>
          repeated(one, length / 2) + repeated(other, length / 2) + end,
    ),
    ...mixed.map(
      ([one, other, end]) =>
        (length: number) =>
          repeated(one + other, length) + end,
    ),
  ]
}

describe.each(cases)('%s', (_, act, pieces) => {
  test('ten times the text takes at most twelve times the work', { timeout: 120_000 }, async () => {
    for (const shape of shapes(pieces)) {
      // The smaller pair first: a square shows there before it takes minutes. A search that is bounded to some thousand
      // characters may still look like a part of one.
      const early = await growth(act, shape(large / 100), shape(large / 10))
      expect(early, JSON.stringify(shape(60))).toBeLessThanOrEqual(50)
      const ratio = await growth(act, shape(large / 10), shape(large))
      expect(ratio, JSON.stringify(shape(60))).toBeLessThanOrEqual(12)
    }
  })
})

/**
 * How many times the work of the small text the large one takes. Measured again while it seems too much, for a busy
 * machine: the quickest run of the large one counts against the slowest of the small, a difference that hides no
 * square. Ten runs of the small one leave as much for the garbage collector as one of the large.
 */
async function growth(act: (text: string) => unknown, small: string, big: string): Promise<number> {
  let smallMs = 0
  let bigMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && bigMs > 12 * smallMs; attempt++) {
    bigMs = Math.min(bigMs, await processorMs(act, big, 1))
    if (bigMs < negligibleMs) return 0
    smallMs = Math.max(smallMs, await processorMs(act, small, 10))
  }
  return bigMs / smallMs
}

/** Milliseconds of processor time that one run takes, by the mean of some. */
async function processorMs(act: (text: string) => unknown, text: string, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) await act(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / times
}

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length))
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

/** What is refused as too deep is refused at once. */
function ignore(act: () => unknown): void {
  try {
    act()
  } catch {}
}

function changed(text: string) {
  const half = Math.floor(text.length / 2)
  return { field: 'body', label: 'Body', before: text, after: `${text.slice(half)}x${text.slice(0, half)}` }
}

function keyed(text: string): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: text.length / 20 }, (_, at) => [`${text.slice(0, 10)}${at}`, at]),
  )
}

function nested(text: string): Record<string, unknown> {
  return {
    text,
    list: Array.from({ length: text.length / 20 }, (_, at) => ({ b: at, a: text.slice(0, 10) })),
  }
}

/** Replies of a server that gives all of its calls one id. */
function rows(text: string): Message[] {
  const createdAt = '2026-01-01T00:00:00.000Z'
  return Array.from({ length: Math.ceil(text.length / 100) }, (_, at): Message[] => [
    { sequence: 3 * at, role: 'user', content: text.slice(0, 50), createdAt },
    {
      sequence: 3 * at + 1,
      role: 'assistant',
      content: '',
      createdAt,
      toolCalls: [{ id: 'call', name: 'get_page', arguments: { text: text.slice(0, 20) } }],
    } as Message,
    {
      sequence: 3 * at + 2,
      role: 'tool',
      content: text.slice(0, 1_000),
      createdAt,
      toolCallId: 'call',
    } as Message,
  ]).flat()
}

const room = {
  system: [],
  tools: [],
  maxTokens: 1_000,
  contextTokens: 10_000,
  expand: () => [],
  cost: () => 0,
}
