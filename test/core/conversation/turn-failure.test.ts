import { describe, expect, test } from 'vitest'
import { loadLanguage } from '../../../core/base/language.ts'
import { FailureCode } from '../../../core/conversation/schema.ts'
import { sentenceOf } from '../../../core/conversation/turn-failure.ts'

await loadLanguage('de')

const editor = (lang: string) => ({ lang, isAdmin: false })
const admin = (lang: string) => ({ lang, isAdmin: true })

describe.each(FailureCode.options)('%s', (code) => {
  test('is a sentence in both languages, English for any other, without a technical word', () => {
    const [en, de] = [sentenceOf(code, editor('en')), sentenceOf(code, editor('de'))]

    for (const sentence of [en, de]) {
      expect(sentence).toMatch(/^[A-ZÄÖÜ].{20,}[.]$/)
      expect(sentence).not.toMatch(/undefined|null|DynamoDB|SQS|stack|key\b|http/i)
    }
    expect(de).not.toBe(en)
    expect(sentenceOf(code, editor('eo'))).toBe(en)
  })

  test('tells its cause to administrators alone', () => {
    const cause = 'Task 1 has no configuration'

    expect(sentenceOf(code, editor('de'), cause)).toBe(sentenceOf(code, editor('de')))
    expect(sentenceOf(code, admin('de'), cause)).toBe(`${sentenceOf(code, admin('de'))} (${cause})`)
  })
})

test('a cause is short and without credentials, for administrators too', () => {
  const key = `sk-${'ant-api03-'}${'a1B2'.repeat(12)}`

  const said = sentenceOf('model.unauthorized', admin('en'), `401: invalid key ${key} ${'x'.repeat(900)}`)

  expect(said).toMatch(/\(401: invalid key \[redacted\] x{10,}\)$/)
  expect(said.length).toBeLessThan(400)
})

test('a long cause is cut between two characters, never within one', () => {
  const said = sentenceOf('model.unauthorized', admin('en'), `a${'💡'.repeat(300)}`)

  expect(said).toMatch(/ \(a(?:💡)+\)$/u)
  expect(said.isWellFormed()).toBe(true)
})
