import { type Ask, open, Unexpected } from './visitor.ts'

/** Headers without which a page of the service is not safe, and a part of what each has to say. */
const headers: Record<string, string> = {
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}
/** Said by addresses with TLS alone. */
const secure = { 'strict-transport-security': 'max-age=' }

/**
 * Loads the script of the chat and one of its parts, and answers what was looked at. Throws what is missing: the file
 * itself, a security header, or the time for which browsers keep a part.
 */
export async function checkPages(ask: Ask, origin: string): Promise<string> {
  const script = await loaded(ask, `${origin}/backend/chat.js`)
  const [part] = /assets\/[\w.-]+\.js/.exec(script.text) ?? []
  if (!part) throw new Unexpected('/backend/chat.js names no part of it')
  const { kept } = await loaded(ask, `${origin}/backend/${part}`)
  if (!kept.includes('immutable')) throw new Unexpected(`/backend/${part} is kept for "${kept}"`)
  return `chat.js and ${part}, with ${Object.keys(headersOf(origin)).length} headers`
}

const headersOf = (origin: string) => ({ ...headers, ...(origin.startsWith('https:') && secure) })

async function loaded(ask: Ask, address: string): Promise<{ text: string; kept: string }> {
  const answer = await open(ask, address)
  const { pathname, origin } = new URL(address)
  const type = answer.headers.get('content-type') ?? ''
  if (answer.status !== 200 || !type.includes('javascript'))
    throw new Unexpected(`${pathname} answered ${answer.status} with "${type}"`)
  for (const [name, part] of Object.entries(headersOf(origin)))
    if (!answer.headers.get(name)?.includes(part)) throw new Unexpected(`${pathname} has no ${name}: ${part}`)
  return { text: await answer.text(), kept: answer.headers.get('cache-control') ?? '' }
}
