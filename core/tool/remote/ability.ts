import { randomUUID } from 'node:crypto'
import type { Actor } from '../../base/actor.ts'
import * as Log from '../../base/log.ts'
import { type Cms, CmsFailure } from '../../cms/cms.ts'
import type { Ability } from '../../cms/operation.ts'
import { toolName } from '../../stage/settings/server.ts'
import type { Tool } from '../tool.ts'
import { type Definition, definitionOf } from './definition.ts'
import { type Act, remoteTools, type ToolSource } from './remote-tool.ts'

/**
 * The server part in the names of these tools; unique, because server names in the settings have no capital letters.
 */
const source = 'CMS'

/**
 * Returns the functions that the CMS offers the actor as tools, like those of an MCP server. An administrator has
 * allowed each function in the CMS. Never rejects because of the CMS: the turn then lacks the tools. `label` is the
 * name of the CMS for people.
 */
export async function abilityTools(
  cms: Pick<Cms, 'abilities' | 'ability'>,
  actor: Actor,
  label: string,
): Promise<Tool[]> {
  const abilities = await cms.abilities(actor).catch((error: unknown): Ability[] => {
    if (!(error instanceof CmsFailure)) throw error
    Log.error('The functions of the CMS were not listed', error)
    return []
  })
  const known = new Map<string, Ability>(abilities.map((ability) => [ability.name, ability]))
  const tools = [...known.values()].map(asListed)
  const call = async (
    { name }: Definition,
    input: Record<string, unknown>,
    way: { key?: string; dry?: true },
  ) => {
    const version = known.get(name)?.version ?? ''
    const answer = await cms.ability(actor, { name, version, input, ...way })
    if (!answer) throw new Error(`The CMS had the key of a call of ${name} before`)
    return answer.output
  }
  const act: Act = async (definition, args, _, mayChange) => {
    const output = await call(definition, args, mayChange ? { key: randomUUID() } : {})
    return { text: typeof output === 'string' ? output : JSON.stringify(output ?? null, null, 1) }
  }
  const named = new Map(tools.map((definition) => [toolName(source, definition.name), definition]))
  return remoteTools(sourceOf(tools, label), { title: label, tools }, act).map((tool) => {
    const definition = named.get(tool.name)
    if (!('call' in tool) || !definition) return tool
    const check = async (args: Record<string, unknown>) => {
      await call(definition, args, { dry: true })
    }
    return { ...tool, check }
  })
}

/** Returns the ability in the form in which a tool server lists a tool. */
function asListed({ name, title, description, input, readOnly }: Ability): Definition {
  const inputSchema = { ...input, type: 'object' as const }
  return definitionOf({ name, title, description, inputSchema, annotations: { readOnlyHint: readOnly } })
}

/** Returns the CMS as a server whose listed tools are all allowed. */
function sourceOf(tools: Definition[], label: string): ToolSource {
  const allowed = tools.map(({ name, hash, hintsWrite }) => [
    name,
    { class: hintsWrite ? ('write' as const) : ('read' as const), hash },
  ])
  return {
    name: source,
    label,
    url: null,
    command: null,
    auth: 'token',
    trustZone: 'internal',
    tools: Object.fromEntries(allowed),
  }
}
