import { expect, test } from 'vitest'
import { urlOf } from '../../../core/tool/format.ts'

const site = (...origins: string[]) => ({ addresses: { origins, types: ['page'] } })

test.each([
  [site('https://northlight.example'), ['/lamps/', '/?page_id=3'], 'https://northlight.example/lamps/'],
  [
    site('https://northlight.example/'),
    ['/?page_id=3&preview=true'],
    'https://northlight.example/?page_id=3&preview=true',
  ],
  [site('https://northlight.example'), [], undefined],
  [site(), ['/lamps/'], undefined],
  [{ addresses: null }, ['/lamps/'], undefined],
  [site('https://northlight.example'), ['//evil.example/'], undefined],
  [site('https://northlight.example'), ['javascript:alert(1)'], undefined],
])('of %j, a record at %j is seen at %s', (capabilities, addresses, url) => {
  expect(urlOf(capabilities, { addresses })).toBe(url)
})
