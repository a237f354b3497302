import { inLanguage } from '../language.ts'
import type { Tool } from '../tool/tool.ts'
import { tools } from '../tool/tools.ts'
import { decide, type GateFacts } from './gate.ts'
import { type GateReason, reasonText } from './reason.ts'

/** The tools that the model gets in this turn, in the registry's fixed order, so that the prompt cache holds. */
export function offered(facts: GateFacts): Tool[] {
  return tools.filter((tool) => decide(tool, facts).allowed)
}

/** The tools that this actor may not use now, each with the reason: the assistant can then say why it cannot. */
export function refused(facts: GateFacts): { tool: Tool; reason: GateReason }[] {
  return tools.flatMap((tool) => {
    const decision = decide(tool, facts)
    return decision.allowed ? [] : [{ tool, reason: decision.reason }]
  })
}

/** A tool as `GET /status` lists it; `reason` is a sentence for the user, null when the tool is available. */
export type ToolStatus = {
  name: string
  title: string
  writes: boolean
  available: boolean
  reason: string | null
}

/** All tools with what the actor may do with them, in the actor's language. */
export function overview(facts: GateFacts, lang: string): ToolStatus[] {
  return tools.map((tool) => {
    const decision = decide(tool, facts)
    return {
      name: tool.name,
      title: inLanguage(tool.title, lang),
      writes: tool.writes,
      available: decision.allowed,
      reason: decision.allowed ? null : reasonText(decision.reason, lang),
    }
  })
}
