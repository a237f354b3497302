import { functions } from './api.ts'
import { cleanup } from './cleanup.ts'
import { functionArgs } from './function.ts'
import { applyPermissions } from './permission.ts'
import { settings } from './stage.ts'

const apply = new sst.aws.Function('Apply', {
  ...functionArgs({ name: 'apply', permissions: applyPermissions }),
  handler: 'functions/apply.handler',
  description: 'Stores the settings of the stage',
  timeout: '30 seconds',
})

/**
 * The web functions and cleanup, which a deploy updates before it stores the settings. A consumer of the release before
 * may read the new settings, and leaves out what it does not know.
 */
const readers = [...Object.values(functions), cleanup.nodes.function].map((fn) => fn.nodes.function)

/** Each deploy that changes the settings stores them. If they cannot be stored, the deploy fails. */
new aws.lambda.Invocation(
  'Settings',
  {
    functionName: apply.name,
    input: JSON.stringify(settings),
    // Stores the settings again if the code of the function that stores them changes.
    triggers: { code: apply.nodes.function.sourceCodeHash },
  },
  { dependsOn: readers },
)
