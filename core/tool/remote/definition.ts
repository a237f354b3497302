import type { Tool as Described } from '@modelcontextprotocol/client'
import { hash } from '../../base/hash.ts'
import { isDeeper } from '../../base/json.ts'
import { deceiving, withoutTags } from '../../base/safety/invisible.ts'
import { redact } from '../../base/safety/redact.ts'
import { cut } from '../format.ts'

/** A tool as its server describes it; all of its text is untrusted. */
export type Definition = {
  name: string
  title: string
  description: string
  inputSchema: Described['inputSchema']
  /** A hash of every part that the chat uses, except the title: administrators allow this hash. */
  hash: string
  /** The server's own hint says that the tool may change something. */
  hintsWrite: boolean
}

/** The tools that a server offers to one user at one moment. */
export type Listing = { title: string; tools: Definition[] }

/** A listing, or the technical reason why it is missing. */
export type Listed = { listing: Listing; failure?: never } | { failure: string; listing?: never }

/** The most characters of a tool's schema, and of its description, that a model gets. */
const maxSchema = 20_000
const maxDescription = 2_000
/** The deepest nesting of a schema. */
const maxLevels = 20

/**
 * Reads a listed tool. Cleans the text that people or a model read; the hash covers the server's original words, uncut.
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

/** Puts untrusted text on one line, cuts it, and removes deceptive characters, secrets and placeholders. */
export function plain(text: string, length: number): string {
  const line = redact(withoutTags(text))
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[{}]/g, '')
    .trim()
  return cut(line, length)
}

/**
 * The reason why a model cannot get the tool; undefined if it can. Model APIs reject a whole request for one schema
 * without an object at the top, with alternatives there, or with unusual names.
 */
export function unusable({ name, inputSchema }: Definition): string | undefined {
  // Schema and name reach people and models unchanged, so no quotation could mark an omitted part.
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

/** True if a text or a name in the value contains characters that control a terminal or deceive a reader. */
function isHidden(value: unknown): boolean {
  if (typeof value === 'string') return deceiving(value) !== undefined || /[^\P{Cc}\t\r\n]/u.test(value)
  return isParent(value) && Object.entries(value).flat().some(isHidden)
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null
