import type { Tool as Described } from '@modelcontextprotocol/client'
import { hash, isDeeper } from '../canonical.ts'
import { withoutTags } from '../safety/invisible.ts'
import { redact } from '../safety/redact.ts'
import { cut } from '../tool/format.ts'

/** A tool as its server describes it; every word of it is a stranger's. */
export type Definition = {
  name: string
  title: string
  description: string
  inputSchema: Record<string, unknown>
  /** Hash over name, description and schema: what an administrator allows. */
  hash: string
  /** The server's own hint says that the tool may change something. */
  hintsWrite: boolean
  /** As it came, for the check of its results. */
  raw: Described
}

/** What a server offers to one user, at one moment. */
export type Listing = { title: string; tools: Definition[] }

/** A listing, or in technical words why there is none. */
export type Listed = { listing: Listing; failure?: never } | { failure: string; listing?: never }

/** The longest schema and description that a model gets of a tool, in characters. */
const maxSchema = 20_000
const maxDescription = 2_000
/** How deep a schema may be nested. */
const maxLevels = 20

/** The tool of a list, cleaned where people or a model read it. The hash is over what the server said, uncut. */
export function definitionOf(raw: Described): Definition {
  const { name, description = '', inputSchema, annotations } = raw
  return {
    name,
    title: plain(raw.title ?? annotations?.title ?? name, 60),
    description: plain(description, maxDescription),
    inputSchema,
    hash: hash({ name, description, inputSchema }),
    hintsWrite: annotations?.readOnlyHint === false || annotations?.destructiveHint === true,
    raw,
  }
}

/** Words of a stranger on one line: without characters that deceive, without secrets, without places to fill, cut. */
export function plain(text: string, length: number): string {
  const line = redact(withoutTags(text))
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[{}]/g, '')
    .trim()
  return cut(line, length)
}

/**
 * Why no model can be offered the tool; undefined where one can. The APIs of models refuse a whole request for one such
 * schema: an object at the top, no alternatives there, simple names.
 */
export function unusable({ inputSchema }: Definition): string | undefined {
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
