import { expect, test } from 'vitest'
import { logModule } from '../../../../web/chat/view/place.ts'

test.each(['log', 'logs', 'Log', 'system/log', 'tools_log', 'web-logs'])('the module %s is a log', (name) => {
  expect(logModule.test(name)).toBe(true)
})

test.each(['blog', 'catalog', 'dialog', 'login', 'logo', 'list'])('the module %s is no log', (name) => {
  expect(logModule.test(name)).toBe(false)
})
