import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import * as Token from '../../../../core/user/session/token.ts'

const name = { uid: 2, sid: 'a'.repeat(32) }
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

test('a token names its session', () => {
  expect(Token.verify(Token.sign(name))).toEqual(name)
})

test('a token is a JWT as others read it', () => {
  const [header, claims] = Token.sign(name).split('.')

  expect(JSON.parse(Buffer.from(header ?? '', 'base64url').toString())).toEqual({ alg: 'HS256' })
  expect(JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())).toEqual({ sub: '2', sid: name.sid })
})

test('what was not signed by this stage names nothing', async () => {
  const [header, claims, signature] = Token.sign(name).split('.')
  const admin = encoded({ sub: '1', sid: name.sid })
  const foreign = await new SignJWT({ sid: name.sid })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('2')
    .sign(Buffer.from('x'.repeat(32)))
  const forged = [
    '',
    'a',
    '../..',
    `${header}.${claims}`,
    `${header}.${claims}.`,
    `${header}.${admin}.${signature}`,
    `${header}.${claims}.${signature}.`,
    `${header}.${claims}.${signature}x`,
    `${encoded({ alg: 'none' })}.${claims}.`,
    `${encoded({ alg: 'HS512' })}.${claims}.${signature}`,
    foreign,
  ]

  expect(forged.map(Token.verify)).toEqual(forged.map(() => undefined))
})
