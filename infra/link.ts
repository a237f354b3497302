import { bucket } from './bucket.ts'
import { profileArns } from './model.ts'
import { deadQueue, queue } from './queue.ts'
import { origin } from './router.ts'
import { routerSecret, sharedSecrets } from './secret.ts'
import { deployment } from './stage.ts'
import { cmsTable, table } from './table.ts'
import { edgeTopic, topic } from './topic.ts'

/** Names and addresses of the stage, by the variable names that `core/base/config.ts` reads; no value is a secret. */
export const names = {
  AI_CHAT_STAGE: $app.stage,
  AWS_REGION: aws.getRegionOutput().region,
  AI_CHAT_TABLE: table.name,
  AI_CHAT_BUCKET: bucket.name,
  AI_CHAT_QUEUE_URL: queue.url,
  AI_CHAT_DLQ_URL: deadQueue.url,
  AI_CHAT_ORIGIN: origin,
  AI_CHAT_ALARMS: $util.all([...new Set([topic.arn, edgeTopic.topic.arn])]).apply((arns) => arns.join(' ')),
  AI_CHAT_MODEL_PROFILES: profileArns,
  ...(cmsTable && { AI_CHAT_CMS_TABLE: cmsTable.name }),
  ...(deployment.cms && { AI_CHAT_CMS_URL: deployment.cms.url, AI_CHAT_CMS_KEY: deployment.cms.key }),
}

/** The link that gives `names` to a function. It grants no permission and contains no secret. */
export const stage = new sst.Linkable('Stage', { properties: names })
const router = new sst.Linkable('RouterSecret', { properties: { value: routerSecret } })

/** The links of every function of the service. */
export const shared = [stage, router, ...sharedSecrets]
