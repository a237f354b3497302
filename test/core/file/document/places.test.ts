import { expect, test } from 'vitest'
import { Places } from '../../../../core/file/document/sandbox.ts'

/** Takes places for documents named by user and number, and notes which of them began; `end` ends one. */
function readers(atOnce: number) {
  const places = new Places(atOnce)
  const begun: string[] = []
  const leave = new Map<string, () => void>()
  const read = (user: string, name: string, signal?: AbortSignal) =>
    places.take(user, signal).then((left) => {
      begun.push(name)
      leave.set(name, left)
    })
  const end = async (name: string) => {
    leave.get(name)?.()
    await settled()
  }
  return { begun, read, end }
}

/** Everything that is decided has reached those who wait for it. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a user with many documents holds one place, another user gets the other at once', async () => {
  const { begun, read, end } = readers(2)
  for (const name of ['a1', 'a2', 'a3']) void read('a', name)
  await settled()
  expect(begun).toEqual(['a1'])

  void read('b', 'b1')
  await settled()
  expect(begun).toEqual(['a1', 'b1'])

  await end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
})

test('where users with many documents hold all places, another user waits for one more of each at most', async () => {
  const { begun, read, end } = readers(2)
  for (const name of ['a1', 'a2', 'a3']) void read('a', name)
  for (const name of ['b1', 'b2', 'b3']) void read('b', name)
  await settled()
  await end('a1')
  void read('c', 'c1')
  await end('b1')
  await end('a2')
  await end('b2')

  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'c1'])
})

test('a wait that is given up is rejected with the reason and takes no place', async () => {
  const { begun, read, end } = readers(1)
  const turn = new AbortController()
  void read('a', 'a1')
  const givenUp = read('b', 'b1', turn.signal)
  void read('c', 'c1')

  turn.abort('cancelled')
  await expect(givenUp).rejects.toBe('cancelled')
  await end('a1')

  expect(begun).toEqual(['a1', 'c1'])
})
