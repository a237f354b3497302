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

/** What an administrator has to know of the servers, a sentence each; none where all is as it was allowed. */
export function concerns(servers: readonly McpServer[], seen: readonly SeenServer[], lang: string): string[] {
  const isGerman = lang.startsWith('de')
  return servers.flatMap((server) => {
    const it = seen.find(({ name }) => name === server.name)
    if (!it) return []
    if (it.failure) {
      return [
        isGerman
          ? `Der Werkzeug-Server „${server.name}“ antwortet nicht: ${it.failure}`
          : `The tool server “${server.name}” does not answer: ${it.failure}`,
      ]
    }
    const off = standings(server, it.tools).filter(({ standing }) => ['changed', 'gone'].includes(standing))
    if (off.length === 0) return []
    const names = off.map(({ name }) => name).join(', ')
    return [
      isGerman
        ? `Der Server „${server.name}“ hat Werkzeuge geändert oder entfernt; sie sind aus, bis sie neu erlaubt werden: ${names}.`
        : `The server “${server.name}” has changed or removed tools; they are off until they are allowed again: ${names}.`,
    ]
  })
}
