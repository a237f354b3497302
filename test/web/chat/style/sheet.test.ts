import { expect, test } from 'vitest'
import { hostTokens, ownSizes } from '../../../../web/chat/style/sheet.ts'

test('the element has the tokens of the design, and the page decides the colours', () => {
  const css = `:root {
  color-scheme: light dark;
  --aic-sheet: light-dark(#fff, #000);
  --aic-accent: light-dark(#00627c, #74cbe0);
}
:root[data-theme="dark"] {
  color-scheme: dark;
}`

  expect(hostTokens(css).replace(/\s+/g, ' ')).toBe(
    ':host { --aic-sheet: var(--typo3-component-bg, light-dark(#fff, #000)); ' +
      '--aic-accent: light-dark(#00627c, #74cbe0); } :host([data-theme="dark"]) { color-scheme: dark; }',
  )
})

test('sizes follow the element and not the root font of the page; conditions stay as they are', () => {
  expect(ownSizes('@media (max-width:56rem){.a{margin:-.5rem 1rem;inline-size:min(100%,28rem)}}')).toBe(
    '@media (max-width:56rem){.a{margin:calc(-.5 * var(--aic-rem)) calc(1 * var(--aic-rem));' +
      'inline-size:min(100%,calc(28 * var(--aic-rem)))}}',
  )
})
