import { expect } from 'vitest'
import { marksOf } from '../../../../core/agent/marks.ts'
import { compose, type PromptInput } from '../../../../core/agent/prompt/system.ts'
import type { Actor } from '../../../../core/base/actor.ts'
import type { Capabilities } from '../../../../core/cms/capabilities.ts'
import type { Cms } from '../../../../core/cms/cms.ts'
import { capabilities as reference } from '../../../../core/cms/reference/registry.ts'
import type { Mention, RecordId } from '../../../../core/conversation/schema.ts'
import { demo } from '../../../../core/model/demo/demo.ts'
import type { ModelMessage, ToolSpec } from '../../../../core/model/model.ts'
import { run } from '../../../../core/tool/run.ts'
import { inputSchema, type ReadTool } from '../../../../core/tool/tool.ts'
import { find, tools } from '../../../../core/tool/tools.ts'
import { mentionsNote } from '../../../../core/turn/attachments.ts'
import { image } from '../../../support/documents.ts'

/** A conversation with the demo: its tools are the real ones, run on a CMS as a user. */
export type Scene = {
  cms: Cms
  actor: Actor
  page?: { uid: RecordId; title: string }
  /** The open record, where it is no page. */
  record?: { table: string; uid: RecordId; title: string }
  /** The open module; the Page module unless said otherwise. */
  module?: string
  /** What the CMS has, where it is not the one of this product. */
  capabilities?: Capabilities
  /** What the user names of the site beside the message. */
  mentions?: Mention[]
  /** Names of tools that are not offered. */
  without?: string[]
  /** Figures of the service, where they matter. */
  figures?: Record<string, number>
  refusals?: PromptInput['refusals']
  /** What becomes of writes, in their order; each is the text of a result. */
  writes?: { text: string; isError: boolean }[]
}

export type Told = { calls: { name: string; arguments: unknown }[]; text: string }

const model = demo({ latencyMs: 0 })
/** A picture of one pixel. */
const dot = (await image('png', 1, 1)).toString('base64')
const nonce = 'a1b2c3d4e5f6a7b8c9d0e1f2'

/** Asks one thing and plays the turn to its end: all calls that were made, and the answer. */
export async function ask(question: string, scene: Scene, before: ModelMessage[] = []): Promise<Told> {
  const named = (scene.mentions ?? []).map((mention) => ({ ...mention, isThere: true }))
  const texts = [...(named.length > 0 ? [mentionsNote(named, nonce)] : []), question]
  const content = texts.map((text) => ({ type: 'text' as const, text }))
  const messages: ModelMessage[] = [...before, { role: 'user', content }]
  const calls: Told['calls'] = []
  const writes = [...(scene.writes ?? [])]
  for (;;) {
    const asked = { system: system(scene), messages, tools: specs(scene), toolChoice: 'auto' as const }
    const answer = await model.ask({ ...asked, maxTokens: 4_096 }, AbortSignal.timeout(20_000))
    if (answer.calls.length === 0) {
      // A right answer has no mark on what it names, nor on its figures.
      expect(marksOf(answer.text, { ...asked, rows: [] }, Date.UTC(2026, 10, 23))).toEqual({})
      return { calls, text: answer.text }
    }
    calls.push(...answer.calls.map(({ name, arguments: args }) => ({ name, arguments: args })))
    const results = []
    for (const call of answer.calls) {
      const tool = find(call.name)
      const result = tool?.writes
        ? writes.shift()
        : await run(tool as ReadTool, call.arguments, context(scene), { nonce, log })
      if (!result) return { calls, text: 'waits for a decision' }
      results.push({ type: 'tool_result' as const, callId: call.id, ...result })
    }
    messages.push(
      { role: 'assistant', content: answer.calls.map((call) => ({ type: 'tool_call' as const, ...call })) },
      { role: 'user', content: results },
    )
  }
}

function system({ actor, page, record, module = 'web_page', refusals = [], capabilities = own }: Scene) {
  return compose({
    guidance: [],
    systemPrompt: 'You help editors.',
    promptTemplate: 'Help with the website.',
    houseStyle: '',
    drafts: 'off',
    languages: [],
    tree: capabilities.tree,
    nonce,
    lang: actor.lang,
    user: actor.name,
    today: 'Monday, 2026-11-23, in UTC (GMT+00:00)',
    module,
    page,
    record,
    refusals,
    ownInstructions: '',
    instructions: '',
  })
}

const own = reference()

function specs({ without = [], capabilities = own }: Scene): ToolSpec[] {
  return tools
    .filter(({ name, suits }) => !without.includes(name) && suits?.(capabilities) !== false)
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      schema: inputSchema(tool, capabilities),
    }))
}

function context({ actor, cms, figures }: Scene) {
  return {
    actor,
    cms,
    now: Date.UTC(2026, 10, 20),
    signal: new AbortController().signal,
    files: async () => [
      { uid: 7, name: 'offer.pdf', mimeType: 'application/pdf', size: 12_000, folder: 'own' },
    ],
    see: async () => ({ type: 'image' as const, mimeType: 'image/png' as const, base64: dot }),
    operations: async () => figures ?? { 'queue depth': 0, 'dead letters': 0 },
  }
}

function log(error: unknown): never {
  throw error
}
