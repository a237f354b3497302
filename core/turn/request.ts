import { type GateFacts, gateFacts } from '../agent/gate.ts'
import { offered, refused } from '../agent/offered.ts'
import { reasonText } from '../agent/reason.ts'
import type { Cms } from '../cms/cms.ts'
import type { ViewContext } from '../conversation/schema.ts'
import type { Model, ModelRequest } from '../model/model.ts'
import { compose } from '../prompt/system.ts'
import { inputSchema } from '../tool/tool.ts'
import type { Scene } from './acting.ts'

/** What every request of a turn has in common; the transcript alone differs from one to the next. */
export type Frame = Pick<ModelRequest, 'system' | 'tools' | 'maxTokens' | 'reasoning'>

/** What of the conversation is part of its system prompt. */
export type Setting = {
  nonce: string
  viewContext: ViewContext | undefined
  /** The conversation's own instructions; empty where there are none. */
  instructions: string
}

/** The frame of a turn: system prompt, tools, and how long an answer may be. */
export async function frameOf(cms: Cms, scene: Scene, model: Model, setting: Setting): Promise<Frame> {
  const { actor, settings, resolved } = scene
  const facts = gateFacts(actor, settings, resolved)
  const { effort, thinking } = resolved.configuration
  return {
    system: await prompt(cms, scene, facts, setting),
    tools: offered(facts).map((tool) => ({
      name: tool.name,
      description: tool.description,
      schema: inputSchema(tool),
    })),
    maxTokens: answerTokens(resolved.configuration.maxTokens, model.limits),
    ...((effort || thinking) && { reasoning: { ...(effort && { effort }), ...(thinking && { thinking }) } }),
  }
}

/** How long an answer may be; half of a small window stays for the conversation. */
function answerTokens(wanted: number, { maxOutputTokens, contextTokens }: Model['limits']): number {
  return Math.min(wanted, maxOutputTokens, Math.floor(contextTokens / 2))
}

async function prompt(
  cms: Cms,
  { actor, resolved }: Scene,
  facts: GateFacts,
  { nonce, viewContext, instructions }: Setting,
): Promise<Frame['system']> {
  const { pageId, module } = viewContext ?? { pageId: 0, module: undefined }
  const [languages, page] = await Promise.all([
    cms.languages(),
    pageId > 0 ? cms.page(actor, pageId) : undefined,
  ])
  const refusals = refused(facts).map(({ tool, reason }) => ({
    tool: `${tool.words.en.title} (${tool.name})`,
    reason: reasonText(reason, 'en'),
  }))
  return compose({
    systemPrompt: resolved.configuration.system_prompt,
    promptTemplate: resolved.task.prompt_template,
    languages,
    nonce,
    lang: actor.lang,
    module,
    page,
    refusals,
    instructions,
  })
}
