import { decodeHTMLAttribute } from 'entities/decode'

/** A tag of HTML as it is written. */
export type Tag = {
  /** The whole tag, from `<` to `>`. */
  source: string
  /** In lower case. */
  name: string
  isEnd: boolean
  /** Values by name in lower case, entities resolved; undefined where they are not written as HTML asks for. */
  attributes: Map<string, string> | undefined
}

/** The position behind the tag that begins at `at`: after its first `>` outside of quotes; -1: the tag has no end. */
export function endOfTag(html: string, at: number): number {
  let quote = ''
  for (let end = at; end < html.length; end++) {
    const character = html[end] as string
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '>') return end + 1
    else if (character === '"' || character === "'") quote = character
  }
  return -1
}

const names = /<(\/?)([a-z][^\s/>]*)/iy
const attribute = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y
const ending = /\s*\/?>$/y

/** A tag in its parts. */
export function tagOf(source: string): Tag {
  names.lastIndex = 0
  const [head = '', slash, name = ''] = names.exec(source) ?? []
  return {
    source,
    name: name.toLowerCase(),
    isEnd: slash === '/',
    attributes: attributesOf(source, head.length),
  }
}

function attributesOf(source: string, from: number): Map<string, string> | undefined {
  const attributes = new Map<string, string>()
  let at = from
  for (;;) {
    attribute.lastIndex = at
    const found = attribute.exec(source)
    if (!found) break
    at = attribute.lastIndex
    const [, name = '', double, single, bare] = found
    // Browsers use the first of two attributes with one name; a reader could believe either.
    if (attributes.has(name.toLowerCase())) return undefined
    attributes.set(name.toLowerCase(), decodeHTMLAttribute(double ?? single ?? bare ?? ''))
  }
  ending.lastIndex = at
  return ending.test(source) ? attributes : undefined
}
