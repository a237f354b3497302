import { paginateListServiceQuotas, type ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns'
import { own } from '../../core/base/json.ts'
import { endOf, warnedDays } from '../../core/stage/settings/cards.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { modelsOf } from '../../core/stage/settings/settings.ts'
import { Untried } from '../../core/watch/canary/proof.ts'

/** Checks of the AWS account, with the rights of the operator: no function of the stage may ask these questions. */

/** Returns the different answers about the topics of the alarms. Only clients of a topic's region find it. */
export async function askTopics(
  topics: string[],
  ask: (topic: string, options: { region: string }) => Promise<string>,
): Promise<string> {
  if (topics.length === 0) throw new Untried('the stage has none')
  const answers = topics.map((topic) => ask(topic, { region: topic.split(':')[3] ?? '' }))
  return [...new Set(await Promise.all(answers))].join(', ')
}

/**
 * Returns the subscribers of a topic of alarms. Throws if an address has not confirmed its subscription, because AWS
 * sends nothing to it until then.
 */
export async function alarms(topic: string, options: { region: string }): Promise<string> {
  const pages = paginateListSubscriptionsByTopic({ client: new SNSClient(options) }, { TopicArn: topic })
  const all = (await Array.fromAsync(pages, ({ Subscriptions = [] }) => Subscriptions)).flat()
  // SNS returns this text instead of the ARN.
  const waiting = all.find(({ SubscriptionArn }) => SubscriptionArn === 'PendingConfirmation')
  if (waiting) throw new Error(`${waiting.Endpoint} has not confirmed ${topic}, and gets no alarm`)
  return all.length > 0 ? all.map(({ Endpoint }) => Endpoint).join(', ') : 'no address gets them'
}

/**
 * Returns the dates of the prices of the models that turns use. Missing prices are no failure, because a self-hosted
 * server may have none.
 */
export function describePrices(settings: Settings): string {
  const priced = modelsOf(settings).map(({ modelId, prices, pricesAsOf }) =>
    prices ? `${modelId} as of ${pricesAsOf ?? 'an unknown day'}` : `no prices for ${modelId}`,
  )
  return priced.length > 0 ? priced.join(', ') : 'a demo costs nothing'
}

/** Throws if a model that turns use has retired or soon will: an operator can choose another model in time. */
export function refuseEnds(settings: Settings, now: number): string {
  const ends = modelsOf(settings).flatMap(({ modelId }) => endOf(modelId, now) ?? [])
  if (ends.length > 0) throw new Error(ends.join(' '))
  return `none announced for the next ${warnedDays} days`
}

/** Quotas of Bedrock by name, with their values per minute. */
type Quotas = Map<string, number>

/** The settings that limit the quantities that Bedrock counts. */
const limits = { requests: 'requestsPerMinute', tokens: 'tokensPerMinute' } as const

/**
 * Returns the account's quotas for each Bedrock model in the settings. Throws if a quota is 0, as for new accounts, or
 * lower than the provider's limits in the settings.
 */
export async function quotas(client: ServiceQuotasClient, settings: Settings): Promise<string> {
  const used = settings.models.flatMap(({ provider, modelId }) => {
    const found = settings.providers.find(({ uid }) => uid === provider)
    return found?.adapter === 'bedrock' && found.active ? [{ modelId, provider: found }] : []
  })
  if (used.length === 0) throw new Untried('the settings name no model of Bedrock')
  const pages = paginateListServiceQuotas({ client }, { ServiceCode: 'bedrock' })
  const quotasOfAccount = (await Array.fromAsync(pages, ({ Quotas = [] }) => Quotas)).flat()
  const known: Quotas = new Map(quotasOfAccount.map(({ QuotaName = '', Value = 0 }) => [QuotaName, Value]))
  const lines = used.map(({ modelId, provider }) => {
    const found = Object.entries(limits).flatMap(([what, limit]) => {
      const quota = quotaOf(modelId, what, known)
      if (quota === undefined) return []
      if (quota === 0 || quota < (provider[limit] ?? 0))
        throw new Error(`${modelId}: the account may ask for ${quota} ${what} a minute`)
      return [`${quota} ${what}`]
    })
    return `${modelId}: ${found.length > 0 ? `${found.join(', ')} a minute` : 'no quota has its name'}`
  })
  return lines.join('; ')
}

/** The words for the regions in a quota's name, by the prefix of the model id. */
const spreads: Record<string, string> = {
  global: 'global cross-region',
  us: 'cross-region',
  eu: 'cross-region',
  apac: 'cross-region',
}

/**
 * Returns the quota of a model or inference profile for requests or tokens, per minute; undefined if no quota has its
 * name. Bedrock identifies a quota only by a text: “Global cross-region model inference tokens per minute for Anthropic
 * Claude Sonnet 4.5 V1”.
 */
function quotaOf(modelId: string, what: string, known: Quotas): number | undefined {
  const [prefix = '', ...rest] = modelId.split('.')
  const spread = own(spreads, prefix)
  const id = (spread ? rest.join('.') : modelId).replace(/-(?:\d{8}|v\d).*$/, '')
  const wanted = id.split(/[.-]/)
  const start = `${spread ?? 'on-demand'} model inference ${what} per minute for `
  const found = [...known].find(([name]) => {
    const text = name.toLowerCase()
    const words = text.slice(start.length).split(/[^a-z0-9]+/)
    const isModel = wanted.every((word, at) => words[at] === word)
    const isBare = words.slice(wanted.length).every((word) => /^v\d*$/.test(word))
    return text.startsWith(start) && isModel && isBare
  })
  return found?.[1]
}
