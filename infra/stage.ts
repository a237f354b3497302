import { readDeployment, readSettings } from './deployment.ts'

/** The deployment of this stage. */
export const deployment = readDeployment($app.stage)

/** The settings that this stage gets. */
export const settings = readSettings($app.stage)

/** True for a permanent stage: its data is protected, can be restored to any second, and outlives the stage. */
export const isPermanent = $app.removal === 'retain'

/** Retention of logs. */
export const logRetention = isPermanent ? '1 month' : '1 week'
