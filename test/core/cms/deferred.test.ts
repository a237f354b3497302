import { expect, test } from 'vitest'
import { inLanguage } from '../../../core/base/language.ts'
import { deferred } from '../../../core/ports.ts'
import { seededCms } from '../../support/cms.ts'

const texts = { en: 'The file is empty.' }

test('a user whom the CMS names reads everything in their language from then on', async () => {
  const { cms, editor } = await seededCms(Date.UTC(2026, 10, 20))
  const user = async () => ({ ...editor, lang: 'fr' })
  const french = deferred(async () => ({ ...cms, user }))
  expect(inLanguage(texts, 'fr')).toBe('The file is empty.')

  const actor = await french.user(editor.uid)

  expect(inLanguage(texts, String(actor?.lang))).toBe('Le fichier est vide.')
})
