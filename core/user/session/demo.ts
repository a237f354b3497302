import { inLanguage } from '../../base/language.ts'
import { password } from '../../cms/reference/demo-users.ts'
import type { DemoUser } from './schema.ts'

const users = [
  { username: 'admin', en: 'Administrator, may do everything', de: 'Administrator, darf alles' },
  {
    username: 'editor',
    en: 'Reads and edits the public pages',
    de: 'Liest und bearbeitet die öffentlichen Seiten',
  },
  {
    username: 'redakteurin',
    en: 'Edits the public pages, works in German',
    de: 'Bearbeitet die öffentlichen Seiten, arbeitet auf Deutsch',
  },
  {
    username: 'autorin',
    en: 'Edits news, works in German',
    de: 'Bearbeitet Nachrichten, arbeitet auf Deutsch',
  },
  {
    username: 'guest',
    en: 'May log in, but not use the chat',
    de: 'Darf sich anmelden, aber nicht den Chat benutzen',
  },
]

/** The seeded users for the login page. Only the local stage has them. */
export function demoUsers(lang: string): DemoUser[] {
  return users.map(({ username, ...about }) => ({ username, password, about: inLanguage(about, lang) }))
}
