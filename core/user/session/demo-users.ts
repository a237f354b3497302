import { inLanguage } from '../../base/language.ts'
import type { DemoUser } from './schema.ts'

/** The password of every seeded user; only the local stage is ever seeded. */
export const password = 'demo'

const users = [
  { username: 'admin', en: 'Administrator, may do everything' },
  { username: 'editor', en: 'Reads and edits the public pages' },
  { username: 'redakteurin', en: 'Edits the public pages, works in German' },
  { username: 'autorin', en: 'Edits news, works in German' },
  { username: 'guest', en: 'May log in, but not use the chat' },
]

/** Returns the seeded users for the login page; only the local stage has them. */
export function demoUsers(lang: string): DemoUser[] {
  return users.map(({ username, ...about }) => ({ username, password, about: inLanguage(about, lang) }))
}
