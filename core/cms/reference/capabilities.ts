import { version } from '../../stage/version.ts'
import { type Capabilities, writeKinds } from '../capabilities.ts'
import { describe, tables } from './registry.ts'

/** The states that a record can be given. */
export const states = ['visible', 'hidden', 'scheduled'] as const

/** The tables whose records go to the bin. */
export const binned: readonly string[] = ['pages', 'content', 'news']

/**
 * The capabilities of the reference CMS. Tables that only administrators see are not among its types: a chat never
 * edits them. `undo` says whether it takes back what a run changed by itself.
 */
export function capabilities(undo = true): Capabilities {
  return {
    name: 'Reference CMS',
    version,
    ids: 'number',
    userIds: 'number',
    types: tables
      .filter(({ adminOnly }) => !adminOnly)
      .map((table) => describe(table, table.fields, 'en', true))
      .map(({ name, label, fields }) => ({ name, label, fields })),
    tree: { pages: 'pages', content: 'content' },
    drafts: ['pages', 'content', 'news'],
    home: { table: 'pages', uid: 1 },
    locales: 'record',
    states: [...states],
    publishing: { field: 'hidden', states: ['visible', 'scheduled'], draft: null },
    writes: [...writeKinds],
    bin: [...binned],
    history: true,
    revisions: true,
    locks: false,
    media: true,
    pictures: true,
    log: true,
    exceptions: true,
    users: true,
    edits: true,
    parts: false,
    undo,
    undoOne: true,
    compareAndSet: true,
  }
}
