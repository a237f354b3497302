import { beforeAll, expect, test } from 'vitest'
import { config } from '../../../../core/base/config.ts'
import { found } from '../../../../core/cms/reference/bootstrap.ts'
import { authenticate } from '../../../../core/cms/reference/login.ts'
import { reference } from '../../../../core/cms/reference/reference.ts'
import { makeChange, showChange } from '../../../support/put.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const founder = { username: 'ada', name: 'Ada Lindqvist', password: 'a long enough password', lang: 'de' }
let table: string

beforeAll(() => {
  table = config().cmsTable ?? ''
})

test('a site begins with one page and an administrator who can log in', async () => {
  const cms = reference({ table, clock: () => now })

  expect(await found(table, 'Northlight', founder, now)).toBe(true)

  const actor = await authenticate(table, 'ada', founder.password, now)
  expect(actor).toEqual({
    uid: 1,
    username: 'ada',
    name: 'Ada Lindqvist',
    isAdmin: true,
    groups: [],
    lang: 'de',
  })
  if (!actor) return
  expect(await cms.page(actor, { uid: 1 })).toMatchObject({ title: 'Home', mayEdit: true })
  const page = { uid: null, table: 'pages', place: { pid: 1 }, fields: { title: 'About' } }
  const { versions } = await showChange(cms, actor, page, [])
  expect(await makeChange(cms, actor, page, { key: 'k', correlationId: 'r', versions, now })).toMatchObject({
    state: 'done',
    uid: 2,
  })
})

test('a site that is there is left alone', async () => {
  expect(await found(table, 'Another', { ...founder, username: 'eve' }, now)).toBe(false)
  expect(await authenticate(table, 'eve', founder.password, now)).toBeUndefined()
})
