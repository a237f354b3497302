import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { inCatalogue, languages } from '../../../core/base/language.ts'
import backend from '../../../core/base/languages/en/backend.json'
import chat from '../../../core/base/languages/en/chat.json'
import type { Catalogue, Sentence } from '../../../core/base/languages/sentence.ts'
import { sentencesIn, sentencesOf, valuesOf } from '../../support/sentences.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folders = readdirSync(`${root}/core/base/languages`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const english = sentencesOf(root)

const forms = (sentence: Sentence) => (typeof sentence === 'string' ? [sentence] : Object.values(sentence))
const values = (labels: Record<string, Sentence>) =>
  Object.fromEntries(
    Object.entries(labels).map(([key, sentence]) => [key, valuesOf(forms(sentence).join(' '))]),
  )

/** What a catalogue of core's sentences lacks, has too much, or says with other values. */
function faultsOf(catalogue: Catalogue): string[] {
  return [
    ...english.filter((sentence) => !catalogue[sentence]).map((sentence) => `lacks: ${sentence}`),
    ...Object.entries(catalogue).flatMap(([sentence, own]) => [
      ...(english.includes(sentence) ? [] : [`is in no code: ${sentence}`]),
      ...(`${valuesOf(own)}` === `${valuesOf(sentence)}` ? [] : [`has other values: ${sentence}`]),
    ]),
  ]
}

describe('a language', () => {
  test('is a folder that the service knows', () => {
    expect(folders.sort()).toEqual([...languages].sort())
  })

  test.each(folders)('%s says all that the chat and the backend say, with the same values', async (name) => {
    const own = {
      chat: (await import(`../../../core/base/languages/${name}/chat.json`)).default,
      backend: (await import(`../../../core/base/languages/${name}/backend.json`)).default,
    }

    expect({ chat: values(own.chat), backend: values(own.backend) }).toEqual({
      chat: values(chat),
      backend: values(backend),
    })
    for (const sentence of [...Object.values(own.chat), ...Object.values(own.backend)] as Sentence[])
      for (const form of forms(sentence)) expect(form).toMatch(/[^ \n]/)
  })

  test('beside English has every sentence of core, and no other', async () => {
    const further = folders.filter((name) => name !== 'en')
    const faults = await Promise.all(
      further.map(async (name) =>
        faultsOf((await import(`../../../core/base/languages/${name}/sentences.json`)).default),
      ),
    )

    expect(faults).toEqual(further.map(() => []))
  })

  test('of France has its own spaces, quotes and apostrophes, and calls the user vous', async () => {
    const french = await Promise.all([
      ...['chat', 'backend'].map(
        async (file) => (await import(`../../../core/base/languages/fr/${file}.json`)).default,
      ),
      (await import('../../../core/base/languages/fr/sentences.json')).default,
    ])
    const sentences = french.flatMap((words) => Object.values<Sentence>(words).flatMap(forms))

    const plain = /[ \u00a0][;:!?»]|« |\w[;!?]|["'“”]|\.\.\./
    const familiar = /(?:^|[^\p{L}])(?:tu|te|toi|ton|ta|tes|t’\p{L}+)(?!\p{L})/iu
    expect(sentences.filter((sentence) => plain.test(sentence) || familiar.test(sentence))).toEqual([])
    expect(sentences).toContain('Que souhaitez-vous savoir\u202f?')
  })

  test('that lacks a sentence, has one too much or loses a value is caught', () => {
    const whole = Object.fromEntries(english.map((sentence) => [sentence, sentence]))
    const tooLong = 'The message is too long. At most {max} characters are possible.'
    const { 'The request is not valid.': _, ...without } = whole

    expect(faultsOf(whole)).toEqual([])
    expect(faultsOf({ ...without, Unknown: '?', [tooLong]: 'Too long.' })).toEqual([
      'lacks: The request is not valid.',
      `has other values: ${tooLong}`,
      'is in no code: Unknown',
    ])
  })
})

describe('the sentences of core', () => {
  test('are found as the texts of each `en`', () => {
    const source = `
      const label = (en: string) => ({ en })
      const short = { code: 'a', en: 'One' }
      const long = {
        en:
          'Two of {all}',
      }
      const tool = { en: { title: "It's", count: { one: 'a {count}', other: 'It\\'s {count}' } }, sign: 'pen' }
      const table = { en: { 'a.code': 'Three', 'b.code':
        'Four' } }`

    expect(sentencesIn(source)).toEqual([
      'One',
      'Two of {all}',
      "It's",
      'a {count}',
      "It's {count}",
      'Three',
      'Four',
    ])
    expect(english).toEqual(expect.arrayContaining(['Page content', 'The request is not valid.']))
  })

  test('are put together of values, never of code, so that a catalogue has them', () => {
    expect(english.filter((sentence) => /\$\{/.test(sentence))).toEqual([])
  })

  test('are what a catalogue makes of them, in every form, and English where it has none', () => {
    const words = { title: 'Page', did: { one: '{count} page', other: '{count} pages' }, hint: undefined }

    expect(inCatalogue({ Page: 'Seite', '{count} pages': '{count} Seiten' }, words)).toEqual({
      title: 'Seite',
      did: { one: '{count} page', other: '{count} Seiten' },
      hint: undefined,
    })
  })
})
