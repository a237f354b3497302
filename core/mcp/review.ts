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

const sentences: Record<'silent' | 'changed', Translated> = {
  silent: {
    en: 'The tool server “{server}” does not answer: {failure}',
    de: 'Der Werkzeug-Server „{server}“ antwortet nicht: {failure}',
  },
  changed: {
    en: 'The server “{server}” has changed or removed tools; they are off until they are allowed again: {names}.',
    de: 'Der Server „{server}“ hat Werkzeuge geändert oder entfernt; sie sind aus, bis sie neu erlaubt werden: {names}.',
  },
}

/** What an administrator has to know of the servers, a sentence each; none where all is as it was allowed. */
export function concerns(servers: readonly McpServer[], seen: readonly SeenServer[], lang: string): string[] {
  const say = (name: keyof typeof sentences, params: Record<string, string>) =>
    filled(inLanguage(sentences[name], lang), lang, params)
  return servers.flatMap(({ name: server, ...settings }) => {
    const it = seen.find(({ name }) => name === server)
    if (!it) return []
    if (it.failure) return [say('silent', { server, failure: it.failure })]
    const off = standings(settings, it.tools).filter(({ standing }) => ['changed', 'gone'].includes(standing))
    if (off.length === 0) return []
    return [say('changed', { server, names: off.map(({ name }) => name).join(', ') })]
  })
}
