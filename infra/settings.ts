import { functions } from './api.ts'
import { cleanup } from './cleanup.ts'
import { functionArgs } from './function.ts'
import { applyPermissions } from './permission.ts'
import { settings } from './stage.ts'

const apply = new sst.aws.Function('Apply', {
  ...functionArgs({ name: 'apply', kind: 'apply', permissions: applyPermissions }),
  handler: 'functions/apply.handler',
  description: 'Stores the settings of the stage',
  timeout: '30 seconds',
})

/** The functions that read the settings. Those of this release are deployed before its settings are stored. */
const readers = [...Object.values(functions), cleanup.nodes.function].map((fn) => fn.nodes.function)

/** Stores the settings at each deploy that changes them; a deploy fails when they cannot be stored. */
new aws.lambda.Invocation(
  'Settings',
  {
    functionName: apply.name,
    input: JSON.stringify(settings),
    // A change of the function that stores them stores them again.
    triggers: { code: apply.nodes.function.sourceCodeHash },
  },
  { dependsOn: readers },
)
