import { expect, test } from 'vitest'
import { ownSizes } from '../../../../web/chat/style/sheet.ts'

test('sizes follow the element and not the root font of the page; conditions stay as they are', () => {
  expect(ownSizes('@media (max-width:56rem){.a{margin:-.5rem 1rem;inline-size:min(100%,28rem)}}')).toBe(
    '@media (max-width:56rem){.a{margin:calc(-.5 * var(--aic-rem)) calc(1 * var(--aic-rem));' +
      'inline-size:min(100%,calc(28 * var(--aic-rem)))}}',
  )
})
