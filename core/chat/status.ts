import { gateFacts } from '../agent/gate.ts'
import { overview } from '../agent/offered.ts'
import type { Actor } from '../base/actor.ts'
import { maxCharacters } from '../base/characters.ts'
import { config, secret } from '../base/config.ts'
import type { Code } from '../base/error.ts'
import { secretVariable } from '../base/secret-name.ts'
import { version } from '../base/version.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import { mediaTables } from '../cms/cms.ts'
import type { Quota } from '../conversation/quota.ts'
import { sentenceOf } from '../conversation/turn-failure.ts'
import { acceptAttribute, saveAs, supportedFormats } from '../file/format.ts'
import { maxFileBytes, maxFilesPerConversation } from '../file/schema.ts'
import { titleModel } from '../model/fallback.ts'
import { abilities } from '../model/model.ts'
import type { Provider, Settings } from '../stage/settings/schema.ts'
import { resolve } from '../stage/settings/settings.ts'
import { isSpent } from '../stage/usage/budget.ts'
import { concerns, seenServers } from '../tool/remote/review.ts'
import { homeOf } from '../tool/site.ts'
import { connectable } from '../user/connection/grant.ts'
import type { StatusAnswer } from './status-request.ts'

/**
 * Returns the features and limits that the interface shows to this user: formats, tools and faults of the
 * configuration.
 */
export async function status(
  actor: Actor,
  settings: Settings,
  quota: Quota,
  today: { tokens: number; ofStage: number },
  capabilities: Capabilities,
  lang = actor.lang,
): Promise<StatusAnswer> {
  const { resolved, missing: broken } = resolve(settings, actor)
  const missing = broken ?? missingSecret(resolved.provider)
  const code = 'chat.notConfigured'
  const unavailable =
    missing === undefined ? [] : [{ code, message: sentenceOf(code, { ...actor, lang }, missing) }]
  const closed = await inWords(closedFor(settings, today), lang)
  const formats = supportedFormats(resolved ? abilities(resolved) : [])
  return {
    available: missing === undefined,
    issues: [...unavailable, ...closed],
    provider: {
      name: resolved?.provider.name ?? '',
      model: resolved?.model.modelId ?? '',
      isAI: resolved !== undefined && resolved.provider.adapter !== 'demo',
    },
    supportedFormats: formats,
    accept: acceptAttribute(formats),
    saveAs,
    maxFileSize: maxFileBytes,
    maxFilesPerConversation,
    maxMessageLength: settings.maxMessageLength,
    maxSystemPromptLength: settings.maxSystemPromptLength,
    maxCharacters,
    pollIntervalMs: settings.pollIntervalMs,
    activeConversations: quota.active.length,
    maxActiveConversations: settings.maxActiveConversations,
    tools: overview(resolved && gateFacts(actor, settings, resolved, capabilities), lang),
    pages: capabilities.tree?.pages ?? null,
    home: homeOf(capabilities),
    connections: connectable(actor, settings).length > 0,
    accessTokens: settings.accessTokens !== null,
    titles: resolved !== undefined && titleModel(settings, resolved) !== undefined,
    siteFiles: mediaTables(capabilities.types).size > 0,
    usage: {
      todayTokens: today.tokens,
      dailyTokens: settings.dailyTokensPerUser,
      stage: actor.isAdmin ? usageOfStage(settings, today.ofStage) : null,
    },
    version,
  }
}

const usageOfStage = ({ dailyTokens }: Settings, todayTokens: number) =>
  dailyTokens === null ? null : { todayTokens, dailyTokens }

/**
 * Returns the reasons why no turn may start now although the configuration is complete. A start follows the same rules.
 */
function closedFor(
  { maintenance, dailyTokens, dailyTokensPerUser }: Settings,
  today: { tokens: number; ofStage: number },
): Code[] {
  return [
    ...(maintenance ? ['service.maintenance' as const] : []),
    ...(isSpent(dailyTokens, today.ofStage) ? ['stage.budgetSpent' as const] : []),
    ...(isSpent(dailyTokensPerUser, today.tokens) ? ['user.budgetSpent' as const] : []),
  ]
}

/**
 * Returns the issues in sentences. Loads the sentences only if there is an issue, because most requests have no issue.
 */
async function inWords(codes: Code[], lang: string): Promise<StatusAnswer['issues']> {
  if (codes.length === 0) return []
  const { sentence } = await import('../base/error-sentence.ts')
  return codes.map((code) => ({ code, message: sentence(code, lang) }))
}

/**
 * Returns the fault of a provider without a value for its secret. Only the local stage checks this. A deploy asks for
 * each secret in the settings, and only functions that call models can read the providers' keys.
 */
function missingSecret({ uid, name, secret: named }: Provider): string | undefined {
  if (!config().isLocal || named === null || secret(named)) return undefined
  return `The secret "${named}" of provider ${uid} (${name}) is not set: ${secretVariable(named)}.`
}

/**
 * Returns the faults that consumers found with the tool servers, in the given language; empty for users who are not
 * administrators.
 */
export async function serverIssues(
  actor: Actor,
  { mcpServers }: Pick<Settings, 'mcpServers'>,
  lang = actor.lang,
): Promise<StatusAnswer['issues']> {
  if (!actor.isAdmin || mcpServers.length === 0) return []
  const seen = await seenServers()
  return concerns(mcpServers, seen, lang).map((message) => ({ code: 'mcp.changed', message }))
}
