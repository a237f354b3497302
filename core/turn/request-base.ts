import { type GateFacts, gateFacts, reasonText } from '../agent/gate.ts'
import { offered, refused } from '../agent/offered.ts'
import { compose } from '../agent/prompt/system.ts'
import { describeDay } from '../base/time-zone.ts'
import type { ViewContext } from '../conversation/schema.ts'
import type { Model, ModelRequest } from '../model/model.ts'
import type { Servers } from '../tool/remote/servers.ts'
import { inputSchema, type Tool } from '../tool/tool.ts'
import { descriptionOf, guidanceOf } from '../tool/tools.ts'
import type { ActingInCms } from './acting.ts'

/** The parts that all requests of a turn have in common. Only the transcript differs from request to request. */
export type RequestBase = Pick<ModelRequest, 'system' | 'tools' | 'maxTokens' | 'reasoning'>

/** The parts of a conversation that its system prompt contains. */
export type Setting = {
  nonce: string
  /** Milliseconds since the epoch, when the turn was taken up. */
  now: number
  viewContext: ViewContext | undefined
  /** The conversation's own instructions; empty where there are none. */
  instructions: string
  /** The user's instructions for all their conversations. */
  ownInstructions: string
  /** The servers whose tools the turn has. */
  servers: Pick<Servers, 'tools' | 'unconnected'>
}

/** The parts that all requests of a turn have in common: system prompt, tools, and the longest answer. */
export function requestBaseOf(acting: ActingInCms, model: Model, setting: Setting): RequestBase {
  const { actor, settings, resolved, capabilities } = acting
  const facts = gateFacts(actor, settings, resolved, capabilities, setting.servers.tools(actor, settings))
  const { effort, thinking } = resolved.configuration
  const here = offered(facts)
  return {
    system: prompt(acting, facts, here, setting),
    tools: here.map((tool) => ({
      name: tool.name,
      description: descriptionOf(tool, here),
      schema: inputSchema(tool, capabilities),
    })),
    maxTokens: answerTokens(resolved.configuration.maxTokens, model.limits),
    ...((effort || thinking) && { reasoning: { ...(effort && { effort }), ...(thinking && { thinking }) } }),
  }
}

/** The longest answer in tokens; half of a small window stays for the conversation. */
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
    // Without a page tree, the CMS answers the open id with a record whose type it does not name.
    ...(facts.capabilities.tree === null ? { record: record ?? page } : { page, record }),
    refusals: [...refusals, ...servers.unconnected.map(notConnected)],
    ownInstructions,
    instructions,
  })
}

/** The model's notice of a server that the user has not connected, whose tools it does not get. */
const notConnected = (server: string) => ({
  tool: `All tools of the server "${server}"`,
  reason:
    'The user has not connected this server. They can do so under "Connections" in the menu of the chat.',
})
