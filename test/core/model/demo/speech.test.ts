import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import de from '../../../../core/model/demo/languages/de.json' with { type: 'json' }
import fr from '../../../../core/model/demo/languages/fr.json' with { type: 'json' }
import offers from '../../../../core/model/demo/offers.json' with { type: 'json' }
import { asScript, say } from '../../../../core/model/demo/speech.ts'

const code = globSync('core/model/demo/*.{ts,json}')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

/** True if the code has a sentence: between its values stand the texts of the key, in their order. */
function isUsed(sentence: string): boolean {
  if (offers.some(({ text }) => text === sentence)) return true
  const texts = sentence
    .replaceAll('\n', '\\n')
    .split(/\{\d\}/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(['"\`])${texts.join('(?:\\$\\{.{1,200}\\}|\\{\\d\\})')}\\1`).test(code)
}

test('every sentence of the script is in German and in French, and no other', () => {
  expect(Object.keys(fr)).toEqual(Object.keys(de))
  expect(Object.keys(de).filter((sentence) => !isUsed(sentence))).toEqual([])
  expect(offers.filter(({ text }) => !(text in de))).toEqual([])
  const tagged = [...code.matchAll(/\b(?:say|remark|say\((?:s\.)?lang\))`([^`$\n]+)`/g)].map(
    ([, text = '']) => text,
  )
  expect(tagged.length).toBeGreaterThan(20)
  expect(tagged.filter((text) => !(text.replaceAll('\\n', '\n') in de))).toEqual([])
})

test('a sentence has its values where its language wants them', () => {
  expect(say('de')`… and ${3} more`).toBe('… und 3 weitere')
  expect(say('en')`… and ${'{1}'} more`).toBe('… and {1} more')
  expect(asScript('fr')`I took ${1}`).toBe('*Cette démo est un script fixe, pas un modèle d’IA. I took 1*')
})
