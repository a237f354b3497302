import { paginateListServiceQuotas, type ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { paginateListSubscriptionsByTopic, type SNSClient } from '@aws-sdk/client-sns'
import { Untried } from '../../core/canary/check.ts'
import type { Settings } from '../../core/settings/schema.ts'

/** What the stage needs of its account and no function of it may ask: with the rights of the operator. */

/** Who gets the alarms. Throws where an address has not confirmed that it wants them: AWS sends it none until then. */
export async function alarms(client: SNSClient, topic: string | undefined): Promise<string> {
  if (topic === undefined) throw new Untried('the stage has none')
  const recipients: string[] = []
  for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
    { client },
    { TopicArn: topic },
  ))
    for (const { Endpoint = '', SubscriptionArn } of Subscriptions) {
      // The words that SNS has in place of the ARN.
      if (SubscriptionArn === 'PendingConfirmation')
        throw new Error(`${Endpoint} has not confirmed its subscription, and gets no alarm`)
      recipients.push(Endpoint)
    }
  return recipients.length > 0 ? recipients.join(', ') : 'no address gets them'
}

/** Quotas of Bedrock by their names, with their values a minute. */
export type Quotas = Map<string, number>

/**
 * What the account may ask of each model of Bedrock that the settings name. Throws where a quota is 0, as those of new
 * accounts are, or less than the limits that the settings give its provider.
 */
export async function quotas(client: ServiceQuotasClient, settings: Settings): Promise<string> {
  const used = settings.models.flatMap(({ provider, modelId }) => {
    const found = settings.providers.find(({ uid }) => uid === provider)
    return found?.adapter === 'bedrock' && found.active ? [{ modelId, provider: found }] : []
  })
  if (used.length === 0) throw new Untried('the settings name no model of Bedrock')
  const known: Quotas = new Map()
  for await (const { Quotas = [] } of paginateListServiceQuotas({ client }, { ServiceCode: 'bedrock' }))
    for (const { QuotaName = '', Value = 0 } of Quotas) known.set(QuotaName, Value)
  return used
    .map(({ modelId, provider }) => {
      const { requests, tokens } = quotaOf(modelId, known)
      const wanted = [
        ['requests', requests, provider.requestsPerMinute],
        ['tokens', tokens, provider.tokensPerMinute],
      ] as const
      for (const [what, quota, limit] of wanted)
        if (quota !== undefined && (quota === 0 || quota < (limit ?? 0)))
          throw new Error(`${modelId}: the account may ask for ${quota} ${what} a minute`)
      const quotas = wanted.flatMap(([what, quota]) => (quota === undefined ? [] : [`${quota} ${what}`]))
      return `${modelId}: ${quotas.length > 0 ? `${quotas.join(', ')} a minute` : 'no quota has its name'}`
    })
    .join('; ')
}

/** How the name of a quota says where a model is asked, by the prefix of its id. */
const spreads: Record<string, string> = {
  global: 'global cross-region',
  us: 'cross-region',
  eu: 'cross-region',
  apac: 'cross-region',
}

/**
 * The quotas of a model or inference profile, a minute; undefined where none has its name. Bedrock names its quotas in
 * words alone: “Global cross-region model inference tokens per minute for Anthropic Claude Sonnet 4.5 V1”.
 */
export function quotaOf(modelId: string, known: Quotas): { requests?: number; tokens?: number } {
  const [prefix = '', ...rest] = modelId.split('.')
  const spread = spreads[prefix]
  const id = (spread ? rest.join('.') : modelId).replace(/-(?:\d{8}|v\d).*$/, '')
  const wanted = id.split(/[.-]/)
  const of = (what: string) => {
    const start = `${spread ?? 'on-demand'} model inference ${what} per minute for `
    const found = [...known].find(([name]) => {
      const text = name.toLowerCase()
      const words = text.slice(start.length).split(/[^a-z0-9]+/)
      const isModel = wanted.every((word, at) => words[at] === word)
      return (
        text.startsWith(start) && isModel && words.slice(wanted.length).every((word) => /^v\d*$/.test(word))
      )
    })
    return found?.[1]
  }
  const [requests, tokens] = [of('requests'), of('tokens')]
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) }
}
