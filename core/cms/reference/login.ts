import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import * as z from 'zod'
import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import { actorOf, type Row, recordKey, textOf } from './item.ts'
import { append } from './log.ts'
import * as Rows from './rows.ts'

const Hashed = z.object({ password: z.string() })

/**
 * Returns the user with this name and password; undefined for a wrong name or password, or for a user who is disabled
 * or outside the active period. Every outcome takes the same time. Logs success and failure, but not an unknown name,
 * since it may be a password in the wrong field. `now` is milliseconds since the epoch.
 */
export async function authenticate(
  store: string,
  username: string,
  password: string,
  now: number,
): Promise<Actor | undefined> {
  const row = await named(store, username)
  const item = row && (await Table.get(recordKey('be_users', row.uid), store))
  const isRight = await verifyPassword(password, item && Hashed.parse(item).password)
  const actor = actorOf(item, now)
  if (row && actor && isRight) {
    await welcome(store, row, now)
    return actor
  }
  await append(store, failed(row, isRight), now)
  return undefined
}

async function named(store: string, username: string): Promise<Row | undefined> {
  const wanted = username.trim().toLowerCase()
  const users = await Rows.all(store, 'be_users')
  return users.find((user) => textOf(user, 'username').toLowerCase() === wanted)
}

/** Stores the time of the login without a new version of the record: no edit conflicts with a login. */
async function welcome(store: string, user: Row, now: number): Promise<void> {
  const username = textOf(user, 'username')
  const set = { 'fields.lastlogin': new Date(now).toISOString() }
  await Table.assign(recordKey('be_users', user.uid), { set }, store)
  await append(
    store,
    { level: 'info', component: 'login', message: `User ${username} logged in`, username },
    now,
  )
}

function failed(user: Row | undefined, isRight: boolean): Parameters<typeof append>[1] {
  const username = user ? textOf(user, 'username') : null
  const known = isRight ? `of ${username}, who is not active` : `of ${username}`
  const why = user ? known : 'of an unknown user'
  return { level: 'warning', component: 'login', message: `Failed login ${why}`, username }
}

/**
 * Passwords are stored as `scrypt$N$r$p$salt$hash`. The OWASP Password Storage Cheat Sheet lists these parameters (16
 * MiB of memory, five passes). A small function can afford them.
 */
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const parameters = { N: 2 ** 14, r: 8, p: 5 }
const length = 32

/** Returns the stored form of a password, with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, length, parameters)
  const { N, r, p } = parameters
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** A hash that no password has. Its check takes as long as the check of a real hash. */
const dummyHash = `scrypt$${parameters.N}$${parameters.r}$${parameters.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** True if the password matches the stored hash. Without a hash it returns false after the same time. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = (stored ?? dummyHash).split('$')
  if (scheme !== 'scrypt' || !salt || !key) return false
  const expected = Buffer.from(key, 'base64url')
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, options)
  return timingSafeEqual(actual, expected) && stored !== undefined
}
