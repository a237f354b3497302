import { inLanguage } from '../base/language.ts'
import type { ToolStatus, ToolWords } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { find, tools } from '../tool/tools.ts'
import { decide, type GateAnswer, type GateFacts, type GateReason, reasonText } from './gate.ts'

/** Returns every tool of a turn: first the registry's tools, then the remote tools. */
const all = ({ remote = [] }: GateFacts): Tool[] => [...tools, ...remote]

/** Returns the tool with this name in the turn; undefined if there is none. */
export function named(name: string, { remote = [] }: GateFacts): Tool | undefined {
  return find(name) ?? remote.find((tool) => tool.name === name)
}

/** Returns the tools that the model gets in this turn, in the registry's order, which the prompt cache needs. */
export function offered(facts: GateFacts): Tool[] {
  return all(facts).filter((tool) => decide(tool, facts).allowed)
}

/**
 * Returns the tools that this actor may not use now, with the reasons that the assistant can give. Leaves out tools for
 * features that the CMS lacks.
 */
export function refused(facts: GateFacts): { tool: Tool; reason: GateReason }[] {
  return all(facts).flatMap((tool) => {
    const decision = decide(tool, facts)
    return decision.allowed || decision.reason === 'tool.notHere' ? [] : [{ tool, reason: decision.reason }]
  })
}

/**
 * Returns all tools that suit the CMS, in the actor's language, each with the actor's right to use it. Without facts,
 * no tool may be used.
 */
export function overview(facts: GateFacts | undefined, lang: string): ToolStatus[] {
  const here = (facts ? all(facts) : tools).filter(
    (tool) => !facts || tool.suits?.(facts.capabilities) !== false,
  )
  return here.map((tool) => {
    const decision: GateAnswer = facts
      ? decide(tool, facts)
      : { allowed: false, reason: 'chat.notConfigured' }
    return {
      name: tool.name,
      ...said(tool, lang),
      writes: tool.writes,
      available: decision.allowed,
      reason: decision.allowed ? null : reasonText(decision.reason, lang),
    }
  })
}

function said(tool: Tool, lang: string): Omit<ToolStatus, 'name' | 'writes' | 'available' | 'reason'> {
  const { title, did, doing, asked = did } = inLanguage<ToolWords>(tool.words, lang)
  const { sign } = tool
  if (!tool.writes) return { title, sign, source: tool.source ?? null, did, doing, asked, stored: null }
  return { title, sign, source: null, did, doing, asked, stored: inLanguage(tool.words, lang).stored }
}
