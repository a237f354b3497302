import { expect, test } from 'vitest'
import * as Store from '../../../core/file/store.ts'

test('a copy asks the store itself to copy no other version than the one that was checked', async () => {
  const conditions: unknown[] = []
  Store.client().middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'CopyObjectCommand')
          conditions.push((args.input as { CopySourceIfMatch?: string }).CopySourceIfMatch)
        return next(args)
      },
    { step: 'initialize', name: 'conditions' },
  )
  await Store.put('from', 'text', { contentType: 'text/plain' })
  const etag = (await Store.head('from'))?.etag ?? ''

  expect(await Store.copy('from', etag, 'to', { contentType: 'text/plain' })).toBe(true)
  expect(conditions).toEqual([etag])
})
