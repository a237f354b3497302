import type { Actor } from '../../base/actor.ts'
import { fence } from '../../base/safety/fence.ts'
import { type Absent, absentWords, leftOutWords } from '../../conversation/transcript/not-used.ts'
import type { ImageBlock, Message, NotUsed } from '../../conversation/transcript/schema.ts'
import { nextOf, pageLimits, partWords } from '../../file/document/excerpt.ts'
import { extractOnce, type PagePicture, pagePicturesOnce } from '../../file/document/extract.ts'
import type { SandboxOptions } from '../../file/document/sandbox.ts'
import type { Extraction } from '../../file/document/schema.ts'
import * as File from '../../file/file.ts'
import { cleanName, formatOf, isImage } from '../../file/format.ts'
import type { File as StoredFile } from '../../file/item.ts'
import * as Store from '../../file/store.ts'
import { capTokens, tokensIn, tokensPerImage } from '../../model/estimate.ts'
import type { Model, ModelLimits, UserBlock } from '../../model/model.ts'
import {
  pagesNote,
  pictureOf,
  type Room,
  type Shown as ShownPages,
  stillLeftOut,
  take,
  takePages,
} from './picture.ts'

/**
 * Turns attachments into parts of a model request. The model and the room of the request decide the best form of each
 * file: the file itself, its text, or a note that says why it is not sent. The newest files come first. A faulty file
 * never fails the turn.
 */

/** An attachment in a request: the blocks to send, the state of the file, and the estimated tokens. */
export type Attachment = NotUsed & { blocks: UserBlock[]; tokens: number }

/** The attachments by the sequence of the row that names the file. */
export type Expansion = ReadonlyMap<number, Attachment>

export type ExpandOptions = {
  /** The time in milliseconds since the epoch. */
  now: number
  /** The nonce of the conversation's fence. */
  nonce: string
  /** The tokens of the window for the answer, the system prompt and the tools. */
  reservedTokens: number
  /** True if the turn has the tool `read_file`. */
  readsOn: boolean
  /** Files that the provider refused; they are not sent in their original form again. */
  blocked?: ReadonlySet<number>
  signal?: AbortSignal
}

/** A file that was read, or the reason why it cannot be sent. The room of the request is not checked yet. */
type Material = Absent | ImageBlock | Document

type Document = {
  type: 'document'
  file: StoredFile
  extraction: Extraction
  binaryPages: number | undefined
  readsOn: boolean
  /** Draws the pages without readable text as pictures; absent without such pages, or for a model that cannot see. */
  draw?: () => Promise<PagePicture[]>
}

/** The tokens of a PDF page with its pictures and its text, as the provider's documentation estimates them. */
const tokensPerPage = 3_000
/** The minimum number of characters of a document that are useful to the model. */
const leastCharacters = 2_000

/** Returns the attachments of these rows as parts of a model request. */
export async function expand(
  actor: Actor,
  rows: readonly Message[],
  model: Pick<Model, 'capabilities' | 'limits'>,
  options: ExpandOptions,
): Promise<Expansion> {
  const newestFirst = rows.filter((row) => row.role === 'user' && row.fileUid !== undefined).toReversed()
  const read = await Promise.all(
    newestFirst.map(async (row) => ({ row, material: await gather(actor, row, model, options) })),
  )
  const room = roomOf(model.limits, options)
  const expansion = new Map<number, Attachment>()
  for (const { row, material } of read) {
    const name = cleanName(row.fileName ?? 'file')
    const placed = await place(material, room, options.nonce, name)
    if (isDocument(material)) await noteUse(material, placed)
    expansion.set(row.sequence, { fileUid: row.fileUid as number, name, ...placed })
  }
  return expansion
}

const isDocument = (material: Material): material is Document =>
  typeof material !== 'string' && material.type === 'document'

/** Stores with the file how the document was used, for its user to read. */
async function noteUse({ file, extraction }: Document, { state, leftOut, part }: Placed): Promise<void> {
  const read = part ?? extraction.extent
  const { sheets } = extraction
  await File.noteUse(file, { state, leftOut, ...(read && { part: read }), ...(sheets && { sheets }) })
}

/** Returns the files that the model gets only in part or not at all, and that no row reports yet. */
export function notUsed(expansion: Expansion, rows: readonly Message[]): NotUsed[] {
  const keyOf = ({ fileUid, state, leftOut }: NotUsed) => [fileUid, state, ...leftOut].join(' ')
  const reported = new Set(rows.flatMap((row) => row.notUsed ?? []).map(keyOf))
  const lacking = [...expansion.values()]
    .filter(({ state, leftOut }) => !(state === 'sent' || state === 'whole') || leftOut.length > 0)
    .map(({ blocks: _, tokens: __, ...file }): NotUsed => file)
    .filter((file) => !reported.has(keyOf(file)))
  return [...new Map(lacking.map((file) => [keyOf(file), file])).values()].reverse()
}

/** Returns the file that a block of a request belongs to; undefined if the block is no attachment. */
export function fileOf(expansion: Expansion, block: UserBlock | undefined): number | undefined {
  return [...expansion.values()].find(({ blocks }) => blocks.some((own) => own === block))?.fileUid
}

/** Returns the room for attachments: half of the free window; the rest is for the conversation. */
function roomOf(limits: ModelLimits, { reservedTokens }: ExpandOptions): Room {
  return {
    bytes: limits.attachmentBytes,
    images: limits.images,
    pages: limits.pdfPages,
    tokens: Math.max(0, Math.floor((limits.contextTokens - reservedTokens) / 2)),
  }
}

async function gather(
  actor: Actor,
  row: Message,
  model: Pick<Model, 'capabilities' | 'limits'>,
  options: ExpandOptions,
): Promise<Material> {
  const file = await File.load(actor.uid, row.fileUid as number)
  if (file?.state !== 'stored') return 'gone'
  const isBlocked = options.blocked?.has(file.fileUid) ?? false
  if (!isImage(file.mimeType)) return readDocument(file, isBlocked ? [] : model.capabilities, options)
  if (!model.capabilities.includes('vision')) return 'noVision'
  if (isBlocked) return 'refused'
  const object = await Store.get(file.objectKey)
  const limits = { edge: model.limits.imageEdge, bytes: model.limits.imageBytes }
  return object ? pictureOf(object.bytes, formatOf(file.name), limits, sandboxed(file, options)) : 'gone'
}

async function readDocument(
  file: StoredFile,
  capabilities: Model['capabilities'],
  options: ExpandOptions,
): Promise<Material> {
  const format = formatOf(file.name)
  const { sha256, objectKey } = file
  // The extracted text may exist because of another user's copy, so only the object itself shows that the file exists.
  if (!format || !sha256 || !(await Store.head(objectKey))) return 'gone'
  const load = async () => (await Store.get(objectKey))?.bytes
  const extraction = await extractOnce(sha256, format, load, options.now, sandboxed(file, options))
  if (!extraction) return 'gone'
  // The provider would refuse the whole request for a file that the chat's own reader cannot open.
  const isTaken = capabilities.includes('pdf') && format === 'pdf' && !extraction.isLocked
  const binaryPages = isTaken ? (extraction.extent?.total ?? undefined) : undefined
  const unread = extraction.unread?.slice(0, pageLimits.pages) ?? []
  const draw = () => pagePicturesOnce(sha256, unread, load, sandboxed(file, options))
  const isDrawn = unread.length > 0 && capabilities.includes('vision')
  const { readsOn } = options
  return { type: 'document', file, extraction, binaryPages, readsOn, ...(isDrawn && { draw }) }
}

function sandboxed({ owner }: StoredFile, { signal }: ExpandOptions): SandboxOptions {
  return { user: owner, ...(signal && { signal }) }
}

type Placed = Omit<Attachment, 'fileUid' | 'name'>

async function place(material: Material, room: Room, nonce: string, name: string): Promise<Placed> {
  if (typeof material === 'string') return noteBlock(material, nonce, name)
  if (material.type === 'image') return placeImage(material, room, nonce, name)
  const binary = await placeBinary(material, room, name)
  if (binary) return binary
  const text = placeText(material, room, nonce, name)
  return material.draw
    ? withPages(material, await material.draw(), text, room, fence(nonce, name, '(pages)'))
    : text
}

function placeImage(block: ImageBlock, room: Room, nonce: string, name: string): Placed {
  const bytes = Buffer.byteLength(block.base64, 'base64')
  const isTaken = take(room, { images: 1, bytes, tokens: tokensPerImage })
  if (!isTaken) return noteBlock('noRoom', nonce, name)
  return { state: 'sent', leftOut: [], blocks: [block], tokens: tokensPerImage }
}

async function placeBinary(
  { file, binaryPages }: Document,
  room: Room,
  name: string,
): Promise<Placed | undefined> {
  if (binaryPages === undefined) return undefined
  const tokens = binaryPages * tokensPerPage
  if (!take(room, { pages: binaryPages, bytes: file.size, tokens })) return undefined
  const object = await Store.get(file.objectKey)
  if (!object) return undefined
  const base64 = Buffer.from(object.bytes).toString('base64')
  return {
    state: 'sent',
    leftOut: [],
    blocks: [{ type: 'document', mimeType: 'application/pdf', base64, title: name, fileUid: file.fileUid }],
    tokens,
  }
}

function placeText(
  { extraction, file: { fileUid }, readsOn }: Document,
  room: Room,
  nonce: string,
  name: string,
): Placed {
  const { state, leftOut } = extraction
  if (state !== 'whole' && state !== 'truncated') return noteBlock(state, nonce, name)
  const { text, isCut, tokens, extent } = capTokens(extraction, room.tokens)
  if (isCut && text.length < leastCharacters) return noteBlock('noRoom', nonce, name)
  room.tokens -= tokens
  const isWhole = state === 'whole' && !isCut
  return {
    ...textBlock(textOf({ ...extraction, extent, isWhole, fileUid, readsOn }, nonce, name, text), fileUid),
    state: isWhole ? 'whole' : 'truncated',
    leftOut,
    ...(!isWhole && extent && { part: extent }),
  }
}

/** Returns a document whose pages without text are added as pictures, if there is room for any. */
function withPages(
  { extraction, file: { fileUid }, readsOn }: Document,
  pictures: PagePicture[],
  text: Placed,
  room: Room,
  fenced: string,
): Placed {
  const pages = takePages(extraction.unread ?? [], pictures, room)
  if (pages.images.length === 0) return text
  const isText = text.state === 'whole' || text.state === 'truncated'
  const note = textBlock(
    `[Note of the system: ${pagesNote(pages, readsOn ? fileUid : undefined)}]\n${fenced}`,
  )
  return {
    ...(isText ? text : stateOf(pages, extraction)),
    leftOut: stillLeftOut(isText ? extraction : { ...extraction, leftOut: ['pagesWithoutText'] }, pages),
    blocks: [...(isText ? text.blocks : []), ...note.blocks, ...pages.images],
    tokens: (isText ? text.tokens : 0) + note.tokens + pages.images.length * tokensPerImage,
  }
}

/** Returns the state of a document that is sent only as pictures, and the part that is sent. */
function stateOf({ next }: ShownPages, { extent }: Extraction): Pick<Placed, 'state' | 'part'> {
  if (next === undefined) return { state: 'sent' }
  return { state: 'truncated', ...(extent && { part: { ...extent, to: next - 1 } }) }
}

function noteBlock(state: Absent, nonce: string, name: string): Placed {
  return { ...textBlock(note(state, nonce, name)), state, leftOut: [] }
}

function textBlock(text: string, fileUid?: number): Pick<Placed, 'blocks' | 'tokens'> {
  return {
    blocks: [{ type: 'text', text, ...(fileUid !== undefined && { fileUid }) }],
    tokens: tokensIn(text),
  }
}

/**
 * Returns the note in the place of a file. The name is only inside the fence, because strangers may have written it.
 */
function note(state: Absent, nonce: string, name: string): string {
  const sentence = `The file that the user attached here is not included: ${absentWords[state].en}. Tell the user so.`
  return `[Note of the system: ${sentence}]\n${fence(nonce, name, '(not included)')}`
}

/** The part of a document whose text is sent. */
type Shown = Pick<Extraction, 'leftOut' | 'extent' | 'outline'> &
  Pick<Document, 'readsOn'> & { isWhole: boolean; fileUid: number }

/** Returns the text of a document inside the fence, with a note about the missing parts. */
function textOf(shown: Shown, nonce: string, name: string, text: string): string {
  const { isWhole, leftOut, extent, outline = '', fileUid, readsOn } = shown
  const what = 'The user attached this file here; its text was extracted'
  const lacks = leftOut.map((kind) => leftOutWords[kind].en).join('; ')
  const complete = lacks === '' ? 'and is complete' : 'to its end, but is not complete'
  const part = isWhole ? complete : `and only a part is included${extent ? `: ${partWords(extent)}` : ''}`
  const next = isWhole || !extent || !readsOn ? undefined : nextOf(extent, text.length)
  const on = next === undefined ? '' : `. Read on with read_file: file ${fileUid}, from ${next} or any other`
  const left = lacks === '' ? '' : `. Left out of it: ${lacks}`
  const listed = outline === '' || isWhole ? '' : `Outline of the whole file:\n${outline}\n\n`
  const tell = isWhole && lacks === '' ? '' : '. Tell the user so where it matters'
  return `[Note of the system: ${what} ${part}${on}${left}${tell}.]\n${fence(nonce, name, listed + text)}`
}
