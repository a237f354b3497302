import { readDeployment, readSettings } from './deployment.ts'

/** The deployment of this stage. */
export const deployment = readDeployment($app.stage)

/** The settings that this stage gets. */
export const settings = readSettings($app.stage)

/** True for a stage whose data outlives its resources: kept on removal, protected, restorable to any second. */
export const isPermanent = $app.removal === 'retain'

/** Retention of logs. */
export const logRetention = isPermanent ? '1 month' : '1 week'
