import * as z from 'zod'
import { cut } from '../../base/safety/invisible.ts'
import type { BackendUser } from '../../cms/cms.ts'
import { type LogEntry, levels } from '../../cms/schema.ts'
import { count, marks, moreLines, when } from '../format.ts'
import { Limit } from '../schema.ts'
import { reads } from '../tool.ts'

/** `fetch_logs`: shows entries of the log, newest first; only for administrators. */
export const fetchLogs = reads({
  name: 'fetch_logs',
  sign: 'log',
  source: 'log',
  en: { title: 'Log', did: 'Read the log', doing: 'Reading the log' },
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
    const asked = { level, limit: limit + 1, ...(since && { since: moment(since) }) }
    const entries = await cms.log(actor, asked)
    const scope = `${level === 'debug' ? 'all levels' : `level ${level} and worse`}${since ? `, since ${since}` : ''}`
    if (entries.length === 0) return `The log has no entries (${scope}).`
    const lines = entries.slice(0, limit).map(logLine)
    const more = moreLines(entries.length > limit, limit, 'narrow level or since')
    return { text: [`Log, ${scope}, newest first:`, ...lines, ...more].join('\n'), count: lines.length }
  },
})

/** Parses a time; a date, or a time without an offset, counts as UTC. */
function moment(since: string): string {
  const isLocal = since.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(since)
  return new Date(isLocal ? `${since}Z` : since).toISOString()
}

function logLine(entry: LogEntry): string {
  const message = cut(entry.message.replace(/\s+/g, ' '), 500)
  const exception = entry.exception ? ` [exception ${entry.exception.class}]` : ''
  const user = entry.user ? ` (user ${entry.user})` : ''
  return `- [${entry.uid}] ${when(entry.at)} ${entry.level.toUpperCase()} ${entry.component}: ${message}${exception}${user}`
}

/** `get_last_exception`: shows an exception with its trace; only for administrators. */
export const getLastException = reads({
  name: 'get_last_exception',
  sign: 'warning',
  source: 'log',
  en: {
    title: 'Last exception',
    did: 'Looked up the last exception',
    doing: 'Looking up the last exception',
  },
  description: 'An exception from the system log with its message, place, number of times and trace.',
  parameters: z.strictObject({
    index: z.int().min(0).max(1_000).default(0).describe('0 is the newest, 1 the one before it'),
  }),
  dataClass: 'restricted',
  adminOnly: true,
  suits: ({ exceptions }) => exceptions,
  async run({ index }, { actor, cms }) {
    const asked = { level: 'debug', exceptions: true, offset: index, limit: 1 } as const
    const [entry] = await cms.log(actor, asked)
    if (!entry?.exception) {
      return index === 0
        ? 'No exception is recorded.'
        : `There is no exception with index ${index}; try a smaller one.`
    }
    const { exception } = entry
    const lines = [
      `Exception ${exception.class} (code ${exception.code}), log entry [${entry.uid}], level ${entry.level}`,
      `Message: ${entry.message}`,
      `Place: ${exception.file}:${exception.line}, component ${entry.component}`,
      `Last: ${when(entry.at)}${entry.user ? `, user ${entry.user}` : ''}; seen ${count(exception.count, 'time')}`,
      `Trace:\n${exception.trace}`,
    ]
    return { text: lines.join('\n'), count: 1 }
  },
})

/** `get_system_status`: shows figures of the service and the CMS; only for administrators. */
export const getSystemStatus = reads({
  name: 'get_system_status',
  sign: 'info',
  en: { title: 'System status', did: 'Checked the system status', doing: 'Checking the system status' },
  description:
    'Figures of the system now: queue, dead letters, stuck turns, table, bucket, versions, AI provider, and those of the CMS itself.',
  parameters: z.strictObject({}),
  dataClass: 'restricted',
  adminOnly: true,
  async run(_, { actor, cms, operations, now }) {
    const [service, facts] = await Promise.all([operations(), cms.facts(actor)])
    return [
      `System status at ${new Date(now).toISOString()}`,
      'AI chat:',
      ...figures(service),
      'CMS:',
      ...figures(facts),
    ].join('\n')
  },
})

function figures(values: Record<string, string | number | boolean>): string[] {
  const lines = Object.entries(values).map(([name, value]) => `- ${name}: ${value}`)
  return lines.length > 0 ? lines : ['- no figures']
}

/** `list_backend_users`: lists users without any secret; only for administrators. */
export const listBackendUsers = reads({
  name: 'list_backend_users',
  sign: 'user',
  en: { title: 'Backend users', did: 'Listed the backend users', doing: 'Listing the backend users' },
  description: 'The backend users with uid, name, groups, language and last login.',
  parameters: z.strictObject({}),
  dataClass: 'restricted',
  adminOnly: true,
  suits: ({ users }) => users,
  async run(_, { actor, cms }) {
    const users = await cms.users(actor)
    return [`${count(users.length, 'backend user')}:`, ...users.map(userLine)].join('\n')
  },
})

function userLine(user: BackendUser): string {
  const notes = marks(['administrator', user.isAdmin], ['disabled', user.disabled])
  const groups = user.groups.join(', ') || 'none'
  const login = user.lastLogin ? when(user.lastLogin) : 'never'
  return `- [${user.uid}] ${user.username}, ${user.name || 'no name'}${notes}; groups: ${groups}; language: ${user.lang}; last login: ${login}`
}
