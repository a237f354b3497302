import { expect, test } from 'vitest'
import { promptsFor } from '../../../../web/chat/conversation/empty.ts'

test.each([
  ['log', true],
  ['system/logs', true],
  ['blog', false],
  ['catalog', false],
])('the module %s suggests prompts about the log: %s', (module, expected) => {
  const keys = promptsFor({ pageId: 0, module, title: 'Title' }, ['fetch_logs'], 'pages').map(
    ({ key }) => key,
  )

  expect(keys.includes('prompt.errors')).toBe(expected)
})
