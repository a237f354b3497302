import { expect, test } from 'vitest'
import { Looks, type Site } from '../../../../core/cms/reference/site.ts'
import { seededCms } from '../../../support/cms.ts'

const { editor } = await seededCms(0)

/** Looks of the editor: each names itself by its number. */
function looking() {
  const looks = new Looks()
  let opened = 0
  const open = async () => ({ store: String(++opened) }) as Site
  return { looks, see: (now = 0) => looks.share(editor, now, open, ({ store }) => store) }
}

test('what is asked in the same moment, and what follows it at once, shares a look', async () => {
  const { see } = looking()

  expect(await Promise.all([see(), see()])).toEqual(['1', '1'])
  expect(await see()).toBe('1')
})

test('what is asked after anything else was awaited looks again', async () => {
  const { see } = looking()
  await see()

  await new Promise((done) => setImmediate(done))

  expect(await see()).toBe('2')
})

test('after a change nothing sees the site as it was, though an earlier read still goes on', async () => {
  const { looks, see } = looking()
  const before = see()

  looks.forget(editor)

  expect(await see()).toBe('2')
  expect(await before).toBe('1')
})

test('a chain of reads looks again after two seconds', async () => {
  const { see } = looking()
  await see(0)

  expect(await see(1_999)).toBe('1')
  expect(await see(2_000)).toBe('2')
})
