import { expect, test } from 'vitest'
import { approvalTitle, title } from '../../../core/tool/label.ts'

const change = { field: 'header', label: 'Header', before: 'a', after: 'b' }
const preview = (fields: number, label: string) => ({
  table: 'content',
  uid: 12,
  label,
  changes: Array.from({ length: fields }, () => change),
})

test.each([
  [
    'update_record',
    2,
    'Aurora lamp',
    'Change 2 fields of “Aurora lamp”',
    '2 Felder von „Aurora lamp“ ändern',
  ],
  ['update_record', 1, 'Aurora lamp', 'Change 1 field of “Aurora lamp”', '1 Feld von „Aurora lamp“ ändern'],
  ['create_page_draft', 3, 'Sale', 'Create hidden page “Sale”', 'Versteckte Seite „Sale“ anlegen'],
  [
    'create_content_draft',
    2,
    'Offer',
    'Create hidden content element “Offer”',
    'Verstecktes Inhaltselement „Offer“ anlegen',
  ],
])('%s of %i fields', (tool, fields, label, en, de) => {
  expect([
    approvalTitle(tool, preview(fields, label), 'en'),
    approvalTitle(tool, preview(fields, label), 'de'),
  ]).toEqual([en, de])
})

test('without a preview the tool’s own title stands', () => {
  expect(approvalTitle('update_record', null, 'de')).toBe('Datensatz ändern')
})

test('a title is English where the language is not known, and the name itself for an unknown tool', () => {
  expect([title('fetch_logs', 'de'), title('fetch_logs', 'fr'), title('old_tool', 'en')]).toEqual([
    'Protokoll',
    'Log',
    'old_tool',
  ])
})
