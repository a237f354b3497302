import { functionArgs } from './function.ts'
import { retirePermissions } from './permission.ts'
import { web } from './web.ts'

const { assets } = web.nodes
if (!assets) throw new Error('The pages have no bucket.')

const args = functionArgs({ name: 'retire', kind: 'retire', permissions: retirePermissions(assets) })

/** Removes parts of earlier releases once a day. A run that fails is not repeated: the next one does the same. */
export const retire = new sst.aws.CronV2(
  'Retire',
  {
    schedule: 'rate(1 day)',
    retries: 0,
    event: { bucket: assets.name },
    function: { ...args, handler: 'functions/retire.handler', timeout: '60 seconds', retries: 0 },
  },
  { dependsOn: web },
)
