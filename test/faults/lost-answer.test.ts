import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenOf } from '../../core/user/connection/user-token.ts'
import { exchange } from '../../core/user/session/exchange.ts'
import * as Ticket from '../../core/user/session/exchanged.ts'
import { bench, benched, editor } from '../support/benched.ts'
import {
  begin,
  callback,
  comeBack,
  connect,
  consent,
  shop,
  startGranted,
  tokenSeconds,
} from '../support/grants.ts'
import { exchanging, statement } from '../support/statement.ts'
import { type Attempt, under } from './inject.ts'

/** What is good for one use is used by who brings it first, even if the table's answer to that use is lost. */

let granted: Awaited<ReturnType<typeof startGranted>>

benched()
beforeAll(async () => {
  granted = await startGranted()
  await bench.configure({ mcpServers: [shop(granted.url)] })
})
afterAll(() => granted.stop())

/** Runs `act`; the table makes the first write about `mark`, and its answer never comes. */
function losing<T>(mark: string, act: () => Promise<T>): Promise<T> {
  let isLost = false
  const rule = ({ command, input }: Attempt) => {
    const isMeant =
      /^(?:Put|Update|Delete|TransactWrite)/.test(command) && JSON.stringify(input).includes(mark)
    if (isLost || !isMeant) return undefined
    isLost = true
    return { when: 'after' as const, error: Object.assign(new Error('Reset'), { code: 'ECONNRESET' }) }
  }
  return under(rule, act).finally(() => expect(isLost).toBe(true))
}

test('a statement of the CMS begins a session', async () => {
  const now = bench.clock.now()
  const token = await statement('2', now)

  const { user } = await losing('login#exchange#', () => exchange(bench.live.cms, exchanging, token, now))

  expect(user.uid).toBe(2)
})

test('a ticket begins a session', async () => {
  const now = bench.clock.now()
  const ticket = await Ticket.issue({ uid: 2, sid: '0'.repeat(32) }, now)

  expect(await losing('ticket#', () => Ticket.enter(ticket, now))).toMatchObject({ uid: 2 })
})

test('a browser that comes back from the consent connects its server', async () => {
  const { url, cookies } = await begin(editor)
  const back = await consent(url, callback)

  expect((await losing('connecting#', () => comeBack(bench, back, cookies))).body).toContain('is connected')
})

test('the process that may renew a grant renews it', async () => {
  await connect(bench, editor)
  await bench.clock.pass(tokenSeconds * 1_000)
  const renewed = () => tokenOf(2, shop(granted.url), bench.clock.now())

  expect(await losing('renewing_until', renewed)).toEqual(expect.any(String))
})
