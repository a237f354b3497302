import { describe, expect, test } from 'vitest'
import { seedPictures } from '../../../../infra/local/seed/content.ts'
import { seededCms } from '../../../support/cms.ts'
import { ask } from './conversation.ts'

/** Whatever the demo says that it can do, it does: each sentence of its help, said back to it. */

const { cms, admin } = await seededCms(Date.UTC(2026, 10, 20))
await seedPictures()
const langs = ['en', 'de', 'fr'] as const
type Lang = (typeof langs)[number]

const said = (question: string, lang: Lang) =>
  ask(question, {
    cms,
    actor: { ...admin, lang },
    page: { uid: 3, title: 'Aurora lamp' },
  })

/** What the help offers in quotes, else its whole line; what is left open gets words. */
async function offers(lang: Lang): Promise<string[]> {
  const { text } = await said({ en: 'What can you do?', de: 'Was kannst du?', fr: 'Aide' }[lang], lang)
  return text
    .split('\n- ')
    .slice(1)
    .flatMap((line) => {
      const quoted = [...line.matchAll(/(?<=:\s|, )[“„«]\s?(.+?)\s?[”“»](?=$|, [“„«])/g)].map(
        ([, words = '']) => words,
      )
      return quoted.length > 0 ? quoted.map((words) => words.replace('…', 'Something')) : [line]
    })
}

const all = await Promise.all(
  langs.map(async (lang) => (await offers(lang)).map((question) => ({ lang, question }))),
)

test('the help offers as much in each language', () => {
  expect(all.map((list) => list.length)).toEqual([24, 24, 24])
})

describe.each(all.flat())('$lang: $question', ({ lang, question }) => {
  test('is done', async () => {
    const { calls, text } = await said(question, lang)

    expect(calls.length).toBeGreaterThan(0)
    expect(text).not.toMatch(
      /nothing that you may see|nichts gefunden|sans rien trouver|the demo mode|der Demo-Modus|le mode démo|did not work|nicht geklappt|n’a pas fonctionné|That I cannot|Das kann ich|Cela, je ne le peux/,
    )
  })
})
