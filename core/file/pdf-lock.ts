import { createCipheriv, createHash } from 'node:crypto'
import { own } from '../base/json.ts'

/**
 * True if an encrypted PDF opens without a password: then its owner only forbids to print, copy or change it. The check
 * follows ISO 32000-2, 7.6.4, for the empty user password (algorithms 2, 2.A, 2.B, 4, 5), and decrypts nothing. A PDF
 * parser could tell this too, but no parser may run on a stranger's bytes in a web request.
 */
export function opensWithoutPassword(content: Buffer): boolean {
  const text = content.toString('latin1')
  const dictionary = encryption(text)
  if (!dictionary) return false
  const lock = readLock(dictionary, text)
  if (!lock) return false
  if (lock.revision >= 5) return opensNew(lock)
  if (lock.revision === 2) return rc4(keyOf(lock), padding).equals(lock.user.subarray(0, 32))
  return opensOld(lock)
}

type Lock = {
  revision: number
  keyBytes: number
  permissions: number
  owner: Buffer
  user: Buffer
  id: Buffer
  hidesMetadata: boolean
}

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')

/** Returns the encryption dictionary and the text after it; the trailer, which names it, is never compressed. */
function encryption(text: string): string | undefined {
  const at = text.lastIndexOf('/Encrypt')
  const rest = text.slice(at, at + 4_000)
  if (/^\/Encrypt\s*<</.test(rest)) return rest
  const reference = /^\/Encrypt\s*(\d+)\s+(\d+)\s+R/.exec(rest)
  if (!reference) return undefined
  const objects = [...text.matchAll(new RegExp(`(?:^|\\s)${reference[1]}\\s+${reference[2]}\\s+obj\\b`, 'g'))]
  const start = objects.at(-1)?.index
  return start === undefined ? undefined : text.slice(start, start + 4_000)
}

function readLock(dictionary: string, text: string): Lock | undefined {
  const number = (name: string) =>
    Number(new RegExp(`/${name}\\s+(-?\\d+)`).exec(dictionary)?.[1] ?? Number.NaN)
  const [revision, version, permissions] = [number('R'), number('V'), number('P')]
  const [owner, user] = [stringAfter(dictionary, /\/O\s*(?=[(<])/), stringAfter(dictionary, /\/U\s*(?=[(<])/)]
  const isKnown = /\/Filter\s*\/Standard\b/.test(dictionary) && revision >= 2 && revision <= 6
  if (!isKnown || Number.isNaN(permissions) || !owner || !user) return undefined
  const told = version === 4 ? 128 : number('Length') || 40
  const bits = version === 1 ? 40 : told
  return {
    revision,
    keyBytes: Math.min(Math.max(Math.floor(bits / 8), 5), 16),
    permissions,
    owner,
    user,
    id: stringAfter(text, /\/ID\s*\[\s*(?=[(<])/) ?? Buffer.alloc(0),
    hidesMetadata: !/\/EncryptMetadata\s+false/.test(dictionary),
  }
}

function opensOld(lock: Lock): boolean {
  const key = keyOf(lock)
  let proof: Buffer = md5(padding, lock.id)
  for (let round = 0; round < 20; round++) {
    proof = rc4(
      key.map((byte) => byte ^ round),
      proof,
    )
  }
  return proof.equals(lock.user.subarray(0, 16))
}

function keyOf({ revision, keyBytes, permissions, owner, id, hidesMetadata }: Lock): Buffer {
  const rights = Buffer.alloc(4)
  rights.writeInt32LE(permissions | 0)
  const unhidden = revision >= 4 && !hidesMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0)
  let key = md5(padding, owner.subarray(0, 32), rights, id, unhidden).subarray(0, keyBytes)
  for (let round = 0; revision >= 3 && round < 50; round++) key = md5(key).subarray(0, keyBytes)
  return key
}

/** Checks PDF 2.0 and later: 32 bytes of hash, then 8 bytes of salt. */
function opensNew({ revision, user }: Lock): boolean {
  if (user.length < 48) return false
  const first = createHash('sha256').update(user.subarray(32, 40)).digest()
  return (revision === 5 ? first : hardened(first)).equals(user.subarray(0, 32))
}

function hardened(first: Buffer): Buffer {
  let hash = first
  let last = 0
  for (let round = 0; round < 64 || last > round - 32; round++) {
    const block = Buffer.concat(Array.from({ length: 64 }, () => hash))
    const cipher = createCipheriv('aes-128-cbc', hash.subarray(0, 16), hash.subarray(16, 32)).setAutoPadding(
      false,
    )
    const encrypted = cipher.update(block)
    // The first 16 bytes as a number, modulo 3; 256 is 1 modulo 3, so the sum of the bytes gives the same result.
    const rest = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3
    hash = createHash(['sha256', 'sha384', 'sha512'][rest] as string)
      .update(encrypted)
      .digest()
    last = encrypted.at(-1) ?? 0
  }
  return hash.subarray(0, 32)
}

function md5(...parts: Buffer[]): Buffer {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Implements RC4, which Node's OpenSSL no longer offers. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at)
  const at = (index: number) => state[index & 255] as number
  const swap = (a: number, b: number) => {
    const kept = at(a)
    state[a] = at(b)
    state[b] = kept
  }
  let j = 0
  for (let i = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] as number)) & 255
    swap(i, j)
  }
  j = 0
  return Buffer.from(
    data.map((byte, index) => {
      const i = (index + 1) & 255
      j = (j + at(i)) & 255
      swap(i, j)
      return byte ^ at(at(i) + at(j))
    }),
  )
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Returns the string after a mark, in hexadecimal or in parentheses; undefined if there is no such string. */
function stringAfter(text: string, mark: RegExp): Buffer | undefined {
  const found = mark.exec(text)
  if (!found) return undefined
  const start = found.index + found[0].length
  if (text[start] === '<')
    return Buffer.from(text.slice(start + 1, text.indexOf('>', start)).replace(/\s/g, ''), 'hex')
  return literal(text.slice(start + 1, start + 1_000))
}

function literal(text: string): Buffer | undefined {
  let value = ''
  let depth = 1
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0) return Buffer.from(value, 'latin1')
    if (character !== '\\') {
      value += character
      continue
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0]
    const next = text[at + 1] ?? ''
    value += octal ? String.fromCharCode(Number.parseInt(octal, 8) & 255) : (own(escapes, next) ?? next)
    at += octal?.length ?? 1
  }
  return undefined
}
