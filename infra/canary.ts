import { UserId } from '../core/cms/user-number/schema.ts'
import type { Errand } from '../core/watch/canary/schema.ts'
import { watchCanary } from './alarm.ts'
import { functionArgs } from './function.ts'
import { canaryTimeoutSeconds } from './limits.ts'
import { stage } from './link.ts'
import { canarySecrets } from './secret.ts'
import { deployment, settings } from './stage.ts'

const { canary } = deployment
if (!canary) throw new Error('The deployment file asks for no canary.')

// The canary needs no permission and only its own secret, because it does everything over HTTP as its user.
const args = functionArgs({ name: 'canary', permissions: [], links: [stage, ...canarySecrets] })

const errand: Omit<Errand, 'turns'> = { who: who(canary.user), page: canary.page }

/** The scheduled visits without turns. A failed visit is not repeated, because its failure is the result. */
const doors = new sst.aws.CronV2('Canary', {
  schedule: `rate(${canary.everyMinutes} minutes)`,
  retries: 0,
  event: { ...errand, turns: false },
  function: {
    ...args,
    handler: 'functions/canary.handler',
    timeout: `${canaryTimeoutSeconds} seconds`,
    retries: 0,
  },
})

/** The scheduled visits that call the model. They cost more than the visits without turns. */
new sst.aws.CronV2('CanaryTurns', {
  schedule: `rate(${canary.turnsEveryHours} ${canary.turnsEveryHours === 1 ? 'hour' : 'hours'})`,
  retries: 0,
  event: { ...errand, turns: true },
  function: doors.nodes.function.arn,
})

watchCanary(canary.everyMinutes, canary.turnsEveryHours)

function who(user: string | number): Errand['who'] {
  if (!deployment.cms) return { username: String(user) }
  const { exchange } = settings
  if (!exchange) throw new Error('The canary comes by exchange, and the settings have none.')
  const { issuer, audience } = exchange
  return { uid: UserId.parse(user), issuer, audience }
}
