import type { Actor } from '../actor.ts'
import { gateFacts } from '../agent/gate.ts'
import { overview } from '../agent/offered.ts'
import { type Capabilities, undoesOne } from '../cms/capabilities.ts'
import { mediaTables } from '../cms/media.ts'
import { connectable } from '../connection/grant.ts'
import { notConfigured } from '../conversation/failure.ts'
import type { Quota } from '../conversation/quota.ts'
import { acceptAttribute, supportedFormats } from '../file/format.ts'
import { maxFileBytes, maxFilesPerConversation } from '../file/schema.ts'
import type { Provider, Settings } from '../settings/schema.ts'
import { resolve } from '../settings/settings.ts'
import { config, secret } from '../stage/config.ts'
import { secretVariable } from '../stage/secret-name.ts'
import { version } from '../stage/version.ts'
import type { StatusAnswer } from './status-request.ts'

/** What the interface may offer this user now: formats, limits, tools, and what is wrong with the configuration. */
export function status(
  actor: Actor,
  settings: Settings,
  quota: Quota,
  today: { tokens: number; ofStage: number },
  capabilities: Capabilities,
  lang = actor.lang,
): StatusAnswer {
  const { resolved, missing: broken } = resolve(settings, actor)
  const missing = broken ?? missingSecret(resolved.provider)
  const formats = supportedFormats(resolved?.model.capabilities ?? [])
  return {
    available: missing === undefined,
    issues:
      missing === undefined ? [] : [{ code: 'chat.notConfigured', message: notConfigured(actor, missing) }],
    provider: {
      name: resolved?.provider.name ?? '',
      model: resolved?.model.modelId ?? '',
      isAI: resolved !== undefined && resolved.provider.adapter !== 'demo',
    },
    supportedFormats: formats,
    accept: acceptAttribute(formats),
    maxFileSize: maxFileBytes,
    maxFilesPerConversation,
    maxMessageLength: settings.maxMessageLength,
    maxSystemPromptLength: settings.maxSystemPromptLength,
    pollIntervalMs: settings.pollIntervalMs,
    activeConversations: quota.active.length,
    maxActiveConversations: settings.maxActiveConversations,
    tools: overview(resolved && gateFacts(actor, settings, resolved, capabilities), lang),
    pages: capabilities.tree?.pages ?? null,
    undoOne: undoesOne(capabilities),
    connections: connectable(actor, settings).length > 0,
    accessTokens: settings.accessTokens !== null,
    siteFiles: mediaTables(capabilities.types).size > 0,
    usage: {
      todayTokens: today.tokens,
      dailyTokens: settings.dailyTokensPerUser,
      stage:
        actor.isAdmin && settings.dailyTokens !== null
          ? { todayTokens: today.ofStage, dailyTokens: settings.dailyTokens }
          : null,
    },
    version,
  }
}

/**
 * What is wrong where the provider's secret is not set. On the local stage alone: a deploy asks for each secret that the
 * settings name, and only what calls models is linked to the keys of their providers.
 */
function missingSecret({ uid, name, adapter, secret: named }: Provider): string | undefined {
  if (!config().isLocal || adapter !== 'anthropic' || named === null || secret(named)) return undefined
  return `The secret "${named}" of provider ${uid} (${name}) is not set: ${secretVariable(named)}.`
}
