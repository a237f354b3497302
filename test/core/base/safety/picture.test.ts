import { expect, test } from 'vitest'
import { withoutPictures } from '../../../../core/base/safety/picture.ts'

test.each([
  ['a picture', '![a](https://evil.example/?d=1)', '! [a](https://evil.example/?d=1)'],
  ['a picture after marks', '!!\\![a][ref]', '!!\\! [a][ref]'],
  ['a picture in a link', '[![a](b)](c)', '[! [a](b)](c)'],
  ['an element', '<IMG src=x><svg/onload=x>\n<iframe src=y>', '< IMG src=x>< svg/onload=x>\n< iframe src=y>'],
])('%s of another viewer is no longer active', (_, text, inert) => {
  expect(withoutPictures(text)).toBe(inert)
  expect(withoutPictures(inert)).toBe(inert)
})

test('links, addresses, elements without a file and code stay as they are', () => {
  const text = 'Well! See [a](https://a.example), <https://a.example>, <p>and</p> `a !== b[0]`; <imgx>'
  expect(withoutPictures(text)).toBe(text)
})
