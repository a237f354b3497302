import { functionArgs } from './function.ts'
import { applyPermissions } from './permission.ts'
import { settings } from './stage.ts'

const apply = new sst.aws.Function('Apply', {
  ...functionArgs({ name: 'apply', kind: 'apply', permissions: applyPermissions }),
  handler: 'functions/apply.handler',
  description: 'Stores the settings of the stage',
  timeout: '30 seconds',
})

/** Stores the settings at each deploy that changes them; a deploy fails when they cannot be stored. */
new aws.lambda.Invocation('Settings', {
  functionName: apply.name,
  input: JSON.stringify(settings),
  // Whoever changes what stores them has them stored anew.
  triggers: { code: apply.nodes.function.sourceCodeHash },
})
