import { expect, test } from 'vitest'
import { pendingWrite } from '../../../core/agent/proposal.ts'
import { updateRecord } from '../../../core/tool/write/fields.ts'

test.each([
  ['as the CMS takes it', 'Mine', 'Mine', ['teaser']],
  ['in a shortened form', 'Mine', 'Mi[…]ne', undefined],
  ['as no value at all', '', null, ['teaser']],
])('words of the user that the preview shows %s', (_, mine, after, editable) => {
  const fields = { teaser: mine }
  const change = { table: 'news', uid: 1, fields }
  const shown = { field: 'teaser', label: 'Teaser', before: 'Old', after }
  const call = pendingWrite(
    {
      call: { id: 'call', name: 'update_record', arguments: { ...change, fields: { teaser: 'Proposed' } } },
      tool: updateRecord,
      change,
      preview: {
        table: 'news',
        uid: 1,
        label: 'Lamp',
        page: { uid: 7, title: 'News' },
        changes: [shown],
        versions: [],
        put: change,
      },
      wording: fields,
    },
    'en',
  )

  expect(call.editable).toEqual(editable)
})
