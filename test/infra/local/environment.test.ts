import { expect, test } from 'vitest'
import { withoutKey } from '../../../infra/local/environment.ts'
import { settings } from '../../support/settings.ts'

const exchange = (key: string) => ({ issuer: 'cms', audience: 'chat', key })

test('an exchange key in the settings becomes a secret, and the settings only name it', () => {
  const given = settings({ exchange: exchange('the key itself, as a test writes it') })

  expect(withoutKey(given, {})).toEqual({
    settings: { ...given, exchange: exchange('exchange') },
    secrets: { AI_CHAT_SECRET_EXCHANGE: 'the key itself, as a test writes it' },
  })
})

test.each([
  ['the name of a secret that the environment has', exchange('cms-key')],
  ['no issuer', null],
])('settings with %s stay as they are', (_, exchange) => {
  const given = settings({ exchange })

  expect(withoutKey(given, { AI_CHAT_SECRET_CMS_KEY: 'a key' })).toEqual({ settings: given, secrets: {} })
})
