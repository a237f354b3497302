import { Readable } from 'node:stream'
import JSZip from 'jszip'
import { descendants, type Element, xmlTree } from './tree.ts'

/** The parts of an Office file under the names that its relationships use. */
export type Parts = {
  /** The bytes of the file; packed again if a part name was corrected. */
  bytes: Uint8Array
  names: string[]
  /** Returns the text of a part; empty if there is no such part. */
  text(name: string): Promise<string>
  /** Yields the matches of a global expression in a large part, each of at most 4,000 characters. */
  matches(name: string, expression: RegExp): AsyncGenerator<RegExpMatchArray>
  /** Returns the file with a new text as the content of a part. */
  with(name: string, text: string): Promise<Uint8Array>
}

/** A relationship of a part: its kind, and its target part. */
export type Relationship = { id: string; type: string; target: string }

/**
 * Opens an Office file after the pre-flight. Part names are case-insensitive, but the libraries compare them exactly.
 * So a part whose relationship spells its name in another case gets that spelling.
 */
export async function openParts(bytes: Uint8Array): Promise<Parts> {
  const zip = await JSZip.loadAsync(bytes)
  const isRenamed = await putNamesRight(zip)
  return {
    bytes: isRenamed ? await pack(zip) : bytes,
    names: Object.keys(zip.files),
    text: (name) => textOf(zip, name),
    matches: (name, expression) => matchesIn(zip, name, expression),
    with: (name, text) => pack(zip.file(name, text)),
  }
}

/** Returns the relationships of a part that lead to other parts; the empty name stands for the file itself. */
export async function relationshipsOf(text: Parts['text'], part: string): Promise<Relationship[]> {
  const all = await namedBy(text, part)
  return all
    .filter(({ TargetMode }) => TargetMode !== 'External')
    .map(({ Id = '', Type = '', Target = '' }) => ({
      id: Id,
      type: Type.slice(Type.lastIndexOf('/') + 1),
      target: resolve(part, Target),
    }))
}

/** Returns the attributes of each relationship of a part. */
async function namedBy(text: Parts['text'], part: string): Promise<Element['attributes'][]> {
  const tree = xmlTree(await text(relationshipsPart(part)))
  return descendants(tree, 'Relationship').map(({ attributes }) => attributes)
}

/** Returns the part with the content of a file; empty if the file names no such part. */
export async function mainPartOf(text: Parts['text']): Promise<string> {
  return (await relationshipsOf(text, '')).find(({ type }) => type === 'officeDocument')?.target ?? ''
}

/** Returns the addresses outside the file that a part refers to, by the ids of their relationships. */
export async function externalLinks(text: Parts['text'], part: string): Promise<Map<string, string>> {
  const links = (await namedBy(text, part)).filter(
    ({ Target = '', TargetMode }) => TargetMode === 'External' && /^(https?|mailto):/i.test(Target),
  )
  return new Map(links.map(({ Id = '', Target = '' }) => [Id, Target]))
}

async function putNamesRight(zip: JSZip): Promise<boolean> {
  const stored = new Map(Object.keys(zip.files).map((name) => [name.toLowerCase(), name]))
  const read = (name: string) => textOf(zip, stored.get(name.toLowerCase()) ?? name)
  const called = new Set(['[Content_Types].xml', relationshipsPart('')])
  const open = ['']
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const { target } of await relationshipsOf(read, part)) {
      if (called.has(target) || !stored.has(target.toLowerCase())) continue
      called.add(target).add(relationshipsPart(target))
      open.push(target)
    }
  }
  const wrong = [...called].filter((name) => !zip.file(name) && stored.has(name.toLowerCase()))
  for (const name of wrong) {
    const old = stored.get(name.toLowerCase()) as string
    zip.file(name, (await zip.file(old)?.async('uint8array')) ?? '')
    zip.remove(old)
  }
  return wrong.length > 0
}

async function textOf(zip: JSZip, name: string): Promise<string> {
  return (await zip.file(name)?.async('string')) ?? ''
}

/** Limit of a match, in characters. */
const maxMatch = 4_000

async function* matchesIn(zip: JSZip, name: string, expression: RegExp): AsyncGenerator<RegExpMatchArray> {
  let text = ''
  for await (const chunk of chunksOf(zip, name)) {
    text += chunk
    let end = 0
    for (const match of text.matchAll(expression)) {
      end = match.index + match[0].length
      yield match
    }
    text = text.slice(Math.max(end, text.length - maxMatch))
  }
}

/** Yields the text of a part as a stream; empty if there is no such part. */
async function* chunksOf(zip: JSZip, name: string): AsyncGenerator<string> {
  const file = zip.file(name)
  if (!file) return
  const decoder = new TextDecoder()
  for await (const chunk of new Readable().wrap(file.nodeStream('nodebuffer')))
    yield decoder.decode(chunk as Buffer, { stream: true })
}

function pack(zip: JSZip): Promise<Uint8Array> {
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}

function relationshipsPart(part: string): string {
  const folder = part.slice(0, part.lastIndexOf('/') + 1)
  return `${folder}_rels/${part.slice(folder.length)}.rels`
}

function resolve(part: string, target: string): string {
  const path: string[] = target.startsWith('/') ? [] : part.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..') path.pop()
    else if (step !== '.' && step !== '') path.push(step)
  }
  return path.join('/')
}
