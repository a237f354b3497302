import { describe, expect, test } from 'vitest'
import { draftRule, refuseShown } from '../../../core/agent/drafts.ts'
import { ToolError } from '../../../core/base/error.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Change } from '../../../core/cms/change.ts'
import { capabilities } from '../../../core/cms/reference/registry.ts'

const reference = capabilities()
const field = (name: string) => ({
  name,
  label: name,
  kind: 'text' as const,
  required: false,
  max: null,
  readOnly: false,
})
/** A CMS that keeps drafts beside what is live, of one of its types. */
const withDrafts: Capabilities = {
  ...reference,
  types: [
    { name: 'posts', label: 'Posts', fields: [field('title'), field('_status')] },
    { name: 'tags', label: 'Tags', fields: [field('title')] },
  ],
  tree: null,
  writes: { ...reference.writes, create: ['posts'] },
  locales: 'field',
  publishing: { field: '_status', states: ['published'], draft: 'draft' },
}
/** A CMS whose records go public by themselves at a time. */
const withStates: Capabilities = {
  ...reference,
  tree: { pages: 'page', content: null },
  publishing: { field: 'status', states: ['publish', 'future'], draft: null },
}
const silent: Capabilities = { ...reference, publishing: null }

const live = { hidden: false, fields: {} }
const hidden = { hidden: true, fields: {} }
const planned = { hidden: true, fields: { status: 'future' } }

const at = { table: 'posts', uid: 1 }
const update = (fields: Record<string, unknown>, more: object = {}): Change => ({ ...at, fields, ...more })
const title = update({ title: 'New' })
const state = (state: string): Change => ({ ...at, state: { state } })
const move = (table: string): Change => ({ table, uid: 1, place: { after: 0 } })
const edits = [{ field: 'body', find: 'a', replace: 'b' }]
const translate: Change = { ...at, locale: 'de', fields: { title: 'Neu' } }

type Row = [what: string, write: Change, record: typeof live | undefined, here: Capabilities, is: string]

/** What the rule says: the effect, with `+` where values are added, or `no`. */
function said(mode: 'first' | 'only', [, write, record, here]: Row): string {
  try {
    const { effect, added } = draftRule(mode, write, record, here)
    return `${effect}${added ? `+${JSON.stringify(added)}` : ''}`
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError)
    return 'no'
  }
}

const rows: Row[] = [
  [
    'a new record',
    { uid: null, table: 'news', place: { pid: 1 }, fields: {} },
    undefined,
    reference,
    'hidden',
  ],
  [
    'a new record of any CMS',
    { uid: null, table: 'x', place: { pid: 1 }, fields: {} },
    undefined,
    silent,
    'hidden',
  ],
  ['a field of a hidden record', title, hidden, reference, 'hidden'],
  ['a field of a live record', title, live, reference, 'no'],
  ['a passage of a live record', update({}, { edits }), live, reference, 'no'],
  ['a record that is not there', title, undefined, reference, 'no'],
  ['a field where the CMS does not say what is live', title, hidden, silent, 'no'],
  ['a record that goes public by itself', title, planned, withStates, 'no'],
  ['a field of a live record beside it', title, live, withDrafts, 'beside+{"_status":"draft"}'],
  ['a passage beside it', update({}, { edits }), live, withDrafts, 'beside+{"_status":"draft"}'],
  ['a field of a live record of a type without drafts', { ...title, table: 'tags' }, live, withDrafts, 'no'],
  [
    'a draft that the model asks for itself',
    update({ title: 'x', _status: 'draft' }),
    live,
    withDrafts,
    'beside',
  ],
  [
    'a field together with publishing',
    update({ title: 'x', _status: 'published' }),
    hidden,
    withDrafts,
    'no',
  ],
  ['a field together with unhiding', update({ title: 'x', hidden: false }), hidden, reference, 'no'],
  ['a passage together with unhiding', update({ hidden: false }, { edits }), hidden, reference, 'no'],
  [
    'a passage of the state itself',
    update({}, { edits: [{ ...edits[0], field: 'hidden' }] }),
    live,
    reference,
    'publish',
  ],
  ['publishing by its field', update({ _status: 'published' }), hidden, withDrafts, 'publish'],
  ['unhiding by its field', update({ hidden: false }), hidden, reference, 'publish'],
  ['taking from the site by its field', update({ _status: 'draft' }), live, withDrafts, 'publish'],
  ['publishing', state('visible'), hidden, reference, 'publish'],
  ['planning', state('scheduled'), hidden, reference, 'publish'],
  ['hiding', state('hidden'), live, reference, 'publish'],
  ['another state of a hidden record', state('pending'), hidden, withStates, 'hidden'],
  ['moving a live record', move('news'), live, reference, 'no'],
  ['moving a hidden record', move('news'), hidden, reference, 'hidden'],
  ['moving a hidden page with all that is on it', move('pages'), hidden, reference, 'no'],
  ['deleting a live record', { bin: true, ...at }, live, reference, 'publish'],
  ['deleting a hidden record', { bin: true, ...at }, hidden, reference, 'hidden'],
  ['bringing back what it cannot read', { bin: false, ...at }, undefined, reference, 'publish'],
  ['an earlier version of a live record', { ...at, revision: '3' }, live, reference, 'no'],
  ['an earlier version of a hidden record', { ...at, revision: '3' }, hidden, reference, 'hidden'],
  ['a translation as a record of its own', translate, live, reference, 'hidden'],
  ['a translation in the record, as a draft', translate, live, withDrafts, 'beside'],
  ['a translation in a live record without drafts', { ...translate, table: 'tags' }, live, withDrafts, 'no'],
]

describe('drafts first', () => {
  test.each(rows)('says to %s', (...row) => {
    expect(said('first', row)).toBe(row[4])
  })

  test('and nothing but drafts says the same, and no to what it would publish', () => {
    const expected = rows.map(([, , , , is]) => (is === 'publish' ? 'no' : is))

    expect(rows.map((row) => said('only', row))).toEqual(expected)
  })
})

describe('a write that is to stay hidden', () => {
  const change = (field: string) => ({ field, label: field, before: 'true', after: 'false' })
  const shown = { uid: 3, changes: [change('title'), change('hidden')] }

  test('is refused when its preview says that visitors would see the record', () => {
    expect(() => refuseShown({ effect: 'hidden' }, shown, reference)).toThrow(/changes nothing else/)
  })

  test.each([
    ['it changes other fields', { effect: 'hidden' as const }, { uid: 3, changes: [change('title')] }],
    ['the record is new', { effect: 'hidden' as const }, { ...shown, uid: null }],
    ['it is meant to publish', { effect: 'publish' as const }, shown],
  ])('is not where %s', (_, drafted, preview) => {
    expect(() => refuseShown(drafted, preview, reference)).not.toThrow()
  })
})
