import { inLanguage } from '../base/language.ts'
import type { ToolStatus, ToolWords } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { find, tools } from '../tool/tools.ts'
import { decide, type GateAnswer, type GateFacts, type GateReason, reasonText } from './gate.ts'

/** Every tool of a turn: those of the registry, and those of other servers behind them. */
const all = ({ remote = [] }: GateFacts): Tool[] => [...tools, ...remote]

/** The tool of a name in this turn; undefined when there is none. */
export function named(name: string, { remote = [] }: GateFacts): Tool | undefined {
  return find(name) ?? remote.find((tool) => tool.name === name)
}

/** The tools that the model gets in this turn, in the registry's fixed order, so that the prompt cache holds. */
export function offered(facts: GateFacts): Tool[] {
  return all(facts).filter((tool) => decide(tool, facts).allowed)
}

/**
 * The tools that this actor may not use now, each with the reason, so that the assistant can say why it cannot. Tools for
 * features that the CMS lacks are left out.
 */
export function refused(facts: GateFacts): { tool: Tool; reason: GateReason }[] {
  return all(facts).flatMap((tool) => {
    const decision = decide(tool, facts)
    return decision.allowed || decision.reason === 'tool.notHere' ? [] : [{ tool, reason: decision.reason }]
  })
}

/**
 * All tools that suit the CMS, in the actor's language; each says if the actor may use it. Without facts the actor
 * may use none.
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
