import { afterEach, expect, test } from 'vitest'
import { clear, message, mountModule, stage } from './mount.ts'

const root = document.documentElement
afterEach(() => {
  clear()
  root.removeAttribute('style')
})

async function shown(theme?: string): Promise<HTMLElement> {
  const module = mountModule(stage())
  if (theme) module.dataset.theme = theme
  await expect.element(message()).toBeInTheDocument()
  return module
}

test('the element takes the colours and the font of a TYPO3 backend', async () => {
  root.style.setProperty('--typo3-component-bg', 'rgb(1, 2, 3)')
  root.style.setProperty('--typo3-font-family', 'serif')
  const style = getComputedStyle(await shown())

  expect(['--aic-sheet', '--aic-font'].map((name) => style.getPropertyValue(name))).toEqual([
    'rgb(1, 2, 3)',
    'serif',
  ])
})

test.each([
  ['dark', undefined, 'dark'],
  ['light', undefined, 'light'],
  ['light', 'dark', 'dark'],
  ['dark', 'light', 'light'],
])('in a page that is %s, an element with the theme %s is %s', async (page, theme, expected) => {
  root.style.setProperty('color-scheme', page)

  expect(getComputedStyle(await shown(theme)).colorScheme).toBe(expected)
})
