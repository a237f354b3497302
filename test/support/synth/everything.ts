import { model, provider } from '../settings.ts'
import type { Own } from './synth.ts'

/** A stage in production with all that a deployment file and settings may ask for. */
export const withEverything: Own = {
  deployment: {
    domain: 'chat.example',
    kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0',
    cms: { url: 'https://cms.example/bridge', key: 'k1' },
    canary: { everyMinutes: 20, turnsEveryHours: 6, user: 9, page: 'canary' },
    dashboard: true,
    frameAncestors: ['https://cms.example'],
    webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/chat/1',
    permissionsBoundary: 'arn:aws:iam::123456789012:policy/ai-chat-boundary',
    tags: { team: 'web' },
  },
  settings: {
    embedOrigins: ['https://cms.example'],
    providers: [
      provider({ uid: 1, adapter: 'anthropic', secret: 'anthropic' }),
      provider({ uid: 2, adapter: 'bedrock' }),
    ],
    models: [model({ uid: 1 }), model({ uid: 2, provider: 2, modelId: 'anthropic.claude-opus-5' })],
    exchange: { issuer: 'https://cms.example', audience: 'ai-chat', key: 'exchange' },
  },
}
