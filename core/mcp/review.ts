import { isPersonal } from '../connection/grant.ts'
import { filled, inLanguage, type Translated } from '../language.ts'
import type { McpServer } from '../settings/schema.ts'
import type { SeenServer } from './seen.ts'

/** How a tool of a server stands to what the settings allow; all but `allowed` are off. */
export type Standing = 'allowed' | 'off' | 'changed' | 'gone' | 'new'

/** Every tool of a server, or of its settings, and how it stands. */
export function standings(
  { tools }: Pick<McpServer, 'tools'>,
  seen: readonly { name: string; hash: string }[],
): { name: string; standing: Standing; hash: string }[] {
  const listed = seen.map(({ name, hash }) => {
    const allowed = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (!allowed) return { name, hash, standing: 'new' as const }
    if (allowed.class === 'off') return { name, hash, standing: 'off' as const }
    return { name, hash, standing: allowed.hash === hash ? ('allowed' as const) : ('changed' as const) }
  })
  const gone = Object.entries(tools)
    .filter(([name, allowed]) => allowed.class !== 'off' && !seen.some((tool) => tool.name === name))
    .map(([name, { hash }]) => ({ name, hash, standing: 'gone' as const }))
  return [...listed, ...gone]
}

const sentences: Record<'silent' | 'changed' | 'away' | 'waiting', Translated> = {
  silent: {
    en: 'The tool server “{server}” does not answer: {failure}',
    de: 'Der Werkzeug-Server „{server}“ antwortet nicht: {failure}',
  },
  changed: {
    en: 'The server “{server}” has changed or removed tools; they are off until they are allowed again: {names}.',
    de: 'Der Server „{server}“ hat Werkzeuge geändert oder entfernt; sie sind aus, bis sie neu erlaubt werden: {names}.',
  },
  away: {
    en: 'The server does not answer at the moment.',
    de: 'Der Server antwortet im Augenblick nicht.',
  },
  waiting: {
    en: 'The server has changed tools. An administrator has to allow them again: {names}.',
    de: 'Der Server hat Werkzeuge geändert. Ein Administrator muss sie neu erlauben: {names}.',
  },
}

/** What an administrator has to know of the servers, a sentence each; none where all is as it was allowed. */
export function concerns(servers: readonly McpServer[], seen: readonly SeenServer[], lang: string): string[] {
  return servers.flatMap((server) => {
    const wrong = concernOf(server, seen)
    if (!wrong) return []
    const params = { ...wrong, server: server.name }
    return [filled(inLanguage(sentences[wrong.failure ? 'silent' : 'changed'], lang), lang, params)]
  })
}

/** Why tools of a server are off, for a user who may do nothing about it; undefined where nothing is known. */
export function concernOfUser(
  server: McpServer,
  seen: readonly SeenServer[],
  lang: string,
): string | undefined {
  const wrong = concernOf(server, seen)
  return wrong && filled(inLanguage(sentences[wrong.failure ? 'away' : 'waiting'], lang), lang, wrong)
}

/** Why the server gave no list, or the names of the tools that are not as they were allowed. */
function concernOf(
  server: McpServer,
  seen: readonly SeenServer[],
): { failure: string; names: string } | undefined {
  const it = seen.find(({ name }) => name === server.name)
  if (!it) return undefined
  if (it.failure) return { failure: it.failure, names: '' }
  // Where each user has rights of their own, a tool that one does not see is not gone.
  const wrong: Standing[] = isPersonal(server) ? ['changed'] : ['changed', 'gone']
  const off = standings(server, it.tools).filter(({ standing }) => wrong.includes(standing))
  return off.length === 0 ? undefined : { failure: '', names: off.map(({ name }) => name).join(', ') }
}
