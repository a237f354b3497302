/// <reference path="./.sst/platform/config.d.ts" />

/**
 * The deployed stages. A stage is permanent if its deployment file says so: its data outlives its resources, and `sst
 * remove` refuses to remove the stage. SST allows no import at the top of this file.
 */
export default $config({
  app: async ({ stage }) => {
    const { existsSync, readFileSync } = await import('node:fs')
    const own = `infra/deployments/${stage}.json`
    const file = existsSync(own) ? own : 'infra/deployments/dev.json'
    const { permanent, region, tags = {} } = JSON.parse(readFileSync(file, 'utf8'))
    return {
      name: 'ai-chat',
      home: 'aws',
      providers: {
        aws: {
          version: '7.20.0',
          region: region || process.env.AWS_REGION || 'us-east-1',
          defaultTags: { tags },
        },
      },
      removal: permanent ? 'retain' : 'remove',
      protect: permanent,
    }
  },
  run: async () => {
    const { deployment } = await import('./infra/stage.ts')
    await import('./infra/boundary.ts')
    await import('./infra/encryption.ts')
    const { origin } = await import('./infra/router.ts')
    await import('./infra/api.ts')
    await import('./infra/web.ts')
    await import('./infra/cleanup.ts')
    if (deployment.processing === 'exec') await import('./infra/process.ts')
    else await import('./infra/worker.ts')
    await import('./infra/alarm.ts')
    if (deployment.canary) await import('./infra/canary.ts')
    await import('./infra/budget.ts')
    if (deployment.dashboard) await import('./infra/dashboard.ts')
    await import('./infra/settings.ts')
    return { backend: $interpolate`${origin}/backend`, chat: $interpolate`${origin}/backend/chat.js` }
  },
})
