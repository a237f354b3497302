import { runInNewContext } from 'node:vm'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import * as z from 'zod'
import { isRecord } from '../../base/json.ts'

/**
 * Checks the arguments of a call against the schema of an MCP server. The schema is untrusted: the check runs none of
 * its patterns, and aborts if it takes too long.
 */

/** The longest time that one check may block the event loop, in milliseconds; an ordinary schema needs far less. */
const patienceMs = 2_000

/** Returns a check of arguments for a schema; undefined if the schema does not compile. */
export function checkOf(schema: Record<string, unknown>): z.ZodType | undefined {
  let isEndless = false
  /** Runs the work on this thread. Throws after `patienceMs`, even during an endless loop. */
  const within = (work: () => unknown) => runInNewContext('work()', { work }, { timeout: patienceMs })
  try {
    const checked = withoutPatterns(schema) as Record<string, unknown>
    const validate = new AjvJsonSchemaValidator().getValidator(checked)
    return z.record(z.string(), z.unknown()).superRefine((args, context) => {
      const fail = (message: string) => context.addIssue({ code: 'custom', message })
      try {
        // After one timeout, the tool cannot be used for the rest of the turn.
        if (isEndless) return fail('they cannot be checked')
        within(() => {
          const { valid, errorMessage } = validate(args)
          if (!valid) fail(errorMessage ?? 'not valid')
        })
      } catch {
        isEndless = true
        fail('they cannot be checked: the schema of the tool takes too long, or has no end')
      }
    })
  } catch {
    return undefined
  }
}

/** Schema keywords whose members are schemas under names that the server chose. */
const byName = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
/** Schema keywords that contain values, not schemas. */
const values = new Set(['const', 'enum', 'default', 'examples', 'required'])
/** `pattern`, and keywords that would reject more values if a pattern in or beside them were removed. */
const stricter = new Set(
  'pattern patternProperties not if then else maxContains unevaluatedProperties unevaluatedItems'.split(' '),
)

/**
 * Removes the patterns from a schema. The result accepts at least what the original accepts; the server checks the
 * rest.
 */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (!isRecord(schema)) return schema
  const isOpen = 'patternProperties' in schema
  const members = Object.entries(schema).flatMap(([word, value]): [string, unknown][] => {
    if (stricter.has(word) || (isOpen && word === 'additionalProperties')) return []
    if (values.has(word)) return [[word, value]]
    // Two alternatives that differ only by a pattern would both match, so `anyOf` replaces `oneOf`.
    if (word === 'oneOf') return 'anyOf' in schema ? [] : [['anyOf', withoutPatterns(value)]]
    if (!byName.has(word) || !isRecord(value)) return [[word, withoutPatterns(value)]]
    const named = Object.entries(value).map(([name, one]) => [name, withoutPatterns(one)])
    return [[word, Object.fromEntries(named)]]
  })
  return Object.fromEntries(members)
}
