import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { startDynamo } from '../../../infra/local/dynamo.ts'
import { freePort } from '../../../infra/local/free-port.ts'
import { standStill } from '../../support/clock.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('where another process took the chosen port, the emulator starts at another one', async () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', '')
  const other = createServer((_, response) => response.end('Not an emulator')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const ports = [(other.address() as AddressInfo).port]

  const dynamo = await startDynamo(undefined, async () => ports.pop() ?? (await freePort('127.0.0.1')))

  expect(await (await fetch(dynamo.endpoint)).text()).not.toBe('Not an emulator')
  await dynamo.stop()
  other.close()
})

test('an emulator that began to listen while this process stood still is not given up', async () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', '')
  const choosePort = async () => {
    const port = await freePort('127.0.0.1')
    setImmediate(standStill, 4_000)
    return port
  }

  const dynamo = await startDynamo(undefined, choosePort, 3_000)

  expect(dynamo.process?.exitCode).toBeNull()
  await dynamo.stop()
})
