import type { Actor } from '../base/actor.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { concerns } from '../tool/remote/review.ts'
import { seenServers } from '../tool/remote/seen.ts'
import type { StatusAnswer } from './status-request.ts'

/** The faults that consumers have found with the servers of tools; for administrators alone, in their language. */
export async function serverIssues(
  actor: Actor,
  { mcpServers }: Pick<Settings, 'mcpServers'>,
  lang = actor.lang,
): Promise<StatusAnswer['issues']> {
  if (!actor.isAdmin || mcpServers.length === 0) return []
  const seen = await seenServers()
  return concerns(mcpServers, seen, lang).map((message) => ({ code: 'mcp.changed', message }))
}
