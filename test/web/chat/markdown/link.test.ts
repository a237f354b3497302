import { expect, test } from 'vitest'
import { linkOf } from '../../../../web/chat/markdown/link.ts'

const here = 'https://cms.example/backend'

test.each<[string, string, string | undefined]>([
  ['a page of the web', 'https://shop.example/lamp', 'https://shop.example/lamp'],
  ['a place on this site', '/backend/page/3', 'https://cms.example/backend/page/3'],
  ['a mail address', 'mailto:a@b.example', 'mailto:a@b.example'],
  ['a script', 'javascript:alert(1)', undefined],
  ['a script with a hidden character', 'java\u200bscript:alert(1)', undefined],
  [
    'an address with a tab in its scheme, as a browser reads it',
    'ht\ttps://a.example/',
    'https://a.example/',
  ],
  ['an address with a password', 'https://user:word@a.example/', undefined],
  ['another host without a scheme', '//a.example/', undefined],
])('%s is a link or is none', (_, href, expected) => {
  expect(linkOf(href, here)?.href).toBe(expected)
})
