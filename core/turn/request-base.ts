import { type GateFacts, gateFacts, reasonText } from '../agent/gate.ts'
import { offered, refused } from '../agent/offered.ts'
import { compose } from '../agent/prompt/system.ts'
import { fixedTokensOf, type Room } from '../agent/prompt/window.ts'
import { describeDay } from '../base/time-zone.ts'
import type { ViewContext } from '../conversation/schema.ts'
import type { Model, ModelRequest } from '../model/model.ts'
import type { Servers } from '../tool/remote/servers.ts'
import { inputSchema, type Tool } from '../tool/tool.ts'
import { descriptionOf, guidanceOf } from '../tool/tools.ts'
import type { ActingInCms } from './acting.ts'

/** The parts that all requests of a turn share; only the transcript differs between them. */
export type RequestBase = Pick<ModelRequest, 'system' | 'tools' | 'maxTokens' | 'reasoning'> &
  Pick<Room, 'fixedTokens'>

/** The parts of the system prompt that come from the conversation, its user and its servers. */
type Setting = {
  nonce: string
  /** The time when the consumer claimed the turn, in milliseconds since the epoch. */
  now: number
  viewContext: ViewContext | undefined
  /** The instructions of this conversation; empty if it has none. */
  instructions: string
  /** The user's instructions for all their conversations. */
  ownInstructions: string
  /** The servers whose tools the turn has. */
  servers: Pick<Servers, 'tools' | 'unconnected'>
}

/** Returns the system prompt, the tools and the maximum size of an answer for all requests of a turn. */
export function requestBaseOf(acting: ActingInCms, model: Model, setting: Setting): RequestBase {
  const { actor, settings, resolved, capabilities } = acting
  const facts = gateFacts(actor, settings, resolved, capabilities, setting.servers.tools(actor, settings))
  const { effort, thinking } = resolved.configuration
  const here = offered(facts)
  const system = prompt(acting, facts, here, setting)
  const tools = here.map((tool) => ({
    name: tool.name,
    description: descriptionOf(tool, here),
    schema: inputSchema(tool, capabilities),
  }))
  return {
    ...{ system, tools, fixedTokens: fixedTokensOf({ system, tools }) },
    maxTokens: answerTokens(resolved.configuration.maxTokens, model.limits),
    ...((effort || thinking) && { reasoning: { ...(effort && { effort }), ...(thinking && { thinking }) } }),
  }
}

/** Returns the maximum size of an answer in tokens. At least half of the context window stays for the conversation. */
function answerTokens(wanted: number, { maxOutputTokens, contextTokens }: Model['limits']): number {
  return Math.min(wanted, maxOutputTokens, Math.floor(contextTokens / 2))
}

function prompt(
  { actor, settings, resolved, languages, page, record }: ActingInCms,
  facts: GateFacts,
  here: readonly Tool[],
  { nonce, now, viewContext, instructions, ownInstructions, servers }: Setting,
): RequestBase['system'] {
  const refusals = refused(facts).map(({ tool, reason }) => ({
    tool: `${tool.words.en.title} (${tool.name})`,
    reason: reasonText(reason, 'en'),
  }))
  return compose({
    guidance: guidanceOf(here),
    systemPrompt: resolved.configuration.system_prompt,
    promptTemplate: resolved.task.prompt_template,
    houseStyle: settings.houseStyle,
    drafts: facts.drafts,
    languages,
    tree: facts.capabilities.tree,
    nonce,
    lang: actor.lang,
    user: actor.name,
    today: describeDay(now, viewContext?.timeZone ?? settings.timeZone),
    site: facts.capabilities.addresses?.origins[0],
    module: viewContext?.module,
    // Without a page tree, the CMS returns the open record as `page`, without its type.
    ...(facts.capabilities.tree === null ? { record: record ?? page } : { page, record }),
    refusals: [...refusals, ...servers.unconnected.map(notConnected)],
    ownInstructions,
    instructions,
  })
}

/**
 * Returns the note for the model about a server that the user has not connected; the model does not get the server's
 * tools.
 */
const notConnected = (server: string) => ({
  tool: `All tools of the server "${server}"`,
  reason:
    'The user has not connected this server. They can do so under "Connections" in the menu of the chat.',
})
