import { expect, test } from 'vitest'
import { hostTokens } from '../../../../web/chat/element/style.ts'

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
