import { randomUUID } from 'node:crypto'
import type { Actor } from '../../base/actor.ts'
import * as Log from '../../base/log.ts'
import { type Cms, CmsFailure } from '../../cms/cms.ts'
import type { Ability } from '../../cms/operation.ts'
import { toolName } from '../../stage/settings/server.ts'
import type { Tool } from '../tool.ts'
import { type Definition, definitionOf } from './definition.ts'
import { type Act, remoteTools, type ToolSource } from './remote-tool.ts'

/** Part of the names of these tools. No server of the settings has a capital letter in its name. */
const source = 'CMS'

/**
 * Answers the functions that the CMS has for the actor as tools, like those of a server: an administrator of the CMS has allowed
 * each there. Never rejects because of the CMS: the turn then lacks the tools. `label` names the CMS to people.
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

/** The ability in the form of a tool that a server lists. */
function asListed({ name, title, description, input, readOnly }: Ability): Definition {
  const inputSchema = { ...input, type: 'object' as const }
  return definitionOf({ name, title, description, inputSchema, annotations: { readOnlyHint: readOnly } })
}

/** The CMS as a server of which each tool is allowed as it is listed. */
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
