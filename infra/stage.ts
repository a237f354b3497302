import { readDeployment, readSettings } from './deployment.ts'

/** The deployment of this stage. */
export const deployment = readDeployment($app.stage)

/** The settings that this stage gets. */
export const settings = readSettings($app.stage)

/** True for a stage whose data is kept when the stage is removed, is protected, and can be restored to any second. */
export const isPermanent = $app.removal === 'retain'

/** Retention of logs. */
export const logRetention = isPermanent ? '1 month' : '1 week'
