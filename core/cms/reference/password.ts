import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/**
 * Passwords are kept as `scrypt$N$r$p$salt$hash`. The parameters are one of the equal choices of the OWASP Password
 * Storage Cheat Sheet (16 MiB of memory, five passes), so that a small function can check them.
 */

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const parameters = { N: 2 ** 14, r: 8, p: 5 }
const length = 32

/** The stored form of a password, with a fresh salt. */
export async function hash(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, length, parameters)
  const { N, r, p } = parameters
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** No password has this hash; checking against it costs what checking against a real one costs. */
const dummyHash = `scrypt$${parameters.N}$${parameters.r}$${parameters.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Is it the password of the hash? Without a hash the answer is no, at the same cost. */
export async function verify(password: string, stored: string | undefined): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = (stored ?? dummyHash).split('$')
  if (scheme !== 'scrypt' || !salt || !key) return false
  const expected = Buffer.from(key, 'base64url')
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, options)
  return timingSafeEqual(actual, expected) && stored !== undefined
}
