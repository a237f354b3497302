import { deployment } from './stage.ts'

const { accountId } = aws.getCallerIdentityOutput()

/**
 * Creates a topic, and subscribes the address of the deployment file to it. CloudWatch and Budgets of this account may
 * publish to it.
 */
function alarmTopic(name: string, provider?: aws.Provider): aws.sns.Topic {
  const options = provider && { provider }
  // A key of KMS is only valid in its region, so the topic of another region has none.
  const key = provider ? undefined : (deployment.kmsKeyArn ?? undefined)
  const args = { name: `${$app.name}-${$app.stage}-${name}`, kmsMasterKeyId: key }
  const topic = new aws.sns.Topic(name, args, options)
  if (deployment.alarmEmail !== null && deployment.alarmEmail !== 'none') {
    new aws.sns.TopicSubscription(
      `${name}Email`,
      { topic: topic.arn, protocol: 'email', endpoint: deployment.alarmEmail },
      options,
    )
  }
  new aws.sns.TopicPolicy(
    `${name}Policy`,
    {
      arn: topic.arn,
      policy: aws.iam.getPolicyDocumentOutput({
        statements: [
          {
            principals: [
              { type: 'Service', identifiers: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
            ],
            actions: ['sns:Publish'],
            resources: [topic.arn],
            // Without this condition, any account could publish through these services.
            conditions: [{ test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] }],
          },
        ],
      }).json,
    },
    options,
  )
  return topic
}

/** The topic that every alarm and the budget publish to. */
export const topic = alarmTopic('Alarms')

/** CloudFront reports its metrics only in this region, and an alarm needs a topic of its own region. */
const edgeRegion = 'us-east-1'

/** The topic of alarms on CloudFront, and the provider that creates these alarms in their region. */
export const edgeTopic = $app.providers?.aws?.region === edgeRegion ? { topic } : inEdgeRegion()

function inEdgeRegion(): { topic: aws.sns.Topic; provider: aws.Provider } {
  const provider = new aws.Provider('Edge', { region: edgeRegion })
  return { topic: alarmTopic('EdgeAlarms', provider), provider }
}
