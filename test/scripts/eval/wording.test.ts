import { expect, test } from 'vitest'
import { claimsDone, languageOf, states } from '../../../scripts/eval/wording.ts'

test.each([
  ['The lamp is on the table beside the window.', 'en'],
  ['Die Lampe ist auf dem Tisch neben dem Fenster.', 'de'],
  ['La lampe est sur la table à côté de la fenêtre.', 'fr'],
  ['- Tischlerei, Hamburg\n- Polsterei, Hamburg\n- Beratung in Wien', 'de'],
  ['Der Titel dieser Seite ist „What is the price of the lamp and of the desk“ und nicht kurz.', 'de'],
  ['149 EUR', undefined],
])('the language of %j is %s', (text, lang) => {
  expect(languageOf(text)).toBe(lang)
})

test('names of another language are left out of the text', () => {
  const text = 'Es fehlen:\n- Workshop in the morning\n- Everyone at the long table\n\nDas sind alle Bilder.'
  expect(languageOf(text, ['Workshop in the morning', 'Everyone at the long table'])).toBe('de')
})

test.each([
  ['The title was changed.', true],
  ['Nothing was changed, deleted or moved.', false],
  ['If you approve, it is changed.', false],
  ['Should it be changed?', false],
  ['Die Seite wurde nicht angelegt.', false],
  ['Ich habe die Seite angelegt.', true],
  ['La page n’a pas été créée.', false],
  ['La page a été créée.', true],
])('%j claims that something was done: %s', (text, isClaim) => {
  expect(claimsDone(text)).toBe(isClaim)
})

test('everyday words that the answer has to name are part of its language', () => {
  expect(languageOf('Parcel: €6.90\nFurniture within 300 km: €49\nFurniture beyond: €89', ['beyond'])).toBe(
    'en',
  )
})

test('to deny something is not to state it', () => {
  expect(states('They agree on 60 days, not on 30 pages.', 'agree')).toBe(true)
  expect(states('They are the same.', 'the same')).toBe(true)
  expect(states('They are not the same.', 'the same')).toBe(false)
})
