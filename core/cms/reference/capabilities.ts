import { version } from '../../base/version.ts'
import type { Capabilities } from '../capabilities.ts'
import { describe, tables } from './registry.ts'

/** The states that a record can be given. */
export const states = ['visible', 'hidden', 'scheduled'] as const

/** The tables whose records the chat makes, moves, hides and puts into the bin. */
export const keptTables: readonly string[] = ['pages', 'content', 'news']

/**
 * The capabilities of the reference CMS. Tables that only administrators see are not among its types: a chat never
 * edits them.
 */
export function capabilities(): Capabilities {
  return {
    name: 'Reference CMS',
    version,
    ids: 'number',
    userIds: 'number',
    types: tables()
      .filter(({ adminOnly }) => !adminOnly)
      .map((table) => describe(table, table.fields, 'en', true))
      .map(({ name, label, fields }) => ({ name, label, fields })),
    tree: { pages: 'pages', content: 'content' },
    home: { table: 'pages', uid: 1 },
    locales: 'record',
    states: [...states],
    publishing: { field: 'hidden', states: ['visible', 'scheduled'], draft: null },
    writes: {
      create: [...keptTables],
      state: [...keptTables],
      times: [...keptTables],
      place: [...keptTables],
      bin: [...keptTables],
      remove: [...keptTables],
      restore: [...keptTables, 'media'],
    },
    addresses: { origins: [], types: ['pages'] },
    history: true,
    revisions: true,
    locks: false,
    media: true,
    pictures: true,
    log: true,
    exceptions: true,
    users: true,
    abilities: false,
    parts: false,
    compareAndSet: true,
  }
}
