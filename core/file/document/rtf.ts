import { own } from '../../base/json.ts'
import { fromText, type Limits, leftOutOf, paragraphs, section } from './excerpt.ts'
import { marked, raised } from './markdown.ts'
import type { Extraction, LeftOut } from './schema.ts'

/** The state of a group: its destination, its font's encoding, and hidden, struck or raised text. */
type Group = typeof plain & {
  to: Destination
  encoding: string
  uc: number
  isField: boolean
  /** The heading level of the paragraph; 0 for no heading. */
  heading: number
}

/** The destination of the words of a group; `none` for words that are not part of the text. */
type Destination = (typeof destinations)[keyof typeof destinations] | 'none'

type State = {
  group: Group
  outer: Group[]
  /** Bytes that wait for decoding, since a character may take two bytes. */
  bytes: number[]
  texts: Partial<Record<Destination, string>>
  /** The finished paragraphs of the text; `texts.text` is the current paragraph. */
  ended: string[]
  /** The number of characters still to skip: they repeat a Unicode character for old readers. */
  toSkip: number
  encoding: string
  fonts: Map<number, string>
  font: number
  /** The heading levels of the styles. */
  styles: Map<number, number>
  style: number
  found: Partial<Record<LeftOut, boolean>>
}

/** Bytes to collect before decoding. */
const longestRun = 65_536

/** Limit of nested groups; no real document has deeper nesting. */
const maxGroups = 1_000

const destinations = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  fldinst: 'field',
  header: 'header',
  headerl: 'header',
  headerr: 'header',
  headerf: 'header',
  footer: 'footer',
  footerl: 'footer',
  footerr: 'footer',
  footerf: 'footer',
  footnote: 'notes',
  annotation: 'comments',
  atnauthor: 'author',
  shpinst: 'text',
  shptxt: 'text',
} as const

/** Destinations without words of the document; an unknown destination after `\*` is skipped too. */
const unread = new Set(
  'colortbl info pict objdata themedata datastore nonshppict sn sv sp listtable revtbl bkmkstart bkmkend xe tc atnid atnref atndate falt fontemb'.split(
    ' ',
  ),
)

/** Encodings by the character set that a font names; other fonts use the encoding of the document. */
const charsets: Record<string, string> = {
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
}
const pages: Record<string, string> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  874: 'windows-874',
  866: 'ibm866',
  10000: 'macintosh',
  65001: 'utf-8',
}

const signs: Record<string, string> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  line: '\n',
  row: '\n\n',
  nestrow: '\n',
  cell: ' | ',
  nestcell: ' | ',
  tab: '\t',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  '~': '\u00a0',
  _: '\u2011',
}

/**
 * Returns the text of an RTF file: headings, table rows with bars, addresses of links, footnotes; headers, footers and
 * comments follow. It uses no library: no RTF library is maintained, and the text needs little of the format. Only for
 * use in the sandbox.
 */
export async function readRtf(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const { texts, ended, found } = parseRtf(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
  )
  const text = paragraphs(
    tidy([...ended, texts.text ?? ''].join('')),
    section('## Footnotes', [tidy(texts.notes)]),
    section('## Header', [tidy(texts.header)]),
    section('## Footer', [tidy(texts.footer)]),
    section('## Comments', [tidy(texts.comments)]),
  )
  return fromText(text, limits, leftOutOf(found))
}

/** A control word with its number, a control sign, a byte in hexadecimal, a bracket, or plain text. */
const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/giy

/** The style of words that nothing changes. */
const plain = { isDeleted: false, isHidden: false, isStruck: false, isRaised: false }

/** The control words that change the style of the words after them. */
const changes: Record<string, (isOn: boolean) => Partial<typeof plain>> = {
  deleted: (isDeleted) => ({ isDeleted }),
  v: (isHidden) => ({ isHidden }),
  strike: (isStruck) => ({ isStruck }),
  striked: (isStruck) => ({ isStruck }),
  super: (isRaised) => ({ isRaised }),
  nosupersub: () => ({ isRaised: false }),
  plain: () => plain,
}

function initialState(): State {
  const group = { to: 'text', encoding: '', uc: 1, heading: 0 } as const
  return {
    group: { ...group, ...plain, isField: false },
    outer: [],
    bytes: [],
    texts: {},
    ended: [],
    toSkip: 0,
    encoding: 'windows-1252',
    fonts: new Map(),
    font: 0,
    styles: new Map(),
    style: 0,
    found: {},
  }
}

function parseRtf(source: string): State {
  const state = initialState()
  token.lastIndex = 0
  // The star means that a reader may skip the group, but only at the beginning of the group.
  let isFirst = false
  let isStarred = false
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, , sign, bracket] = match
    if (word === 'bin') token.lastIndex += Math.max(0, Number(number ?? 0))
    else takeToken(state, match, isStarred)
    isStarred = sign === '*' && isFirst
    isFirst = bracket === '{'
  }
  flush(state)
  return state
}

function takeToken(state: State, match: RegExpExecArray, isStarred: boolean): void {
  const [, word, number, hex, sign, bracket, plain = ''] = match
  if (word) control(state, word, number === undefined ? undefined : Number(number), isStarred)
  else if (hex) byte(state, Number.parseInt(hex, 16))
  else if (bracket === '{') open(state)
  else if (bracket === '}') close(state)
  else if (sign && sign !== '*') symbol(state, sign)
  else for (const letter of plain) byte(state, letter.charCodeAt(0))
}

function open(state: State): void {
  flush(state)
  if (state.outer.length > maxGroups) throw new Error('The groups of the file are nested too deeply')
  state.outer.push({ ...state.group })
}

function close(state: State): void {
  flush(state)
  const { to, isField } = state.group
  const before = state.outer.pop()
  if (!before) return
  state.group = before
  if (isField && !before.isField) {
    const address = /HYPERLINK\s+"?((?:https?|mailto):[^"\s]+)/i.exec(state.texts.field ?? '')?.[1]
    if (address) put(state, ` (${address})`)
    state.texts.field = ''
  }
  if (to === before.to) return
  if (to === 'notes' || to === 'comments') addTo(state, to, '\n\n')
}

function control(state: State, word: string, number: number | undefined, isStarred: boolean): void {
  const { group } = state
  if (word === 'u' && number !== undefined) {
    put(state, String.fromCharCode(number & 0xffff))
    state.toSkip = group.uc
    return
  }
  state.toSkip = 0
  const to = own(destinations, word)
  const shown = own(signs, word)
  if (word === 'pict') state.found.pictures = true
  if (word === 'objdata') state.found.embeddedFiles = true
  if (unread.has(word) || (isStarred && !to)) enter(state, 'none')
  else if (to) enter(state, to)
  else if (shown !== undefined) put(state, shown)
  else attribute(state, word, number)
}

function attribute(state: State, word: string, number: number | undefined): void {
  const { group } = state
  const change = own(changes, word)
  if (change) {
    // Writes the words before the control word in their own style.
    flush(state)
    Object.assign(group, change(number !== 0))
  } else if (word === 'uc') group.uc = Math.min(Math.max(number ?? 1, 0), 8)
  else if (word === 'ansicpg') state.encoding = own(pages, String(number)) ?? `windows-${number}`
  else if (word === 'pard') state.group.heading = 0
  else if (word === 's' || word === 'outlinelevel') style(state, word, number ?? 0)
  else if (word === 'field') group.isField = true
  else if (word === 'f') select(state, number ?? 0)
  else if (word === 'fcharset' && group.to === 'fonts')
    state.fonts.set(state.font, own(charsets, String(number)) ?? '')
}

/** Sets the heading level of the paragraph, by its style or by its own outline level; level 9 is body text. */
function style(state: State, word: 's' | 'outlinelevel', number: number): void {
  const level = number < 9 ? Math.min(number + 1, 6) : 0
  const isSheet = state.group.to === 'styles'
  if (isSheet && word === 's') state.style = number
  else if (isSheet) state.styles.set(state.style, level)
  else state.group.heading = word === 's' ? (state.styles.get(number) ?? 0) : level
}

function select(state: State, font: number): void {
  flush(state)
  if (state.group.to === 'fonts') state.font = font
  else state.group.encoding = state.fonts.get(font) ?? ''
}

function enter(state: State, to: Destination): void {
  flush(state)
  // A group inside a group without words of the text has no words of the text either.
  if (state.group.to === 'none') return
  if (to === 'notes' && state.group.to === 'text') put(state, '[note]')
  state.group.to = to
  if (to === 'comments') addTo(state, to, `- ${tidy(state.texts.author) || 'Comment'}: `)
  if (to === 'comments' || to === 'author') state.texts.author = ''
}

function symbol(state: State, sign: string): void {
  if (state.toSkip > 0) state.toSkip -= 1
  else if (sign === '\r' || sign === '\n') put(state, '\n\n')
  else if (sign === '\\' || sign === '{' || sign === '}') byte(state, sign.charCodeAt(0))
  else put(state, own(signs, sign) ?? '')
}

function byte(state: State, value: number): void {
  if (state.toSkip > 0) state.toSkip -= 1
  else {
    state.bytes.push(value)
    // Decodes only before a plain letter, so that a character of two bytes is never split.
    if (state.bytes.length > longestRun && value < 0x40) flush(state)
  }
}

function put(state: State, text: string): void {
  flush(state)
  write(state, text)
}

function flush(state: State): void {
  if (state.bytes.length === 0) return
  const bytes = Uint8Array.from(state.bytes)
  state.bytes = []
  write(state, decoded(bytes, state.group.encoding || state.encoding))
}

function write(state: State, text: string): void {
  const { to, isDeleted, isHidden } = state.group
  if (isDeleted && text.trim() !== '') state.found.trackedChanges = true
  if (isDeleted || isHidden || to === 'none' || to === 'fonts' || to === 'styles') return
  if (to === 'text' && text.startsWith('\n')) state.ended.push(headed(state) + text)
  else addTo(state, to, styleWords(state.group, text))
}

function styleWords({ isStruck, isRaised }: Group, text: string): string {
  const words = isRaised ? raised(text) : text
  return isStruck ? marked(words, '~~') : words
}

function addTo({ texts }: State, to: Destination, text: string): void {
  texts[to] = (texts[to] ?? '') + text
}

/**
 * Returns the text of the paragraph that ends. Words before its properties, such as its number, belong to its heading.
 */
function headed(state: State): string {
  const words = (state.texts.text ?? '').trimStart()
  state.texts.text = ''
  return words !== '' && state.group.heading > 0 ? `${'#'.repeat(state.group.heading)} ${words}` : words
}

function decoded(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes, { stream: true })
  } catch {
    // The file names an unknown encoding.
    return new TextDecoder('windows-1252').decode(bytes, { stream: true })
  }
}

/** Returns the trimmed lines of a text, with at most one empty line in a row; bullets become Markdown. */
function tidy(text = ''): string {
  const lines = text
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll('~~~~', '')
    .split('\n')
    .map((line) => line.trim().replace(/\|$/, '').trimEnd())
    .map((line) =>
      line.replace(/^[•·\uF0B7]\s/, '- ').replace(/^(#{1,6} )?([\p{L}\p{N}.()]{1,20})\t\s*/u, '$1$2 '),
    )
  return lines
    .filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''))
    .join('\n')
    .trim()
}
