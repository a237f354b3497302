import { expect, test } from 'vitest'
import { loadLanguage } from '../../../core/base/language.ts'
import type { Done } from '../../../core/cms/cms.ts'
import { removedBy } from '../../../core/cms/preview.ts'

await loadLanguage('de')

const stored = (text: string | undefined) =>
  ({ after: { record: text === undefined ? null : { fields: { content: text } } } }) as unknown as Done
const put = (content: unknown) => ({ table: 'post', uid: 1, fields: { content } })

test.each([
  ['an element', '<p>a</p><IFRAME src=x></iframe>', '<p>a</p>', ['WordPress also removes: <iframe>.']],
  [
    'several, each once',
    '<style></style><b>x</b><b>y</b>',
    '<b>x</b>',
    ['WordPress also removes: <style>, <b>.'],
  ],
  ['no other text', '<p>a</p>', '<p class="b">b</p>', []],
  ['no comment of a block, and no sign', '<!-- wp:x --> 1 < 2 <3', ' 1 &lt; 2', []],
  ['nothing where the record is not read', '<style></style>', undefined, []],
])('says of what the CMS would not store %s', (_what, wanted, left, said) => {
  expect(removedBy('WordPress', put(wanted), stored(left), 'en')).toEqual(said)
})

test('says it in the language of the reader, and only of texts', () => {
  expect(removedBy('WordPress', put('<style>'), stored(''), 'de-AT')).toEqual([
    'WordPress entfernt außerdem: <style>.',
  ])
  expect(removedBy('WordPress', put(['<style>']), stored(''), 'en')).toEqual([])
})
