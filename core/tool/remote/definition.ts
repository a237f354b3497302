import type { Tool as Described } from '@modelcontextprotocol/client'
import { hash } from '../../base/hash.ts'
import { isDeeper, isNested } from '../../base/json.ts'
import { cut, nameDeceiving, withoutTags } from '../../base/safety/invisible.ts'
import { redact } from '../../base/safety/redact.ts'

/** A tool as its server describes it; all of its text is untrusted. */
export type Definition = {
  name: string
  title: string
  description: string
  inputSchema: Described['inputSchema']
  /** The hash of every part that the chat uses, except the title; administrators allow this hash. */
  hash: string
  /** True if the server itself says that the tool may change something. */
  hintsWrite: boolean
}

/** The tools that a server offers to one user at one moment. */
export type Listing = { title: string; tools: Definition[] }

/** A listing, or the technical reason why there is none. */
export type Listed = { listing: Listing; failure?: never } | { failure: string; listing?: never }

/** The maximum number of characters of a tool's schema, and of its description, that a model gets. */
const maxSchema = 20_000
const maxDescription = 2_000
/** The maximum number of levels in a schema. */
const maxLevels = 20

/**
 * Returns the definition of a listed tool. Cleans the text for people and models; the hash covers the server's original
 * text.
 */
export function definitionOf(raw: Described): Definition {
  const { name, description = '', inputSchema, annotations } = raw
  const hintsWrite = annotations?.readOnlyHint === false || annotations?.destructiveHint === true
  return {
    name,
    title: plain(raw.title ?? annotations?.title ?? name, 60),
    description: plain(description, maxDescription),
    inputSchema,
    hash: hash({ name, description, inputSchema, ...(hintsWrite && { hintsWrite }) }),
    hintsWrite,
  }
}

/** Returns untrusted text on one line, cut to `length`, without deceptive characters, secrets and placeholders. */
export function plain(text: string, length: number): string {
  const line = redact(withoutTags(text))
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[{}]/g, '')
    .trim()
  return cut(line, length)
}

/**
 * Returns the reason why a model cannot get the tool; undefined if it can. Model APIs reject the whole request for one
 * schema that is no object or has alternatives at the top. They also reject it for an unusual name of an argument.
 */
export function unusable({ name, inputSchema }: Definition): string | undefined {
  // People and models get schema and name unchanged, so characters cannot be removed from them.
  if (isHidden(name) || isHidden(inputSchema)) return 'its name or schema has characters that no reader sees'
  if (JSON.stringify(inputSchema).length > maxSchema)
    return `its schema has more than ${maxSchema} characters`
  if (isDeeper(inputSchema, maxLevels)) return `its schema is nested deeper than ${maxLevels} levels`
  if (inputSchema.type !== 'object') return 'its schema is not that of an object'
  const alternatives = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'].filter((word) => word in inputSchema)
  if (alternatives.length > 0) return `its schema has ${alternatives.join(', ')} at the top`
  const names = Object.keys(Object(inputSchema.properties))
  const wrong = names.find((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))
  return wrong === undefined ? undefined : 'an argument has a name that models do not take'
}

/** True if a text or a name in the value has characters that control a terminal or deceive a person. */
function isHidden(value: unknown): boolean {
  if (typeof value === 'string') return nameDeceiving(value) !== undefined || /[^\P{Cc}\t\r\n]/u.test(value)
  return isNested(value) && Object.entries(value).flat().some(isHidden)
}
