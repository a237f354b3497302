import { APIError } from '@anthropic-ai/sdk/error'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { passages } from '../../../../core/agent/previewed.ts'
import { buildHistory } from '../../../../core/agent/prompt/history.ts'
import { boundReply } from '../../../../core/agent/truncate.ts'
import { storable } from '../../../../core/agent/write-outcome.ts'
import { canonical } from '../../../../core/base/hash.ts'
import { textOf } from '../../../../core/base/html-text.ts'
import { plain, strip } from '../../../../core/base/safety/confusables.ts'
import { fence } from '../../../../core/base/safety/fence.ts'
import { redact } from '../../../../core/base/safety/redact.ts'
import { title } from '../../../../core/chat/conversation.ts'
import { readable, wordsOf } from '../../../../core/cms/readable/readable.ts'
import { oldTranscript } from '../../../../core/conversation/legacy/old-transcript.ts'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'
import { withEquations } from '../../../../core/file/document/equation.ts'
import { limits } from '../../../../core/file/document/excerpt.ts'
import { readText } from '../../../../core/file/document/extract.ts'
import { toMarkdown } from '../../../../core/file/document/markdown.ts'
import { attachmentHeader, cleanName, type Format } from '../../../../core/file/format.ts'
import { isBare, sizeOf } from '../../../../core/file/picture-facts.ts'
import { inspect } from '../../../../core/file/sniff.ts'
import { decode } from '../../../../core/model/decode.ts'
import { amount, record, sentences } from '../../../../core/model/demo/reading.ts'
import { choose } from '../../../../core/model/demo/rules.ts'
import type { Situation } from '../../../../core/model/demo/situation.ts'
import { asScript, say } from '../../../../core/model/demo/speech.ts'
import { failureOf } from '../../../../core/model/failure.ts'
import { gather } from '../../../../core/model/gather.ts'
import { limits as modelLimits } from '../../../../core/model/model.ts'
import { plain as plainWords } from '../../../../core/tool/remote/definition.ts'
import { present } from '../../../../core/tool/result.ts'
import { linksIn } from '../../../../core/tool/site.ts'
import { compare } from '../../../../web/chat/approval/diff.ts'
import { withHidden } from '../../../../web/chat/approval/hidden.ts'
import { lexable } from '../../../../web/chat/markdown/markdown.ts'
import { sourcesOf } from '../../../../web/chat/store/sources.ts'
import type { TurnRow } from '../../../../web/chat/store/turn-rows.ts'

/**
 * The author of a text, a document or an answer chooses its shape. Ten times the input takes about ten times the
 * processor time, whatever the shape is; a function that compares all with all takes a hundred times.
 */

/**
 * Parts a line from a square: the mean of ten and a hundred by their logarithms. A bound near ten would measure the
 * caches and the memory of the machine, which serve a small text better than a large one.
 */
const mostRatio = 31.6
/** A search that is bounded to some thousand characters looks like a part of a square while the text is small. */
const mostEarlyRatio = 50

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
  'key=',
  'key is a1b2c3d4e5f6-',
  'API key: ',
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

const questions = [
  'page no ',
  'page ',
  'places that names ',
  'stellen die ',
  'fasse ',
  'kürze ',
  'system ',
  'change a of ',
  ' of from ',
  'set the a from ',
  'and page 1 ',
  'ändere a von ',
  'list my ',
  'who ',
  '“',
]
const pictures: [Format, head: string][] = [
  ['jpg', '\xff\xd8'],
  ['gif', 'GIF89a\x01\0\x01\0\0\0\0'],
  ['webp', 'RIFF\0\0\0\0WEBP'],
  ['png', '\x89PNG\r\n\x1a\n'],
]

const old = oldTranscript('messages')
const asked = {
  request: { system: [], messages: [], tools: [], maxTokens: 1_000, toolChoice: 'auto' as const },
  limits: modelLimits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'anthropic'),
  isAI: true,
}

const cases: Case[] = [
  ['redact', redact, secrets],
  ['what a reader sees', plain, disguises],
  ['fence', (text) => fence(nonce, text.slice(0, 1_000), text), [...disguises, nonce, '<data-']],
  ['instructions of a user', (text) => strip(text, /<?\/?user_instructions>?/g), ['<user_', ...disguises]],
  ['a result for the model', (text) => present(nonce, 'get_record', text), [...secrets, ...disguises]],
  ['a detail of a run record', (result) => storable({ result, list: result.match(/.{1,100}/gs) }), secrets],
  ['an answer that is stored', (text) => boundReply({ text, calls: [] }), ['ä', '🪔', '\ufffd']],
  ['an answer with its sources', (text) => sourcesOf(turn(text), () => 'named'), [' ', '*', '[8]', 'news']],
  ['links in a record', linksIn, ['<a', '<a href="', ' href=', "href='", '>', '\\', '"']],
  ['an error of a provider', failed, [...secrets.slice(0, 4), 'input tokens ', 'messages.1.content.1']],
  ['a question to the demo', (text) => choose(situation(tenth(text))), questions],
  ['a record that the demo reads', readByDemo, ['1', '1.', '. ', 'EUR ', '\n- a (b): ', '<', '“']],
  ['HTML as text', textOf, markup],
  ['Word as Markdown', (html) => ignore(() => toMarkdown(html)), [...markup, '<ul><li>a</li></ul>']],
  ['a change for a decision', (text) => passages(changed(text)), ['a', 'ab ', '. ', '\n', 'ä-', '<b>']],
  ['a file name', (text) => attachmentHeader(cleanName(text)), names],
  ['the content of a PDF', (text) => inspect(bytes(`%PDF-1.7${text}`), 'pdf'), files],
  ['the content of a Word document', (text) => inspect(bytes(`PK${text}`), 'docx'), files],
  ['the content of a picture', (text) => inspect(bytes(`\x89PNG\r\n\x1a\n${text}`), 'png'), files],
  ...pictures.map(
    ([format, head]): Case => [
      `the parts of a picture, ${format}`,
      (text) => isBare(bytes(head + text), format) || sizeOf(bytes(head + text), format),
      ['\xff', '\xff\xe1\0\x02', '\xff\xd8\xff', '!\xf9\x01', '\x01', '\0\0\0\0', 'VP8X\0\0\0\0'],
    ],
  ),
  [
    'the readable form of rich text',
    (text) => form(text, 'html'),
    ['<a href="', '</a>', '<ul><li>', '<script>', '<!--', '<b a=b '],
  ],
  [
    'the readable form of blocks',
    (text) =>
      form(
        JSON.stringify((text.match(/.{1,25}/g) ?? []).map((part) => ({ type: 'text', text: part }))),
        'blocks',
      ),
    ['a'],
  ],
  ['a plain text', (text) => readText(bytes(text), limits), files],
  [
    'arguments of a call',
    (text) => canonical({ ...nested(text), ...keyed(text) }),
    ['a', '"', '\\', '__proto__'],
  ],
  [
    'equations of a Word document',
    withEquations,
    ['<m:oMath>', '<m:oMath ', '<m:oMathParaPr>', '<m:oMathPara ', '</m:oMath>', '<m:t>a'],
  ],
  ['an answer of a model', (text) => decode(received(text), asked), ['<think>', '</think>', ' ', 'a']],
  ['a stream of a model', (text) => gather(stream(text)), ['a', '{"', '\\']],
  ['words of a server of tools', (text) => plainWords(text, 100), [...secrets.slice(0, 5), ...disguises]],
  ['the title of a conversation', (text) => title(text, undefined), [' ', 'ä', '🪔', '\n']],
  [
    'a transcript of an earlier release',
    (text) => old.read(JSON.stringify(oldRows(tenth(text)))),
    ['a', '"', '['],
  ],
  [
    'a comparison',
    (text) => compare(tenth(text), changed(tenth(text)).after),
    ['a', 'ab ', '. ', '\n', 'ä-'],
  ],
  [
    'characters that no reader sees',
    (text) => withHidden(tenth(text)),
    ['\u00ad', '\u{e0041}', '🏴', '👩‍👩‍👧', '\r', '\u200d', '1\ufe0f\u20e3'],
  ],
  [
    'Markdown for its lexer',
    lexable,
    ['>', ' >', '- ', '1. ', '*', `${'-   '.repeat(19)}x\n`, `${'\t'.repeat(119)}`],
  ],
  ['a transcript', (text) => buildHistory(rows(text), room), ['a', `</data-${nonce}>`, ' ', '\n']],
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
  test('the work grows with the length of the text, not with its square', async () => {
    for (const shape of shapes(pieces)) {
      // The smaller pair first: a square shows there before it takes minutes.
      const early = await growth(act, shape(large / 100), shape(large / 10), mostEarlyRatio)
      expect(early, JSON.stringify(shape(60))).toBeLessThanOrEqual(mostEarlyRatio)
      const ratio = await growth(act, shape(large / 10), shape(large), mostRatio)
      expect(ratio, JSON.stringify(shape(60))).toBeLessThanOrEqual(mostRatio)
    }
  })
})

/**
 * Returns how many times the work of the small text the large one takes. It measures again while that is above `most`,
 * for a busy machine: the quickest run of the large one counts against the slowest of the small, a difference that hides
 * no square. Ten runs of the small one leave as much for the garbage collector as one of the large.
 */
async function growth(
  act: (text: string) => unknown,
  small: string,
  big: string,
  most: number,
): Promise<number> {
  let smallMs = 0
  let bigMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && bigMs > most * smallMs; attempt++) {
    bigMs = Math.min(bigMs, await processorMs(act, big, 1))
    if (bigMs < negligibleMs) return 0
    smallMs = Math.max(smallMs, await processorMs(act, small, 10))
  }
  return bigMs / smallMs
}

/**
 * Milliseconds of processor time that one run takes, by the mean of some. Without what the system does for the process:
 * it makes the pages of large memory, which small inputs find ready.
 */
async function processorMs(act: (text: string) => unknown, text: string, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) await act(text)
  return process.cpuUsage(before).user / 1_000 / times
}

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length))
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function form(after: string, kind: 'html' | 'blocks') {
  return readable({ before: null, after }, kind, wordsOf('en'))
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

/** For what takes long in proportion: a square shows in a tenth as well. */
function tenth(text: string): string {
  return text.slice(0, text.length / 10)
}

function received(text: string) {
  const calls = Array.from({ length: text.length / 20 }, (_, at) => ({
    type: 'tool_use',
    id: `c${at}`,
    name: 'a',
  }))
  return { content: [{ type: 'text', text }, ...calls], stop_reason: 'tool_use' }
}

function stream(text: string): unknown[] {
  const pieces = text.match(/.{1,20}/gs) ?? []
  return [
    { type: 'message_start', message: {} },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use' } },
    ...pieces.map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
  ]
}

/** A turn that has found a record and answered with the text. */
function turn(text: string): TurnRow {
  const createdAt = '2026-01-01T00:00:00.000Z'
  const records = [{ table: 'news', uid: 8, title: 'Aurora' }]
  return {
    kind: 'turn',
    key: 'a',
    askedAt: createdAt,
    messages: [
      { sequence: 1, role: 'tool', content: '', createdAt, outcome: 'done', toolName: 'a', records },
      { sequence: 2, role: 'assistant', content: `${text}[8]`, createdAt },
    ],
  } as TurnRow
}

function failed(message: string): unknown {
  const error = APIError.generate(400, { error: { message } }, undefined, new Headers())
  return failureOf(error, { request: asked.request, now: 0 })
}

function situation(question: string): Situation {
  const none = {
    attachments: [],
    page: undefined,
    mentioned: undefined,
    tables: { pages: 'pages', content: 'content' },
    isOwn: true,
    tools: [],
    rounds: [],
  }
  const words = { say: say('en'), remark: asScript('en'), named: String, without: String }
  return { lang: 'en', question, ...words, ...none }
}

function readByDemo(text: string): unknown {
  const stored = record(`Record news [1] “a”\nFields:\n- body: ${text}`)
  const body = stored?.fields.get('body') ?? ''
  return [amount.test(body), sentences(body)]
}

function oldRows(text: string): unknown[] {
  return (text.match(/.{1,100}/gs) ?? []).map((part, at) => ({
    role: 'assistant',
    content: [{ type: 'text', text: part }, part],
    tool_calls: [{ id: at, function: { name: 'a', arguments: part } }],
  }))
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
  fixedTokens: 0,
  maxTokens: 1_000,
  contextTokens: 10_000,
  expand: () => ({ blocks: [], tokens: 0 }),
}
