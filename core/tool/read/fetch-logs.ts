import * as z from 'zod'
import type { LogEntry } from '../../cms/schema.ts'
import { levels } from '../../cms/schema.ts'
import { cut, when } from '../format.ts'
import { Limit } from '../schema.ts'
import { reads } from '../tool.ts'

/** `fetch_logs`: entries of the log, newest first; administrators only. */
export const fetchLogs = reads({
  name: 'fetch_logs',
  sign: 'log',
  source: 'log',
  words: { en: { title: 'Log', did: 'Read the log', doing: 'Reading the log' } },
  description: 'Entries of the system log, newest first. get_last_exception has the trace of an exception.',
  parameters: z.strictObject({
    level: z.enum(levels).default('debug').describe('And worse'),
    since: z
      .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()])
      .optional()
      .describe('ISO 8601'),
    limit: Limit,
  }),
  dataClass: 'restricted',
  adminOnly: true,
  suits: ({ log }) => log,
  async run({ level, since, limit }, { actor, cms }) {
    const entries = await cms.log(actor, {
      level,
      ...(since && { since: moment(since) }),
      limit: limit + 1,
    })
    const scope = `${level === 'debug' ? 'all levels' : `level ${level} and worse`}${since ? `, since ${since}` : ''}`
    if (entries.length === 0) return `The log has no entries (${scope}).`
    const lines = entries.slice(0, limit).map(describe)
    if (entries.length > limit)
      lines.push('There are more: raise limit (at most 100), or narrow level or since.')
    const shown = Math.min(entries.length, limit)
    return { text: [`Log, ${scope}, newest first:`, ...lines].join('\n'), count: shown }
  },
})

/** Parses a time; a date, or a time without an offset, is in UTC. */
function moment(since: string): string {
  const isLocal = since.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(since)
  return new Date(isLocal ? `${since}Z` : since).toISOString()
}

function describe(entry: LogEntry): string {
  const message = cut(entry.message.replace(/\s+/g, ' '), 500)
  const exception = entry.exception ? ` [exception ${entry.exception.class}]` : ''
  const user = entry.user ? ` (user ${entry.user})` : ''
  return `- [${entry.uid}] ${when(entry.at)} ${entry.level.toUpperCase()} ${entry.component}: ${message}${exception}${user}`
}
