import { watchConsumer } from './alarm.ts'
import { bundleSandbox, bundling } from './bundle.ts'
import { functionArgs } from './function.ts'
import { processTimeoutSeconds } from './limits.ts'
import { consumerPermissions } from './permission.ts'
import { queue } from './queue.ts'
import { modelSecrets } from './secret.ts'
import { deployment } from './stage.ts'

/** The consumer of the queue: each invocation gets one message, so that a failure affects no other turn. */
export const consumer = queue.subscribe(
  {
    ...functionArgs({ name: 'process', permissions: consumerPermissions, secrets: modelSecrets }),
    handler: 'functions/process.handler',
    timeout: `${processTimeoutSeconds} seconds`,
    // `sharp` has native code, so it is installed for the architecture of the function. Only the sandbox loads it.
    nodejs: { ...bundling, install: { sharp: '0.35.5' } },
    hook: { postbuild: bundleSandbox },
  },
  {
    batch: { size: 1, partialResponses: true },
    transform: {
      eventSourceMapping: { scalingConfig: { maximumConcurrency: deployment.limits.turns } },
    },
  },
)

watchConsumer(consumer.nodes.function.name)
