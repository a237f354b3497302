import { describe, expect, test } from 'vitest'
import { seededCms } from '../../../support/cms.ts'
import { ask } from './conversation.ts'

/** Whatever the demo says that it can do, it does: each sentence of its help, said back to it. */

const { cms, admin } = await seededCms(Date.UTC(2026, 10, 20))
const langs = ['en', 'de'] as const
type Lang = (typeof langs)[number]

const said = (question: string, lang: Lang) =>
  ask(question, {
    cms,
    actor: { ...admin, lang },
    page: { uid: 3, title: 'Aurora lamp' },
  })

/** What the help offers in quotes, else its whole line; what is left open gets words. */
async function offers(lang: Lang): Promise<string[]> {
  const { text } = await said(lang === 'en' ? 'What can you do?' : 'Was kannst du?', lang)
  return text
    .split('\n- ')
    .slice(1)
    .flatMap((line) => {
      const quoted = [...line.matchAll(/(?<=: |, )[“„](.+?)[”“](?=$|, [“„])/g)].map(([, words = '']) => words)
      return quoted.length > 0 ? quoted.map((words) => words.replace('…', 'Something')) : [line]
    })
}

const all = await Promise.all(
  langs.map(async (lang) => (await offers(lang)).map((question) => ({ lang, question }))),
)

test('the help offers as much in German as in English', () => {
  expect(all.map((list) => list.length)).toEqual([17, 17])
})

describe.each(all.flat())('$lang: $question', ({ lang, question }) => {
  test('is done', async () => {
    const { calls, text } = await said(question, lang)

    expect(calls.length).toBeGreaterThan(0)
    expect(text).not.toMatch(
      /nothing that you may see|nichts gefunden|the demo mode|der Demo-Modus|did not work|nicht geklappt/,
    )
  })
})
