import { expect, test } from 'vitest'
import { testSmallCms } from '../../../test/support/small-cms.ts'
import { type Site, startSite } from './site.ts'

let site: Site
testSmallCms(async (code) => {
  site = await startSite(code)
  return site
})

test('its code fits the types of the kit', async () => {
  expect(await site.typeMistakes()).toBe('')
})
