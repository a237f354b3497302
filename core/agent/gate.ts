import type { Actor } from '../base/actor.ts'
import { inLanguage } from '../base/language.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import { abilities } from '../model/model.ts'
import { type DataClass, rank } from '../stage/settings/data-class.ts'
import { isAmong } from '../stage/settings/group.ts'
import { matches } from '../stage/settings/pattern.ts'
import type { DraftsMode, Settings } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import type { Tool } from '../tool/tool.ts'

/**
 * Decides which tools may be called. The agent asks when it offers tools to the model, and again right before each
 * call, even after an approval. The gate does not decide what the actor may see or change in the CMS: the CMS decides
 * that in each request.
 */

/** All facts that the gate's answer depends on. */
export type GateFacts = {
  actor: Pick<Actor, 'isAdmin' | 'groups'>
  /** The stage's rules: the disabled tools, and the tools of each group. */
  rules: Settings['tools']
  /** The drafts mode for this actor: how far the chat may change the public site. */
  drafts: DraftsMode
  /** Patterns of the tools that the configuration offers; null: all tools. */
  offered: string[] | null
  /** The highest data class that the current provider may receive in results. */
  trustZone: DataClass
  /** The capabilities of the CMS. */
  capabilities: Capabilities
  /** True if every model of the turn can call tools. */
  modelCalls: boolean
  /** True if every model of the turn can see pictures. */
  modelSees: boolean
  /** The remote tools that the actor has in this turn, in addition to the registry's tools. */
  remote?: readonly Tool[]
}

/** The gate's answer for one tool. */
export type GateAnswer = { allowed: true } | { allowed: false; reason: GateReason }

/** Returns the facts of an actor's turn for the gate. */
export function gateFacts(
  actor: GateFacts['actor'],
  settings: Pick<Settings, 'tools' | 'drafts'>,
  { configuration, provider, ...models }: Pick<Resolved, 'configuration' | 'provider' | 'model' | 'fallback'>,
  capabilities: Capabilities,
  remote: readonly Tool[] = [],
): GateFacts {
  const able = abilities(models)
  return {
    actor,
    rules: settings.tools,
    drafts: draftsMode(settings, actor),
    offered: configuration.tools,
    trustZone: provider.trustZone,
    capabilities,
    modelCalls: able.includes('tools'),
    modelSees: able.includes('vision'),
    ...(remote.length > 0 && { remote }),
  }
}

/**
 * Decides on one tool (undefined: a tool that is not registered). The first rule that refuses wins. The order of the
 * rules is: registration, suitability for the CMS, disabled tools, drafts only, administrators only, group rules, the
 * configuration's list. The provider's trust zone and the model's abilities come last.
 */
export function decide(tool: Tool | undefined, facts: GateFacts): GateAnswer {
  if (!tool) return refuse('tool.unknown')
  if (tool.suits?.(facts.capabilities) === false) return refuse('tool.notHere')
  if (matchesAny(tool.name, facts.rules.disabled)) return refuse('tool.disabled')
  if (tool.publishes && facts.drafts === 'only') return refuse('tool.draftsOnly')
  if (tool.adminOnly && !facts.actor.isAdmin) return refuse('tool.adminOnly')
  const byGroups = refusalOfGroups(tool.name, facts)
  if (byGroups) return refuse(byGroups)
  if (facts.offered && !matchesAny(tool.name, facts.offered)) return refuse('tool.notConfigured')
  if (rank(tool.dataClass) > rank(facts.trustZone)) return refuse('tool.trustZone')
  if (!facts.modelCalls) return refuse('tool.modelCannot')
  if (tool.shows && !facts.modelSees) return refuse('tool.modelBlind')
  return { allowed: true }
}

/**
 * Applies the rules of all the actor's groups. A deny of any group wins. If any group has an allow list, the tool must
 * be in at least one allow list; an empty list allows nothing. Groups without rules neither allow nor deny. Group rules
 * do not apply to administrators, as table rights do not.
 */
function refusalOfGroups(name: string, { actor, rules }: GateFacts): GateReason | undefined {
  if (actor.isAdmin) return undefined
  const mine = actor.groups.flatMap((group) => rules.groups[String(group)] ?? [])
  if (mine.some((rule) => matchesAny(name, rule.deny ?? []))) return 'tool.groupDenied'
  const lists = mine.flatMap((rule) => (rule.allow ? [rule.allow] : []))
  if (lists.length > 0 && !lists.some((list) => matchesAny(name, list))) return 'tool.groupNotAllowed'
  return undefined
}

function matchesAny(name: string, patterns: string[]): boolean {
  return patterns.some((pattern) => matches(name, pattern))
}

const refuse = (reason: GateReason): GateAnswer => ({ allowed: false, reason })

/** The reason why a tool may not be called, as a code. */
export type GateReason = keyof typeof reasons.en

const reasons = {
  en: {
    'chat.notConfigured': 'The AI chat is not set up completely. An administrator can see what is missing.',
    'tool.unknown': 'There is no such tool.',
    'tool.notHere': 'This content management system has nothing for this tool.',
    'tool.disabled':
      'This tool is switched off for everyone. The operator of this installation can switch it on in the settings.',
    'tool.draftsOnly':
      'The chat writes only drafts and hidden records here; a person publishes in the content management system. The operator of this installation can change that.',
    'tool.adminOnly': 'Only administrators may use this tool. Ask an administrator to look it up.',
    'tool.groupDenied':
      'One of your user groups is not allowed to use this tool. An administrator can change the rules of the group.',
    'tool.groupNotAllowed':
      'None of your user groups is allowed to use this tool. An administrator can change the rules of a group.',
    'tool.notConfigured':
      'The AI configuration that answers you does not offer this tool. The operator of this installation can add it.',
    'tool.trustZone':
      'The data of this tool is too sensitive for the AI provider in use. The operator of this installation decides that.',
    'tool.modelCannot':
      'The language model in use cannot call tools. The operator of this installation can choose another one.',
    'tool.modelBlind':
      'The language model in use sees no pictures. The operator of this installation can choose another one.',
  },
}

/**
 * Returns the sentence that tells a person why they may not use a tool, and who could change that. The sentence is
 * English for an unknown language.
 */
export const reasonText = (reason: GateReason, lang: string): string => inLanguage(reasons, lang)[reason]

/** The modes in order of strictness, the least strict first. */
const strictness: DraftsMode[] = ['off', 'first', 'only']

/**
 * Returns the drafts mode for the actor: the strictest mode of the actor's groups, otherwise the stage's mode.
 * Administrators get the stage's mode, because group rules do not apply to them.
 */
export function draftsMode(
  { drafts: { mode, groups } }: Pick<Settings, 'drafts'>,
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
): DraftsMode {
  if (actor.isAdmin) return mode
  const modes = Object.entries(groups).flatMap(([group, stricter]) =>
    isAmong(actor.groups, group) ? [stricter] : [],
  )
  return strictness.findLast((mode) => modes.includes(mode)) ?? mode
}
